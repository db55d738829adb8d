package linear

import (
	"reflect"
	"slices"
	"testing"
)

// Findings about signals in another order say the same of each, also in words.
func TestReordered(t *testing.T) {
	f := &Findings{
		Groups: [][]int{{0}, {1, 2}}, ExpectedError: []float64{0.1, 1, 1}, Reason: SameSpectrum,
		NoiseLike: []int{0}, Sources: []Source{{Order: 5}, {Order: 6}, {Order: 7}},
		Pairs: []Pair{{I: 1, J: 0, Evidence: 10}, {I: 2, J: 0, Evidence: 20}, {I: 2, J: 1, Evidence: 21}},
	}
	f.Why = f.sentence()
	g := Reordered(f, []int{1, 0, 2})
	want := &Findings{
		Groups: [][]int{{0, 2}, {1}}, ExpectedError: []float64{1, 0.1, 1}, Reason: SameSpectrum,
		NoiseLike: []int{1}, Sources: []Source{{Order: 6}, {Order: 5}, {Order: 7}},
		Pairs: []Pair{{I: 1, J: 0, Evidence: 10}, {I: 2, J: 0, Evidence: 21}, {I: 2, J: 1, Evidence: 20}},
	}
	if want.Why = want.sentence(); !reflect.DeepEqual(g, want) || g.Why == f.Why {
		t.Errorf("%+v, want %+v", g, want)
	}
	if back := Reordered(g, []int{1, 0, 2}); !reflect.DeepEqual(back, f) {
		t.Errorf("back %+v, want %+v", back, f)
	}
	if Reordered(nil, nil) != nil {
		t.Error("findings of nothing")
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

func TestUnidentified(t *testing.T) {
	const stopped = "No signal is identified: the fit was stopped before it had compared all models."
	f := &Findings{
		Groups:        [][]int{{2}, {0, 1}},
		Pairs:         []Pair{{I: 0, J: 2, Evidence: 5, Identified: true, AngleError: 0.1}},
		ExpectedError: []float64{1, 1, 0.01},
		Why:           "before",
	}
	u := Unidentified(f, Stopped)
	if u.Identified(2) || u.Pairs[0].Identified || u.Pairs[0].AngleError != 0 {
		t.Errorf("a signal or a pair is still identified: %+v", u)
	}
	if want := [][]int{{0, 1, 2}}; !reflect.DeepEqual(u.Groups, want) {
		t.Errorf("groups %v, want %v", u.Groups, want)
	}
	if want := []float64{1, 1, 1}; !slices.Equal(u.ExpectedError, want) || u.Why != stopped || u.Reason != Stopped {
		t.Errorf("expected errors %v, want %v; %v: %q", u.ExpectedError, want, u.Reason, u.Why)
	}
	if !f.Identified(2) || !f.Pairs[0].Identified || f.ExpectedError[2] != 0.01 || f.Why != "before" {
		t.Errorf("the findings themselves were changed: %+v", f)
	}

	// A report on a nonlinear demixing has no expected errors, but groups.
	if u := Unidentified(&Findings{Groups: [][]int{{0}, {1}}}, Stopped); len(u.Groups) != 1 ||
		u.Identified(0) || u.ExpectedError != nil {
		t.Errorf("without expected errors: %+v", u)
	}
	if u := Unidentified(nil, Stopped); u != nil {
		t.Errorf("of nil: %+v, want nil", u)
	}
}
