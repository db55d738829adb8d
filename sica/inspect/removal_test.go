package inspect

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/stats"
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

// Beats with T waves are taken out of an EEG with a part of it: Quiet is that part within a factor
// of 2, also with a second heart or with blinks.
func TestRemovalOfBeats(t *testing.T) {
	const rate, n = 128, 128 * 60
	for kind, leak := range map[string]float64{
		"heart": 0.1, "two hearts": 0.3, "heart and blinks": 0.1,
	} {
		rng := rand.New(rand.NewPCG(5, 0))
		heart, second := beating(rng, n, rate, 0.8, 0.05, 0), beating(rng, n, rate, 0.6, 0.05, 0)
		r := Removal{Rate: rate}
		before, after := mat.NewDense(3, n, nil), mat.NewDense(3, n, nil)
		var lost [3]stats.Moments
		for k := range n {
			shared := 10 * rng.NormFloat64()
			for i, size := range []float64{100, 40, 70} {
				eeg := 10 * rng.NormFloat64()
				artefact := size * heart[k]
				switch blink := math.Mod(float64(k), 4*rate) - 2*rate; {
				case kind == "two hearts":
					artefact += (120 - size) * second[k]
				case kind == "heart and blinks" && i == 0:
					artefact += 200 * math.Exp(-blink*blink/200)
				}
				loss := leak * size / 100 * shared
				before.Set(i, k, eeg+shared+artefact)
				after.Set(i, k, eeg+shared-loss)
				lost[i].Add([]float64{loss})
			}
		}
		for begin := 0; begin < n; begin += 1000 {
			end := min(n, begin+1000)
			if err := r.Add(before.Slice(0, 3, begin, end).(*mat.Dense),
				after.Slice(0, 3, begin, end).(*mat.Dense)); err != nil {
				t.Fatal(err)
			}
		}
		changes, err := r.Changes()
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range changes {
			if ratio := c.Quiet / lost[i].Deviation(); ratio < 0.5 || ratio > 2 {
				t.Errorf("%s: channel %d: Quiet is %.2f, want about %.2f", kind, i, c.Quiet,
					lost[i].Deviation())
			}
		}
	}
}
