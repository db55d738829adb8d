package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// good is a report of three signals that is all that one could wish for.
func good() *Report {
	judged, before := Interval{Estimate: 0.001, Low: 0,
		High: 0.004}, Interval{Estimate: 0.1, Low: 0.06, High: 0.13}
	pair := func(i, j int, evidence float64) linear.Pair {
		return linear.Pair{I: i, J: j, Evidence: evidence, Identified: true, AngleError: 0.02,
			Dependence: 0.01}
	}
	findings := linear.Findings{
		Evidence: 60, ExpectedError: []float64{0.0012, 0.0003, 0.002}, Groups: [][]int{{0}, {1},
			{2}},
		Pairs: []linear.Pair{pair(1, 0, 40), pair(2, 0, 12.3), pair(2, 1, 50)},
	}
	return &Report{
		Signals: 3, Positions: 1024, Shape: []int{1024}, Seed: 7, Shares: []float64{.6, .3, .1},
		Mixed: SelfSufficiency{Dependence: Interval{Estimate: 0.4, Low: 0.3,
			High: 0.5}, Classifier: &before},
		Recovered: SelfSufficiency{Dependence: Interval{Estimate: 0.01, Low: 0,
			High: 0.07}, Pair: [2]int{0, 2}, Classifier: &judged},
		Predictability: []Predictability{{0.5, 0.5, 0.01}, {0.8, 0.79, 0.01}, {0, 0.004, 0.001}},
		Correlation:    Correlation{Value: 0.05, Pair: [2]int{0, 1}},
		Linear:         Linear{Findings: findings, Agreement: []float64{0.999, 0.99, 1}},
		Stability: &Stability{MCC: 0.99, Recoveries: [][]float64{{1, 0.99}, {0.99, 1}},
			Signals: []float64{0.99, 0.98, 0.99}, LeftOut: 204},
		Elapsed: 3 * time.Second,
	}
}

// networkOf is a network that others reproduced, and what each signal's past adds, in nats a
// position, with a standard error of .01.
func networkOf(gains ...float64) *nonlinear.Findings {
	n := &nonlinear.Findings{Agreement: .99, Agreeing: 3}
	for _, g := range gains {
		n.PastGain = append(n.PastGain, nonlinear.Difference{Mean: g, SE: .01})
	}
	return n
}

// join leaves the rotation of signals 2 and 3 unidentified.
func join(r *Report) {
	r.Linear.Groups, r.Linear.Reason = [][]int{{0}, {1, 2}}, linear.SameSpectrum
	r.Linear.Pairs[2].Identified = false
}

// depend makes the test of dependence fail.
func depend(r *Report) {
	dependent := Interval{Estimate: 0.3, Low: 0.2, High: 0.4}
	r.Recovered.Dependence, r.Recovered.Classifier = dependent, &dependent
}

