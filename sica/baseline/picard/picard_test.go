package picard_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	. "github.com/seed-47b1e431/gosica/sica/baseline/picard"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

var _ ica.Method = Config{}

func settings(ortho bool) Config {
	cfg := Default()
	cfg.Ortho = ortho
	return cfg
}

// each calls test with and without Ortho.
func each(t *testing.T, test func(t *testing.T, cfg Config)) {
	t.Helper()
	for _, ortho := range []bool{false, true} {
		t.Run(fmt.Sprintf("ortho=%t", ortho), func(t *testing.T) { test(t, settings(ortho)) })
	}
}

func TestSeparates(t *testing.T) {
	each(t, func(t *testing.T, cfg Config) {
		s, _, x := baselinetest.Problem(5, 5000, baselinetest.Odd)
		m := baselinetest.Fit(t, x, cfg)
		if c := m.Convergence; !c.Converged || c.Warning != "" || c.Iterations < 2 {
			t.Errorf("convergence %+v", c)
		}
		if mcc := baselinetest.MCC(t, m.Signals, s); !(mcc > 0.998) {
			t.Errorf("MCC %.4f, want more than .998", mcc)
		}
	})
}

// At the maximum of the likelihood, mean ψ(yᵢ)·yⱼ is 1 for i = j and else 0; for uncorrelated
// signals it is symmetric.
func TestSignalsMaximiseLikelihood(t *testing.T) {
	const tolerance = 1e-9
	each(t, func(t *testing.T, cfg Config) {
		_, _, x := baselinetest.Problem(4, 1000, baselinetest.Odd)
		cfg.Tolerance = tolerance
		y := baselinetest.Fit(t, x, cfg).Signals
		d, n := y.Dims()
		score := mat.NewDense(d, n, nil)
		score.Apply(func(_, _ int, v float64) float64 { return math.Tanh(v) }, y)
		light := 0
		for i := range d {
			row := score.RawRowView(i)
			slope := 1 - floats.Dot(row, row)/float64(n)
			heavier := slope*mean(y.RawRowView(i), y.RawRowView(i)) > mean(row, y.RawRowView(i))
			if !heavier {
				light++
				floats.Scale(-1, row)
			}
			floats.Add(row, y.RawRowView(i))
		}
		if light != 2 {
			t.Errorf("%d of the signals have light tails, want 2", light)
		}
		for i := range d {
			for j := range d {
				got, want := mean(score.RawRowView(i), y.RawRowView(j)), 0.0
				switch {
				case cfg.Ortho:
					want = mean(score.RawRowView(j), y.RawRowView(i))
				case i == j:
					want = 1
				}
				if math.Abs(got-want) > 3*tolerance {
					t.Errorf("mean ψ(y%d)·y%d is %.10f, want %.10f", i, j, got, want)
				}
			}
		}
	})
}

// mean returns the mean of a·b.
func mean(a, b []float64) float64 { return floats.Dot(a, b) / float64(len(a)) }

func TestLinear(t *testing.T) {
	each(t, func(t *testing.T, cfg Config) {
		_, _, x := baselinetest.Problem(3, 1000, baselinetest.Odd)
		cfg.Tolerance, cfg.MaxIterations = 1e-10, 1000
		baselinetest.Linear(t, x, cfg)
	})
}

func TestOrthoGivesWhiteSignals(t *testing.T) {
	_, _, x := baselinetest.Problem(4, 1000, baselinetest.Odd)
	cfg := settings(true)
	cfg.Tolerance = 1e-12
	baselinetest.White(t, x, cfg)
}

func TestSeed(t *testing.T) {
	each(t, func(t *testing.T, cfg Config) {
		_, _, x := baselinetest.Problem(3, 2000, baselinetest.Odd)
		cfg.Seed = 7
		want := baselinetest.Fit(t, x, cfg)
		if !mat.Equal(baselinetest.Unmixing(t, baselinetest.Fit(t, x, cfg)),
			baselinetest.Unmixing(t, want)) {
			t.Error("the same seed gives another result")
		}
		cfg.Seed = 8
		if mat.Equal(baselinetest.Unmixing(t, baselinetest.Fit(t, x, cfg)), baselinetest.Unmixing(t, want)) {
			t.Error("another seed gives the same start")
		}
	})
}

// The demixing of one signal is its scale, with the sign of the start.
func TestOneSignal(t *testing.T) {
	each(t, func(t *testing.T, cfg Config) {
		cfg.Start = mat.NewDense(1, 1, []float64{2})
		cfg.Tolerance = 1e-12
		m := baselinetest.Fit(t, mat.NewDense(1, 4, []float64{1, 2, 3, 6}), cfg)
		scale := m.Signals.At(0, 3) / 3
		for k, want := range []float64{-2, -1, 0, 3} {
			if got := m.Signals.At(0, k); math.Abs(got-scale*want) > 1e-12 {
				t.Errorf("signal %g at %d, want %g", got, k, scale*want)
			}
		}
		// Its variance before is 3.5.
		// The mean of tanh(y)·y.
		tanh := (2*math.Tanh(2*scale) + math.Tanh(scale) + 3*math.Tanh(3*scale)) * scale / 4
		square := 3.5 * scale * scale
		excess := square - 1
		if !cfg.Ortho { // and lighter tails than a Gaussian
			excess -= tanh
		}
		if math.Abs(excess) > 1e-11 {
			t.Errorf("the scale is %g, off by %g", scale, excess)
		}
	})
}

func TestWarnsIfItDoesNotConverge(t *testing.T) {
	each(t, func(t *testing.T, cfg Config) {
		_, _, x := baselinetest.Problem(5, 500, baselinetest.Odd)
		cfg.Tolerance, cfg.MaxIterations = 0, 3
		c := baselinetest.Fit(t, x, cfg).Convergence
		if c.Converged || c.Iterations != 3 ||
			!strings.Contains(c.Warning, "after 3 iterations, not the tolerance 0") {
			t.Errorf("convergence %+v", c)
		}
	})
}

// If the likelihood overflows at the start, there is no descent, and a warning.
func TestWarnsIfItIsStuck(t *testing.T) {
	_, _, x := baselinetest.Problem(2, 100, baselinetest.Odd)
	cfg := settings(false)
	cfg.Start = mat.NewDense(2, 2, []float64{1e200, 0, 0, 1e200})
	m := baselinetest.Fit(t, x, cfg)
	if c := m.Convergence; c.Converged || c.Iterations != 0 ||
		!strings.Contains(c.Warning, "no likelier demixing after 0 iterations") {
		t.Errorf("convergence %+v", c)
	}
}

func TestErrors(t *testing.T) {
	_, _, x := baselinetest.Problem(2, 100, baselinetest.Odd)
	for _, test := range []struct {
		want   string
		change func(*Config)
	}{
		{"Tolerance: is NaN", func(c *Config) { c.Tolerance = math.NaN() }},
		{"Tolerance: is -1", func(c *Config) { c.Tolerance = -1 }},
		{"MaxIterations: is 0; must be at least 1", func(c *Config) { c.MaxIterations = 0 }},
		{"Memory: is 0; must be at least 1", func(c *Config) { c.Memory = 0 }},
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
		if !errors.Is(err, ica.ErrConfig) || !strings.HasPrefix(err.Error(), "picard: ") ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	_, _, x := baselinetest.Problem(10, 100_000, baselinetest.Odd)
	for _, ortho := range []bool{false, true} {
		b.Run(fmt.Sprintf("ortho=%t", ortho), func(b *testing.B) {
			cfg := settings(ortho)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ica.Separate(b.Context(), cfg, x); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
