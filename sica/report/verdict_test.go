package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/linear"
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
func networkOf(gains ...float64) *sica.Network {
	n := &sica.Network{Agreement: .99, Agreeing: 3}
	for _, g := range gains {
		n.PastGain = append(n.PastGain, sica.Difference{Mean: g, SE: .01})
	}
	return n
}

func TestVerdict(t *testing.T) {
	dependent := Interval{Estimate: 0.3, Low: 0.2, High: 0.4}
	join := func(r *Report) {
		r.Linear.Groups = [][]int{{0}, {1, 2}}
		r.Linear.Pairs[2].Identified = false
	}
	small := func(r *Report) { r.Shares = []float64{.6, .393, .007} }
	for _, test := range []struct {
		name   string
		change func(r *Report)
		want   Verdict
		reason string // part of it
	}{
		{"all well", func(*Report) {}, Separated, "from 0.400 (0.300–0.500) to 0.010"},
		{"nothing before", func(r *Report) { r.Mixed.Dependence.Low = 0 }, Separated,
			"Whitening already left no significant dependence (0.400 (0.000–0.500), now 0.010"},
		{"more than before", func(r *Report) { r.Mixed.Dependence = Interval{Estimate: 0.009, Low: 0.004, High: 0.02} },
			Separated, "Whitening already left about as little dependence (0.009 (0.004–0.020), now 0.010"},
		{"no refits", func(r *Report) { r.Stability = nil }, Separated, ""},
		{"dependent by one measure", func(r *Report) { r.Recovered.Dependence = dependent },
			Separated, "a classifier doesn't confirm the rest (divergence 0.001"},
		{"by the other", func(r *Report) { r.Recovered.Classifier = &dependent }, Separated, ""},
		{"dependent",
			func(r *Report) {
				r.Recovered.Dependence, r.Recovered.Classifier = dependent,
					&dependent
			}, NoEvidence, "signals 1 and 3 most"},
		{"dependent, too short to judge",
			func(r *Report) {
				r.Recovered.Dependence, r.Recovered.Classifier = dependent,
					nil
			}, NoEvidence, "still depend"},
		{"correlated magnitudes",
			func(r *Report) {
				r.Linear.Doubtful, r.Linear.Pairs[1].Dependence = true,
					0.4
			}, NoEvidence,
			"The magnitudes of the innovations of signals 1 and 3 correlate by 0.40"},
		{"wrong rotation", func(r *Report) { r.Linear.Agreement[1] = 0.8 }, NoEvidence,
			"most similar to signal 2 correlates with it by 0.80"},
		{"rotated a little", func(r *Report) { r.Linear.Agreement[1] = 0.96 }, Separated, ""},
		{"rotated in a group", func(r *Report) { join(r); r.Linear.Agreement[1] = 0.8 },
			NotIdentifiable, ""},
		{"not self-sufficient", func(r *Report) { r.Predictability[1].All = 0.9 }, NoEvidence,
			"Signal 2 isn't self-sufficient: the contexts of the others explain up to 10.0 % more of the " +
				"variance; from 1.0 % on that counts."},
		{"two not self-sufficient",
			func(r *Report) {
				r.Predictability[1].All, r.Predictability[2].All = 0.9,
					0.2
			}, NoEvidence, "Signals 2 and 3 aren't self-sufficient"},
		{"unstable", func(r *Report) { r.Stability.Signals[0] = 0.6 }, NoEvidence,
			"recover signal 1 differently: the smallest mean correlation is 0.60"},
		{"halves that differ", func(r *Report) { r.Halves = &Halves{Signals: []float64{0.99, 0.4, 0.94}} },
			Separated, "But the two halves of the positions disagree on signals 2 and 3: the smallest correlation " +
				"is 0.40, and from 0.95 on they agree."},
		{"halves that differ, of signals that aren't identified", func(r *Report) {
			join(r)
			r.Halves = &Halves{Signals: []float64{0.93, 0.4, 0.94}}
		}, NotIdentifiable, "disagree on signal 1:"},
		{"a shared transient",
			func(r *Report) { r.Transients = []Transient{{Signals: []int{0, 1}, First: 9, Last: 29}} }, NoEvidence,
			"Signals 1 and 2 have more than half of their variance in one short stretch, from position 10 to 30."},
		{"a transient of one signal",
			func(r *Report) { r.Transients = []Transient{{Signals: []int{1}}} }, Separated,
			"It alone decides what that signal is."},
		{"suspect, of a shared transient", func(r *Report) {
			small(r)
			r.Transients = []Transient{{Signals: []int{1, 2}}}
		}, Separated, "Signal 3 is suspect (a transient)"},
		{"nonlinear", func(r *Report) { r.Nonlinear = true }, NoEvidence,
			"depend on each other in a way that neither noise"},
		{"doubted by the fit", func(r *Report) { r.doubtedOn = 3000 }, Separated, "The fit, on 3000 positions, " +
			"called no signal identified. For their recording that counts more: report on all positions."},
		{"signs of a nonlinear mixing", func(r *Report) { r.suspected = true }, Separated,
			"a weak nonlinearity can make the true errors larger"},
		{"a shorter nonlinear code, refused",
			func(r *Report) { r.Nonlinear, r.compared = true, true }, NoEvidence,
			"a nonlinear demixing has a significantly shorter code"},
		{"a group", join, NotIdentifiable, "The rotation of signals 2 and 3 is not identified"},
		{"a group, unstable", func(r *Report) { join(r); r.Stability.Signals[1] = 0.5 },
			NotIdentifiable, "2 and 3"},
		{"a group and another unstable", func(r *Report) { join(r); r.Stability.Signals[0] = 0.5 },
			NoEvidence, "signal 1 differently"},
		{"a group, dependent", func(r *Report) {
			join(r)
			r.Recovered.Dependence, r.Recovered.Classifier = dependent, &dependent
		}, NoEvidence, "still depend"},
		{"suspect, unstable", func(r *Report) {
			small(r)
			r.Stability.Signals[2] = 0.5
		}, Separated,
			"Signal 3 is suspect (unstable). It explains 0.7 % of the mixed signals' variance"},
		{"suspect, not self-sufficient", func(r *Report) {
			small(r)
			r.Predictability[2].All = 0.5
		}, Separated, "(not self-sufficient)"},
		{"suspect, of another rotation", func(r *Report) {
			small(r)
			r.Linear.Agreement[2] = 0.5
		}, Separated, "(another rotation has a shorter code)"},
		{"suspect, and another unstable", func(r *Report) {
			small(r)
			r.Stability.Signals[2], r.Stability.Signals[0] = 0.5, 0.6
		}, NoEvidence, "Signal 3 is suspect"},
		{"a group of suspects", func(r *Report) {
			join(r)
			r.Shares = []float64{.991, .004, .005}
		}, Separated, "Signals 2 and 3 are suspect (not identified). They explain 0.9 %"},
		{"each small, together not", func(r *Report) {
			r.Shares = []float64{.985, .008, .007}
			r.Stability.Signals[1], r.Stability.Signals[2] = 0.5, 0.5
		}, NoEvidence, "recover signal 2 differently"},
		{"of a network", func(r *Report) { r.Network = networkOf(.2, .2, .2) }, Separated, ""},
		{"of a network, one white", func(r *Report) { r.Network = networkOf(.2, .02, .2) },
			NoEvidence, "but the code of signal 2 isn't significantly shorter with the past"},
		{"of a network, two white", func(r *Report) { r.Network = networkOf(.02, .2, -.02) },
			NoEvidence, "the code of signals 1 and 3"},
		{"of a network, others differ",
			func(r *Report) {
				r.Network = networkOf(.2, .2,
					.2)
				r.Network.Agreement = .9
			}, NoEvidence, "recovered other signals (agreement 0.90)"},
		{"of a network, none as good",
			func(r *Report) {
				r.Network = networkOf(.2, .2,
					.2)
				r.Network.Agreeing = 0
			}, NoEvidence, "no other network was as good"},
		{"of a network, a group", func(r *Report) { r.Network = networkOf(.2, .2, .2); join(r) },
			NotIdentifiable, ""},
	} {
		r := good()
		test.change(r)
		r.conclude()
		if r.Verdict != test.want || !strings.Contains(strings.Join(r.Reasons, " "), test.reason) {
			t.Errorf("%s: %s, %q, want %s, %q", test.name, r.Verdict, r.Reasons, test.want,
				test.reason)
		}
		if failed := len(r.FailedTests) > 0; failed != (r.Verdict == NoEvidence) {
			t.Errorf("%s: %s, failed tests %q", test.name, r.Verdict, r.FailedTests)
		}
		if len(r.Reasons) == 0 || len(r.Next) == 0 ||
			slices.ContainsFunc(r.Reasons,
				func(s string) bool { return !strings.HasSuffix(s, ".") }) {
			t.Errorf("%s: reasons %q, next %q", test.name, r.Reasons, r.Next)
		}
	}
}

