package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/sica/linear"
)

// A Verdict is what a Report comes to, by these rules, the first that applies:
//
//  1. NoEvidence, if the result isn't what SICA looks for: (a) the recovered
//     signals still depend on each other, by both measures: the interval of
//     Dependence is above 0.05 and that of Judged above 0.01 nats; or (b) the sizes of
//     two signals' innovations correlate beyond doubt (linear.Findings.Doubtful); or
//     (c) the data tell a signal of another linear demixing apart, which
//     correlates below 0.95 with the recovered one; or
//     (d) other signals' contexts add more than 0.01 to a signal's R², and more
//     than three standard errors; or (e) a signal comes out of the refits with a
//     mean correlation below 0.9, and not only because of rule 2; or
//     (f) a network made the signals, and its own past doesn't predict one of them
//     (Network.Unpredicted) or networks as good recovered others.
//  2. NotIdentifiable, if the data don't tell two of the signals from rotations of
//     them (linear.Pair.Identified).
//  3. Separated otherwise.
//
// Rules 1c, 1d, 1e and 2 are about each signal, and Report.Doubts says for each which
// speak against it. The verdict is about those that carry the mixed signals: doubted ones
// that make up 1 % of their variance together at most, the smallest first, are named
// but don't decide. A share of the variance that small is nothing to rule 1d either, which
// lets others' contexts add as much to a signal.
//
// The verdict is about SICA's criterion: sources that don't fulfil it, or
// a nonlinear mixing that leaves signals that fulfil it as well as the sources
// do, can make it wrong; and no criterion of this kind sees how a signal is
// distorted by itself. docs/reliability.md has how often it was wrong.
type Verdict string

const (
	// Separated: the recovered signals are self-sufficient as far as can be
	// told, no other rotation of them is, and refits give them again.
	Separated Verdict = "separated"
	// NoEvidence: the signals aren't self-sufficient, or others would be more
	// so, or refits give others. They may be separated all the same.
	NoEvidence Verdict = "no evidence of separation"
	// NotIdentifiable: the signals are self-sufficient, and rotations of some
	// of them are too, which is so for Gaussian sources with equal spectra, and
	// can't be told from that for others if the positions are few.
	// The signals may be the sources or any rotation of them.
	NotIdentifiable Verdict = "sources may be Gaussian with equal spectra: not identifiable"
)

// The limits of the rules; see Verdict.
const (
	leftDependence = 0.05
	leftDivergence = 0.01
	leastAgreement = 0.95 // the correlation of signals that differ by 18°
	leastStability = 0.9
	lightShare     = selfSufficientGain // of the variance
)

// finding is a reason for a verdict, and what to try.
type finding struct{ reason, next string }

// anotherFit is what to try where dependence is left.
const anotherFit = "A network, if the mixing may be nonlinear: --method sica-direct, in Go sica.Direct. Of images, their shape. Sources that depend on each other stay so."

// conclude fills in the verdict.
func (r *Report) conclude() {
	r.doubt()
	light := r.light()
	findings := slices.Concat(r.againstAll(), r.misturned(light), r.dependentOnContexts(light), r.unstable(light))
	r.Verdict = NoEvidence
	if len(findings) == 0 {
		if findings = r.unidentifiable(light); len(findings) > 0 {
			r.Verdict = NotIdentifiable
		} else {
			r.Verdict, findings = Separated, []finding{r.separated()}
		}
	}
	if len(light) > 0 {
		findings = append(findings, r.weak(light))
	}
	for _, f := range findings {
		r.Reasons = append(r.Reasons, f.reason)
		if !slices.Contains(r.Next, f.next) {
			r.Next = append(r.Next, f.next)
		}
	}
}

// againstAll are the rules that are about all signals together.
func (r *Report) againstAll() []finding {
	return slices.Concat(r.dependent(), r.doubtful(), r.unknown())
}

// doubt fills in what speaks against each signal.
func (r *Report) doubt() {
	r.Doubts = make([][]string, r.Signals)
	for i := range r.Doubts {
		alone := r.Linear.alone(i)
		if alone && r.turnedElsewhere(i) {
			r.Doubts[i] = append(r.Doubts[i], "another demixing is shorter")
		}
		if i < len(r.Predictability) && !r.Predictability[i].SelfSufficient() {
			r.Doubts[i] = append(r.Doubts[i], "not self-sufficient")
		}
		if alone && r.comesOutElse(i) {
			r.Doubts[i] = append(r.Doubts[i], "unstable")
		}
		if !alone {
			r.Doubts[i] = append(r.Doubts[i], "not told apart")
		}
	}
}

