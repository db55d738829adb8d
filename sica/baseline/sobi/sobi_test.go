package sobi_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	. "github.com/seed-47b1e431/gosica/sica/baseline/sobi"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

var _ ica.Method = Config{}

// oneLag returns the settings of AMUSE: L. Tong and others, IEEE Transactions on Circuits and
// Systems 38(5), 499–509, 1991.
func oneLag() Config {
	cfg := Default()
	cfg.Lags = []int{1}
	return cfg
}

// each calls test with many lags and with one.
func each(t *testing.T, test func(t *testing.T, cfg Config)) {
	t.Helper()
	t.Run("default", func(t *testing.T) { test(t, Default()) })
	t.Run("amuse", func(t *testing.T) { test(t, oneLag()) })
}

func TestSeparates(t *testing.T) {
	each(t, func(t *testing.T, cfg Config) {
		s, x := baselinetest.Autoregressive(4, 20000)
		m := baselinetest.Fit(t, x, cfg)
		if c := m.Convergence; !c.Converged || c.Warning != "" || c.Iterations < 2 {
			t.Errorf("convergence %+v", c)
		}
		if mcc := baselinetest.MCC(t, m.Signals, s); !(mcc > 0.999) {
			t.Errorf("MCC %.4f, want more than .999", mcc)
		}
	})
}

// Sources that are 0 wherever another isn't, and for the last lag around it, have covariance 0
// exactly. They are recovered up to rounding.
func TestSeparatesExactly(t *testing.T) {
	const d, each, gap = 3, 300, 100
	rng := rand.New(rand.NewPCG(1, 2))
	s := mat.NewDense(d, d*(each+gap), nil)
	for i := range d {
		row := s.RawRowView(i)[i*(each+gap):][:each]
		// Odd about the middle, for a mean of 0, and each with its own spectrum.
		for k := range each / 2 {
			v := rng.NormFloat64()
			if k > 0 {
				v += float64(i-1) * row[k-1] / 2
			}
			row[k], row[each-1-k] = v, -v
		}
	}
	var x mat.Dense
	x.Mul(mat.NewDense(d, d, []float64{1, 2, 3, -1, 0, 1, 2, 1, 1}), s)
	for _, lags := range [][]int{{1}, {1, 2, 3}, nil} {
		cfg := Default()
		cfg.Lags, cfg.Tolerance = lags, 1e-13
		m := baselinetest.Fit(t, &x, cfg)
		want := mat.DenseCopyOf(s)
		for i := range d {
			row := want.RawRowView(i)
			scale := math.Sqrt(float64(len(row))) / mat.Norm(want.RowView(i), 2)
			for k := range row {
				row[k] *= scale
			}
		}
		if distance := baselinetest.Distance(m.Signals, want); !(distance < 1e-11) {
			t.Errorf("lags %v: the signals are off by %g", lags, distance)
		}
	}
}

func TestLinear(t *testing.T) {
	each(t, func(t *testing.T, cfg Config) {
		_, x := baselinetest.Autoregressive(3, 1000)
		cfg.Tolerance = 1e-12
		baselinetest.Linear(t, x, cfg)
	})
}

// Signals and their time reversal have the same covariances, and the same unmixing.
func TestDirectionOfTimeDoesNotMatter(t *testing.T) {
	each(t, func(t *testing.T, cfg Config) {
		_, x := baselinetest.Autoregressive(3, 1000)
		cfg.Tolerance = 1e-12
		want := baselinetest.Fit(t, x, cfg)
		reverse(x)
		if distance := baselinetest.Distance(baselinetest.Unmixing(t, baselinetest.Fit(t, x, cfg)),
			baselinetest.Unmixing(t, want)); !(distance < 1e-10) {
			t.Errorf("the unmixing matrix is off by %g", distance)
		}
	})
}

func reverse(x *mat.Dense) {
	d, n := x.Dims()
	before := mat.DenseCopyOf(x)
	for i := range d {
		for t := range n {
			x.Set(i, t, before.At(i, n-1-t))
		}
	}
}

func TestWhite(t *testing.T) {
	each(t, func(t *testing.T, cfg Config) {
		_, x := baselinetest.Autoregressive(4, 1000)
		baselinetest.White(t, x, cfg)
	})
}

func TestWarnsIfItDoesNotConverge(t *testing.T) {
	each(t, func(t *testing.T, cfg Config) {
		_, x := baselinetest.Autoregressive(5, 500)
		cfg.MaxSweeps = 1
		c := baselinetest.Fit(t, x, cfg).Convergence
		if c.Converged || c.Iterations != 1 ||
			!strings.Contains(c.Warning, "did not converge to the tolerance 0.00045 in 1 sweeps") {
			t.Errorf("convergence %+v", c)
		}
	})
}

func TestErrors(t *testing.T) {
	_, x := baselinetest.Autoregressive(2, 100)
	for _, test := range []struct {
		want   string
		change func(*Config)
	}{
		{"Tolerance: is NaN", func(c *Config) { c.Tolerance = math.NaN() }},
		{"Tolerance: is -1; must be 0 or more", func(c *Config) { c.Tolerance = -1 }},
		{"MaxSweeps: is 0; must be at least 1", func(c *Config) { c.MaxSweeps = 0 }},
		{"Lags: are empty", func(c *Config) { c.Lags = []int{} }},
		{"Lags: has 0; must be from 1 to 99", func(c *Config) { c.Lags = []int{1, 0} }},
		{"Lags: has 100; must be from 1 to 99 for 100 positions",
			func(c *Config) { c.Lags = []int{100} }},
		{"Lags: has 2 twice", func(c *Config) { c.Lags = []int{2, 1, 2} }},
	} {
		cfg := Default()
		test.change(&cfg)
		_, err := ica.Separate(t.Context(), cfg, x)
		if !errors.Is(err, ica.ErrConfig) || !strings.HasPrefix(err.Error(), "sobi: ") ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	_, x := baselinetest.Autoregressive(10, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ica.Separate(b.Context(), Default(), x); err != nil {
			b.Fatal(err)
		}
	}
}