// The reason for a rotation that is not identified agrees with the evidence in the table, and the
// advice with the settings of the fit.
func TestReasonAgreesWithEvidence(t *testing.T) {
	for _, test := range []struct {
		name       string
		change     func(r *Report)
		want, next string
		not        []string
	}{
		{"weak pair", func(r *Report) { r.Linear.Pairs[2].Evidence = 1 }, "code of the same length",
			"nearly symmetric", nil},
		{"weak pair of a network", func(r *Report) {
			r.Linear.Pairs[2].Evidence, r.Network = 1, networkOf(.2, .2, .2)
		}, "code of the same length", "more positions", []string{"nearly symmetric"}},
		{"weak rotation", func(r *Report) { r.Linear.Evidence = 1.2 }, "together is 1.2 nats",
			"more positions", []string{"same length"}},
		{"chain", func(r *Report) {
			r.Linear.Groups, r.Linear.Pairs[1].Identified = [][]int{{0, 1, 2}}, false
			r.Linear.Pairs[0].Evidence, r.Linear.Pairs[2].Evidence = 1, 1
		}, "connect the others", "more positions", []string{"same length"}},
		{"dependence that no lack of evidence explains", func(r *Report) {
			r.Linear.Why = "Signals 2 and 3 depend on each other."
			r.Linear.Unexplained, r.byRule = true, true
		}, "Signals 2 and 3 depend on each other.", "linear",
			[]string{"connect the others", "Use more positions"}},
		{"dependence of all pairs together", func(r *Report) {
			r.Linear.Dependent, r.Linear.Independence = true, 0.002
		}, "Innovations of independent signals would do so with a probability of 0.002.",
			"Count the sources", []string{"connect the others", "Use more positions"}},
		{"dependence of all pairs together, of which the fit names causes", func(r *Report) {
			r.Linear.Dependent, r.byRule, r.Linear.Reason = true, true, linear.Dependence
			r.Linear.Why = "The signals depend on each other. Clipping?"
		}, "Clipping? Innovations of independent signals", "Count the sources", nil},
		{"noise", func(r *Report) { r.Linear.Unconfirmed = true }, "a demixing that is nearly as good",
			"rule a component out", []string{"same length", "symmetric"}},
		{"noise, by the linear rule", func(r *Report) {
			r.Linear.Unconfirmed, r.byRule = true, true
			r.Linear.Why = "The noise hides it."
		}, "The noise hides it. The evidence in the table of pairs assumes no noise and no surplus sources.",
			"rule a component out", []string{"same length", "symmetric"}},
		{"noise and little evidence", func(r *Report) {
			r.Linear.Unconfirmed, r.Linear.Pairs[2].Evidence = true, 1
		}, "a demixing that is nearly as good", "rule a component out",
			[]string{"table of pairs", "symmetric"}},
		{"surplus sources", func(r *Report) {
			r.Linear.Unconfirmed, r.Linear.Surplus = true, true
		}, "There seem to be more sources than channels", "The channels can't hold all sources.",
			[]string{"same length", "symmetric"}},
		{"surplus sources in a recording", func(r *Report) {
			r.Linear.Unconfirmed, r.Linear.Surplus, r.rate = true, true, 250
		}, "There seem to be more", "To take out an artefact, stability, halves, share and correlations count.", nil},
		{"surplus sources, one of them small", func(r *Report) { // it is named already
			r.Linear.Unconfirmed, r.Linear.Surplus = true, true
			r.Linear.Groups, r.Shares = [][]int{{0, 1, 2}}, []float64{.6, .395, .005}
		}, "no signal is identified", "The channels can't hold all sources.", []string{"suspect"}},
		{"surplus sources, one that isn't self-sufficient", func(r *Report) {
			r.Linear.Unconfirmed, r.Linear.Surplus = true, true
			r.Linear.Groups, r.Shares = [][]int{{0, 1, 2}}, []float64{.6, .395, .005}
			r.Predictability[2].All = 0.5
		}, "Signal 3 is suspect (not self-sufficient; not identified)", "signal 3", nil},
		{"noise and several signals like it", func(r *Report) {
			r.Linear.Unconfirmed, r.Linear.NoiseLike = true, []int{1, 2}
			r.Predictability[2].All, r.Shares = 0.5, []float64{.6, .395, .005}
		}, "Signal 3 is suspect", "Don't rely on signals 2 and 3 without", []string{"more sources than channels, call"}},
	} {
		r := good()
		r.Linear.Groups = [][]int{{0}, {1, 2}}
		r.Linear.Pairs[2].Identified = false
		test.change(r)
		r.conclude()
		reasons, next := strings.Join(r.Reasons, " "), strings.Join(r.Next, " ")
		if r.Verdict != NotIdentifiable || !strings.Contains(reasons, test.want) ||
			!strings.Contains(next, test.next) {
			t.Errorf("%s: %s, %q, next %q", test.name, r.Verdict, reasons, next)
		}
		for _, not := range test.not {
			if strings.Contains(reasons+next, not) {
				t.Errorf("%s: %q in %q, next %q", test.name, not, reasons, next)
			}
		}
	}
}

