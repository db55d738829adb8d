package sica

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// Blocks are contiguous, about equal and about √T.
func TestBlocks(t *testing.T) {
	for _, test := range []struct {
		shape       []int
		count       int
		least, most int // positions of a block
	}{
		{[]int{1024}, 32, 32, 32},
		{[]int{64}, 8, 8, 8},
		{[]int{1 << 20}, 64, 1 << 14, 1 << 14},
		{[]int{32, 32}, 36, 25, 36},
		{[]int{6, 10, 10}, 27, 2 * 9, 2 * 16},
		{[]int{2, 100}, 8, 25, 25},
	} {
		b := newBlocks(test.shape)
		if len(b.sizes) != test.count || slices.Min(b.sizes) < test.least || slices.Max(b.sizes) > test.most {
			t.Errorf("shape %v: blocks of %v, want %d of %d to %d", test.shape, b.sizes, test.count, test.least, test.most)
		}
	}
	// Tiles of an image of 4×6 in 2×4 parts of 2×1 or 2×2.
	b := newBlocks([]int{4, 6})
	for row := range 4 {
		for column := range 6 {
			if got, want := b.of[6*row+column], row*3/4*3+column*3/6; got != want {
				t.Fatalf("row %d, column %d is in block %d, want %d of %v", row, column, got, want, b.of)
			}
		}
	}
}

// Means of AR(1) processes are within their 95 % intervals in most of many
// simulations, which intervals of single positions, 1/√3 as long, would not be.
func TestMeanIntervalCovers(t *testing.T) {
	const trials, coefficient = 300, 0.5
	b := newBlocks([]int{1024})
	covered, length := 0, 0.0
	for k := range trials {
		s, err := datasets.AR(rng(uint64(k)), 1024, datasets.ARProcess{Coefficients: []float64{coefficient}, Scale: 1, Innovation: datasets.Normal, BurnIn: 50})
		if err != nil {
			t.Fatal(err)
		}
		i := b.meanInterval(s.RawRowView(0), rng(uint64(1000+k)))
		if i.Low <= 0 && 0 <= i.High {
			covered++
		}
		length += (i.High - i.Low) / trials
	}
	if share := float64(covered) / trials; share < 0.9 || share > 0.98 {
		t.Errorf("%.3f of the intervals cover the mean, want about 0.95", share)
	}
	// The mean's standard error is 1/(1−a)/√T.
	if want := 2 * 1.96 / (1 - coefficient) / 32; math.Abs(length/want-1) > 0.1 {
		t.Errorf("intervals are %.4f long, want about %.4f", length, want)
	}
}

// Dependences of short signals are within their intervals: that of independent
// signals is 0, that of rotated ones what a long sample says.
func TestDependenceIntervalCovers(t *testing.T) {
	const trials, positions = 40, 512
	interval := func(seed uint64, n int, angle float64) Interval {
		white, err := whiten(noise(rng(seed), 2, n, datasets.Uniform))
		if err != nil {
			t.Fatal(err)
		}
		var r DivergenceReport
		if err := r.measure(rotated2(white, angle), []int{n}, newBlocks([]int{n}), seed); err != nil {
			t.Fatal(err)
		}
		return r.Dependence
	}
	for _, angle := range []float64{0, math.Pi / 8} {
		truth := interval(1, 1<<15, angle).Estimate
		if angle == 0 && truth > 5e-3 {
			t.Fatalf("independent signals depend by %g", truth)
		}
		covered := 0
		for k := range trials {
			// The estimate is of all positions without a block, and so lower.
			if i := interval(uint64(100+k), positions, angle); i.Low <= truth && truth <= i.High {
				covered++
			}
		}
		if share := float64(covered) / trials; share < 0.85 {
			t.Errorf("angle %.2f: %.3f of the intervals cover %.4f", angle, share, truth)
		}
	}
}

// The shares of the positions have the divergence as their mean, and a position
// whose samples are the only ones that the networks tell apart has all of it.
func TestShares(t *testing.T) {
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
	if got := stat.Mean(h.shares(c.weights, joint, product), nil); c.divergence < 0.1 || math.Abs(got-c.divergence) > 1e-12 {
		t.Errorf("mean share %g, divergence %g", got, c.divergence)
	}

	const told = 23
	for w := range joint {
		clear(joint[w])
		clear(product[w])
	}
	joint[0][told] = 2
	shares := h.shares([]float64{1, 1}, joint, product)
	for at, share := range shares {
		want := 0.0
		if at == told {
			want = math.Ln2 - math.Log1p(math.Exp(-2))
		}
		if math.Abs(share-want) > 1e-12 {
			t.Errorf("share of position %d is %g, want %g", at, share, want)
		}
	}
}
