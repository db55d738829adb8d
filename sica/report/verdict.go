package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// A Verdict sums up a Report. It is NoEvidence if one of eight tests fails: linearity, dependence,
// magnitudes, uniqueness, rotation, self-sufficiency, refits, transients. docs/reference/report.md
// says when each fails; Report.FailedTests names those that did. Otherwise it is NotIdentifiable if
// the rotation of two signals isn't identified (linear.Pair.Identified), and Separated if all are.
// Of a fit that the context stopped before it had examined all, it is NoEvidence without a test.
//
// Report.Doubts holds the outcomes of the tests of single signals, and the identification. Doubted
// signals that explain at most 1 % of the mixed signals' variance together, the smallest first, are
// suspect. These, halves that correlate below 0.95 and a transient of a single signal are named but
// don't change the verdict: a source may be one event, or silent in one half.
//
// The verdict is about SICA's criterion. It can be wrong for sources that don't fulfil the
// criterion, and for a nonlinear mixing that leaves signals that fulfil it as well as the
// sources do. No criterion of this kind detects how a single signal is distorted.
// docs/evaluation/reliability.md counts how often the verdict was wrong.
type Verdict string

const (
	// Separated: the recovered signals pass all tests, and their rotation is identified.
	Separated Verdict = "separated"
	// NoEvidence: a test failed, or the fit was stopped. The signals may be separated all the same.
	NoEvidence Verdict = "no evidence of separation"
	// NotIdentifiable: the signals pass all tests, but so do rotations of some of them, or noise
	// or surplus sources leave them unconfirmed. The former is so for Gaussian sources with equal
	// spectra, and for others if there are few positions. The signals may be the sources or any
	// rotation of them.
	NotIdentifiable Verdict = "not identifiable"
)

// The limits of the tests; see Verdict. All are choices. Half or twice of one changes only the
// verdicts of results whose measure lies in between; docs/evaluation/reliability.md counts right
// and wrong verdicts with these.
const (
	maxDependence   = 0.05   // a sum of squared correlations: about 0.22² is tolerated
	noDependence    = 0.0005 // the text rounds it to 0
	maxDivergence   = 0.01   // nats per position
	minAgreement    = 0.95   // a correlation: that of signals rotated by 18°
	maxGain         = 0.01   // of R²
	maxGainErrors   = 3      // standard errors
	minStability    = 0.9    // a correlation: that of signals rotated by 26°
	maxSuspectShare = 0.01   // of the mixed signals' variance
)

// finding is a reason for a verdict, and what to try next.
type finding struct{ reason, next string }

