package sica

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Mixtures of four fair coins are separated to a thousandth, and what is left of the others doesn't
// make them depend on each other.
func TestCoinsAreIndependent(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s, a := mat.NewDense(4, 2000, nil), mat.NewDense(4, 4, nil)
		s.Apply(func(_, _ int, _ float64) float64 { return float64(2*rng.IntN(2) - 1) }, s)
		a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
		var x mat.Dense
		x.Mul(a, s)
		r, err := Fit(t.Context(), &x, Default())
		if err != nil {
			t.Fatal(err)
		}
		if m := r.Linear.MutualInformation; m != nil {
			t.Errorf("seed %d: %s", seed, r.Why)
		}
	}
}
