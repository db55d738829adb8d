package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Verdict is what a Report comes to, by these rules, the first that applies:
//
//  1. NoEvidence, if the result isn't what SICA looks for: (a) the recovered
//     signals still depend on each other, by both measures: the interval of
//     Dependence is above 0.05 and that of Judged above 0.01 nats; or (b) a pair
//     fits better, by more than Chance, when it is rotated by more than 18°; or
//     (c) other signals' contexts add more than 0.01 to a signal's R², and more
//     than three standard errors; or (d) a signal comes out of the refits with a
//     mean correlation below 0.9, and not only because of rule 2.
//  2. NotIdentifiable, if a rotation of some pair by more than 30° fits as
//     well, as far as can be told from chance (Pair.AmbiguityAngle).
//  3. Separated otherwise.
//
// A pair that is rotated by 18° has a correlation of cos 18° = 0.95 with what it
// was. The verdict is about SICA's criterion: sources that don't fulfil it, or
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
	misturned      = 18 // degrees
	leastStability = 0.9
)

// finding is a reason for a verdict, and what to try.
type finding struct{ reason, next string }

// conclude fills in the verdict.
func (r *Report) conclude() {
	findings := slices.Concat(r.dependent(), r.misturned(), r.dependentOnContexts(), r.unstable())
	r.Verdict = NoEvidence
	if len(findings) == 0 {
		if findings = r.unidentifiable(); len(findings) > 0 {
			r.Verdict = NotIdentifiable
		} else {
			r.Verdict, findings = Separated, []finding{r.separated()}
		}
	}
	for _, f := range findings {
		r.Reasons = append(r.Reasons, f.reason)
		if !slices.Contains(r.Next, f.next) {
			r.Next = append(r.Next, f.next)
		}
	}
}

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
	return []finding{{reason + ".", "Another fit: more iterations, Config.Family free, or, of nonlinear mixtures, other Config.Alternatives. Sources that depend on each other stay so."}}
}

// misturned is rule 1b.
func (r *Report) misturned() []finding {
	worst := -1
	for k, p := range r.Pairs {
		if p.CriterionGap > p.Null99 && math.Abs(p.Angle) > misturned && (worst < 0 || p.CriterionGap > r.Pairs[worst].CriterionGap) {
			worst = k
		}
	}
	if worst < 0 {
		return nil
	}
	p := r.Pairs[worst]
	return []finding{{
		fmt.Sprintf("Signals %s fit better rotated by %.0f°: that lowers the criterion by %.3f nats, chance by %.3f at most.", numbered(p.Signals[:]), p.Angle, p.CriterionGap, p.Null99),
		"A fit that isn't content so soon: Config.Settled 0 and more Config.Rotations.",
	}}
}

// dependentOnContexts is rule 1c.
func (r *Report) dependentOnContexts() []finding {
	var signals []int
	largest := 0.0
	for i, p := range r.Predictability {
		if !p.SelfSufficient() {
			signals = append(signals, i)
			largest = max(largest, p.All-p.Own)
		}
	}
	if signals == nil {
		return nil
	}
	return []finding{{
		fmt.Sprintf("%s isn't self-sufficient: the others' contexts predict up to %.0f %% of its variance that its own doesn't.", signalsNumbered(signals), 100*largest),
		"A fit that isn't content so soon: Config.Settled 0 and more Config.Rotations.",
	}}
}

// unstable is rule 1d.
func (r *Report) unstable() []finding {
	if r.Stability == nil {
		return nil
	}
	open := make(map[int]bool)
	for _, p := range r.openPairs() {
		open[p.Signals[0]], open[p.Signals[1]] = true, true
	}
	var signals []int
	least := 1.0
	for i, c := range r.Stability.Signals {
		if c < leastStability && !open[i] {
			signals = append(signals, i)
			least = min(least, c)
		}
	}
	if signals == nil {
		return nil
	}
	return []finding{{
		fmt.Sprintf("%s comes out differently with other seeds and positions: the mean correlation is down to %.2f.", signalsNumbered(signals), least),
		"More positions, or more Config.Rotations or Config.Iterations.",
	}}
}

// unidentifiable is rule 2.
func (r *Report) unidentifiable() []finding {
	open := r.openPairs()
	if open == nil {
		return nil
	}
	const named = 3
	var pairs []string
	for _, p := range open[:min(named, len(open))] {
		pairs = append(pairs, numbered(p.Signals[:]))
	}
	which := "Signals " + strings.Join(pairs, ", ")
	if len(open) > named {
		which += fmt.Sprintf(" and %d more pairs", len(open)-named)
	}
	p := open[0]
	reason := fmt.Sprintf("%s fit as well rotated: over all angles the criterion changes by %.3f nats, that of Gaussian signals with equal spectra by up to %.3f", which, p.Range, p.Null99)
	if !p.Flat() {
		reason = fmt.Sprintf("%s fit about as well rotated by up to %.0f°: the criterion is higher there by less than the %.3f nats that it changes by for Gaussian signals with equal spectra", which, p.AmbiguityAngle, p.Null99)
	}
	if p.Predictable {
		reason += ", compared without contexts as the signals are so smooth that any mixture is known from its own"
	}
	return []finding{{reason + ".", "More positions, if there are any: a weak preference may show. Otherwise only knowledge of the mixing can tell, such as that it is nearly symmetric, which whitening undoes."}}
}

// openPairs are those of rule 2, the most open first.
func (r *Report) openPairs() []Pair {
	var open []Pair
	for _, p := range r.Pairs {
		if p.Ambiguous() {
			open = append(open, p)
		}
	}
	slices.SortStableFunc(open, func(p, q Pair) int { return cmp.Compare(p.Range/p.Null99, q.Range/q.Null99) })
	return open
}

// separated says why none of the rules applied.
func (r *Report) separated() finding {
	widest := 0.0
	for _, p := range r.Pairs {
		widest = max(widest, p.AmbiguityAngle)
	}
	reason := fmt.Sprintf("The dependence went from %s to %s, and no pair fits as well when it is rotated by more than %.0f°, as far as can be told from chance",
		r.Mixed.Dependence, r.Recovered.Dependence, widest)
	if after := r.Recovered; after.Dependence.Low > leftDependence {
		reason += fmt.Sprintf("; what dependence is left, networks don't see: a divergence of %s nats", after.Judged)
	}
	if r.Stability != nil {
		reason += fmt.Sprintf("; %s and the fit agree with an MCC of %.3f", r.Stability.refits(), r.Stability.MCC)
	}
	next := "Look at the signals: that they are self-sufficient doesn't say what they are."
	for _, p := range r.Pairs {
		if p.CriterionGap > p.Null99 {
			next = fmt.Sprintf("Config.Settled 0 may separate signals %s a little better still: they fit best rotated by %.0f°.", numbered(p.Signals[:]), p.Angle)
		}
	}
	return finding{reason + ".", next}
}

// numbered counts signals from 1: "1 and 2".
func numbered(signals []int) string {
	var numbers []string
	for _, i := range signals {
		numbers = append(numbers, fmt.Sprint(i+1))
	}
	return strings.Join(numbers, " and ")
}

// signalsNumbered is "Signal 1", or "Each of signals 1, 2 and 3".
func signalsNumbered(signals []int) string {
	if len(signals) == 1 {
		return "Signal " + numbered(signals)
	}
	last := len(signals) - 1
	return "Each of signals " + strings.ReplaceAll(numbered(signals[:last]), " and ", ", ") + " and " + numbered(signals[last:])
}
