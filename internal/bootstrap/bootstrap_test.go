package bootstrap

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-47b1e431/gosica/datasets"
)

// Blocks are contiguous, of about equal size, and about √n of them.
func TestBlocksAreContiguousAndEqual(t *testing.T) {
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
		p := NewPartition(test.shape)
		if len(p.Sizes) != test.count || slices.Min(p.Sizes) < test.least || slices.Max(p.Sizes) > test.most {
			t.Errorf("shape %v: blocks of %v, want %d of %d to %d", test.shape, p.Sizes, test.count, test.least, test.most)
		}
	}
	// Tiles of an image of 4×6 in 2×4 parts of 2×1 or 2×2.
	p := NewPartition([]int{4, 6})
	for row := range 4 {
		for column := range 6 {
			if got, want := p.Block[6*row+column], row*3/4*3+column*3/6; got != want {
				t.Fatalf("row %d, column %d is in block %d, want %d of %v", row, column, got, want, p.Block)
			}
		}
	}
}

// The means of AR(1) processes are within their 95 % intervals in most of many simulations.
// Intervals from single positions, 1/√3 as long, would not be.
func TestMeanIntervalCovers(t *testing.T) {
	const trials, coefficient = 300, 0.5
	p := NewPartition([]int{1024})
	covered, length := 0, 0.0
	for k := range trials {
		s, err := datasets.AR(newRand(uint64(k)), 1024,
			datasets.ARProcess{Coefficients: []float64{coefficient}, Scale: 1,
				Innovation: datasets.Normal, BurnIn: 50})
		if err != nil {
			t.Fatal(err)
		}
		low, high := p.MeanInterval(s.RawRowView(0), newRand(uint64(1000+k)))
		if low <= 0 && 0 <= high {
			covered++
		}
		length += (high - low) / trials
	}
	if share := float64(covered) / trials; share < 0.9 || share > 0.98 {
		t.Errorf("%.3f of the intervals cover the mean, want about 0.95", share)
	}
	// The mean's standard error is 1/(1−a)/√T.
	if want := 2 * 1.96 / (1 - coefficient) / 32; math.Abs(length/want-1) > 0.1 {
		t.Errorf("intervals are %.4f long, want about %.4f", length, want)
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