func TestVerdict(t *testing.T) {
	dependent := Interval{Estimate: 0.3, Low: 0.2, High: 0.4}
	small := func(r *Report) { r.Shares = []float64{.6, .393, .007} }
	none := []string(nil)
	for _, test := range []struct {
		name   string
		change func(r *Report)
		want   Verdict
		failed []string
	}{
		{"all well", func(*Report) {}, Separated, none},
		{"no refits", func(r *Report) { r.Stability = nil }, Separated, none},
		{"dependent by one measure", func(r *Report) { r.Recovered.Dependence = dependent }, Separated, none},
		{"by the other", func(r *Report) { r.Recovered.Classifier = &dependent }, Separated, none},
		{"dependent", depend, NoEvidence, []string{"dependence"}},
		{"dependent, too short to judge", func(r *Report) { depend(r); r.Recovered.Classifier = nil },
			NoEvidence, []string{"dependence"}},
		{"wrong rotation", func(r *Report) { r.Linear.Agreement[1] = 0.8 }, NoEvidence,
			[]string{"rotation"}},
		{"rotated a little", func(r *Report) { r.Linear.Agreement[1] = 0.96 }, Separated, none},
		{"rotated in a group", func(r *Report) { join(r); r.Linear.Agreement[1] = 0.8 },
			NotIdentifiable, none},
		{"not self-sufficient", func(r *Report) { r.Predictability[1].All = 0.9 }, NoEvidence,
			[]string{"self-sufficiency"}},
		{"unstable", func(r *Report) { r.Stability.Signals[0] = 0.6 }, NoEvidence, []string{"refits"}},
		{"halves that differ", func(r *Report) { r.Halves = &Halves{Signals: []float64{0.99, 0.4, 0.94}} },
			Separated, none},
		{"a shared transient",
			func(r *Report) { r.Transients = []Transient{{Signals: []int{0, 1}, First: 9, Last: 29}} },
			NoEvidence, []string{"transients"}},
		{"a transient of one signal",
			func(r *Report) { r.Transients = []Transient{{Signals: []int{1}}} }, Separated, none},
		{"suspect, of a shared transient", func(r *Report) {
			small(r)
			r.Transients = []Transient{{Signals: []int{1, 2}}}
		}, Separated, none},
		{"nonlinear", func(r *Report) { r.Nonlinear = true }, NoEvidence, []string{"linearity"}},
		{"a group", join, NotIdentifiable, none},
		{"a group, unstable", func(r *Report) { join(r); r.Stability.Signals[1] = 0.5 },
			NotIdentifiable, none},
		{"a group and another unstable", func(r *Report) { join(r); r.Stability.Signals[0] = 0.5 },
			NoEvidence, []string{"refits"}},
		{"a group, dependent", func(r *Report) { join(r); depend(r) }, NoEvidence,
			[]string{"dependence"}},
		{"suspect, unstable", func(r *Report) { small(r); r.Stability.Signals[2] = 0.5 }, Separated, none},
		{"suspect, not self-sufficient", func(r *Report) { small(r); r.Predictability[2].All = 0.5 },
			Separated, none},
		{"suspect, of another rotation", func(r *Report) { small(r); r.Linear.Agreement[2] = 0.5 },
			Separated, none},
		{"suspect, and another unstable", func(r *Report) {
			small(r)
			r.Stability.Signals[2], r.Stability.Signals[0] = 0.5, 0.6
		}, NoEvidence, []string{"refits"}},
		{"a group of suspects", func(r *Report) { join(r); r.Shares = []float64{.991, .004, .005} },
			Separated, none},
		{"each small, together not", func(r *Report) {
			r.Shares = []float64{.985, .008, .007}
			r.Stability.Signals[1], r.Stability.Signals[2] = 0.5, 0.5
		}, NoEvidence, []string{"refits"}},
		{"of a network", func(r *Report) { r.Network = networkOf(.2, .2, .2) }, Separated, none},
		{"of a network, one white", func(r *Report) { r.Network = networkOf(.2, .02, .2) },
			NoEvidence, []string{"uniqueness"}},
		{"of a network, others differ", func(r *Report) {
			r.Network = networkOf(.2, .2, .2)
			r.Network.Agreement = .9
		}, NoEvidence, []string{"uniqueness"}},
		{"of a network, none as good", func(r *Report) {
			r.Network = networkOf(.2, .2, .2)
			r.Network.Agreeing = 0
		}, NoEvidence, []string{"uniqueness"}},
		{"of a network, a group", func(r *Report) { r.Network = networkOf(.2, .2, .2); join(r) },
			NotIdentifiable, none},
	} {
		r := good()
		test.change(r)
		r.conclude()
		if r.Verdict != test.want || !slices.Equal(r.FailedTests, test.failed) {
			t.Errorf("%s: %s, failed %q; want %s, %q", test.name, r.Verdict, r.FailedTests, test.want,
				test.failed)
		}
		if len(r.Reasons) == 0 || len(r.Next) == 0 ||
			slices.ContainsFunc(r.Reasons, func(s string) bool { return !strings.HasSuffix(s, ".") }) {
			t.Errorf("%s: reasons %q, next %q", test.name, r.Reasons, r.Next)
		}
	}
}

