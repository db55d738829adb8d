package jade_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
	. "github.com/seed-47b1e431/gosica/sica/baseline/jade"
)

var (
	_ baseline.Method = Method{}
	_ baseline.Model  = (*Model)(nil)
)

func mustFit(t *testing.T, x *mat.Dense, cfg Config) *Model {
	t.Helper()
	m, err := Fit(t.Context(), x, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSeparates(t *testing.T) {
	s, _, x := baselinetest.Problem(5, 20000, baselinetest.Odd)
	m := mustFit(t, x, Default())
	if c := m.Convergence(); !c.Converged || c.Warning != "" || c.Iterations < 2 {
		t.Errorf("convergence %+v", c)
	}
	if mcc := baselinetest.MCC(t, m.Signals(), s); !(mcc > 0.999) {
		t.Errorf("MCC %.4f, want more than .999", mcc)
	}
}

func TestLinear(t *testing.T) {
	_, _, x := baselinetest.Problem(3, 1000, baselinetest.Odd)
	baselinetest.Linear(t, x, Method{Default()})
}

func TestModel(t *testing.T) {
	_, _, x := baselinetest.Problem(4, 1000, baselinetest.Odd)
	m := mustFit(t, x, Default())
	identity := mat.NewDiagDense(4, []float64{1, 1, 1, 1})
	var covariance, product mat.Dense
	covariance.Mul(m.Signals(), m.Signals().T())
	covariance.Scale(1./1000, &covariance)
	if !mat.EqualApprox(&covariance, identity, 1e-12) {
		t.Errorf("the covariance of the signals is\n%.3g", mat.Formatted(&covariance))
	}
	product.Mul(m.Unmixing, m.Mixing)
	if !mat.EqualApprox(&product, identity, 1e-12) {
		t.Errorf("unmixing by mixing is\n%.3g", mat.Formatted(&product))
	}
}

func TestOneSignal(t *testing.T) {
	m := mustFit(t, mat.NewDense(1, 4, []float64{1, 2, 3, 6}), Default())
	sign := math.Copysign(1, m.Signals().At(0, 3))
	for k, want := range []float64{-2, -1, 0, 3} {
		if got := m.Signals().At(0, k); math.Abs(sign*got-want/math.Sqrt(3.5)) > 1e-12 {
			t.Errorf("signal %g at %d, want ±%g/√3.5", got, k, want)
		}
	}
}

func TestWarnsIfItDoesNotConverge(t *testing.T) {
	_, _, x := baselinetest.Problem(5, 500, baselinetest.Odd)
	cfg := Default()
	cfg.MaxSweeps = 1
	c := mustFit(t, x, cfg).Convergence()
	if c.Converged || c.Iterations != 1 || !strings.Contains(c.Warning, "did not converge to the tolerance 1e-08 in 1 sweeps") {
		t.Errorf("convergence %+v", c)
	}
}

func TestErrors(t *testing.T) {
	_, _, x := baselinetest.Problem(2, 100, baselinetest.Odd)
	for _, test := range []struct {
		want string
		cfg  Config
	}{
		{"tolerance NaN", Config{math.NaN(), 1}},
		{"tolerance 0: want more than 0", Config{0, 1}},
		{"max sweeps 0: want at least 1", Config{1e-8, 0}},
	} {
		_, err := Fit(t.Context(), x, test.cfg)
		if err == nil || !strings.HasPrefix(err.Error(), "jade: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
		if invalid := test.cfg.Validate(); invalid == nil || err == nil || invalid.Error() != err.Error() {
			t.Errorf("validated with error %v, want %v", invalid, err)
		}
	}
}

func TestMethod(t *testing.T) {
	_, _, x := baselinetest.Problem(2, 300, baselinetest.Odd)
	m := Method{Config{Tolerance: 1e-3, MaxSweeps: 7}}
	model, err := m.Fit(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(model.Signals(), mustFit(t, x, m.Config).Signals()) || m.Name() != "jade" {
		t.Error("the method isn't Fit")
	}
}

func BenchmarkFit(b *testing.B) {
	_, _, x := baselinetest.Problem(10, 100_000, baselinetest.Odd)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Fit(b.Context(), x, Default()); err != nil {
			b.Fatal(err)
		}
	}
}
