package start

import (
	"testing"

	"github.com/seed-47b1e431/gosica/sica/internal/direct"
)

// What isn't known replaces only what isn't either.
func TestTaken(t *testing.T) {
	network := func(agreement float64, gains ...float64) *direct.Model {
		m := &direct.Model{Agreement: agreement, Agreeing: 2}
		for _, g := range gains {
			m.PastGain = append(m.PastGain, Difference{Mean: g, SE: .01})
		}
		return m
	}
	for _, test := range []struct {
		name                      string
		network                   *direct.Model
		overLinear, overNonlinear bool
	}{
		{"known", network(.99, .2, .3), true, true},
		{"one is white", network(.99, .2, .02), false, true},
		{"others recovered other signals", network(.9, .2, .3), false, false},
		{"no other is as good", &direct.Model{PastGain: network(0, .2, .3).PastGain, Agreement: 1}, false, false},
	} {
		for start, want := range map[int]bool{whitenedStart: test.overLinear, linearStart: test.overLinear, conditionalStart: test.overNonlinear} {
			if got := taken(test.network, start); got != want {
				t.Errorf("%s, in the place of start %d: %v, want %v", test.name, start, got, want)
			}
		}
	}
}