// Where no signal is identified, those of small share aren't named as if the others could be relied on.
// Where surplus sources are found, no other method is advised.
func TestNoSuspectsWhereNoneIsIdentified(t *testing.T) {
	r := good()
	r.Linear.Groups, r.Shares = [][]int{{0, 1, 2}}, []float64{.6, .395, .005}
	r.Linear.Doubtful, r.Linear.Surplus, r.Linear.SurplusEvidence = true, true, 5
	r.conclude()
	said := strings.Join(slices.Concat(r.Reasons, r.Next), " ")
	if r.Verdict != NoEvidence || !strings.Contains(said, "If you know that the sources are large") ||
		strings.Contains(said, "suspect") || strings.Contains(said, "sica.Direct") {
		t.Errorf("%s, %q", r.Verdict, said)
	}
	r = good()
	r.Linear.Doubtful = true
	if r.conclude(); !strings.Contains(strings.Join(r.Next, " "), "may be nonlinear, fit a network") {
		t.Errorf("next %q", r.Next)
	}
}

// That a network may help is said once, and of images never.
func TestNetworkIsAdvisedOnce(t *testing.T) {
	for shape, want := range map[string]int{"sequence": 1, "images": 0} {
		r := good()
		r.Linear.Doubtful = true
		r.Recovered.Dependence, r.Recovered.Classifier = Interval{Estimate: 0.5, Low: 0.4, High: 0.6}, nil
		if shape == "images" {
			r.Shape = []int{32, 32}
		}
		r.conclude()
		if next := strings.Join(r.Next, " "); strings.Count(next, "nonlinear") != want || len(r.FailedTests) != 2 {
			t.Errorf("%s: after %q, %q", shape, r.FailedTests, r.Next)
		}
	}
}

