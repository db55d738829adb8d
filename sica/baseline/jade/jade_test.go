package jade_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	. "github.com/seed-47b1e431/gosica/sica/baseline/jade"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

var _ ica.Method = Config{}

func TestSeparates(t *testing.T) {
	s, _, x := baselinetest.Problem(5, 20000, baselinetest.Odd)
	m := baselinetest.Fit(t, x, Default())
	if c := m.Convergence; !c.Converged || c.Warning != "" || c.Iterations < 2 {
		t.Errorf("convergence %+v", c)
	}
	if mcc := baselinetest.MCC(t, m.Signals, s); !(mcc > 0.999) {
		t.Errorf("MCC %.4f, want more than .999", mcc)
	}
}

func TestLinear(t *testing.T) {
	_, _, x := baselinetest.Problem(3, 1000, baselinetest.Odd)
	cfg := Default()
	cfg.Tolerance = 1e-12
	baselinetest.Linear(t, x, cfg)
}

func TestWhite(t *testing.T) {
	_, _, x := baselinetest.Problem(4, 1000, baselinetest.Odd)
	baselinetest.White(t, x, Default())
}

// The default tolerance is 0.01/√n.
func TestDefaultTolerance(t *testing.T) {
	_, _, x := baselinetest.Problem(5, 400, baselinetest.Odd)
	cfg := Default()
	want := baselinetest.Fit(t, x, cfg)
	cfg.Tolerance = 0.01 / 20
	if !mat.Equal(baselinetest.Unmixing(t, baselinetest.Fit(t, x, cfg)), baselinetest.Unmixing(t, want)) {
		t.Error("at 400 positions it isn't .01/20")
	}
	cfg.Tolerance = 1e-9
	if mat.Equal(baselinetest.Unmixing(t, baselinetest.Fit(t, x, cfg)), baselinetest.Unmixing(t, want)) {
		t.Error("another tolerance gives the same result")
	}
}

func TestWarnsIfItDoesNotConverge(t *testing.T) {
	_, _, x := baselinetest.Problem(5, 500, baselinetest.Odd)
	cfg := Default()
	cfg.MaxSweeps = 1
	c := baselinetest.Fit(t, x, cfg).Convergence
	if c.Converged || c.Iterations != 1 ||
		!strings.Contains(c.Warning, "did not converge to the tolerance 0.00045 in 1 sweeps") {
		t.Errorf("convergence %+v", c)
	}
}

func TestErrors(t *testing.T) {
	_, _, x := baselinetest.Problem(2, 100, baselinetest.Odd)
	for _, test := range []struct {
		want string
		cfg  Config
	}{
		{"Tolerance: is NaN", Config{math.NaN(), 1}},
		{"Tolerance: is -1; must be 0 or more", Config{-1, 1}},
		{"MaxSweeps: is 0; must be at least 1", Config{1e-8, 0}},
	} {
		_, err := ica.Separate(t.Context(), test.cfg, x)
		if !errors.Is(err, ica.ErrConfig) || !strings.HasPrefix(err.Error(), "jade: ") ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}

func BenchmarkFit(b *testing.B) {
	_, _, x := baselinetest.Problem(10, 100_000, baselinetest.Odd)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ica.Separate(b.Context(), Default(), x); err != nil {
			b.Fatal(err)
		}
	}
}
