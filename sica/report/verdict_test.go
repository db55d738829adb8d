package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// good is a report of three signals that is all that one could wish for.
func good() *Report {
	judged, before := dependence.Interval{Estimate: 0.001, Low: 0, High: 0.004}, dependence.Interval{Estimate: 0.1, Low: 0.06, High: 0.13}
	pair := func(i, j int, evidence float64) linear.Pair {
		return linear.Pair{I: i, J: j, Evidence: evidence, Identified: true, AngleError: 0.02, Dependence: 0.01}
	}
	findings := linear.Findings{
		Evidence: 60, ExpectedError: []float64{0.0012, 0.0003, 0.002}, Groups: [][]int{{0}, {1}, {2}},
		Pairs: []linear.Pair{pair(1, 0, 40), pair(2, 0, 12.3), pair(2, 1, 50)},
	}
	return &Report{
		Signals: 3, Positions: 1024, Shape: []int{1024}, Seed: 7, Shares: []float64{.6, .3, .1},
		Mixed:          Divergence{Dependence: dependence.Interval{Estimate: 0.4, Low: 0.3, High: 0.5}, Judged: &before},
		Recovered:      Divergence{Dependence: dependence.Interval{Estimate: 0.01, Low: 0, High: 0.07}, Pair: [2]int{0, 2}, Judged: &judged},
		Predictability: []Predictability{{0.5, 0.5, 0.01}, {0.8, 0.79, 0.01}, {0, 0.004, 0.001}},
		Linear:         Linear{Findings: findings, Agreement: []float64{0.999, 0.99, 1}},
		Stability:      &Stability{MCC: 0.99, Recoveries: [][]float64{{1, 0.99}, {0.99, 1}}, Signals: []float64{0.99, 0.98, 0.99}, LeftOut: 204},
		Elapsed:        3 * time.Second,
	}
}

// network is a network that others reproduced, and what each signal's past adds, in nats a
// position, with a standard error of .01.
func network(gains ...float64) *sica.Network {
	n := &sica.Network{Agreement: .99, Agreeing: 3}
	for _, g := range gains {
		n.PastGain = append(n.PastGain, sica.Difference{Mean: g, SE: .01})
	}
	return n
}