// Where a test fails beside surplus sources, which leave no signal identified, these are the first reason.
func TestSurplusIsTheFirstReason(t *testing.T) {
	r := good()
	r.Linear.Groups, r.Linear.Surplus, r.Predictability[1].All = [][]int{{0, 1, 2}}, true, 0.9
	r.conclude()
	if r.Verdict != NoEvidence || len(r.Reasons) != 2 ||
		r.Reasons[0] != "There seem to be more sources than channels, so no signal is identified." ||
		slices.Contains(r.Next, "") {
		t.Errorf("%s, %q, next %q", r.Verdict, r.Reasons, r.Next)
	}
}

// A prediction whose standard error exceeds half of the variance says nothing, nor does negative evidence
// for a rotation.
func TestNumbersThatSayNothing(t *testing.T) {
	r := good()
	r.Predictability[0] = Predictability{Own: -0.127, All: -10.3, SE: 10.4}
	r.Linear.Pairs[0].Evidence = -42.6
	text := r.String()
	if row := r.Row(0); row.All != "–" || row.AllContexts() != "–" || strings.Contains(text, "– ±") || strings.Contains(text, "10.3") {
		t.Errorf("%+v in\n%s", row, text)
	}
	if !strings.Contains(text, "Evidence of 0 or less: Gaussian signals") {
		t.Errorf("no negative evidence in\n%s", text)
	}
}

