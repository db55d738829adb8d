package linear

import (
	"strings"
	"testing"
)

// Two signals are one pair: the evidence for it is that for the whole rotation, said once.
func TestWhyOfTwoSignals(t *testing.T) {
	pair := func(i, j int) Pair { return Pair{I: i, J: j, Evidence: 18.7, Identified: true} }
	for want, s := range map[string]*Solution{
		"All 2 signals are identified: the evidence for the rotation is 7.9 nats.": {
			Mean:     make([]float64, 2),
			Findings: Findings{Evidence: 7.9, Groups: [][]int{{0}, {1}}, Pairs: []Pair{pair(1, 0)}},
		},
		"7.9 nats, and at least 18.7 nats for each pair (1 and 2).": {
			Mean: make([]float64, 3),
			Findings: Findings{Evidence: 7.9, Groups: [][]int{{0}, {1}, {2}},
				Pairs: []Pair{pair(1, 0), pair(2, 0), pair(2, 1)}},
		},
	} {
		if got := s.why(true, false); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
