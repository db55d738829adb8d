package fastica_test

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	. "github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

var _ ica.Method = Config{}

// mixed returns d signals at n positions, mixed by a. Every other source is uniform; the rest are
// fifth powers of uniform draws, which have heavier tails than a Gaussian.
func mixed(d, n int) (x, a *mat.Dense) {
	_, a, x = baselinetest.Problem(d, n, baselinetest.Odd)
	return x, a
}

func TestSeparates(t *testing.T) {
	cfg := Default()
	x, a := mixed(5, 5000)
	m := baselinetest.Fit(t, x, cfg)
	if c := m.Convergence; !c.Converged || c.Warning != "" || c.Iterations < 2 {
		t.Errorf("convergence %+v", c)
	}
	if amari, err := metric.Amari(baselinetest.Unmixing(t, m), a); err != nil || !(amari < 0.05) {
		t.Errorf("Amari's distance %.3f, error %v, want less than .05", amari, err)
	}
}

func TestWhite(t *testing.T) {
	x, _ := mixed(4, 1000)
	baselinetest.White(t, x, Default())
}

func TestLinear(t *testing.T) {
	x, _ := mixed(3, 1000)
	cfg := Default()
	cfg.Tolerance, cfg.MaxIterations = 1e-14, 5000
	baselinetest.Linear(t, x, cfg)
}

func TestBitsDontDependOnProcessors(t *testing.T) {
	x, _ := mixed(3, 20000)
	cfg := Default()
	cfg.Seed = 7
	want := baselinetest.Fit(t, x, cfg)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(processors)
		if !mat.Equal(baselinetest.Unmixing(t, baselinetest.Fit(t, x, cfg)),
			baselinetest.Unmixing(t, want)) {
			t.Errorf("with %d processors the result is another", processors)
		}
	}
	cfg.Seed = 8
	if mat.Equal(baselinetest.Unmixing(t, baselinetest.Fit(t, x, cfg)), baselinetest.Unmixing(t, want)) {
		t.Error("another seed gives the same start")
	}
}

func TestWarnsIfItDoesNotConverge(t *testing.T) {
	cfg := Default()
	x, _ := mixed(5, 500)
	cfg.Tolerance, cfg.MaxIterations = 0, 3
	c := baselinetest.Fit(t, x, cfg).Convergence
	if c.Converged || c.Iterations != 3 || !strings.Contains(c.Warning, "did not converge") {
		t.Errorf("convergence %+v", c)
	}
}

func TestErrors(t *testing.T) {
	x, _ := mixed(2, 100)
	for _, test := range []struct {
		want   string
		change func(*Config)
	}{
		{"Tolerance: is NaN", func(c *Config) { c.Tolerance = math.NaN() }},
		{"Tolerance: is -1", func(c *Config) { c.Tolerance = -1 }},
		{"MaxIterations: is 0; must be at least 1", func(c *Config) { c.MaxIterations = 0 }},
		{"Start: is 3×3; must be 2×2", func(c *Config) { c.Start = baselinetest.Start(3, 0) }},
		{"Start: the value in row 1, column 2 is +Inf", func(c *Config) {
			c.Start = mat.NewDense(2, 2, []float64{1, math.Inf(1), 0, 1})
		}},
		{"Start: is singular",
			func(c *Config) { c.Start = mat.NewDense(2, 2, []float64{1, 2, 2, 4}) }},
	} {
		cfg := Default()
		test.change(&cfg)
		_, err := ica.Separate(t.Context(), cfg, x)
		if !errors.Is(err, ica.ErrConfig) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	x, _ := mixed(10, 100_000)
	each := func(name string, iterations int, tolerance float64, start *mat.Dense) {
		b.Run(name, func(b *testing.B) {
			cfg := Default()
			cfg.MaxIterations, cfg.Tolerance, cfg.Start = iterations, tolerance, start
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ica.Separate(b.Context(), cfg, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	each("default", 200, 1e-4, baselinetest.Start(10, 0))
	each("200iterations", 200, 0, baselinetest.Start(10, 0))
}
