package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-47b1e431/gosica/sica/dependence"
)

// good is a report of three signals that is all that one could wish for.
func good() *Report {
	judged, before := dependence.Interval{Estimate: 0.001, Low: 0, High: 0.004}, dependence.Interval{Estimate: 0.1, Low: 0.06, High: 0.13}
	pair := func(i, j int) Pair {
		return Pair{Signals: [2]int{i, j}, Range: 0.12, Null99: 0.04, Angle: -3, CriterionGap: 0.002, AmbiguityAngle: 15}
	}
	return &Report{
		Signals: 3, Positions: 1024, Shape: []int{1024}, Seed: 7,
		Mixed:          Divergence{Dependence: dependence.Interval{Estimate: 0.4, Low: 0.3, High: 0.5}, Judged: &before},
		Recovered:      Divergence{Dependence: dependence.Interval{Estimate: 0.01, Low: 0, High: 0.07}, Pair: [2]int{0, 2}, Judged: &judged},
		Predictability: []Predictability{{0.5, 0.5, 0.01}, {0.8, 0.79, 0.01}, {0, 0.004, 0.001}},
		Pairs:          []Pair{pair(0, 1), pair(0, 2), pair(1, 2)},
		Stability:      &Stability{MCC: 0.99, Recoveries: [][]float64{{1, 0.99}, {0.99, 1}}, Signals: []float64{0.99, 0.98, 0.99}, LeftOut: 204},
		Elapsed:        3 * time.Second,
	}
}

func TestVerdict(t *testing.T) {
	dependent := dependence.Interval{Estimate: 0.3, Low: 0.2, High: 0.4}
	flat := func(p *Pair) { p.Range, p.AmbiguityAngle = 0.03, 45 }
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
		{"misturned", func(r *Report) { r.Pairs[1].Angle, r.Pairs[1].CriterionGap = 24, 0.06 }, NoEvidence, "Signals 1 and 3 fit better rotated by 24°"},
		{"misturned by chance", func(r *Report) { r.Pairs[1].Angle, r.Pairs[1].CriterionGap = 24, 0.03 }, Separated, ""},
		{"turned a little", func(r *Report) { r.Pairs[1].Angle, r.Pairs[1].CriterionGap = -12, 0.06 }, Separated, ""},
		{"needs others", func(r *Report) { r.Predictability[1].All = 0.9 }, NoEvidence, "Signal 2 isn't self-sufficient: the others' contexts predict up to 10 %"},
		{"two need others", func(r *Report) { r.Predictability[1].All, r.Predictability[2].All = 0.9, 0.2 }, NoEvidence, "Each of signals 2 and 3 "},
		{"unstable", func(r *Report) { r.Stability.Signals[0] = 0.6 }, NoEvidence, "down to 0.60"},
		{"flat", func(r *Report) { flat(&r.Pairs[2]) }, NotIdentifiable, "Signals 2 and 3 fit as well rotated"},
		{"open", func(r *Report) { r.Pairs[0].AmbiguityAngle = 36 }, NotIdentifiable, "by up to 36°"},
		{"foreseeable", func(r *Report) { flat(&r.Pairs[0]); r.Pairs[0].Predictable = true }, NotIdentifiable, "so smooth"},
		{"flat and unstable", func(r *Report) { flat(&r.Pairs[2]); r.Stability.Signals[1] = 0.5 }, NotIdentifiable, "2 and 3"},
		{"flat and another unstable", func(r *Report) { flat(&r.Pairs[2]); r.Stability.Signals[0] = 0.5 }, NoEvidence, "Signal 1"},
		{"flat and dependent", func(r *Report) {
			flat(&r.Pairs[2])
			r.Recovered.Dependence, r.Recovered.Judged = dependent, &dependent
		}, NoEvidence, "still depend"},
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

  The dependence went from 0.400 (0.300–0.500) to 0.010 (0.000–0.070), and no
  pair fits as well when it is rotated by more than 15°, as far as can be told
  from chance; one refit and the fit agree with an MCC of 0.990.
  Next: Look at the signals: that they are self-sufficient doesn't say what
        they are.

3 signals, 1024 positions, seed 7; reported in 3.0 s

                       mixed, whitened       recovered
dependence of a pair   0.400 (0.300–0.500)   0.010 (0.000–0.070)
divergence, nats       0.100 (0.060–0.130)   0.001 (0.000–0.004)

signal   R² own context   all contexts    self-sufficient   stability
1        0.500            0.500 ± 0.010   yes               0.990
2        0.800            0.790 ± 0.010   yes               0.980
3        0.000            0.004 ± 0.001   yes               0.990

pair      fits best at   and as well within   criterion's range, nats   by chance up to
1 and 2   -3°            15°                  0.120                     0.040
1 and 3   -3°            15°                  0.120                     0.040
2 and 3   -3°            15°                  0.120                     0.040

stability: one refit, each with another seed and without 204 other positions,
and the fit agree with an MCC of 0.990
`
	if got := r.String(); got != want {
		t.Errorf("text\n%s\nwant\n%s", got, want)
	}
	for range 40 {
		r.Predictability = append(r.Predictability, r.Predictability[0])
		r.Stability.Signals = append(r.Stability.Signals, 1)
		r.Pairs = append(r.Pairs, r.Pairs...)[:min(2*len(r.Pairs), 900)]
	}
	r.Stability.Signals[41] = 0.1
	r.Pairs[700].AmbiguityAngle = 45
	r.conclude()
	text := r.String()
	if lines := strings.Count(text, "\n"); lines > 40 {
		t.Errorf("%d lines:\n%s", lines, text)
	}
	for _, want := range []string{"\n42 ", "and 37 more signals", "and 894 more pairs", "45°"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
