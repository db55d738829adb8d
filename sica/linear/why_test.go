package linear

import (
	"reflect"
	"slices"
	"testing"
)

// Why is a sentence without numbers: the evidence is in Evidence and Pairs.
func TestWhy(t *testing.T) {
	pair := func(i, j int) Pair {
		return Pair{I: i, J: j, Evidence: 18.7, Identified: true, Dependence: 0.2 * float64(i*j)}
	}
	for want, s := range map[string]*Solution{
		"Both signals are identified.": {
			Mean:     make([]float64, 2),
			Findings: Findings{Evidence: 7.9, Groups: [][]int{{0}, {1}}, Pairs: []Pair{pair(1, 0)}},
		},
		"The rotation of signals 2, 3 is not identified: the magnitudes of signals 2 and 3 depend on " +
			"each other.": {
			Mean: make([]float64, 3),
			Findings: Findings{Evidence: 7.9, Groups: [][]int{{0}, {1, 2}}, Doubtful: true,
				Pairs: []Pair{pair(1, 0), pair(2, 0), pair(2, 1)}},
		},
	} {
		if got := s.why(true, false); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Where noise leaves no signal identified, the reason doesn't suggest that other signals are.
func TestOthersIdentified(t *testing.T) {
	for want, groups := range map[string][][]int{
		"No signal is identified.":                   {{0, 1, 2}},
		"Of the others only signal 1 is identified.": {{0}, {1, 2}},
		"The other 2 are identified.":                {{0}, {1}, {2}},
	} {
		s := &Solution{Mean: make([]float64, 3), Findings: Findings{Groups: groups}}
		if got := s.othersIdentified([]int{2}); got != want {
			t.Errorf("%v: %q, want %q", groups, got, want)
		}
	}
}

func TestUnidentified(t *testing.T) {
	f := &Findings{
		Groups:        [][]int{{2}, {0, 1}},
		Pairs:         []Pair{{I: 0, J: 2, Evidence: 5, Identified: true, AngleError: 0.1}},
		ExpectedError: []float64{1, 1, 0.01},
		Why:           "before",
	}
	u := f.Unidentified("after")
	if u.Identified(2) || u.Pairs[0].Identified || u.Pairs[0].AngleError != 0 {
		t.Errorf("a signal or a pair is still identified: %+v", u)
	}
	if want := [][]int{{0, 1, 2}}; !reflect.DeepEqual(u.Groups, want) {
		t.Errorf("groups %v, want %v", u.Groups, want)
	}
	if want := []float64{1, 1, 1}; !slices.Equal(u.ExpectedError, want) || u.Why != "after" {
		t.Errorf("expected errors %v, want %v; why %q", u.ExpectedError, want, u.Why)
	}
	if !f.Identified(2) || !f.Pairs[0].Identified || f.ExpectedError[2] != 0.01 || f.Why != "before" {
		t.Errorf("the findings themselves were changed: %+v", f)
	}

	// A report on a nonlinear demixing has no expected errors, but groups.
	if u := (&Findings{Groups: [][]int{{0}, {1}}}).Unidentified(""); len(u.Groups) != 1 ||
		u.Identified(0) || u.ExpectedError != nil {
		t.Errorf("without expected errors: %+v", u)
	}
	if u := (*Findings)(nil).Unidentified(""); u != nil {
		t.Errorf("of nil: %+v, want nil", u)
	}
}