// Each reason for which signals aren't identified has its own sentence, which comes first, with which
// signals these are and the next steps of its entry.
func TestReasons(t *testing.T) {
	seen := map[string]bool{}
	for reason := linear.SameSpectrum; reason < linear.Stopped; reason++ {
		r := good()
		join(r)
		r.Linear.Reason, r.Linear.NoiseLike = reason, []int{2}
		entry := reasons[reason]
		r.conclude()
		want := entry.sentence(r) + r.outcome([][]int{{1, 2}})
		if r.Verdict != NotIdentifiable || r.Reasons[0] != want || seen[want] {
			t.Errorf("%s: %s, %q, want %q", reason, r.Verdict, r.Reasons, want)
		}
		if steps := slices.DeleteFunc(entry.next(r), isEmpty); !slices.Equal(r.Next, steps) || steps == nil {
			t.Errorf("%s: next %q, want %q", reason, r.Next, steps)
		}
		counted := reason == linear.SameSpectrum || reason == linear.NonlinearMixing
		if entry.uncounted == counted {
			t.Errorf("%s: uncounted %v", reason, entry.uncounted)
		}
		seen[want] = true
	}
	r := good()
	r.conclude()
	if got, want := r.Reasons, reasons[linear.AllIdentified].sentence(r); len(got) != 1 || got[0] != want {
		t.Errorf("all identified: %q, want %q", got, want)
	}
}

func isEmpty(s string) bool { return s == "" }

// A fit that was stopped has its own reason and no test, and calls no signal a source.
func TestReasonOfStoppedFit(t *testing.T) {
	r := good()
	r.Why = "Stopped."
	depend(r)
	r.Linear.Findings = *linear.Unidentified(&r.Linear.Findings, linear.Stopped)
	r.conclude()
	if r.Verdict != NoEvidence || r.FailedTests != nil || !slices.Equal(r.Reasons, []string{r.Why}) ||
		!slices.Equal(r.Next, reasons[linear.Stopped].next(r)) {
		t.Errorf("%s, %q, next %q", r.Verdict, r.Reasons, r.Next)
	}
	r.Grades = []Graded{{Grade: Repeats, Repeat: 1, Group: []int{0}}}
	if got := r.sources(); got != "none identified; all can be mixtures." {
		t.Errorf("of sources it says %q", got)
	}
}

// Where no signal is identified and a test fails, the fit's reason comes first, and no suspects are
// named that only aren't identified.
func TestReasonOfFitComesFirst(t *testing.T) {
	r := good()
	r.Linear.Groups, r.Shares = [][]int{{0, 1, 2}}, []float64{.6, .395, .005}
	r.Linear.Reason, r.Predictability[1].All = linear.MoreSources, 0.9
	first := reasons[linear.MoreSources].sentence(r) + r.outcome(r.Linear.Groups)
	r.conclude()
	if r.Verdict != NoEvidence || len(r.Reasons) != 2 || r.Reasons[0] != first ||
		slices.Contains(r.Next, "") {
		t.Errorf("%s, %q, next %q", r.Verdict, r.Reasons, r.Next)
	}
}

// Suspects are named unless the reason names them and says all.
func TestSuspectsAreNamed(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Report)
		want   bool
	}{
		{"in the group", func(*Report) {}, false},
		{"not self-sufficient, too", func(r *Report) { r.Predictability[2].All = 0.5 }, true},
		{"beside a failed test", func(r *Report) { r.Stability.Signals[0] = 0.5 }, true},
	} {
		r := good()
		join(r)
		r.Shares = []float64{.6, .395, .005}
		test.change(r)
		r.conclude()
		said := r.suspectFinding([]int{2}, nil)[0].reason
		if got := slices.Contains(r.Reasons, said); got != test.want {
			t.Errorf("%s: named %v in %q", test.name, got, r.Reasons)
		}
	}
}

// What doesn't change the verdict is named: halves that differ, a transient of one signal, and what the
// fit knew.
func TestWarnings(t *testing.T) {
	for name, change := range map[string]func(*Report){
		"halves":                          func(r *Report) { r.Halves = &Halves{Signals: []float64{0.99, 0.4, 0.94}} },
		"a transient":                     func(r *Report) { r.Transients = []Transient{{Signals: []int{1}}} },
		"signs of a nonlinear mixing":     func(r *Report) { r.fit.networks = compared },
		"a fit that identified no signal": func(r *Report) { r.fit.unidentifiedOn = 3000 },
	} {
		r := good()
		change(r)
		r.conclude()
		if r.Verdict != Separated || len(r.Reasons) != 2 {
			t.Errorf("%s: %s, %q", name, r.Verdict, r.Reasons)
		}
	}
	r := good()
	join(r)
	r.Halves = &Halves{Signals: []float64{0.99, 0.4, 0.94}}
	if r.conclude(); len(r.Reasons) != 1 {
		t.Errorf("halves of signals that aren't identified: %q", r.Reasons)
	}
}

