package linear

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// The demixing of two channels of correlation r whose rows are the channels leaves them that correlation;
// without noise N in each it is r/(1−N).
func TestLargestCorrelation(t *testing.T) {
	const r = 0.3
	c := &channels{d: 2, covariance: mat.NewSymDense(2, []float64{1, r, r, 1})}
	for _, noise := range []float64{0, 0.25} {
		e := &explanation{
			b:     mat.NewDense(2, 2, []float64{1, 0, 0, 1}),
			model: &noiseModel{noise: []float64{noise, noise}},
		}
		if got, want := c.largestCorrelation(e), r/(1-noise); math.Abs(got-want) > 1e-12 {
			t.Errorf("noise %g: correlation %g, want %g", noise, got, want)
		}
	}
	whitened := &explanation{b: mat.NewDense(2, 2, []float64{1, 0, -r, 1}), model: &noiseModel{
		noise: []float64{0, 0},
	}}
	if got := c.largestCorrelation(whitened); got > 1e-12 {
		t.Errorf("correlation %g of uncorrelated signals", got)
	}
}

// The choices among explanations with the given code lengths at four scales, the finest first. Lengths
// are in tolerances. The first is the rule's.
func TestChoice(t *testing.T) {
	for name, test := range map[string]struct {
		lengths             [][]float64
		noise               []float64 // that each implies; nil is none
		robust, robustScale int
		coarse, coarseScale int
		doubted             bool // whether the rule's is
	}{
		"the rule's is the shortest": {
			lengths: [][]float64{{0, 0, 0, 0}, {3, 1, 1, 1}},
		},
		"the rule's is kept where it is as good": {
			lengths: [][]float64{{0, 0, 0, 0}, {-0.01, 0, 0, 0}}, robustScale: 1,
		},
		"a coarser scale contradicts the finest": {
			lengths: [][]float64{{0, 2, 2, 2}, {1.5, 0, 0, 0}}, robust: 1, robustScale: 1,
			coarse: 1, coarseScale: 1,
		},
		"a single scale doesn't decide": { // the coarsest alone rejects the second
			lengths: [][]float64{{2, 2, 2, 0}, {0, 0, 0, 1.5}}, robust: 1,
			coarse: 1,
		},
		"nor does the finest": {
			lengths: [][]float64{{2, 0, 0, 0}, {0, 2, 2, 2}}, robustScale: 1, coarseScale: 1,
		},
		"the coarse choice tolerates twice as much before it is the robust one": {
			lengths: [][]float64{{5, 5, 5, 5}, {0, 0, 0, 1.5}, {0.5, 0.5, 0.5, 0}}, robust: 2, robustScale: 3,
			coarse: 1,
		},
		"of as few rejections the finest decides": {
			lengths: [][]float64{{9, 9, 9, 9}, {0.5, 0, 0, 0}, {0, 0.5, 0.5, 0.5}}, robust: 2,
			coarse: 2,
		},
		"noise must pay for its parameters": {
			lengths: [][]float64{{0.4, 0, 0, 0}, {0, 0, 0, 0}}, noise: []float64{0, 0.1}, robustScale: 1,
		},
		"a doubted demixing is left for one with noise that is nearly as good": {
			lengths: [][]float64{{0, 0, 0, 0}, {0.9, 0.9, 0.9, 0.9}}, noise: []float64{0, 0.1}, doubted: true,
			robust: 1,
		},
		"each has a much longer code at some scale": {
			lengths: [][]float64{{0, 0, 9, 9}, {9, 9, 0, 0}}, coarse: 1, coarseScale: 2,
		},
		"the last is far worse": {
			lengths: [][]float64{{0, 0, 0, 4}, {0, 1, 5, 0}, {99, 999, 99, 99}},
		},
	} {
		c := &channels{d: 2, scales: []int{1, 2, 4, 8}, parts: []*spectrum{{}},
			spectrum: &spectrum{d: 2, weights: []float64{1000}},
			white:    &signal.Whitening{White: mat.NewDense(2, 1000, nil)}}
		var all []*explanation
		for k, lengths := range test.lengths {
			e := &explanation{lengths: lengths, model: &noiseModel{noise: make([]float64, 2)}}
			floats.Scale(c.tolerance(), e.lengths)
			if test.noise != nil {
				floats.AddConst(test.noise[k], e.model.noise)
			}
			all = append(all, e)
		}
		all[0].doubted = test.doubted
		if e, scale := c.chooseRobust(all); e != all[test.robust] || scale != test.robustScale {
			t.Errorf("%s: robust %d at scale %d, want %d at %d", name, slices.Index(all, e), scale,
				test.robust, test.robustScale)
		}
		if e, scale := c.chooseCoarse(all); e != all[test.coarse] || scale != test.coarseScale {
			t.Errorf("%s: coarse %d at scale %d, want %d at %d", name, slices.Index(all, e), scale,
				test.coarse, test.coarseScale)
		}
	}
}
