package linear

import (
	"reflect"
	"slices"
	"testing"
)

func TestReasonOfSolution(t *testing.T) {
	pair := func(i, j int) Pair {
		return Pair{I: i, J: j, Evidence: 18.7, Identified: true, Dependence: 0.2 * float64(i*j)}
	}
	identified := &Solution{
		Mean:     make([]float64, 2),
		Findings: Findings{Evidence: 7.9, Groups: [][]int{{0}, {1}}, Pairs: []Pair{pair(1, 0)}},
	}
	grouped := func(f Findings) *Solution {
		f.Evidence, f.Groups = 7.9, [][]int{{0}, {1, 2}}
		f.Pairs = []Pair{pair(1, 0), pair(2, 0), pair(2, 1)}
		return &Solution{Mean: make([]float64, 3), Findings: f}
	}
	for _, test := range []struct {
		s                   *Solution
		accepted, nonlinear bool
		want                Reason
	}{
		{identified, true, false, AllIdentified},
		{identified, false, false, SameSpectrum},
		{identified, false, true, NonlinearMixing},
		{grouped(Findings{}), true, false, SameSpectrum},
		{grouped(Findings{}), true, true, NonlinearMixing},
		{grouped(Findings{Doubtful: true}), true, false, Dependence},
		{grouped(Findings{Dependent: true}), true, false, Dependence},
	} {
		if got, _ := test.s.why(test.accepted, test.nonlinear); got != test.want {
			t.Errorf("accepted %t, nonlinear %t, doubtful %t, dependent %t: %v, want %v", test.accepted,
				test.nonlinear, test.s.Doubtful, test.s.Dependent, got, test.want)
		}
	}
}

// A reason comes back from its text, and no two have the same.
func TestReasonText(t *testing.T) {
	seen := make(map[string]bool)
	for r := AllIdentified; r <= Stopped; r++ {
		text, err := r.MarshalText()
		if err != nil || seen[string(text)] {
			t.Errorf("%d: %q, error %v", r, text, err)
		}
		seen[string(text)] = true
		var back Reason
		if err := back.UnmarshalText(text); err != nil || back != r {
			t.Errorf("%v came back as %v, error %v", r, back, err)
		}
	}
	var r Reason
	if err := r.UnmarshalText([]byte("magic")); err == nil {
		t.Error("no error of an unknown reason")
	}
	if got := (Stopped + 1).String(); got != "Reason(9)" {
		t.Errorf("an unknown reason is %q", got)
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
	u := f.Unidentified(Stopped, "after")
	if u.Identified(2) || u.Pairs[0].Identified || u.Pairs[0].AngleError != 0 {
		t.Errorf("a signal or a pair is still identified: %+v", u)
	}
	if want := [][]int{{0, 1, 2}}; !reflect.DeepEqual(u.Groups, want) {
		t.Errorf("groups %v, want %v", u.Groups, want)
	}
	if want := []float64{1, 1, 1}; !slices.Equal(u.ExpectedError, want) || u.Why != "after" || u.Reason != Stopped {
		t.Errorf("expected errors %v, want %v; %v: %q", u.ExpectedError, want, u.Reason, u.Why)
	}
	if !f.Identified(2) || !f.Pairs[0].Identified || f.ExpectedError[2] != 0.01 || f.Why != "before" {
		t.Errorf("the findings themselves were changed: %+v", f)
	}

	// A report on a nonlinear demixing has no expected errors, but groups.
	if u := (&Findings{Groups: [][]int{{0}, {1}}}).Unidentified(Stopped, ""); len(u.Groups) != 1 ||
		u.Identified(0) || u.ExpectedError != nil {
		t.Errorf("without expected errors: %+v", u)
	}
	if u := (*Findings)(nil).Unidentified(Stopped, ""); u != nil {
		t.Errorf("of nil: %+v, want nil", u)
	}
}
