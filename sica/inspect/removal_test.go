package inspect

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Blinks of 100 µV come every 4 s, beside an EEG of 10 µV. If half of the EEG in a channel is taken out
// with them, the quiet half tells, in a long recording whose pieces are thinned as well. If the blinks
// are taken out alone, next to nothing is taken out there.
func TestRemoval(t *testing.T) {
	const rate, block = 100, 997
	rng := rand.New(rand.NewPCG(3, 0))
	for _, test := range []struct {
		blocks int
		leak   float64 // of the EEG in the first channel
	}{{40, 0.5}, {40, 0}, {400, 0.5}} {
		r := Removal{Rate: rate}
		var taken, all, left, position float64
		for range test.blocks {
			before, after := mat.NewDense(2, block, nil), mat.NewDense(2, block, nil)
			for k := range block {
				blink := 100 * math.Exp(-math.Pow(math.Mod(position, 4*rate)-2*rate, 2)/50)
				position++
				eeg, far := 10*rng.NormFloat64(), 10*rng.NormFloat64()
				before.SetCol(k, []float64{500 + eeg + blink, far})
				after.SetCol(k, []float64{500 + eeg*(1-test.leak), far})
				taken += math.Pow(test.leak*eeg+blink, 2)
				all += math.Pow(eeg+blink, 2)
				left += math.Pow(eeg*(1-test.leak), 2)
			}
			if err := r.Add(before, after); err != nil {
				t.Fatal(err)
			}
		}
		changes, err := r.Changes()
		if err != nil {
			t.Fatal(err)
		}
		near, far := changes[0], changes[1]
		if math.Abs(near.Quiet/near.QuietChannel-test.leak) > 0.02 || math.Abs(near.QuietChannel-10) > 1.2 ||
			math.Abs(near.Share-taken/all) > 0.05 || math.Abs(near.Left-left/all) > 0.05 || far.Quiet != 0 ||
			far.Share != 0 || far.Left != 1 {
			t.Errorf("%+v: %+v", test, changes)
		}
		if len(r.pieces) > maxPieces || test.blocks == 400 && r.every == 1 {
			t.Errorf("%d pieces, one in %d", len(r.pieces), r.every)
		}
		if err := r.Add(mat.NewDense(3, 1, nil), mat.NewDense(3, 1, nil)); err == nil {
			t.Error("another number of channels is taken")
		}
	}
	if _, err := new(Removal).Changes(); err == nil {
		t.Error("an empty removal has changes")
	}
}
