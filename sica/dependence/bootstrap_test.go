package dependence

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
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
		b := NewPartition(test.shape)
		if len(b.Sizes) != test.count || slices.Min(b.Sizes) < test.least || slices.Max(b.Sizes) > test.most {
			t.Errorf("shape %v: blocks of %v, want %d of %d to %d", test.shape, b.Sizes, test.count, test.least, test.most)
		}
	}
	// Tiles of an image of 4×6 in 2×4 parts of 2×1 or 2×2.
	b := NewPartition([]int{4, 6})
	for row := range 4 {
		for column := range 6 {
			if got, want := b.Block[6*row+column], row*3/4*3+column*3/6; got != want {
				t.Fatalf("row %d, column %d is in block %d, want %d of %v", row, column, got, want, b.Block)
			}
		}
	}
}

// The means of AR(1) processes are within their 95 % intervals in most of many simulations.
// Intervals from single positions, 1/√3 as long, would not be.
func TestMeanIntervalCovers(t *testing.T) {
	const trials, coefficient = 300, 0.5
	b := NewPartition([]int{1024})
	covered, length := 0, 0.0
	for k := range trials {
		s, err := datasets.AR(newRand(uint64(k)), 1024, datasets.ARProcess{Coefficients: []float64{coefficient}, Scale: 1, Innovation: datasets.Normal, BurnIn: 50})
		if err != nil {
			t.Fatal(err)
		}
		i := b.MeanInterval(s.RawRowView(0), newRand(uint64(1000+k)))
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

// The dependence of short signals is within its interval: 0 for independent signals, and for
// rotated ones the value of a long sample.
func TestDependenceIntervalCovers(t *testing.T) {
	const trials, positions = 40, 512
	interval := func(seed uint64, n int, angle float64) Interval {
		white, err := mapping.Whitened(noise(newRand(seed), 2, n, datasets.Uniform))
		if err != nil {
			t.Fatal(err)
		}
		g, err := grid.New(nil, n)
		if err != nil {
			t.Fatal(err)
		}
		a, err := Analyse(t.Context(), rotated2(white, angle), g.Own())
		if err != nil {
			t.Fatal(err)
		}
		worst, err := a.Worst(t.Context(), JackknifeBlocks)
		if err != nil {
			t.Fatal(err)
		}
		return a.Interval(worst, NewPartition(g.Shape()), seed)
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
