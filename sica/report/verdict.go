package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// A Verdict sums up a Report. It is NoEvidence if one of seven tests fails: linearity, dependence,
// uniqueness, rotation, self-sufficiency, refits, transients. docs/reference/output.md says when
// each fails; Report.FailedTests names those that did. Otherwise it is NotIdentifiable if the
// rotation of two signals isn't identified (linear.Pair.Identified), and Separated if all are. If
// the context stopped the fit before it had examined everything, it is NoEvidence without a test.
//
// Report.Doubts holds the outcomes of the tests of single signals, and the identification. Doubtful
// signals that explain at most 1 % of the mixed signals' variance together, the smallest first, are
// suspect. These, halves that correlate below 0.95 and a transient of a single signal are named but
// don't change the verdict: a source may be one event, or silent in one half.
//
// The verdict is about SICA's criterion. It can be wrong for sources that don't fulfil the
// criterion, and for a nonlinear mixing whose signals fulfil it as well as the sources do. No
// criterion of this kind detects the distortion of a single signal. docs/evaluation/reliability.md
// counts how often the verdict was wrong.
type Verdict string

const (
	// Separated: the recovered signals pass all tests, and their rotation is identified.
	Separated Verdict = "separated"
	// NoEvidence: a test failed, or the fit was stopped. The signals may still be separated.
	NoEvidence Verdict = "no evidence of separation"
	// NotIdentifiable: the signals pass all tests, but not all are identified, for the reason in
	// Linear.Reason. The signals may be the sources or any rotation of the sources.
	NotIdentifiable Verdict = "not identifiable"
)

// The limits of the tests; see Verdict. docs/evaluation/reliability.md counts right and wrong
// verdicts with them.
const (
	maxDependence   = 0.05   // a sum of squared correlations: about 0.22² is tolerated
	noDependence    = 0.0005 // the text rounds it to 0
	maxDivergence   = 0.01   // nats per position
	minAgreement    = 0.95   // a correlation: signals rotated by 18°
	maxGain         = 0.01   // of R²
	maxGainErrors   = 3      // standard errors
	minStability    = 0.9    // a correlation: signals rotated by 26°
	maxSuspectShare = 0.01   // of the mixed signals' variance
)

// A finding is a reason for a verdict, and what to try next.
type finding struct {
	reason string
	next   []string
}

// conclude sets Verdict, Reasons and Next.
func (r *Report) conclude() {
	r.setDoubts()
	l, suspects := &r.Linear, r.suspects()
	open := l.unidentifiedGroups(suspects)
	first := reasons[linear.AllIdentified]
	if len(open) > 0 || l.Reason == linear.Stopped {
		first = reasons[l.Reason]
	}
	if l.Reason == linear.Stopped {
		r.Verdict = NoEvidence
		r.report(finding{first.sentence(r), first.next(r)})
		return
	}
	findings := r.test(suspects)
	switch {
	case len(findings) == 0:
		r.Verdict = Separated
		if len(open) > 0 {
			r.Verdict = NotIdentifiable
		}
		r.report(finding{first.sentence(r) + r.outcome(open), first.next(r)})
		if len(open) == 0 && r.fit.networks == compared {
			r.report(finding{reason: weaklyNonlinear})
		}
		findings = r.differingHalves(suspects)
	case len(open) > 0 && l.noneIdentified():
		r.Verdict = NoEvidence
		r.report(finding{reason: first.sentence(r) + r.outcome(open)})
	default:
		r.Verdict, open = NoEvidence, nil // they aren't named
	}
	r.report(findings...)
	if n := r.fit.unidentifiedOn; n > 0 && !l.noneIdentified() {
		r.report(finding{reason: fmt.Sprintf("The fit, on %d positions, called no signal identified. "+
			"For their recording that counts more: report on all positions.", n)})
	}
	r.report(r.transients(suspects, false)...)
	r.report(r.suspectFinding(suspects, slices.Concat(open...))...)
}

// report adds the findings to Reasons and Next, each step once.
func (r *Report) report(findings ...finding) {
	for _, f := range findings {
		r.Reasons = append(r.Reasons, f.reason)
		for _, next := range f.next {
			if next != "" && !slices.Contains(r.Next, next) {
				r.Next = append(r.Next, next)
			}
		}
	}
}

// notIdentified is the doubt of a signal whose rotation with others isn't identified.
const notIdentified = "not identified"

