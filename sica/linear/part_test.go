package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// A part of a long sequence decides, and the demixing is that of all positions, unless an event is
// outside of the part only.
func TestPartDecidesForAllPositions(t *testing.T) {
	const n = 20000
	s, err := datasets.LaplaceAR(rand.New(rand.NewPCG(11, 0)), 2, n, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	separated := func(s *mat.Dense) *Solution {
		var x mat.Dense
		a := mat.NewDense(2, 2, []float64{1, 0.6, 0.4, 1})
		x.Mul(a, s)
		signals, err := ica.New(&x)
		if err != nil {
			t.Fatal(err)
		}
		sol, err := Separate(t.Context(), signals, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var gain mat.Dense
		gain.Mul(sol.Demixing, a)
		for i := range 2 {
			p, q := math.Abs(gain.At(i, 0)), math.Abs(gain.At(i, 1))
			if leak := min(p, q) / max(p, q); leak > 4*max(sol.Leak.At(0, 1), sol.Leak.At(1, 0)) {
				t.Errorf("signal %d has %.4f of the other, said to be %.4f", i, leak, sol.Leak.At(i, 1-i))
			}
		}
		return sol
	}
	sol := separated(s)
	if sol.DecidedOn == 0 || sol.DecidedOn > partPositions {
		t.Errorf("%d positions decided, want some, at most %d", sol.DecidedOn, partPositions)
	}
	burst := s.RawRowView(0)[1100:2600] // between the first two blocks
	for k := range burst {
		burst[k] *= 40
	}
	if sol := separated(s); sol.DecidedOn != 0 {
		t.Errorf("%d positions decided on a burst outside of them", sol.DecidedOn)
	}
}