// conclude sets the verdict, its reasons and what to do next.
func (r *Report) conclude() {
	r.setDoubts()
	if r.cutShort {
		r.Verdict, r.Reasons, r.Next = NoEvidence, []string{r.Why}, []string{"Fit again for longer."}
		return
	}
	suspects := r.suspects()
	named := suspects // even if not all of them are named below
	var findings []finding
	for _, test := range []struct {
		name     string
		findings []finding
	}{
		{"linearity", r.nonlinearMixing()}, {"dependence", r.remainingDependence()},
		{"magnitudes", r.correlatedMagnitudes()}, {"uniqueness", r.ambiguousNetwork()},
		{"rotation", r.wrongRotation(suspects)}, {"self-sufficiency", r.contextDependence(suspects)},
		{"refits", r.differingRefits(suspects)}, {"transients", r.sharedTransients(suspects)},
	} {
		if len(test.findings) > 0 {
			r.FailedTests = append(r.FailedTests, test.name)
			findings = append(findings, test.findings...)
		}
	}
	r.Verdict = NoEvidence
	if len(findings) > 0 && r.Network == nil && r.Linear.surplusHidesAll() {
		findings = slices.Insert(findings, 0, finding{reason: surplusReason})
	}
	if len(findings) == 0 {
		if findings = r.unidentifiedRotations(suspects); len(findings) > 0 {
			r.Verdict, suspects = NotIdentifiable, r.otherSuspects(suspects)
		} else {
			r.Verdict, findings = Separated, []finding{r.confirmation()}
			if r.suspected {
				findings = append(findings, finding{reason: weaklyNonlinear})
			}
		}
		findings = append(findings, r.differingHalves(named)...)
	}
	if r.doubtedOn > 0 && !r.Linear.noneIdentified() {
		findings = append(findings, r.doubtOfFit())
	}
	findings = append(findings, r.singleTransients(named)...)
	if r.misfits {
		findings = slices.Insert(findings, 0, r.otherMixing())
	}
	if r.Linear.noneIdentified() { // then that goes for all signals, not only for those of small share
		suspects = slices.DeleteFunc(suspects,
			func(i int) bool { return slices.Equal(r.Doubts[i], []string{notIdentified}) })
	}
	if len(suspects) > 0 {
		findings = append(findings, r.suspectFinding(suspects))
	}
	for _, f := range findings {
		r.Reasons = append(r.Reasons, f.reason)
		next := f.next
		if network := r.tryNetwork(); network != "" && strings.Contains(strings.Join(r.Next, " "), network) {
			next = strings.TrimSpace(strings.ReplaceAll(next, network, "")) // it was said
		}
		if next != "" && !slices.Contains(r.Next, next) {
			r.Next = append(r.Next, next)
		}
	}
}

// weaklyNonlinear is the warning where the fit suspected a nonlinear mixing in vain.
const weaklyNonlinear = "But the fit saw signs of a nonlinear mixing, and no nonlinear demixing with a " +
	"significantly shorter code: a weak nonlinearity can make the true errors larger."

// separateAnew is what to do where the demixing is that of other positions.
const separateAnew = "If the set-up has changed since the fit, separate these signals anew; the rest of " +
	"this report is then about mixtures."

// otherMixing says that the demixing of another recording may not fit this one.
func (r *Report) otherMixing() finding {
	return finding{
		fmt.Sprintf("The separation may not fit these signals: it was made of others, where no signals "+
			"correlated above %g, and here %s correlate by %.2f.", maxCorrelation,
			text.Signals(r.Correlation.Pair[:]), r.Correlation.Value),
		separateAnew,
	}
}

// doubtOfFit says that the fit, which saw more positions, called no signal identified.
func (r *Report) doubtOfFit() finding {
	return finding{reason: fmt.Sprintf("The fit, on %d positions, called no signal identified. For their "+
		"recording that counts more: report on all positions.", r.doubtedOn)}
}

// notIdentified is the doubt of a signal whose rotation with others isn't identified.
const notIdentified = "not identified"

// setDoubts sets the outcomes of the tests of each signal.
func (r *Report) setDoubts() {
	r.Doubts = make([][]string, r.Signals)
	for i := range r.Doubts {
		r.Doubts[i] = []string{} // in JSON null is what wasn't measured
		_, isShared := r.hasTransient(i)
		for _, doubt := range []struct {
			applies bool
			words   string
		}{
			{r.rotationDisagrees(i), r.disagreement()},
			{i < len(r.Predictability) && !r.Predictability[i].SelfSufficient(),
				"not self-sufficient"},
			{r.refitsDiffer(i), "unstable"},
			{isShared, "a transient"},
			{!r.Linear.Identified(i), notIdentified},
		} {
			if doubt.applies {
				r.Doubts[i] = append(r.Doubts[i], doubt.words)
			}
		}
	}
}

// rotationDisagrees reports whether the test of rotation fails for a signal.
func (r *Report) rotationDisagrees(i int) bool {
	return r.Linear.Identified(i) && i < len(r.Linear.Agreement) &&
		r.Linear.Agreement[i] < minAgreement
}