// commonTests are the tests of all signals together.
var commonTests = []struct {
	name string
	run  func(*Report) []finding
}{
	{"linearity", (*Report).nonlinearMixing}, {"dependence", (*Report).remainingDependence},
	{"uniqueness", (*Report).ambiguousNetwork},
}

// signalTests are the tests of single signals: the doubt of a signal that fails, and the finding
// about all that fail.
var signalTests = []struct {
	name, doubt string
	fails       func(*Report, int) bool
	finding     func(*Report, []int) finding
}{
	{"rotation", "another rotation has a shorter code", (*Report).rotationDisagrees,
		(*Report).wrongRotation},
	{"self-sufficiency", "not self-sufficient", (*Report).gainsByOthers, (*Report).contextDependence},
	{"refits", "unstable", (*Report).refitsDiffer, (*Report).differingRefits},
}

// test sets FailedTests and returns the findings of the failed tests. After a demixing of other
// positions all findings share one next step.
func (r *Report) test(suspects []int) (findings []finding) {
	add := func(name string, found ...finding) {
		if len(found) > 0 {
			r.FailedTests = append(r.FailedTests, name)
			findings = append(findings, found...)
		}
	}
	for _, t := range commonTests {
		add(t.name, t.run(r)...)
	}
	for _, t := range signalTests {
		if signals := r.failing(t.fails, suspects); signals != nil {
			add(t.name, t.finding(r, signals))
		}
	}
	add("transients", r.transients(suspects, true)...)
	if r.fit.origin == otherPositions {
		for k := range findings {
			findings[k].next = []string{separateAnew}
		}
	}
	return findings
}

// failing returns the signals that fail a test and aren't suspects.
func (r *Report) failing(fails func(*Report, int) bool, suspects []int) (signals []int) {
	for i := range r.Signals {
		if fails(r, i) && !slices.Contains(suspects, i) {
			signals = append(signals, i)
		}
	}
	return signals
}

// failsTogether reports whether a test of all signals together failed.
func (r *Report) failsTogether() bool {
	for _, t := range commonTests {
		if slices.Contains(r.FailedTests, t.name) {
			return true
		}
	}
	return false
}

// setDoubts sets the outcomes of the tests of each signal.
func (r *Report) setDoubts() {
	r.Doubts = make([][]string, r.Signals)
	for i := range r.Doubts {
		doubts := []string{} // in JSON null is what wasn't measured
		for _, t := range signalTests {
			if t.fails(r, i) {
				doubts = append(doubts, t.doubt)
			}
		}
		if _, isShared := r.hasTransient(i); isShared {
			doubts = append(doubts, "a transient")
		}
		if !r.Linear.Identified(i) {
			doubts = append(doubts, notIdentified)
		}
		r.Doubts[i] = doubts
	}
}

func (r *Report) rotationDisagrees(i int) bool {
	l := &r.Linear
	return l.Identified(i) && i < len(l.Agreement) && l.Agreement[i] < minAgreement
}

func (r *Report) gainsByOthers(i int) bool {
	return i < len(r.Predictability) && !r.Predictability[i].isSelfSufficient()
}

func (r *Report) refitsDiffer(i int) bool {
	return r.Linear.Identified(i) && r.Stability != nil && r.Stability.Signals[i] < minStability
}

// halvesDiffer reports whether the halves disagree on an identified signal.
func (r *Report) halvesDiffer(i int) bool {
	return r.Linear.Identified(i) && r.Halves != nil && r.Halves.Signals[i] < minAgreement
}

// suspects returns the doubtful signals that don't change the verdict, in order; see Verdict.
// There are none where the shares aren't known.
func (r *Report) suspects() []int {
	var doubtful []int
	for i, doubts := range r.Doubts {
		if len(doubts) > 0 && i < len(r.Shares) {
			doubtful = append(doubtful, i)
		}
	}
	slices.SortStableFunc(doubtful,
		func(i, j int) int { return cmp.Compare(r.Shares[i], r.Shares[j]) })
	sum := 0.0
	for n, i := range doubtful {
		if sum += r.Shares[i]; sum > maxSuspectShare {
			doubtful = doubtful[:n]
			break
		}
	}
	slices.Sort(doubtful)
	return doubtful
}

// suspectFinding names the suspects except named signals that only aren't identified: the reasons
// say that already.
func (r *Report) suspectFinding(suspects, named []int) []finding {
	suspects = slices.DeleteFunc(slices.Clone(suspects), func(i int) bool {
		return slices.Contains(named, i) && slices.Equal(r.Doubts[i], []string{notIdentified})
	})
	if len(suspects) == 0 {
		return nil
	}
	names := text.Signals(suspects)
	return []finding{{
		fmt.Sprintf("Suspect, but too weak to change the verdict: %s.", names),
		[]string{fmt.Sprintf("Don't rely on %s without looking.", names)},
	}}
}