// After a demixing of other positions there is one next step, whatever fails.
func TestNextAfterDemixingOfOtherPositions(t *testing.T) {
	r := good()
	depend(r)
	r.Nonlinear, r.Stability.Signals[0], r.Linear.Agreement[1] = true, 0.6, 0.5
	r.fit.origin = otherPositions
	r.conclude()
	if !slices.Equal(r.Next, []string{separateAnew}) || len(r.FailedTests) != 4 {
		t.Errorf("failed %q, next %q", r.FailedTests, r.Next)
	}
}

// What is tried against dependence is about its cause, and no step comes twice.
func TestNextForDependence(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(*Report){
		"no cause":     func(*Report) {},
		"noise":        func(r *Report) { r.Linear.Noise = []float64{0.012, 0.006, 0.009} },
		"more sources": func(r *Report) { r.Linear.Reason = linear.MoreSources },
		"clipping":     func(r *Report) { r.Clipped = []int{0} },
		"a drift":      func(r *Report) { r.Linear.Drift = []float64{0.06, 0, 0} },
		"a network":    func(r *Report) { r.Network = networkOf(.2, .2, .2) },
		"nonlinear":    func(r *Report) { r.Nonlinear = true },
	} {
		r := good()
		depend(r)
		change(r)
		r.Predictability[1].All = 0.9
		r.conclude()
		next := strings.Join(r.Next, " ")
		if other, ok := seen[next]; ok || r.Verdict != NoEvidence {
			t.Errorf("%s: %s, the next steps of %q: %q", name, r.Verdict, other, next)
		}
		seen[next] = name
		slices.Sort(r.Next)
		if len(slices.Compact(r.Next)) != len(r.Next) {
			t.Errorf("%s: twice in %q", name, r.Next)
		}
	}
}

// Shorter pieces have larger errors, so a small change with time is no reason to separate them.
func TestNextForSmallDrift(t *testing.T) {
	still, drifting := good(), good()
	drifting.Linear.Drift = []float64{0.04, 0, 0}
	for _, r := range []*Report{still, drifting} {
		depend(r)
		r.conclude()
	}
	if !slices.Equal(drifting.Next, still.Next) {
		t.Errorf("%q, want as without a drift: %q", drifting.Next, still.Next)
	}
}

// A prediction whose standard error exceeds half of the variance says nothing, nor does negative evidence
// for a rotation.
func TestNumbersThatSayNothing(t *testing.T) {
	r := good()
	r.Predictability[0] = Predictability{Own: -0.127, All: -10.3, SE: 10.4}
	r.Linear.Pairs[0].Evidence = -42.6
	text := r.String()
	if row := r.Row(0); row.AllContexts != "–" || strings.Contains(text, "– ±") || strings.Contains(text, "10.3") {
		t.Errorf("%+v in\n%s", row, text)
	}
	if !strings.Contains(text, "Evidence of 0 or less: Gaussian signals") {
		t.Errorf("no negative evidence in\n%s", text)
	}
}

// A demixing of other signals that correlates these is remarked.
func TestOtherMixingIsRemarked(t *testing.T) {
	mixing := func(weight float64) *mat.Dense {
		return mat.NewDense(2, 2, []float64{1, 0.4, weight, 1})
	}
	s := noise(rng(5), 2, 2000, datasets.Laplace)
	for weight, misfits := range map[float64]bool{0.3: false, -2: true} {
		var x, other mat.Dense
		x.Mul(mixing(0.3), s)
		other.Mul(mixing(weight), noise(rng(6), 2, 1500, datasets.Laplace))
		fit, err := sica.Fit(t.Context(), &x, sica.Config{Mode: sica.LinearOnly})
		if err != nil {
			t.Fatal(err)
		}
		r := report(t, fit, &other, Config{})
		got := strings.Contains(r.largestCorrelation(), separateAnew)
		if got != misfits || r.fit.origin != otherPositions {
			t.Errorf("weight %g: %s", weight, r.largestCorrelation())
		}
	}
}

