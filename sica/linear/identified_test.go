package linear

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// Doubts take away what the evidence identifies, and the last that does is the reason.
func TestDoubts(t *testing.T) {
	for name, test := range map[string]struct {
		change func(s *draft)
		groups int
		want   Reason
	}{
		"none":          {func(*draft) {}, 3, AllIdentified},
		"more sources":  {func(s *draft) { s.SurplusEvidence = 4 }, 1, MoreSources},
		"dependence":    {func(s *draft) { s.Independence = 0.001 }, 1, Dependence},
		"dependent two": {func(s *draft) { s.dependent = [][2]int{{1, 0}} }, 2, Dependence},
		"noise":         {func(s *draft) { s.uncertain = [][2]int{{2, 0}} }, 2, Noise},
		"hidden noise":  {func(s *draft) { s.hideable = []bool{false, false, true} }, 2, HiddenNoise},
		"both": {func(s *draft) {
			s.uncertain, s.SurplusEvidence = [][2]int{{2, 0}}, 4
		}, 1, MoreSources},
		"whitening": {func(s *draft) {
			s.KeptWhitening, s.Reason, s.SurplusEvidence = true, SameSpectrum, 4
			s.merge(nil, true)
		}, 1, SameSpectrum},
	} {
		identity := rotation.Identity(3)
		s := new(draft)
		s.Mean, s.Demixing, s.Leak = make([]float64, 3), identity, mat.NewDense(3, 3, nil)
		s.Independence, s.Groups, s.ExpectedError = 1, [][]int{{0}, {1}, {2}}, make([]float64, 3)
		for i := range 3 {
			for j := range i {
				s.Pairs = append(s.Pairs, Pair{I: i, J: j, Evidence: 50, Identified: true})
			}
		}
		test.change(s)
		s.conclude(&mixture{cfg: Config{Noiseless: true}})
		if len(s.Groups) != test.groups || s.Reason != test.want || s.Why == "" {
			t.Errorf("%s: groups %v, %v (%s); want %d, %v", name, s.Groups, s.Reason, s.Why, test.groups, test.want)
		}
	}
}

// Signals of a sequence that have a tenth of their variance in common aren't both identified.
func TestCorrelatedPairs(t *testing.T) {
	for r, want := range map[float64][][2]int{0.2: nil, 0.29: nil, 0.31: {{1, 0}}, -0.5: {{1, 0}}} {
		// Of white signals, scaled: the correlation of the rows is that of the recovered signals.
		var s draft
		s.FromWhite = mat.NewDense(2, 2, []float64{3, 0, 2 * r, 2 * math.Sqrt(1-r*r)})
		if got := s.correlatedPairs(1000); !slices.Equal(got, want) {
			t.Errorf("correlation %g: pairs %v, want %v", r, got, want)
		}
	}
}

// A signal that gains as much against each of a group pays the angles to all of it: seven angles of 3
// nats cost more than the 8 that it gains, one doesn't.
func TestGroupsPayAllAngles(t *testing.T) {
	for members, apart := range map[int]bool{1: true, 7: false} {
		d := members + 1
		v := &verdict{evidence: mat.NewSymDense(d, nil), cost: mat.NewSymDense(d, nil)}
		for i := range d {
			for j := range i {
				v.cost.SetSym(i, j, 3)
				if j == 0 {
					v.evidence.SetSym(i, j, 8-3)
				}
			}
		}
		if got := v.groups(minEvidence); (len(got) == 2) != apart {
			t.Errorf("a signal and %d others: groups %v", members, got)
		}
	}
}
