package linear

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// The choices among explanations with the given code lengths at four scales, the finest first. Lengths
// are in tolerances. The first is the rule's.
func TestChoice(t *testing.T) {
	for name, test := range map[string]struct {
		lengths       [][]float64
		noise         []float64 // that each implies; nil is none
		chosen, scale int
		doubted       bool // whether the rule's is
	}{
		"the rule's is the shortest": {
			lengths: [][]float64{{0, 0, 0, 0}, {3, 1, 1, 1}},
		},
		"the rule's is kept where it is as good": {
			lengths: [][]float64{{0, 0, 0, 0}, {-0.01, 0, 0, 0}}, scale: 1,
		},
		"a coarser scale contradicts the finest": {
			lengths: [][]float64{{0, 2, 2, 2}, {1.5, 0, 0, 0}}, chosen: 1, scale: 1,
		},
		"a single scale doesn't decide": { // the coarsest alone rejects the second
			lengths: [][]float64{{2, 2, 2, 0}, {0, 0, 0, 1.5}}, chosen: 1,
		},
		"nor does the finest": {
			lengths: [][]float64{{2, 0, 0, 0}, {0, 2, 2, 2}}, scale: 1,
		},
		"of as few rejections the finest decides": {
			lengths: [][]float64{{9, 9, 9, 9}, {0.5, 0, 0, 0}, {0, 0.5, 0.5, 0.5}}, chosen: 2,
		},
		"noise must pay for its parameters": {
			lengths: [][]float64{{0.4, 0, 0, 0}, {0, 0, 0, 0}}, noise: []float64{0, 0.1}, scale: 1,
		},
		"a doubted demixing is left for one with noise that is nearly as good": {
			lengths: [][]float64{{0, 0, 0, 0}, {0.9, 0.9, 0.9, 0.9}}, noise: []float64{0, 0.1}, doubted: true,
			chosen: 1,
		},
		"each has a much longer code at some scale": {
			lengths: [][]float64{{0, 0, 9, 9}, {9, 9, 0, 0}},
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
		if e, scale := c.choose(all); e != all[test.chosen] || scale != test.scale {
			t.Errorf("%s: %d at scale %d, want %d at %d", name, slices.Index(all, e), scale,
				test.chosen, test.scale)
		}
	}
}