func TestVerdict(t *testing.T) {
	dependent := dependence.Interval{Estimate: 0.3, Low: 0.2, High: 0.4}
	join := func(r *Report) {
		r.Linear.Groups = [][]int{{0}, {1, 2}}
		r.Linear.Pairs[2].Identified = false
	}
	light := func(r *Report) { r.Shares = []float64{.6, .393, .007} }
	for _, test := range []struct {
		name   string
		change func(r *Report)
		want   Verdict
		reason string // part of it
	}{
		{"all well", func(*Report) {}, Separated, "from 0.400 (0.300–0.500) to 0.010"},
		{"no refits", func(r *Report) { r.Stability = nil }, Separated, ""},
		{"dependent by one measure", func(r *Report) { r.Recovered.Dependence = dependent }, Separated, "networks don't see: a divergence of 0.001"},
		{"by the other", func(r *Report) { r.Recovered.Judged = &dependent }, Separated, ""},
		{"dependent", func(r *Report) { r.Recovered.Dependence, r.Recovered.Judged = dependent, &dependent }, NoEvidence, "of signals 1 and 3 most"},
		{"dependent, too short to judge", func(r *Report) { r.Recovered.Dependence, r.Recovered.Judged = dependent, nil }, NoEvidence, "still depend"},
		{"doubtful", func(r *Report) { r.Linear.Doubtful, r.Linear.Pairs[1].Dependence = true, 0.4 }, NoEvidence, "Signals 1 and 3 depend on each other: the sizes of what their own pasts don't tell of them correlate by 0.40"},
		{"misturned", func(r *Report) { r.Linear.Agreement[1] = 0.8 }, NoEvidence, "most like signal 2 correlates with it by 0.80"},
		{"turned a little", func(r *Report) { r.Linear.Agreement[1] = 0.96 }, Separated, ""},
		{"turned in a group", func(r *Report) { join(r); r.Linear.Agreement[1] = 0.8 }, NotIdentifiable, ""},
		{"needs others", func(r *Report) { r.Predictability[1].All = 0.9 }, NoEvidence, "Signal 2 isn't self-sufficient: the others' contexts predict up to 10 %"},
		{"two need others", func(r *Report) { r.Predictability[1].All, r.Predictability[2].All = 0.9, 0.2 }, NoEvidence, "Each of signals 2 and 3 "},
		{"unstable", func(r *Report) { r.Stability.Signals[0] = 0.6 }, NoEvidence, "down to 0.60"},
		{"a group", join, NotIdentifiable, "Signals 2 and 3 aren't told apart"},
		{"a group, unstable", func(r *Report) { join(r); r.Stability.Signals[1] = 0.5 }, NotIdentifiable, "2 and 3"},
		{"a group and another unstable", func(r *Report) { join(r); r.Stability.Signals[0] = 0.5 }, NoEvidence, "Signal 1"},
		{"a group, dependent", func(r *Report) {
			join(r)
			r.Recovered.Dependence, r.Recovered.Judged = dependent, &dependent
		}, NoEvidence, "still depend"},
		{"light and unstable", func(r *Report) {
			light(r)
			r.Stability.Signals[2] = 0.5
		}, Separated, "Signal 3 isn't to be relied on (unstable). It makes up 0.7 % of the variance"},
		{"light and needs others", func(r *Report) {
			light(r)
			r.Predictability[2].All = 0.5
		}, Separated, "(not self-sufficient)"},
		{"light and misturned", func(r *Report) {
			light(r)
			r.Linear.Agreement[2] = 0.5
		}, Separated, "(another demixing is shorter)"},
		{"light, and another unstable", func(r *Report) {
			light(r)
			r.Stability.Signals[2], r.Stability.Signals[0] = 0.5, 0.6
		}, NoEvidence, "Signal 3 isn't to be relied on"},
		{"light beside a group of its own", func(r *Report) {
			join(r)
			r.Shares = []float64{.991, .004, .005}
		}, Separated, "Signals 2 and 3 aren't to be relied on (not told apart). They make up 0.9 %"},
		{"each light, together not", func(r *Report) {
			r.Shares = []float64{.985, .008, .007}
			r.Stability.Signals[1], r.Stability.Signals[2] = 0.5, 0.5
		}, NoEvidence, "Signal 2 comes out differently"},
		{"of a network", func(r *Report) { r.Network = network(.2, .2, .2) }, Separated, ""},
		{"of a network, one white", func(r *Report) { r.Network = network(.2, .02, .2) }, NoEvidence, "but signal 2 isn't predicted by its own past"},
		{"of a network, two white", func(r *Report) { r.Network = network(.02, .2, -.02) }, NoEvidence, "each of signals 1 and 3"},
		{"of a network, others differ", func(r *Report) { r.Network = network(.2, .2, .2); r.Network.Agreement = .9 }, NoEvidence, "the least MCC is 0.90"},
		{"of a network, none as good", func(r *Report) { r.Network = network(.2, .2, .2); r.Network.Agreeing = 0 }, NoEvidence, "none of the others was as good"},
		{"of a network, a group", func(r *Report) { r.Network = network(.2, .2, .2); join(r) }, NotIdentifiable, ""},
	} {
		r := good()
		test.change(r)
		r.conclude()
		if r.Verdict != test.want || !strings.Contains(strings.Join(r.Reasons, " "), test.reason) {
			t.Errorf("%s: %s, %q, want %s, %q", test.name, r.Verdict, r.Reasons, test.want, test.reason)
		}
		if len(r.Reasons) == 0 || len(r.Next) == 0 || slices.ContainsFunc(r.Reasons, func(s string) bool { return !strings.HasSuffix(s, ".") }) {
			t.Errorf("%s: reasons %q, next %q", test.name, r.Reasons, r.Next)
		}
	}
}

// The text fits a screen, however many signals there are.
func TestReportText(t *testing.T) {
	r := good()
	r.conclude()
	const want = `Verdict: separated

  The dependence went from 0.400 (0.300–0.500) to 0.010 (0.000–0.070), and the
  data tell every pair of signals from its rotations, signals 1 and 3 by 12.3
  nats and the others by more; one refit and the fit agree with an MCC of
  0.990.
  Next: Look at the signals: that they are self-sufficient doesn't say what
        they are.

3 signals, 1024 positions, seed 7; reported in 3.0 s

                       mixed, whitened       recovered
dependence of a pair   0.400 (0.300–0.500)   0.010 (0.000–0.070)
divergence, nats       0.100 (0.060–0.130)   0.001 (0.000–0.004)

signal   share    own R²   all contexts    stability   halves   error    relied on
1        60.0 %   0.500    0.500 ± 0.010   0.990       –        0.0012   yes
2        30.0 %   0.800    0.790 ± 0.010   0.980       –        0.0003   yes
3        10.0 %   0.000    0.004 ± 0.001   0.990       –        0.0020   yes

pair      evidence, nats   identified   angle    sizes correlate by
1 and 2   40.0             yes          ± 1.1°   0.01
1 and 3   12.3             yes          ± 1.1°   0.01
2 and 3   50.0             yes          ± 1.1°   0.01

stability: one refit, each with another seed and without 204 other positions,
and the fit agree with an MCC of 0.990
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
	r.conclude()
	text := r.String()
	if lines := strings.Count(text, "\n"); lines > 40 {
		t.Errorf("%d lines:\n%s", lines, text)
	}
	for _, want := range []string{"\n42 ", "and 37 more signals", "and 894 more pairs", "-7.5"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