// The advice names nothing that was done already or is impossible.
func TestAdviceCanBeFollowed(t *testing.T) {
	dependent := Interval{Estimate: 0.3, Low: 0.2, High: 0.4}
	depend := func(r *Report) { r.Recovered.Dependence, r.Recovered.Classifier = dependent, nil }
	for _, test := range []struct {
		name   string
		change func(r *Report)
		want   string
		not    []string
	}{
		{"dependent", depend, "set Config.Shape", []string{"Noise"}},
		{"dependent positions of a recording", func(r *Report) { depend(r); r.isSequence = true },
			"sica.Direct", []string{"Config.Shape"}},
		{"dependent positions that are no image", func(r *Report) { depend(r); r.Positions = 8000 },
			"sica.Direct", []string{"Config.Shape"}},
		{"dependent, of a demixing of other positions", func(r *Report) { depend(r); r.isOther = true },
			separateAnew, []string{"sica.Direct"}},
		{"nonlinear, of a demixing of other positions", func(r *Report) { r.Nonlinear, r.isOther = true, true },
			separateAnew, []string{"sica.Default"}},
		{"unstable, of other positions", func(r *Report) { r.Stability.Signals[0], r.isOther = 0.6, true },
			separateAnew, []string{"Config"}},
		{"other rotation of a demixing of other positions",
			func(r *Report) { r.Linear.Agreement[1], r.isOther = 0.5, true },
			separateAnew, []string{"sica.Default"}},
		{"dependent images", func(r *Report) { depend(r); r.Shape = []int{32, 32} },
			"Similar images", []string{"Config.Shape", "sica.Direct"}},
		{"dependent by noise",
			func(r *Report) { depend(r); r.Linear.Noise = []float64{0.012, 0.006, 0.009} },
			"The channels seem to have 0.9 % of noise, or surplus sources or a drift of the mixing, which",
			[]string{"sica.Direct", "Default"}},
		{"dependent by noise or surplus sources", func(r *Report) {
			depend(r)
			r.Linear.Surplus, r.Linear.Noise = true, []float64{0.012, 0.006, 0.009}
		}, "There seem to be more sources than channels", []string{"sica.Direct", "have 0.9 %"}},
		{"dependent by surplus sources", func(r *Report) { depend(r); r.Linear.Surplus, r.rate = true, 250 },
			"dependence in any answer. As in most EEGs, that is no objection to taking out an artefact",
			[]string{"sica.Direct", "Echoes"}},
		{"dependent by echoes or surplus sources", func(r *Report) {
			depend(r)
			r.Linear.Surplus = true
			for i := range r.Predictability {
				r.Predictability[i].All = 0.99
			}
		}, "Echoes and delays look the same", []string{"sica.Direct"}},
		{"dependent by a nonlinear mixing", func(r *Report) { depend(r); r.Nonlinear = true },
			"sica.Default", []string{"sica.Direct", "dependence in any answer"}},
		{"dependent by noise beside signals like it", func(r *Report) {
			depend(r)
			r.Linear.Noise, r.Linear.NoiseLike = []float64{0.012, 0.006, 0.009}, []int{2}
		}, "self-sufficient: signal 2. It is identified, and can still be a mixture. Like noise: signal 3.",
			[]string{"surplus sources"}},
		{"dependent by noise, with one stable signal that nothing speaks against", func(r *Report) {
			depend(r)
			r.Linear.Noise, r.Predictability[0].All = []float64{0.012, 0.006, 0.009}, 0.9
		}, "(above 0.95), with a share of at least 1 %, and self-sufficient: signal 2. It is", nil},
		{"dependent by noise, with two stable signals that aren't identified", func(r *Report) {
			depend(r)
			r.Linear.Noise, r.Linear.Groups = []float64{0.012, 0.006, 0.009}, [][]int{{0, 2}, {1}}
			r.Recovered.Pair = [2]int{0, 0}
		}, "self-sufficient: signals 2 and 3. Of these only signal 2 is identified; each can be a mixture.", nil},
		{"dependent by noise, with stable signals of which none is identified", func(r *Report) {
			depend(r)
			r.Linear.Noise, r.Linear.Groups = []float64{0.012, 0.006, 0.009}, [][]int{{0, 1, 2}}
			r.Recovered.Pair = [2]int{0, 0}
		}, "self-sufficient: signals 2 and 3. None is identified, and each can be a mixture.", nil},
		{"dependent by noise, with stable signals that are identified", func(r *Report) {
			depend(r)
			r.Linear.Noise, r.Recovered.Pair = []float64{0.012, 0.006, 0.009}, [2]int{0, 0}
		}, "self-sufficient: signals 2 and 3. All are identified, and can still be mixtures.", nil},
		{"dependent by surplus sources that leave nothing identified", func(r *Report) {
			depend(r)
			r.Linear.Surplus, r.Linear.Groups = true, [][]int{{0, 1, 2}}
		}, "Don't fit a network: more sources than channels leave such dependence in any answer.", []string{"There seem", "EEG"}},
		{"dependent by clipping", func(r *Report) { depend(r); r.Clipped = []int{0} },
			"leave the clipped stretches out", []string{"sica.Direct"}},
		{"dependent after a network", func(r *Report) { depend(r); r.Network = networkOf(.2, .2, .2) },
			"Config.Shape", []string{"sica.Direct"}},
		{"ill-conditioned", func(r *Report) { depend(r); r.condition = 40 },
			"Noise in the channels may be the reason: the estimated mixing has a condition number of 40", nil},
		{"other rotation of whitened signals", func(r *Report) { r.Linear.Agreement[1] = 0.5 },
			"sica.Default", nil},
		{"other rotation of the linear rule's",
			func(r *Report) { r.Linear.Agreement[1], r.byRule = 0.5, true },
			"Config.Components", []string{"sica.Default"}},
		{"unstable", func(r *Report) { r.Stability.Signals[0] = 0.6 }, "Config.Components",
			[]string{"Iterations"}},
		{"unstable flow", func(r *Report) { r.Stability.Signals[0], r.Iterations = 0.6, 9 },
			"Config.Flow.Iterations", nil},
		{"unstable network",
			func(r *Report) { r.Stability.Signals[0], r.Network = 0.6, networkOf(.2, .2, .2) },
			"more positions", []string{"Iterations", "Components"}},
	} {
		r := good()
		test.change(r)
		r.conclude()
		next := strings.Join(r.Next, " ")
		if r.Verdict != NoEvidence || !strings.Contains(next, test.want) {
			t.Errorf("%s: %s, next %q", test.name, r.Verdict, next)
		}
		for _, not := range test.not {
			if strings.Contains(next, not) {
				t.Errorf("%s: %q in %q", test.name, not, next)
			}
		}
	}
}