// disagreement says in a few words how the test of rotation fails.
func (r *Report) disagreement() string {
	if r.byRule {
		return "another seed gives another signal"
	}
	return "another rotation has a shorter code"
}

// refitsDiffer reports whether the test of refits fails for a signal.
func (r *Report) refitsDiffer(i int) bool {
	return r.Linear.Identified(i) && r.Stability != nil && r.Stability.Signals[i] < minStability
}

// halvesDiffer reports whether the halves disagree on an identified signal.
func (r *Report) halvesDiffer(i int) bool {
	return r.Linear.Identified(i) && r.Halves != nil && r.Halves.Signals[i] < minAgreement
}

// suspects returns the doubted signals that don't change the verdict, in order; see Verdict.
// There are none where the shares aren't known.
func (r *Report) suspects() []int {
	var doubted []int
	for i, doubts := range r.Doubts {
		if len(doubts) > 0 && i < len(r.Shares) {
			doubted = append(doubted, i)
		}
	}
	slices.SortStableFunc(doubted,
		func(i, j int) int { return cmp.Compare(r.Shares[i], r.Shares[j]) })
	sum := 0.0
	for n, i := range doubted {
		if sum += r.Shares[i]; sum > maxSuspectShare {
			doubted = doubted[:n]
			break
		}
	}
	slices.Sort(doubted)
	return doubted
}

// suspectFinding names the suspect signals.
func (r *Report) suspectFinding(suspects []int) finding {
	share := 0.0
	var doubts []string
	for _, i := range suspects {
		share += r.Shares[i]
		for _, d := range r.Doubts[i] {
			if !slices.Contains(doubts, d) {
				doubts = append(doubts, d)
			}
		}
	}
	verb, explain := "is", "It explains"
	if len(suspects) > 1 {
		verb, explain = "are", "They explain"
	}
	names, doubted := text.Signals(suspects), suspects
	if slices.ContainsFunc(suspects, func(i int) bool { return slices.Contains(r.Linear.NoiseLike, i) }) {
		doubted = slices.Compact(slices.Sorted(slices.Values(slices.Concat(suspects, r.Linear.NoiseLike))))
	}
	return finding{
		fmt.Sprintf("%s %s suspect (%s). %s %.2g %% of the mixed signals' variance, too little "+
			"to change the verdict.",
			text.Capitalise(names), verb, strings.Join(doubts, "; "), explain, 100*share),
		fmt.Sprintf("Don't rely on %s without looking.", text.Signals(doubted)),
	}
}

// commonFindings returns the findings of the tests that are about all signals together.
func (r *Report) commonFindings() []finding {
	return slices.Concat(r.nonlinearMixing(), r.remainingDependence(), r.correlatedMagnitudes(),
		r.ambiguousNetwork())
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
		"dependence is %s.",
		text.Signals(after.Pair[:]), after.Dependence)
	if after.Classifier != nil {
		reason += fmt.Sprintf(" Of all signals together, a classifier estimates a divergence of "+
			"%s nats.", after.Classifier)
	}
	return []finding{{reason, strings.Join(r.nextForDependence(), " ")}}
}

// correlatedMagnitudes is the test of magnitudes.
func (r *Report) correlatedMagnitudes() []finding {
	if !r.Linear.Doubtful {
		return nil
	}
	p := r.Linear.mostDependent()
	next := "If you know that the sources are large at the same positions, as blinks and muscles " +
		"are, they may be separated all the same; otherwise they are mixtures."
	if r.mayBeNonlinear() {
		next = strings.TrimSpace(next + " " + r.tryNetwork())
	}
	return []finding{{
		fmt.Sprintf("The magnitudes of the innovations of %s correlate by %.2f, so these signals "+
			"depend on each other.",
			text.Signals([]int{p.J, p.I}), p.Dependence),
		next,
	}}
}

// mostDependent returns the pair whose magnitudes correlate most.
func (l *Linear) mostDependent() linear.Pair {
	return slices.MaxFunc(l.Pairs,
		func(p, q linear.Pair) int { return cmp.Compare(p.Dependence, q.Dependence) })
}

