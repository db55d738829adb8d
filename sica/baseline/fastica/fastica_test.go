package fastica_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/contexttest"
	. "github.com/seed-47b1e431/gosica/sica/baseline/fastica"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

var _ ica.Method = Config{}

func mustFit(t *testing.T, x *mat.Dense, cfg Config) *ica.Model {
	t.Helper()
	m, err := ica.Separate(t.Context(), cfg, x)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mixed returns d signals at n positions, mixed by a. Every other source is uniform; the rest are
// fifth powers of uniform draws, which have heavier tails than a Gaussian.
func mixed(d, n int) (x, a *mat.Dense) {
	_, a, x = baselinetest.Problem(d, n, baselinetest.Odd)
	return x, a
}

func TestSeparates(t *testing.T) {
	cfg := Default()
	x, a := mixed(5, 5000)
	before := mat.DenseCopyOf(x)
	m := mustFit(t, x, cfg)
	if c := m.Convergence; !c.Converged || c.Warning != "" || c.Iterations < 2 {
		t.Errorf("convergence %+v", c)
	}
	if amari, err := metric.Amari(baselinetest.Unmixing(t, m), a); err != nil || !(amari < 0.05) {
		t.Errorf("Amari's distance %.3f, error %v, want less than .05", amari, err)
	}
	if !mat.Equal(x, before) {
		t.Error("the fit changed the mixed signals")
	}
}

func TestModel(t *testing.T) {
	cfg := Default()
	x, _ := mixed(4, 1000)
	x.Apply(func(i, _ int, v float64) float64 { return v + 10*float64(i) }, x)
	m := mustFit(t, x, cfg)
	d, n := x.Dims()
	identity := mat.NewDiagDense(d, []float64{1, 1, 1, 1})

	var covariance mat.Dense
	covariance.Mul(m.Signals, m.Signals.T())
	covariance.Scale(1/float64(n), &covariance)
	if !mat.EqualApprox(&covariance, identity, 1e-12) {
		t.Errorf("the covariance of the signals is\n%.3g", mat.Formatted(&covariance))
	}
	z, err := m.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(z, m.Signals, 1e-10) {
		t.Error("the transform of the mixed signals isn't the recovered signals")
	}
	back, err := m.InverseTransform(z)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(back, x, 1e-10) {
		t.Error("the inverse transform isn't the mixed signals")
	}
}

func TestBitsDontDependOnProcessors(t *testing.T) {
	x, _ := mixed(3, 20000)
	cfg := Default()
	cfg.Seed = 7
	want := mustFit(t, x, cfg)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(processors)
		if !mat.Equal(baselinetest.Unmixing(t, mustFit(t, x, cfg)),
			baselinetest.Unmixing(t, want)) {
			t.Errorf("with %d processors the result is another", processors)
		}
	}
	cfg.Seed = 8
	if mat.Equal(baselinetest.Unmixing(t, mustFit(t, x, cfg)), baselinetest.Unmixing(t, want)) {
		t.Error("another seed gives the same start")
	}
}

func TestOneSignal(t *testing.T) {
	cfg := Default()
	m := mustFit(t, mat.NewDense(1, 4, []float64{1, 2, 3, 6}), cfg)
	want := []float64{-2, -1, 0, 3}
	sign := math.Copysign(1, m.Signals.At(0, 3))
	for k, v := range m.Signals.RawRowView(0) {
		if math.Abs(sign*v-want[k]/math.Sqrt(3.5)) > 1e-12 {
			t.Errorf("signals %v, want ±%v/√3.5", m.Signals.RawRowView(0), want)
		}
	}
}

func TestWarnsIfItDoesNotConverge(t *testing.T) {
	cfg := Default()
	x, _ := mixed(5, 500)
	cfg.Tolerance, cfg.MaxIterations = 0, 3
	c := mustFit(t, x, cfg).Convergence
	if c.Converged || c.Iterations != 3 || !strings.Contains(c.Warning, "did not converge") {
		t.Errorf("convergence %+v", c)
	}
}

func TestCancel(t *testing.T) {
	x, _ := mixed(3, 500)
	cfg := Default()
	ctx := contexttest.EndsAfter(t.Context(), 3)
	cfg.Tolerance = 0
	if _, err := ica.Separate(ctx, cfg, x); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestErrors(t *testing.T) {
	x, _ := mixed(2, 100)
	nan := mat.DenseCopyOf(x)
	nan.Set(0, 3, math.NaN())
	for _, test := range []struct {
		want   string
		x      *mat.Dense
		change func(*Config)
	}{
		{"x: is empty", nil, nil},
		{"2 signals at 2 positions", mat.NewDense(2, 2, []float64{1, 2, 2, 1}), nil},
		{"the value NaN at position 4", nan, nil},
		{"linearly dependent", mat.NewDense(2, 3, []float64{1, 2, 3, 2, 4, 6}), nil},
		{"tolerance: is NaN", x, func(c *Config) { c.Tolerance = math.NaN() }},
		{"tolerance: is -1", x, func(c *Config) { c.Tolerance = -1 }},
		{"max iterations: is 0; must be at least 1", x, func(c *Config) { c.MaxIterations = 0 }},
		{"start: is 3×3; must be 2×2", x, func(c *Config) { c.Start = baselinetest.Start(3, 0) }},
		{"start: the value in row 1, column 2 is +Inf", x, func(c *Config) {
			c.Start = mat.NewDense(2, 2, []float64{1, math.Inf(1), 0, 1})
		}},
		{"start: is singular", x,
			func(c *Config) { c.Start = mat.NewDense(2, 2, []float64{1, 2, 2, 4}) }},
	} {
		cfg := Default()
		if test.change != nil {
			test.change(&cfg)
		}
		m, err := ica.Separate(t.Context(), cfg, test.x)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
		if m != nil {
			t.Errorf("model %v with an error", m)
		}
	}
}

// Degenerate signals give finite results or an error.
func TestNeverNaN(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draws := map[string]func() float64{
		"signs":    func() float64 { return float64(2*rng.IntN(2) - 1) },
		"gaussian": rng.NormFloat64,
		"spikes":   func() float64 { return math.Pow(rng.NormFloat64(), 15) },
	}
	for name, draw := range draws {
		for _, size := range [][2]int{{1, 10}, {2, 3}, {2, 8}, {3, 30}, {3, 1000}} {
			x := mat.NewDense(size[0], size[1], nil)
			x.Apply(func(_, _ int, _ float64) float64 { return draw() }, x)
			cfg := Default()
			m, err := ica.Separate(t.Context(), cfg, x)
			if err != nil {
				continue
			}
			for _, result := range []*mat.Dense{m.Signals, baselinetest.Unmixing(t, m)} {
				if sum := mat.Sum(result); math.IsNaN(sum) || math.IsInf(sum, 0) {
					t.Errorf("%s %v: a value isn't finite", name, size)
				}
			}
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