// A demixing of other signals that correlates these is the first reason, whatever the verdict.
func TestOtherMixingIsNamedFirst(t *testing.T) {
	mixing := func(weight float64) *mat.Dense {
		return mat.NewDense(2, 2, []float64{1, 0.4, weight, 1})
	}
	s := noise(rng(5), 2, 2000, datasets.Laplace)
	for weight, misfits := range map[float64]bool{0.3: false, -2: true} {
		var x, other mat.Dense
		x.Mul(mixing(0.3), s)
		other.Mul(mixing(weight), noise(rng(6), 2, 1500, datasets.Laplace))
		fit, err := sica.Fit(t.Context(), nil, &x, sica.Config{Method: sica.LinearOnly})
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(t.Context(), nil, fit, &other, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(r.Reasons[0], "may not fit"); got != misfits {
			t.Errorf("weight %g: reasons %q", weight, r.Reasons)
		}
		if strings.Contains(r.String(), "high-pass") {
			t.Errorf("weight %g: advice on a filter:\n%s", weight, r)
		}
	}
}

// That the fit called no signal identified is said where it saw more positions than the report, which
// calls some identified.
func TestDoubtOfFit(t *testing.T) {
	var x mat.Dense
	x.Mul(mat.NewDense(2, 2, []float64{1, 0.4, 0.3, 1}), noise(rng(5), 2, 3000, datasets.Laplace))
	fit, err := sica.Fit(t.Context(), nil, &x, sica.Config{Method: sica.LinearOnly})
	if err != nil {
		t.Fatal(err)
	}
	yes, no := fit.Linear.Groups, [][]int{{0, 1}}
	for _, test := range []struct {
		groups    [][]int
		positions int
		stopped   sica.Status
		want      int
	}{
		{yes, 2000, fit.Stopped, 0}, {no, 2000, fit.Stopped, 3000}, {no, 3000, fit.Stopped, 0},
		{no, 2000, sica.StoppedCancelled, 0},
	} {
		fit.Linear.Groups, fit.Stopped = test.groups, test.stopped
		s, err := prepare(t.Context(), fit, x.Slice(0, 2, 0, test.positions).(*mat.Dense), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := s.newReport(fit, Options{}); err != nil || r.doubtedOn != test.want {
			t.Errorf("%+v: %d, %v", test, r.doubtedOn, err)
		}
	}
	r := good()
	r.doubtedOn, r.Linear.Groups = 3000, [][]int{{0, 1, 2}}
	if r.conclude(); strings.Contains(strings.Join(r.Reasons, " "), "3000") {
		t.Errorf("where none is identified: %q", r.Reasons)
	}
}

// The text fits a screen, for any number of signals.
func TestTextFitsAScreen(t *testing.T) {
	r := good()
	r.conclude()
	const want = `Verdict: separated

  The dependence fell from 0.400 (0.300–0.500) to 0.010 (0.000–0.070). The
  rotation of every pair of signals is identified, by at least 12.3 nats
  (signals 1 and 3). The mean |correlation| among the fit and its refit is
  0.990.
  Next: Look at the signals and count your sources: the tests can do neither.

3 signals, 1024 positions, seed 7; reported in 3.0 s

                                         mixed, whitened       recovered
dependence of the worst pair (no unit)   0.400 (0.300–0.500)   0.010 (0.000–0.070)
divergence, nats                         0.100 (0.060–0.130)   0.001 (0.000–0.004)

signal   share    own R²   all contexts    stability   halves   error    reliable
1        60.0 %   0.500    0.500 ± 0.010   0.990       –        0.0012   yes
2        30.0 %   0.800    0.790 ± 0.010   0.980       –        0.0003   yes
3        10.0 %   0.000    0.004 ± 0.001   0.990       –        0.0020   yes
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
	}
	r.Signals = 43
	r.Stability.Signals[41] = 0.1
	r.Linear.Pairs[700].Evidence = -7.5
	r.Reasons, r.Next = nil, nil
	r.conclude()
	text := r.String()
	if lines := strings.Count(text, "\n"); lines > 40 {
		t.Errorf("%d lines:\n%s", lines, text)
	}
	for _, want := range []string{"\n42 ", "and 35 more signals: see JSON or Row\n",
		"and 894 more pairs, with at least as much evidence: see JSON\n", "-7.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	r.allSignals, r.allPairs = "page 2", "page 3"
	text = r.String()
	for _, want := range []string{"more signals: see page 2\n", "evidence: see page 3\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// Of many signals the text first shows those that fail a test, then those that aren't identified, each
// by share.
func TestFailedSignalsAreShownFirst(t *testing.T) {
	r := &Report{Shares: []float64{.5, .2, .1, .05, .05, .05, .01, .01, .01, .01, .001}}
	for range r.Shares {
		r.Predictability = append(r.Predictability, Predictability{})
		r.Doubts = append(r.Doubts, []string{notIdentified})
	}
	r.Doubts[0] = nil
	r.Doubts[10] = append(r.Doubts[10], "unstable")
	r.Doubts[6] = []string{"not self-sufficient"}
	if got := r.shownSignals(4); !slices.Equal(got, []int{6, 10, 1, 2}) {
		t.Errorf("%v", got)
	}
	r.Halves, r.Stability = &Halves{Signals: slices.Repeat([]float64{1}, 11)},
		&Stability{Signals: slices.Repeat([]float64{1}, 11)}
	r.Halves.Signals[9], r.Stability.Signals[8] = 0.4, 0.9
	if got := r.shownSignals(5); !slices.Equal(got, []int{6, 8, 9, 10, 1}) {
		t.Errorf("with low stability and halves: %v", got)
	}
	r.Halves, r.Stability = nil, nil
	r.Linear.Doubtful, r.Linear.Pairs = true, []linear.Pair{{I: 7, J: 0, Dependence: 0.4}, {I: 2, J: 1}}
	if got := r.shownSignals(4); !slices.Equal(got, []int{0, 6, 7, 10}) {
		t.Errorf("with dependent magnitudes: %v", got)
	}
}