// morePositions is what to try where a linear demixing has too few positions for its signals.
const morePositions = "Use more positions or, of many channels, fewer principal components by " +
	"Config.Components."

// wrongRotation is the test of rotation.
func (r *Report) wrongRotation(suspects []int) []finding {
	worst := -1
	for i, agreement := range r.Linear.Agreement {
		if r.rotationDisagrees(i) && !slices.Contains(suspects, i) &&
			(worst < 0 || agreement < r.Linear.Agreement[worst]) {
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	if r.byRule {
		return []finding{{
			fmt.Sprintf("With another seed the linear rule finds other signals: the one that is most "+
				"similar to signal %d correlates with it by %.2f only.",
				worst+1, r.Linear.Agreement[worst]),
			morePositions,
		}}
	}
	return []finding{{
		fmt.Sprintf("Another linear demixing has a shorter code (by %.1f nats). Its signal that "+
			"is most similar to signal %d correlates with it by %.2f only.",
			r.Linear.Evidence, worst+1, r.Linear.Agreement[worst]),
		r.unlessOther("Use the linear rule by sica.Default."),
	}}
}

// contextDependence is the test of self-sufficiency.
func (r *Report) contextDependence(suspects []int) []finding {
	var signals []int
	largest := 0.0
	for i, p := range r.Predictability {
		if !p.SelfSufficient() && !slices.Contains(suspects, i) {
			signals = append(signals, i)
			largest = max(largest, p.All-p.Own)
		}
	}
	if signals == nil {
		return nil
	}
	names, verb := text.Capitalise(text.Signals(signals)), "isn't"
	if len(signals) > 1 {
		verb = "aren't"
	}
	return []finding{{
		fmt.Sprintf("%s %s self-sufficient: the contexts of the others explain up to %.1f %% "+
			"more of the variance; from %.1f %% on that counts.",
			names, verb, 100*largest, 100*maxGain),
		strings.Join(r.nextForDependence(), " "),
	}}
}

// differingRefits is the test of refits.
func (r *Report) differingRefits(suspects []int) []finding {
	if r.Stability == nil {
		return nil
	}
	var signals []int
	smallest := 1.0
	for i, c := range r.Stability.Signals {
		if r.refitsDiffer(i) && !slices.Contains(suspects, i) {
			signals = append(signals, i)
			smallest = min(smallest, c)
		}
	}
	if signals == nil {
		return nil
	}
	next := r.unlessOther(morePositions)
	switch {
	case r.Iterations > 0:
		next = "Use more positions, or more iterations of the flow by Config.Flow.Iterations."
	case r.Network != nil:
		next = "Use more positions."
	}
	return []finding{{
		fmt.Sprintf("Refits with other seeds and positions recover %s differently: the smallest "+
			"mean correlation is %.2f.",
			text.Signals(signals), smallest),
		next,
	}}
}

// differingHalves names the signals on which the halves disagree.
func (r *Report) differingHalves(suspects []int) []finding {
	var signals []int
	smallest := 1.0
	for i := range r.Signals {
		if r.halvesDiffer(i) && !slices.Contains(suspects, i) {
			signals = append(signals, i)
			smallest = min(smallest, r.Halves.Signals[i])
		}
	}
	if signals == nil {
		return nil
	}
	return []finding{{
		fmt.Sprintf("But the two halves of the positions disagree on %s: the smallest correlation is %.2f, "+
			"and from %g on they agree.", text.Signals(signals), smallest, minAgreement),
		"Don't rely on a signal on which the halves disagree before you know why: the mixing may drift, the " +
			"source may be silent in one half, or half of the positions may be too few.",
	}}
}

// ambiguousNetwork is the test of uniqueness.
func (r *Report) ambiguousNetwork() []finding {
	if r.Network == nil {
		return nil
	}
	if signals := r.Network.Unpredicted(); len(signals) > 0 {
		names := text.Signals(signals)
		if len(r.Network.Groups) > 0 {
			names = "one of its signals before their rotation"
		}
		return []finding{{
			fmt.Sprintf("A network undid a nonlinear mixing, but the code of %s isn't significantly shorter "+
				"with the past. Other signals that are as independent can't be ruled out.", names),
			"Use more positions or a higher sampling rate, which may reveal a weak prediction. " +
				"The signals may be separated all the same.",
		}}
	}
	if r.Network.Reproduced() {
		return nil
	}
	reason := "A network undid a nonlinear mixing, but no other network was as good, so its " +
		"signals aren't confirmed."
	if r.Network.Agreeing > 0 {
		reason = fmt.Sprintf("A network undid a nonlinear mixing, but equally good networks "+
			"recovered other signals (agreement %.2f).", r.Network.Agreement)
	}
	return []finding{{reason,
		"Use more positions: networks that only seem equally good may fall behind."}}
}

// surplusReason says that surplus sources leave no signal identified.
const surplusReason = "There seem to be more sources than channels, so no signal is identified."

// unidentifiedRotations names the groups of signals whose rotation isn't identified, and why.
func (r *Report) unidentifiedRotations(suspects []int) []finding {
	var groups []string
	l := &r.Linear
	for _, g := range l.unidentifiedGroups(suspects) {
		groups = append(groups, text.Numbers(g))
	}
	if groups == nil {
		return nil
	}
	names := strings.Join(groups, "; and of ")
	another := r.tryNetwork()
	if another != "" {
		another += " "
	}
	strong := "Stability or halves below 0.95 rule a component out; above, it can still be a mixture."
	if len(l.NoiseLike) < 2 { // more mean fewer sources
		strong += " If there may be more sources than channels, call none a source."
	}
	if r.rate > 0 {
		strong += " To take out an artefact, stability, halves, share and correlations count."
	}
	table := ""
	if l.strongPair() {
		table = " The evidence in the table of pairs assumes no noise and no surplus sources."
	}
	switch {
	case l.Surplus:
		return []finding{{
			surplusReason + table,
			"The channels can't hold all sources. " + strong,
		}}
	case r.byRule && len(l.NoiseLike) == 1:
		return []finding{{
			l.Why + table,
			"Find out how many sources there are, or how strong the noise of the channels is, for example " +
				"where the sources are silent. Stability and halves don't see a hidden source, and more " +
				"positions don't help.",
		}}
	case l.Unconfirmed:
		reason := fmt.Sprintf("The rotation of signals %s is not identified: there is noise, and "+
			"a demixing that is nearly as good gives other signals here.", names)
		if r.byRule && l.Why != "" { // which says more, with the numbers of these signals
			reason = l.Why
		}
		return []finding{{
			reason + table,
			strong + " Less noise in the channels or more channels may help; more positions don't if noise " +
				"hides a signal.",
		}}
	case r.byRule && l.Unexplained:
		return []finding{{
			l.Why + table,
			"Count your sources: there may be more than channels. Noise of the channels may be the " +
				"reason, too. Only if you can rule out both and know that the mixing was linear, the " +
				"sources themselves may depend on each other, and be separated all the same. More " +
				"positions seldom help.",
		}}
	case l.Doubtful:
		return nil // correlatedMagnitudes says why
	case l.Dependent:
		sources := "Count the sources: there may be more than channels. "
		if len(l.NoiseLike) > 1 {
			sources = ""
		}
		reason := "The innovations of the recovered signals depend on each other, so no signal is identified."
		if r.byRule && l.Reason == linear.Dependence && l.Why != "" { // with possible causes
			reason = l.Why
		}
		return []finding{{
			reason + fmt.Sprintf(" Innovations of independent signals would do so with a probability of %.1g.",
				l.Independence) + table,
			sources + "Noise of the channels, even if it is weak, may be the reason, " +
				"above all if a signal is weak and its own R² about 0. " + another + strong,
		}}
	}
	next := "Use more positions, which may reveal a weak preference."
	if r.Network == nil {
		next += " Otherwise only knowledge of the mixing helps, such as that it is nearly " +
			"symmetric with positive eigenvalues, which whitening undoes."
	}
	return []finding{{
		fmt.Sprintf("The rotation of signals %s is not identified by the data: %s.", names,
			l.weakness()),
		next,
	}}
}

// unidentifiedGroups returns the groups of several signals of which one isn't suspect.
func (l *Linear) unidentifiedGroups(suspects []int) (groups [][]int) {
	for _, g := range l.Groups {
		if len(g) > 1 &&
			slices.ContainsFunc(g, func(i int) bool { return !slices.Contains(suspects, i) }) {
			groups = append(groups, g)
		}
	}
	return groups
}

// otherSuspects returns the suspects of which unidentifiedRotations doesn't say all: those outside
// its groups, and those that aren't self-sufficient.
func (r *Report) otherSuspects(suspects []int) (others []int) {
	named := slices.Concat(r.Linear.unidentifiedGroups(suspects)...)
	for _, i := range suspects {
		if len(r.Doubts[i]) > 1 || !slices.Contains(named, i) {
			others = append(others, i)
		}
	}
	return others
}

// enough is the evidence in nats from which a pair counts as identified; see linear.Pair.
var enough = math.Log(20)

// strongPair reports whether a pair that isn't identified has evidence enough.
func (l *Linear) strongPair() bool {
	return slices.ContainsFunc(l.Pairs,
		func(p linear.Pair) bool { return !p.Identified && p.Evidence > enough })
}

// weakness says why the code lengths of rotations don't identify the signals of a group.
func (l *Linear) weakness() string {
	switch {
	case !l.strongPair():
		return fmt.Sprintf("rotated signals have a code of the same length, to within %.0f nats", enough)
	case l.Evidence <= enough:
		return fmt.Sprintf("the evidence for the rotation of all signals together is %.1f nats, and "+
			"%.0f would be enough", l.Evidence, enough)
	}
	return fmt.Sprintf("some of their pairs have evidence of less than %.0f nats, and connect the "+
		"others", enough)
}

// confirmation says what supports a separation.
func (r *Report) confirmation() finding {
	before, after := r.Mixed.Dependence, r.Recovered.Dependence
	reason := fmt.Sprintf("The dependence fell from %s to %s", before, after)
	switch {
	case before.Low < noDependence:
		reason = fmt.Sprintf("Whitening already left no significant dependence (%s, now %s): the evidence "+
			"is the code length of rotations", before, after)
	case after.Estimate >= before.Low:
		reason = fmt.Sprintf("Whitening already left about as little dependence (%s, now %s): the evidence is "+
			"the code length of rotations", before, after)
	}
	if after.Low > maxDependence {
		reason += fmt.Sprintf("; a classifier doesn't confirm the rest (divergence %s nats)",
			r.Recovered.Classifier)
	}
	reason += "."
	pair := slices.MinFunc(r.Linear.Pairs,
		func(p, q linear.Pair) int { return cmp.Compare(p.Evidence, q.Evidence) })
	if pair.Identified {
		reason += fmt.Sprintf(" The rotation of every pair of signals is identified, by at least "+
			"%.1f nats (%s).",
			pair.Evidence, text.Signals([]int{pair.J, pair.I}))
	} else { // both are suspect
		reason += " The rotation of every pair of signals is identified, except of those named " +
			"below."
	}
	if r.Stability != nil {
		reason += fmt.Sprintf(" %s.", text.Capitalise(r.Stability.String()))
	}
	return finding{reason, "Look at the signals and count your sources: the tests can do neither."}
}
