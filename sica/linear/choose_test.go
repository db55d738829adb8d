package linear

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// The choices among explanations with the given code lengths at four scales, the finest first. Lengths
// are in tolerances. The first is the rule's.
func TestChoice(t *testing.T) {
	for name, test := range map[string]struct {
		lengths     [][]float64
		noise       []float64 // that each implies; nil is none
		doubted     bool      // whether the rule's is
		want, scale int
	}{
		"the rule's is the shortest": {
			lengths: [][]float64{{0, 0, 0, 0}, {3, 1, 1, 1}},
		},
		"the rule's is kept where another is hardly shorter": {
			lengths: [][]float64{{0, 0.5, 0, 0}, {0, 0, 0.1, 0}},
		},
		"coarser scales contradict the finest": {
			lengths: [][]float64{{0, 3, 3, 3}, {1.5, 0, 0, 0}}, want: 1, scale: 1,
		},
		"a clear difference at one scale counts more than small ones at three": {
			lengths: [][]float64{{0, 0, 0, 9}, {2, 2, 2, 0}}, want: 1, scale: 3,
		},
		"but not a small one": {
			lengths: [][]float64{{2, 2, 2, 0}, {0, 0, 0, 2}}, want: 1,
		},
		"a doubted demixing is left for one with noise that is nearly as good": {
			lengths: [][]float64{{0, 0, 0, 0}, {0.3, 0.2, 0.2, 0.2}}, noise: []float64{0, 0.1}, doubted: true,
			want: 1, scale: 1,
		},
	} {
		c := &channels{d: 2, scales: []int{1, 2, 4, 8}, spectrum: &spectrum{d: 2, weights: []float64{1000}}}
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
		if e, scale := c.choose(all); e != all[test.want] || scale != test.scale {
			t.Errorf("%s: %d at scale %d, want %d at %d", name, slices.Index(all, e), scale, test.want,
				test.scale)
		}
	}
}
