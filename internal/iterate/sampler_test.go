package iterate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/stream"
)

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// In a pass each position is the joint sample once, and once the product position of each signal:
// the pairs (z_i, context_i) are permuted.
func TestSamplerPassesArePermutations(t *testing.T) {
	const d, batch = 3, 10
	positions := []int32{4, 5, 6, 7, 9, 11, 20, 21, 22, 23, 30, 31, 32} // 13: a batch of 10 and one of 3
	for _, fresh := range []bool{false, true} {
		s := newSampler(positions, d, fresh, rng(1), rng(2))
		var passes [2][][]int32 // [pass][0 joint, 1… products]
		for pass := range passes {
			passes[pass] = make([][]int32, 1+d)
			for _, want := range []int{10, 3} {
				joint, product := make([]int32, batch), make([]int32, batch*d)
				if filled := s.draw(joint, product, false); filled != want {
					t.Fatalf("a batch of %d, want %d", filled, want)
				}
				for b := range want {
					passes[pass][0] = append(passes[pass][0], joint[b])
					for i := range d {
						passes[pass][1+i] = append(passes[pass][1+i], product[b*d+i])
					}
				}
			}
			for k, row := range passes[pass] {
				sorted := slices.Sorted(slices.Values(row))
				if !slices.Equal(sorted, positions) {
					t.Errorf("pass %d, column %d is %v: not a permutation of the positions", pass, k, row)
				}
			}
			for i := range d {
				for k := range i {
					if slices.Equal(passes[pass][1+i], passes[pass][1+k]) {
						t.Errorf("signals %d and %d share a permutation", i, k)
					}
				}
			}
		}
		// Without fresh, a joint position keeps its product sample all iteration.
		same := true
		for a, joint := range passes[0][0] {
			b := slices.Index(passes[1][0], joint)
			for i := range d {
				same = same && passes[0][1+i][a] == passes[1][1+i][b]
			}
		}
		if same == fresh {
			t.Errorf("fresh = %v, but the pairs stayed the same: %v", fresh, same)
		}
	}
}

// Batches that continue across passes are always full, and in k passes each position occurs k
// times.
func TestWholeBatchesAreFull(t *testing.T) {
	positions := []int32{0, 1, 2, 3, 4, 5, 6}
	s := newSampler(positions, 2, true, rng(3), rng(4))
	count := make([]int, len(positions))
	for range 7 { // 7 batches of 5 are 5 passes
		joint, product := make([]int32, 5), make([]int32, 10)
		if filled := s.draw(joint, product, true); filled != 5 {
			t.Fatalf("a batch of %d, want 5", filled)
		}
		for _, p := range joint {
			count[p]++
		}
	}
	for p, n := range count {
		if n != 5 {
			t.Errorf("position %d came %d times in 5 passes", p, n)
		}
	}
}

func TestFoldPositions(t *testing.T) {
	seen := make(map[int32]int)
	for fold := range 3 {
		train, heldOut := foldPositions(20, 4, fold, 3)
		if len(train)+len(heldOut) != 20 {
			t.Errorf("fold %d has %d + %d positions", fold, len(train), len(heldOut))
		}
		for _, p := range heldOut {
			seen[p]++
			if slices.Contains(train, p) {
				t.Errorf("fold %d trains on the held-out position %d", fold, p)
			}
			if int(p)/4%3 != fold {
				t.Errorf("fold %d holds out position %d of another block", fold, p)
			}
		}
	}
	if len(seen) != 20 {
		t.Errorf("%d positions are held out once, want all 20", len(seen))
	}
	if train, heldOut := foldPositions(5, 1, 0, 0); len(train) != 5 || heldOut != nil {
		t.Errorf("without folds: %v, %v", train, heldOut)
	}
}

// Streams with a different argument differ, and those with equal arguments are equal.
func TestStreamsDifferInEachArgument(t *testing.T) {
	seen := make(map[uint64]bool)
	for seed := range uint64(3) {
		for fold := range 3 {
			for iteration := range 3 {
				for p := stream.Weights; p <= stream.HeldOut; p++ {
					v := stream.New(seed, fold, iteration, p).Uint64()
					if seen[v] {
						t.Fatalf("two streams begin with %d", v)
					}
					seen[v] = true
					if again := stream.New(seed, fold, iteration, p).Uint64(); again != v {
						t.Fatal("a stream doesn't repeat")
					}
				}
			}
		}
	}
}

// The weights and the divergence against a fine grid: for a logit that generalises in part, for one
// with the wrong sign, whose weight must be 0, and for both with an independent third.
func TestFitWeightsIsMinimum(t *testing.T) {
	const n = 2000
	r := rng(5)
	draw := func(mean float64) []float64 {
		values := make([]float64, n)
		for k := range values {
			values[k] = mean + r.NormFloat64()
		}
		return values
	}
	joint, product := [][]float64{draw(0.3), draw(0.1)}, [][]float64{draw(-0.2), draw(-0.1)}
	loss := func(a, b float64) float64 {
		sum := 0.0
		for k := range n {
			sum += math.Log1p(math.Exp(-a*joint[0][k]-b*joint[1][k])) + math.Log1p(math.Exp(a*product[0][k]+b*product[1][k]))
		}
		return sum / n
	}
	best, a0, b0 := math.Inf(1), 0.0, 0.0
	for a := 0.3; a <= 0.7; a += 0.01 {
		for b := 0.0; b <= 0.4; b += 0.01 {
			if l := loss(a, b); l < best {
				best, a0, b0 = l, a, b
			}
		}
	}
	got := fitWeights(joint, product)
	if math.Abs(got.weights[0]-a0) > 0.011 || math.Abs(got.weights[1]-b0) > 0.011 || math.Abs(got.divergence-(2*math.Ln2-best)) > 1e-4 {
		t.Errorf("weights %.3f, divergence %g; a grid gives %.2f %.2f, %g", got.weights, got.divergence, a0, b0, 2*math.Ln2-best)
	}
	wrong := fitWeights(product, joint)
	if wrong.weights[0] > 1e-3 || wrong.weights[1] > 1e-3 || math.Abs(wrong.divergence) > 1e-3 {
		t.Errorf("the wrong way: weights %v, divergence %g, want 0", wrong.weights, wrong.divergence)
	}
}
