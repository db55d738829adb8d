package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// prepared is what separates the mixed sequences x.
func prepared(t *testing.T, x *mat.Dense) *separator {
	t.Helper()
	d, n := x.Dims()
	signals, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	white, err := signals.Whitening()
	if err != nil {
		t.Fatal(err)
	}
	mixed := &mixture{white: white}
	s, err := mixed.separator(t.Context(), sphericalNoise(d, resolution), newPast([]int{n}, d))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// separatorOf are white mixtures of two signals, with the given weight of their last
// value and innovations by draw.
func separatorOf(t *testing.T, n int, weight float64, draw func(*rand.Rand) float64) *separator {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	z := mat.NewDense(2, n, nil)
	for i := range 2 {
		row := z.RawRowView(i)
		for t := range row {
			row[t] = draw(rng)
			if t > 0 {
				row[t] += weight * float64(1-2*i) * row[t-1]
			}
		}
	}
	p := newPast([]int{n}, 2)
	s, err := newSeparator(t.Context(), z, p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The gradient is the slope of the description length, with models fitted again except for their
// choices, away from the minimum.
func TestGradientIsSlopeOfDescriptionLength(t *testing.T) {
	for _, c := range []struct {
		name   string
		weight float64
		draw   func(*rand.Rand) float64
		slack  float64
	}{
		{"Gaussian processes", 0.7, func(r *rand.Rand) float64 { return r.NormFloat64() }, 1e-4}, // third derivatives
		// The scale and the prediction are those of least squares, not of the
		// largest likelihood, and the density is linear between grid points.
		{"Laplace", 0, func(r *rand.Rand) float64 { return math.Copysign(r.ExpFloat64(), r.Float64()-0.5) }, 0.02},
	} {
		s := separatorOf(t, 20000, c.weight, c.draw)
		m, moved := s.acquire(), s.acquire()
		b := mat.NewDense(2, 2, []float64{1, 0.4, -0.2, 1.1})
		if err := s.evaluate(t.Context(), m, b, nil); err != nil {
			t.Fatal(err)
		}
		p, err := s.differentiate(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		const step = 1e-3
		for i := range 2 {
			for j := range 2 {
				slope := 0.0
				for _, by := range []float64{-step, step} {
					e := rotation.Identity(2)
					e.Set(i, j, e.At(i, j)+by)
					var to mat.Dense
					to.Mul(e, b)
					if err := s.evaluate(t.Context(), moved, &to, m); err != nil {
						t.Fatal(err)
					}
					slope += moved.codeLength * math.Copysign(1, by) / (2 * step)
				}
				if i == j {
					// L doesn't depend on the scale of a signal.
					if math.Abs(slope) > 1e-5 {
						t.Errorf("%s: slope %g along the scale of signal %d", c.name, slope, i)
					}
					continue
				}
				if got := p.gradient.At(i, j); math.Abs(got-slope) > c.slack {
					t.Errorf("%s: gradient (%d, %d) %.6f, want %.6f", c.name, i, j, got, slope)
				}
			}
		}
	}
}

// At the sources the curvature of Gaussian processes with weights ±a is that of
// Whittle's likelihood: κ = E r_ij²/E r_ii², with r_ij = s_j − a·s_j(t−1) of the
// process with weight −a, (1 + 3a²)/(1 − a²).
func TestCurvature(t *testing.T) {
	const a = 0.7
	s := separatorOf(t, 50000, a, func(r *rand.Rand) float64 { return r.NormFloat64() })
	m := s.acquire()
	if err := s.evaluate(t.Context(), m, rotation.Identity(2), nil); err != nil {
		t.Fatal(err)
	}
	p, err := s.differentiate(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	want := (1 + 3*a*a) / (1 - a*a)
	for i := range 2 {
		if got := p.kappa.At(i, 1-i); math.Abs(got-want) > 0.03*want {
			t.Errorf("κ %.3f, want %.3f", got, want)
		}
		if got := p.kappa.At(i, i); math.Abs(got-1) > 1e-9 {
			t.Errorf("κ of a signal with itself %.9f, want 1", got)
		}
	}
}

// A descent from any point ends no higher than it began, and at its end the gradient off the
// diagonal is small.
func TestDescentNeverAscends(t *testing.T) {
	s := separatorOf(t, 3000, 0.6, func(r *rand.Rand) float64 { return r.NormFloat64() })
	rng := rand.New(rand.NewPCG(6, 6))
	for range 5 {
		b := mat.NewDense(2, 2, nil)
		b.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, b)
		m := s.acquire()
		if err := s.evaluate(t.Context(), m, b, nil); err != nil {
			t.Fatal(err)
		}
		before := m.codeLength
		m, err := s.descend(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if m.codeLength > before {
			t.Errorf("from %g to %g nats", before, m.codeLength)
		}
		p, err := s.differentiate(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		// A gain of ½·g²/κ below what a step must gain.
		for i := range 2 {
			g := p.gradient.At(i, 1-i)
			if gain := 3000 * g * g / 2 / p.kappa.At(i, 1-i); gain > minGain {
				t.Errorf("gradient %g is left, which promises %g nats", g, gain)
			}
		}
	}
}

// A singular candidate has no code. It is left out, whatever memory of others it took.
func TestSingularCandidate(t *testing.T) {
	const d, n = 3, 1000
	x, err := datasets.LaplaceAR(rand.New(rand.NewPCG(21, 0)), d, n, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	s := prepared(t, x)
	singular := candidate{"singular", mat.NewDense(d, d, []float64{1, 0, 0, 0, 1, 0, 1, 1, 0})}
	identity := candidate{"identity", mat.NewDense(d, d, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1})}
	var found descents
	for _, all := range [][]candidate{{singular}, {identity, singular}} {
		if err := s.descendAll(t.Context(), &found, all); err != nil {
			t.Fatal(err)
		}
		if len(all) == 1 && found.best != nil {
			t.Errorf("a descent from %s", found.name)
		}
	}
	if found.name != "identity" || len(found.ends) != 1 {
		t.Errorf("best from %q of %d ends, want identity of 1", found.name, len(found.ends))
	}
}

// The candidate that finds most sources suffices if its signals are independent and identified beyond
// doubt. If they depend on each other it has no verdict.
func TestSufficient(t *testing.T) {
	const d, n = 3, 4000
	x, err := datasets.LaplaceAR(rand.New(rand.NewPCG(14, 0)), d, n, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	for _, dependent := range []bool{false, true} {
		if dependent {
			for k := range n { // all are loud together
				for i := range d {
					x.Set(i, k, x.At(i, k)*(1+3*float64(k/100%2)))
				}
			}
		}
		s := prepared(t, x)
		null, err := s.whiten(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		from, err := s.candidates(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.sufficient(t.Context(), from.all, null)
		if err != nil || first.best == nil {
			t.Fatalf("descent %v, error %v", first, err)
		}
		v := first.verdict
		if dependent {
			if v != nil {
				t.Error("signals that depend on each other have a verdict")
			}
			continue
		}
		if v == nil || !v.isCertain() {
			t.Fatalf("verdict %v, want a certain one", v)
		}
		length, b := first.best.codeLength, mat.DenseCopyOf(first.best.b)
		var all descents
		if err := s.descendAll(t.Context(), &all, from.all); err != nil {
			t.Fatal(err)
		}
		if longer := n * (length - all.best.codeLength); !sameBasin(b, all.best.b) || longer > 5 {
			t.Errorf("the code is longer by %.1f nats than that of all candidates", longer)
		}
	}
}
