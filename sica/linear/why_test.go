package linear

import (
	"math"
	"reflect"
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
		"both":          {func(s *draft) { s.uncertain, s.SurplusEvidence = [][2]int{{2, 0}}, 4 }, 1, MoreSources},
		"whitening": {func(s *draft) {
			s.whitened, s.Reason, s.SurplusEvidence = true, SameSpectrum, 4
			s.merge(nil, true)
		}, 1, SameSpectrum},
	} {
		identity := rotation.Identity(3)
		s := &draft{Solution: Solution{Mean: make([]float64, 3), Demixing: identity, Leak: mat.NewDense(3, 3, nil),
			Findings: Findings{Independence: 1, Groups: [][]int{{0}, {1}, {2}}, ExpectedError: make([]float64, 3)}}}
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

// Findings about signals in another order say the same of each, also in words.
func TestReordered(t *testing.T) {
	f := &Findings{
		Groups: [][]int{{0}, {1, 2}}, ExpectedError: []float64{0.1, 1, 1}, Reason: SameSpectrum,
		NoiseLike: []int{0}, Sources: []Source{{Order: 5}, {Order: 6}, {Order: 7}},
		Pairs: []Pair{{I: 1, J: 0, Evidence: 10}, {I: 2, J: 0, Evidence: 20}, {I: 2, J: 1, Evidence: 21}},
	}
	f.Why = f.sentence(false)
	g := f.Reordered([]int{1, 0, 2})
	want := &Findings{
		Groups: [][]int{{0, 2}, {1}}, ExpectedError: []float64{1, 0.1, 1}, Reason: SameSpectrum,
		NoiseLike: []int{1}, Sources: []Source{{Order: 6}, {Order: 5}, {Order: 7}},
		Pairs: []Pair{{I: 1, J: 0, Evidence: 10}, {I: 2, J: 0, Evidence: 21}, {I: 2, J: 1, Evidence: 20}},
	}
	if want.Why = want.sentence(false); !reflect.DeepEqual(g, want) || g.Why == f.Why {
		t.Errorf("%+v, want %+v", g, want)
	}
	if back := g.Reordered([]int{1, 0, 2}); !reflect.DeepEqual(back, f) {
		t.Errorf("back %+v, want %+v", back, f)
	}
	if (*Findings)(nil).Reordered(nil) != nil {
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