// turnedElsewhere is rule 1c and comesOutElse rule 1e for a signal that is told apart.
func (r *Report) turnedElsewhere(i int) bool {
	return i < len(r.Linear.Agreement) && r.Linear.Agreement[i] < leastAgreement
}

func (r *Report) comesOutElse(i int) bool {
	return r.Stability != nil && r.Stability.Signals[i] < leastStability
}

// light are the doubted signals that make up a negligible share of the variance together,
// in order. There are none where the shares aren't known.
func (r *Report) light() []int {
	var doubted []int
	for i, doubts := range r.Doubts {
		if len(doubts) > 0 && i < len(r.Shares) {
			doubted = append(doubted, i)
		}
	}
	slices.SortStableFunc(doubted, func(i, j int) int { return cmp.Compare(r.Shares[i], r.Shares[j]) })
	sum := 0.0
	for n, i := range doubted {
		if sum += r.Shares[i]; sum > lightShare {
			doubted = doubted[:n]
			break
		}
	}
	slices.Sort(doubted)
	return doubted
}

// weak names the light signals.
func (r *Report) weak(light []int) finding {
	sum := 0.0
	var doubts []string
	for _, i := range light {
		sum += r.Shares[i]
		for _, d := range r.Doubts[i] {
			if !slices.Contains(doubts, d) {
				doubts = append(doubts, d)
			}
		}
	}
	is, makes := "isn't", "It makes"
	if len(light) > 1 {
		is, makes = "aren't", "They make"
	}
	reason := fmt.Sprintf("%s %s to be relied on (%s). %s up %.2g %% of the variance of the mixed signals, too little to decide about the others.",
		capital(counted(light)), is, strings.Join(doubts, "; "), makes, 100*sum)
	return finding{reason, fmt.Sprintf("Leave %s out, or judge for yourself what is there.", counted(light))}
}

