package iterate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// The mean of the influences is the divergence. If the networks distinguish the samples of one
// position only, that position has all of it.
func TestInfluencesAverageToDivergence(t *testing.T) {
	const positions, d = 30, 2
	order := make([]int32, positions)
	for k := range order {
		order[k] = int32(k)
	}
	folds := [][]int32{heldOutSamples(order[:20], d, rng(1)), heldOutSamples(order[20:], d, rng(2))}
	h := newHeldOut(folds, []int{20, 10}, d)
	r := rng(3)
	joint, product := make([][]float64, 2), make([][]float64, 2)
	for w := range joint {
		for range positions {
			joint[w] = append(joint[w], r.NormFloat64()+0.5)
		}
		for range positions * heldOutProducts {
			product[w] = append(product[w], r.NormFloat64()-0.5)
		}
	}
	c := fitWeights(joint, product)
	if got := stat.Mean(h.influence(c.weights, joint, product), nil); c.divergence < 0.1 || math.Abs(got-c.divergence) > 1e-12 {
		t.Errorf("mean influence %g, divergence %g", got, c.divergence)
	}

	const distinguished = 23
	for w := range joint {
		clear(joint[w])
		clear(product[w])
	}
	joint[0][distinguished] = 2
	influence := h.influence([]float64{1, 1}, joint, product)
	for at, share := range influence {
		want := 0.0
		if at == distinguished {
			want = math.Ln2 - math.Log1p(math.Exp(-2))
		}
		if math.Abs(share-want) > 1e-12 {
			t.Errorf("influence of position %d is %g, want %g", at, share, want)
		}
	}
}
