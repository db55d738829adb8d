package start

import (
	"testing"

	"github.com/seed-47b1e431/gosica/sica/internal/direct"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// What isn't known replaces only what isn't either.
func TestTaken(t *testing.T) {
	apart := &linear.Findings{Groups: [][]int{{0}, {1}, {2}}}
	together := &linear.Findings{Groups: [][]int{{0}, {1, 2}}}
	network := func(agreement float64, gains ...float64) *direct.Model {
		m := &direct.Model{Agreement: agreement, Agreeing: 2}
		for _, g := range gains {
			m.PastGain = append(m.PastGain, Difference{Mean: g, SE: .01})
		}
		return m
	}
	alone := network(1, .2, .3, .2)
	alone.Agreeing = 0
	rotated := network(.9, .2, .3, .2)
	rotated.Groups = [][]int{{0, 2}}
	white := network(.99, .2, .02, .2)
	white.Groups = [][]int{{0, 1}}
	for _, test := range []struct {
		name                   string
		network                *direct.Model
		overKnown, overUnknown bool
	}{
		{"known", network(.99, .2, .3, .2), true, true},
		{"one is white", network(.99, .2, .02, .2), false, true},
		{"one is white, and of any rotation", white, false, true},
		{"others recovered other signals", network(.9, .2, .3, .2), false, true},
		{"others recovered others, and of any rotation", rotated, false, false},
		{"no other is as good", alone, false, true},
	} {
		for _, in := range []struct {
			place string
			start int
			found *linear.Findings
			want  bool
		}{
			{"an identified demixing", linearStart, apart, test.overKnown},
			{"one with a group", linearStart, together, test.overUnknown},
			{"conditional normalisation", conditionalStart, apart, test.overUnknown},
		} {
			if got := taken(test.network, in.start, in.found); got != in.want {
				t.Errorf("%s, in the place of %s: %v, want %v", test.name, in.place, got, in.want)
			}
		}
	}
}