// counted is "signal 1" or "signals 1 and 2".
func counted(signals []int) string {
	if len(signals) == 1 {
		return "signal " + numbered(signals)
	}
	return "signals " + numbered(signals)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// dependent is rule 1a.
func (r *Report) dependent() []finding {
	after := r.Recovered
	if after.Dependence.Low <= leftDependence || after.Judged != nil && after.Judged.Low <= leftDivergence {
		return nil
	}
	reason := fmt.Sprintf("The recovered signals still depend on each other: the dependence is %s, of signals %s most", after.Dependence, numbered(after.Pair[:]))
	if after.Judged != nil {
		reason += fmt.Sprintf(", and networks see a divergence of %s nats", after.Judged)
	}
	return []finding{{reason + ".", anotherFit}}
}

// doubtful is rule 1b.
func (r *Report) doubtful() []finding {
	if !r.Linear.Doubtful {
		return nil
	}
	p := slices.MaxFunc(r.Linear.Pairs, func(p, q linear.Pair) int { return cmp.Compare(p.Dependence, q.Dependence) })
	return []finding{{
		fmt.Sprintf("Signals %s depend on each other: the sizes of what their own pasts don't tell of them correlate by %.2f.", numbered([]int{p.J, p.I}), p.Dependence),
		"Nothing, if the sources themselves are large where others are: they may be separated all the same. If the mixing may be nonlinear, another method.",
	}}
}

// misturned is rule 1c.
func (r *Report) misturned(light []int) []finding {
	worst := -1
	for i, agreement := range r.Linear.Agreement {
		if r.turnedElsewhere(i) && r.Linear.alone(i) && !slices.Contains(light, i) && (worst < 0 || agreement < r.Linear.Agreement[worst]) {
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	return []finding{{
		fmt.Sprintf("Another linear demixing describes the signals in fewer nats (evidence %.1f): its signal that is most like signal %d correlates with it by %.2f only.", r.Linear.Evidence, worst+1, r.Linear.Agreement[worst]),
		"The linear rule: --method sica, in Go sica.Default.",
	}}
}

// dependentOnContexts is rule 1d.
func (r *Report) dependentOnContexts(light []int) []finding {
	var signals []int
	largest := 0.0
	for i, p := range r.Predictability {
		if !p.SelfSufficient() && !slices.Contains(light, i) {
			signals = append(signals, i)
			largest = max(largest, p.All-p.Own)
		}
	}
	if signals == nil {
		return nil
	}
	return []finding{{
		fmt.Sprintf("%s isn't self-sufficient: the others' contexts predict up to %.0f %% of its variance that its own doesn't.", signalsNumbered(signals), 100*largest),
		anotherFit,
	}}
}

// unstable is rule 1e.
func (r *Report) unstable(light []int) []finding {
	if r.Stability == nil {
		return nil
	}
	var signals []int
	least := 1.0
	for i, c := range r.Stability.Signals {
		if r.comesOutElse(i) && r.Linear.alone(i) && !slices.Contains(light, i) {
			signals = append(signals, i)
			least = min(least, c)
		}
	}
	if signals == nil {
		return nil
	}
	return []finding{{
		fmt.Sprintf("%s comes out differently with other seeds and positions: the mean correlation is down to %.2f.", signalsNumbered(signals), least),
		"More positions, or, of a flow, more iterations: --iterations, in Go Config.Iterations.",
	}}
}

// unknown is rule 1f.
func (r *Report) unknown() []finding {
	if r.Network == nil {
		return nil
	}
	if signals := r.Network.Unpredicted(); len(signals) > 0 {
		which := strings.ToLower(signalsNumbered(signals))
		if len(r.Network.Groups) > 0 {
			which = "one of its signals, before they were turned,"
		}
		return []finding{{
			fmt.Sprintf("A network undid a nonlinear mixing, but %s isn't predicted by its own past: other signals that are as independent can't be ruled out.", which),
			"More positions, or a higher sampling rate: a weak prediction may show. They may be separated all the same.",
		}}
	}
	if r.Network.Reproduced() {
		return nil
	}
	reason := "A network undid a nonlinear mixing, but none of the others was as good, so nothing says that its signals are the only ones."
	if r.Network.Agreeing > 0 {
		reason = fmt.Sprintf("A network undid a nonlinear mixing, but others that are as good recovered other signals: the least MCC is %.2f.", r.Network.Agreement)
	}
	return []finding{{reason, "More positions: networks that only seem as good may fall behind."}}
}

// unidentifiable is rule 2.
func (r *Report) unidentifiable(light []int) []finding {
	var groups []string
	for _, g := range r.Linear.Groups {
		if len(g) > 1 && slices.ContainsFunc(g, func(i int) bool { return !slices.Contains(light, i) }) {
			groups = append(groups, numbered(g))
		}
	}
	if groups == nil {
		return nil
	}
	return []finding{{
		fmt.Sprintf("Signals %s aren't told apart by the data: rotations of them are described in as few nats, to within %.0f.", strings.Join(groups, "; and "), math.Log(20)),
		"More positions, if there are any: a weak preference may show. Otherwise only knowledge of the mixing can tell, such as that it is nearly symmetric, which whitening undoes.",
	}}
}

// separated says why none of the rules applied.
func (r *Report) separated() finding {
	least := slices.MinFunc(r.Linear.Pairs, func(p, q linear.Pair) int { return cmp.Compare(p.Evidence, q.Evidence) })
	reason := fmt.Sprintf("The dependence went from %s to %s, and the data tell every pair of signals from its rotations, signals %s by %.1f nats",
		r.Mixed.Dependence, r.Recovered.Dependence, numbered([]int{least.J, least.I}), least.Evidence)
	if len(r.Linear.Pairs) > 1 {
		reason += " and the others by more"
	}
	if !least.Identified { // both are light
		reason = fmt.Sprintf("The dependence went from %s to %s, and the data tell the signals from their rotations but for those named below",
			r.Mixed.Dependence, r.Recovered.Dependence)
	}
	if after := r.Recovered; after.Dependence.Low > leftDependence {
		reason += fmt.Sprintf("; what dependence is left, networks don't see: a divergence of %s nats", after.Judged)
	}
	if r.Stability != nil {
		reason += fmt.Sprintf("; %s and the fit agree with an MCC of %.3f", r.Stability.refits(), r.Stability.MCC)
	}
	return finding{reason + ".", "Look at the signals: that they are self-sufficient doesn't say what they are."}
}

// numbered counts signals from 1: "1 and 2", "1, 2 and 3".
func numbered(signals []int) string {
	var numbers []string
	for _, i := range signals {
		numbers = append(numbers, fmt.Sprint(i+1))
	}
	last := len(numbers) - 1
	if last < 1 {
		return strings.Join(numbers, "")
	}
	return strings.Join(numbers[:last], ", ") + " and " + numbers[last]
}

// signalsNumbered is "Signal 1", or "Each of signals 1, 2 and 3".
func signalsNumbered(signals []int) string {
	if len(signals) == 1 {
		return "Signal " + numbered(signals)
	}
	return "Each of signals " + numbered(signals)
}
