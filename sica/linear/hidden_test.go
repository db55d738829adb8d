package linear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/ica"
)

// The cost of a power is by how much the code of a band is longer with the eigenvalues of its
// covariance raised to the floor that the power has by chance. No other covariance with that floor has a
// shorter code.
func TestFloorCost(t *testing.T) {
	const d, w, floor = 4, 50, 0.4
	byChance := math.Pow(1-math.Sqrt(d/float64(w)), 2)
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() *mat.SymDense {
		m := mat.NewDense(d, d, nil)
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
		var s mat.SymDense
		s.SymOuterK(1./d, m)
		return &s
	}
	c := random()
	length := func(s mat.Symmetric) float64 {
		var factor mat.Cholesky
		if !factor.Factorize(s) {
			t.Fatal("not positive definite")
		}
		var product mat.Dense
		if err := factor.SolveTo(&product, c); err != nil {
			t.Fatal(err)
		}
		return w / 2. * (factor.LogDet() + mat.Trace(&product))
	}
	e := newEigen(c)
	s := &spectrum{d: d, weights: []float64{w}}
	cost := s.floorCost([][]float64{e.values}, floor/byChance)
	raised := e.mapped(func(l float64) float64 { return max(l, floor) })
	if want := length(symmetric(raised, 1)) - length(c); cost <= 0 || math.Abs(cost-want) > 1e-9*want {
		t.Errorf("cost %g, want %g", cost, want)
	}
	if got := s.floorCost([][]float64{e.values}, e.values[0]/byChance); got > 1e-12 {
		t.Errorf("cost %g of a floor that all directions have", got)
	}
	for range 1000 {
		other := random()
		other.ScaleSym(rng.ExpFloat64(), other)
		for i := range d {
			other.SetSym(i, i, other.At(i, i)+floor)
		}
		if got := length(other) - length(c); got < cost {
			t.Fatalf("another covariance costs %g, less than %g", got, cost)
		}
	}
}

// White noise isn't excluded by the weak directions that it has by chance in a few coefficients.
// Without the floor by chance all 100 would be.
func TestFloorCostOfNoise(t *testing.T) {
	const d = 3
	rng := rand.New(rand.NewPCG(3, 4))
	excluded, half := 0, 0
	for range 100 {
		s := &spectrum{d: d, weights: []float64{6, 12, 9, 22, 54, 100, 150, 150, 150, 150}}
		var eigenvalues [][]float64
		for _, w := range s.weights {
			m := mat.NewDense(d, int(w), nil)
			m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
			var c mat.SymDense
			c.SymOuterK(1/w, m)
			eigenvalues = append(eigenvalues, newEigen(&c).values)
		}
		if s.floorCost(eigenvalues, 1) > minEvidence {
			excluded++
		}
		if s.floorCost(eigenvalues, 2) > minEvidence {
			half++
		}
	}
	if excluded > 10 || half < 100 {
		t.Errorf("of 100 noises %d are excluded, and %d of twice the power", excluded, half)
	}
}

// The code of an excess is that of a normal estimate: half of the squared deviation in standard
// errors.
func TestExcess(t *testing.T) {
	for _, test := range []struct{ estimate, standardError, variance, want float64 }{
		{1, 0.5, 2, 2}, {1, 0.5, 0.2, 0}, {-3, 0.5, 1, 2}, {1, math.Inf(1), 9, 0}, {0, 0, 1, 0},
	} {
		e := noiseEstimate{variance: test.estimate, standardError: test.standardError}
		if got := e.excess(test.variance); got != test.want {
			t.Errorf("%+v: %g", test, got)
		}
	}
}

// In a channel pair whose weakest direction has noise of a third of its power, the second signal is
// mostly noise: it is independent of the first, but not identified. Without noise the same mixtures
// are.
func TestHideable(t *testing.T) {
	const runs, n = 30, 2500
	a := mat.NewDense(2, 2, []float64{1, 0.2, 1, -0.1})
	for _, kind := range []string{"Laplace", "uniform"} {
		identified, refused := 0, 0
		for seed := range uint64(runs) {
			for _, deviation := range []float64{0, 0.15} {
				rng := rand.New(rand.NewPCG(seed, 8))
				s := processes(rng, kind, n, 0.8, 0.5)
				x, err := ica.New(withNoiseOf(rng, a, s, deviation))
				if err != nil {
					t.Fatal(err)
				}
				sol, err := Separate(context.Background(), x, Config{Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				both := len(sol.Groups) == 2
				if deviation == 0 {
					if both {
						identified++
					}
					continue
				}
				var y mat.Dense
				y.Mul(sol.Demixing, x.X())
				if r := math.Abs(stat.Correlation(y.RawRowView(1), s.RawRowView(1), nil)); r > 0.85 {
					t.Errorf("%s, seed %d: a correlation of %.3f with noise", kind, seed, r)
				}
				if both {
					t.Errorf("%s, seed %d: identified with noise", kind, seed)
				} else if sol.Reason == HiddenNoise {
					refused++
				}
			}
		}
		if identified < 9*runs/10 || refused < runs/2 {
			t.Errorf("%s: %d of %d identified without noise, %d refused with it", kind, identified, runs, refused)
		}
	}
}
