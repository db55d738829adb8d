package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// An explanation has the sentence and the next steps of a report for a linear.Reason.
type explanation struct {
	sentence func(*Report) string
	next     func(*Report) []string
	// uncounted is whether the reason isn't part of the evidence, so that signals can be
	// unidentified despite much evidence.
	uncounted bool
}

// reasons has the explanation of each reason. linear.Findings.Why has shorter sentences.
var reasons = map[linear.Reason]explanation{
	linear.AllIdentified: {
		sentence: (*Report).confirmation,
		next:     list("Look at the signals and count your sources: the tests can do neither."),
	},
	linear.SameSpectrum: {
		sentence: words("The data don't identify the rotation: rotated signals have about as short " +
			"a code."),
		next: (*Report).nextForRotation,
	},
	linear.NonlinearMixing: {
		sentence: words("The data don't identify the rotation: Gaussian signals of one spectrum " +
			"after a nonlinear mixing would look the same."),
		next: (*Report).nextForRotation,
	},
	linear.Noise: {
		sentence:  words("Noise of the channels hides signals or their rotation."),
		next:      lessNoise,
		uncounted: true,
	},
	linear.HiddenNoise: {
		sentence:  words("Noise of the channels that the data don't show could hide signals."),
		next:      lessNoise,
		uncounted: true,
	},
	linear.LikeNoise: {
		sentence: func(r *Report) string {
			return text.Capitalise(r.likeNoise()) + ". A source may be hidden there."
		},
		next: list("Find out how many sources there are, or how strong the noise of the channels is, "+
			"for example where the sources are silent.", "More positions don't help.", rulesOut),
		uncounted: true,
	},
	linear.Dependence: {
		sentence:  words("The recovered signals depend on each other."),
		next:      (*Report).nextForDependence,
		uncounted: true,
	},
	linear.MoreSources: {
		sentence:  words("There seem to be more sources than channels."),
		next:      list("The channels can't hold all sources: what comes back can hold several.", rulesOut),
		uncounted: true,
	},
	linear.Stopped: {
		sentence: func(r *Report) string { return r.Why },
		next:     list("Fit again for longer."),
	},
}

// words returns a function for a sentence that is the same in all reports.
func words(sentence string) func(*Report) string {
	return func(*Report) string { return sentence }
}

// list returns a function for next steps that are the same in all reports.
func list(steps ...string) func(*Report) []string {
	return func(*Report) []string { return steps }
}

// lessNoise are the next steps if noise hides signals.
var lessNoise = list("Less noise in the channels or more channels may help; more positions don't if "+
	"noise hides a signal.", rulesOut)

// Next steps and warnings that several findings have.
const (
	rulesOut = "Don't rely on a doubtful signal; one that repeats can still be a mixture."

	compareNetworks = "Fit by sica.Default, which compares networks with the linear demixing."

	separateAnew = "If the set-up has changed since the fit, separate these signals anew; the rest " +
		"of this report is then about mixtures."

	weaklyNonlinear = "But the fit saw signs of a nonlinear mixing, and no nonlinear demixing with " +
		"a significantly shorter code: a weak nonlinearity can make the true errors larger."
)

// outcome returns the end of a reason, which says that the signals of the groups aren't identified;
// "" without groups.
func (r *Report) outcome(groups [][]int) string {
	var names []string
	for _, g := range groups {
		names = append(names, text.Signals(g))
	}
	switch {
	case names == nil:
		return ""
	case r.Linear.noneIdentified():
		return " No signal is identified."
	}
	return " Not identified: " + strings.Join(names, "; ") + "."
}

// likeNoise returns a clause that names the noise-like signals.
func (r *Report) likeNoise() string {
	return text.Signals(r.Linear.NoiseLike) + " can't be distinguished from noise of the channels"
}

func (r *Report) nextForRotation() []string {
	next := []string{"Use more positions, which may reveal a weak preference."}
	if r.Network == nil {
		next = append(next, "Otherwise only knowledge of the mixing helps, such as that it is nearly "+
			"symmetric with positive eigenvalues, which whitening undoes.")
	}
	return next
}

// nextForDependence returns the next steps if signals depend on each other: against the causes that
// were found or, if none were, against causes that the data don't show.
func (r *Report) nextForDependence() (next []string) {
	const inAnyAnswer = " such dependence in any answer"
	if r.Network != nil {
		return []string{"Sources that depend on each other stay dependent."}
	}
	if drift := r.Linear.Drift; drift != nil && slices.Max(drift) > 1-minAgreement {
		next = append(next, "The demixing changes with time, which can leave such dependence: separate "+
			"shorter pieces of the recording.")
	}
	noise := r.Linear.noiseShare()
	switch {
	case r.Nonlinear: // the test of linearity says it
		return next
	case r.Linear.Reason == linear.MoreSources:
		next = append(next, "Don't fit a network: more sources than channels leave"+inAnyAnswer+".")
	case noise > 0:
		next = append(next, fmt.Sprintf("The channels seem to have %.1f %% of noise, which leaves%s.",
			100*noise, inAnyAnswer))
	case len(r.Clipped) > 0:
		next = append(next, "Clipping leaves"+inAnyAnswer+": leave the clipped stretches out.")
	default:
		next = append(next, "Count the sources: there may be more than channels. Noise of the channels "+
			"may be the reason, too, even if it is weak. If you can rule out both, the sources "+
			"themselves may depend on each other, and be separated all the same.")
		isWhite := !slices.ContainsFunc(r.Predictability,
			func(p Predictability) bool { return p.Own > maxGain })
		if !isWhite && len(r.Shape) < 2 { // networks weren't better for images
			next = append(next, "If the mixing may be nonlinear, fit a network by sica.Direct.")
		}
	}
	return append(next, rulesOut)
}

// confirmation returns a sentence about the evidence for a separation.
func (r *Report) confirmation() string {
	pair := slices.MinFunc(r.Linear.Pairs,
		func(p, q linear.Pair) int { return cmp.Compare(p.Evidence, q.Evidence) })
	rotations := "except of those named below"
	if pair.Identified { // otherwise both are suspect
		rotations = fmt.Sprintf("by at least %.1f nats (%s)", pair.Evidence,
			text.Signals([]int{pair.J, pair.I}))
	}
	rest, after := "", r.Recovered
	if after.Dependence.Low > maxDependence {
		rest = fmt.Sprintf("; a classifier doesn't confirm that (divergence %s nats)", after.Classifier)
	}
	return fmt.Sprintf("The dependence of the worst pair was %s and is %s%s. The rotation of every "+
		"pair of signals is identified, %s.", r.Mixed.Dependence, after.Dependence, rest, rotations)
}
