package linear

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// bent returns a mixture of three Laplace AR(1), of standard deviation 1 in each channel, and what sensors
// that respond by f make of it.
func bent(t *testing.T, seed uint64, n int, f func(float64) float64) (mixed *mat.Dense, x *ica.Signals) {
	t.Helper()
	mixed = new(mat.Dense)
	mixed.Mul(mat.NewDense(3, 3, []float64{1, 0.5, -0.3, 0.4, 1, 0.6, -0.5, 0.3, 1}),
		laplaceAR(seed, n, 0.5, 0.7, 0.9))
	for i := range 3 {
		row := mixed.RawRowView(i)
		floats.Scale(1/stat.PopStdDev(row, nil), row)
	}
	var response mat.Dense
	response.Apply(func(_, _ int, v float64) float64 { return f(v) }, mixed)
	x, err := ica.New(&response)
	if err != nil {
		t.Fatal(err)
	}
	return mixed, x
}

// demixed returns the linear rule's demixing.
func demixed(t *testing.T, x *ica.Signals) *mat.Dense {
	t.Helper()
	sol, err := Separate(t.Context(), x, Config{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return sol.Demixing
}

// Sensors that saturate or compress are straightened to their line; linear ones ask for no curves.
func TestStraighten(t *testing.T) {
	const n = 8000
	for name, f := range map[string]func(float64) float64{
		"saturating": math.Tanh,
		"companding": func(v float64) float64 { return math.Copysign(math.Log1p(20*math.Abs(v)), v) },
		"rectifying": func(v float64) float64 { return 1e-6 * math.Exp(v) },
	} {
		mixed, x := bent(t, 71, n, f)
		c, err := Straighten(t.Context(), x, demixed(t, x), 0.18, Config{Seed: 1})
		if err != nil || c == nil {
			t.Fatalf("%s: no curves, error %v", name, err)
		}
		straight, err := c.Apply(x.X())
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			was := math.Abs(stat.Correlation(x.X().RawRowView(i), mixed.RawRowView(i), nil))
			is := math.Abs(stat.Correlation(straight.RawRowView(i), mixed.RawRowView(i), nil))
			if is < 0.9985 {
				t.Errorf("%s: channel %d has a correlation of %.4f with its line, %.4f before", name, i+1, is, was)
			}
		}
	}
}

func TestStraightenLinearSensors(t *testing.T) {
	for seed := range uint64(8) {
		_, x := bent(t, seed, 2000, func(v float64) float64 { return 7 - 5*v })
		if c, err := Straighten(t.Context(), x, demixed(t, x), 0.18, Config{Seed: 1}); c != nil || err != nil {
			t.Errorf("seed %d: curves, error %v", seed, err)
		}
	}
}

// The gradient is that of the loss by differences, for a density that is refitted: Gaussian.
func TestStraighteningGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(72, 0))
	const d, n = 2, 3000
	x := mat.NewDense(d, n, nil)
	for i := range d {
		last := 0.
		for k := range n {
			last = 0.4*float64(2*i-1)*last + rng.NormFloat64()
			x.Set(i, k, math.Tanh(last/3)+0.3*last*float64(i))
		}
	}
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	s := newStraightening(signals)
	s.setDemixing(mat.NewDense(d, d, []float64{1, 0.3, -0.2, 0.8}))
	if err := s.choose(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range s.sources { // constant scale, for which the score is exact
		s.sources[i].window = 0
	}
	gradient := make([]float64, len(s.logSlopes))
	s.loss(t.Context(), s.logSlopes, gradient)
	for k := range gradient {
		const step = 1e-4
		moved := func(by float64) float64 {
			h := append([]float64(nil), s.logSlopes...)
			h[k] += by
			return s.loss(t.Context(), h, nil)
		}
		want := (moved(step) - moved(-step)) / (2 * step)
		if math.Abs(gradient[k]-want) > 1e-4+0.02*math.Abs(want) {
			t.Errorf("logarithm %d: %g, by differences %g", k, gradient[k], want)
		}
	}
}

func TestStraightenErrors(t *testing.T) {
	same := mat.NewDense(2, 100, nil)
	same.Apply(func(_, k int, _ float64) float64 { return math.Exp(4 * math.Sin(float64(k*k))) }, same)
	x, err := ica.New(same)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Straighten(t.Context(), x, rotation.Identity(2), 0, Config{}); err == nil {
		t.Error("two equal channels: no error")
	}
}

// A demixing of another size, or none, is an error.
func TestStraightenChecksDemixing(t *testing.T) {
	_, x := bent(t, 71, 500, math.Tanh)
	for want, demixing := range map[string]*mat.Dense{
		"demixing: is 2×2; must be 3×3":             rotation.Identity(2),
		"demixing: is 4×4; must be 3×3":             rotation.Identity(4),
		"demixing: is nil or empty; must be 3×3":    nil,
		"demixing: is nil or empty; must be 3×3, t": new(mat.Dense),
	} {
		c, err := Straighten(t.Context(), x, demixing, 0.1, Config{Seed: 1})
		if c != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
	if _, err := Straighten(t.Context(), nil, rotation.Identity(3), 0.1, Config{}); !errors.Is(err, ica.ErrSignals) {
		t.Errorf("no signals: %v", err)
	}
}