// isDependent reports whether the test of dependence fails.
func (r *Report) isDependent() bool {
	after := r.Recovered
	return after.Dependence.Low > maxDependence &&
		(after.Classifier == nil || after.Classifier.Low > maxDivergence)
}

// remainingDependence is the test of dependence.
func (r *Report) remainingDependence() []finding {
	after := r.Recovered
	if !r.isDependent() {
		return nil
	}
	reason := fmt.Sprintf("The recovered signals still depend on each other, %s most: their "+
		"dependence is %s.", text.Signals(after.Pair[:]), after.Dependence)
	if after.Classifier != nil {
		reason += fmt.Sprintf(" Of all signals together, a classifier estimates a divergence of "+
			"%s nats.", after.Classifier)
	}
	return []finding{{reason, r.nextForDependence()}}
}

// nonlinearMixing is the test of linearity.
func (r *Report) nonlinearMixing() []finding {
	switch {
	case !r.Nonlinear:
		return nil
	case r.Linear.Drift != nil:
		return []finding{{
			"The mixing seems nonlinear, or to change with time: the signals of one linear demixing " +
				"for all positions depend on each other.",
			[]string{"Separate shorter pieces of the recording."},
		}}
	case r.fit.networks != notExamined:
		return []finding{{
			"The mixing seems nonlinear: a nonlinear demixing has a significantly shorter code. The " +
				"linear one was kept, as noise may explain that or no network is confirmed.",
			[]string{"Use more positions, which may decide it."},
		}}
	}
	return []finding{{
		"The mixing seems nonlinear: these signals, of a linear demixing, depend on each other in a " +
			"way that neither noise nor more sources than channels explain.",
		[]string{compareNetworks},
	}}
}

// ambiguousNetwork is the test of uniqueness.
func (r *Report) ambiguousNetwork() []finding {
	if r.Network == nil {
		return nil
	}
	reason, next := "no other network was as good, so its signals aren't confirmed.",
		"Use more positions: networks that only seem equally good may fall behind."
	if signals := r.Network.Unpredicted(); len(signals) > 0 {
		names := text.Signals(signals)
		if len(r.Network.Groups) > 0 {
			names = "one of its signals before their rotation"
		}
		reason = "the code of " + names + " isn't significantly shorter with the past. Other signals " +
			"that are as independent can't be ruled out."
		next = "Use more positions or a higher sampling rate, which may reveal a weak prediction. The " +
			"signals may be separated all the same."
	} else if r.Network.Reproduced() {
		return nil
	} else if r.Network.Agreeing > 0 {
		reason = fmt.Sprintf("equally good networks recovered other signals (agreement %.2f).",
			r.Network.Agreement)
	}
	return []finding{{"A network undid a nonlinear mixing, but " + reason, []string{next}}}
}

func (r *Report) wrongRotation(signals []int) finding {
	return finding{
		fmt.Sprintf("Another linear demixing has a shorter code (by %.1f nats), with other signals in "+
			"the place of %s.", r.Linear.Evidence, text.Signals(signals)),
		[]string{"Use the linear rule by sica.Default."},
	}
}

func (r *Report) contextDependence(signals []int) finding {
	return finding{
		fmt.Sprintf("Not self-sufficient: %s. The contexts of the others add more than %g to the R² of "+
			"their predictions.", text.Signals(signals), maxGain),
		r.nextForDependence(),
	}
}

func (r *Report) differingRefits(signals []int) finding {
	return finding{
		fmt.Sprintf("Refits with other seeds and positions recover %s differently: the stability is "+
			"below %g.", text.Signals(signals), minStability),
		[]string{"Use more positions or, of many channels, fewer principal components by " +
			"Config.Components."},
	}
}

// differingHalves names the signals on which the halves disagree.
func (r *Report) differingHalves(suspects []int) []finding {
	signals := r.failing((*Report).halvesDiffer, suspects)
	if signals == nil {
		return nil
	}
	return []finding{{
		fmt.Sprintf("But the two halves of the positions correlate below %g on %s.", minAgreement,
			text.Signals(signals)),
		[]string{"Don't rely on a signal on which the halves disagree before you know why: the mixing " +
			"may drift, the source may be silent in one half, or half of the positions may be too few."},
	}}
}