// That the fit called no signal identified is said where it saw more positions than the report, which
// calls some identified.
func TestDoubtOfFit(t *testing.T) {
	var x mat.Dense
	x.Mul(mat.NewDense(2, 2, []float64{1, 0.4, 0.3, 1}), noise(rng(5), 2, 3000, datasets.Laplace))
	fit, err := sica.Fit(t.Context(), &x, sica.Config{Mode: sica.LinearOnly})
	if err != nil {
		t.Fatal(err)
	}
	yes, no := fit.Linear.Groups, [][]int{{0, 1}}
	for _, test := range []struct {
		groups    [][]int
		positions int
		stopped   klflow.Status
		want      int
	}{
		{yes, 2000, fit.Stopped, 0}, {no, 2000, fit.Stopped, 3000}, {no, 3000, fit.Stopped, 0},
		{no, 2000, klflow.StoppedCancelled, 0},
	} {
		fit.Linear.Groups, fit.Stopped = test.groups, test.stopped
		s, err := prepare(t.Context(), fit, x.Slice(0, 2, 0, test.positions).(*mat.Dense), Config{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := s.newReport(fit, &x, Config{}); err != nil || r.fit.unidentifiedOn != test.want {
			t.Errorf("%+v: %d, %v", test, r.fit.unidentifiedOn, err)
		}
	}
	r := good()
	r.fit.unidentifiedOn, r.Linear.Groups = 3000, [][]int{{0, 1, 2}}
	if r.conclude(); strings.Contains(strings.Join(r.Reasons, " "), "3000") {
		t.Errorf("where none is identified: %q", r.Reasons)
	}
}

// The text fits a screen, for any number of signals. Details have the measures behind it.
func TestTextFitsAScreen(t *testing.T) {
	r := good()
	r.conclude()
	r.Grades = r.grade()
	const want = `As sources: all are identified.

Verdict: separated. The dependence of the worst pair was 0.400 (0.300–0.500)
         and is 0.010 (0.000–0.070). The rotation of every pair of signals is
         identified, by at least 12.3 nats (signals 1 and 3).
Next: Look at the signals and count your sources: the tests can do neither.

#   share    grade
1   60.0 %   identified, error 0.0012
2   30.0 %   identified, error 0.0003
3   10.0 %   identified, error 0.0020

3 signals, 1024 positions, seed 7; reported in 3.0 s

                                         mixed, whitened       recovered
dependence of the worst pair (no unit)   0.400 (0.300–0.500)   0.010 (0.000–0.070)
divergence, nats                         0.100 (0.060–0.130)   0.001 (0.000–0.004)

#   own R²   all contexts    stability   halves   error    doubts
1   0.500    0.500 ± 0.010   0.990       –        0.0012   –
2   0.800    0.790 ± 0.010   0.980       –        0.0003   –
3   0.000    0.004 ± 0.001   0.990       –        0.0020   –
error: from sampling alone; noise, or more sources than channels, can make it
       far larger

pair      evidence, nats   identified   angle    magnitude correlation
1 and 2   40.0             yes          ± 1.1°   0.01
1 and 3   12.3             yes          ± 1.1°   0.01
2 and 3   50.0             yes          ± 1.1°   0.01

largest |correlation| of two recovered signals: 0.050 (1 and 2)

stability: the mean |correlation| among the fit and its refit is 0.990, each
           with another seed and 820 of the 1024 positions
`
	if got := r.String(); got != want {
		t.Errorf("text\n%s\nwant\n%s", got, want)
	}
	for range 40 {
		r.Predictability = append(r.Predictability, r.Predictability[0])
		r.Stability.Signals = append(r.Stability.Signals, 1)
		r.Linear.Pairs = append(r.Linear.Pairs, r.Linear.Pairs...)[:min(2*len(r.Linear.Pairs), 900)]
	}
	for i := 3; i < 43; i++ {
		r.Linear.Groups = append(r.Linear.Groups, []int{i})
		r.Linear.ExpectedError = append(r.Linear.ExpectedError, 0)
		r.Shares = append(r.Shares, 0)
	}
	r.Signals = 43
	r.Linear.Pairs[700].Evidence = -7.5
	r.Reasons, r.Next = nil, nil
	r.conclude()
	r.Grades = r.grade()
	var short strings.Builder
	if err := r.WriteText(&short); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(short.String(), "\n"); lines > notes.MaxRows+10 {
		t.Errorf("%d lines:\n%s", lines, &short)
	}
	text := r.String()
	for _, want := range []string{"\n32 ", "and 11 more in JSON\n",
		"and 894 more pairs in JSON, with at least as much evidence\n", "-7.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
