package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/clipping"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/internal/network"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Correlation is the absolute correlation of two recovered signals, and which two, counted from 0.
type Correlation struct {
	Value float64 `json:"value"`
	Pair  [2]int  `json:"pair"`
}

const (
	// MinNoise is the least share of the channels' variance that is mentioned as noise. It leaves a
	// signal of average strength a correlation of 0.9995 with its source.
	MinNoise = 0.001
	// maxCorrelation is the correlation of two recovered signals above which a report warns: they
	// have about a tenth of their variance in common. It is a choice.
	maxCorrelation = 0.3
)

// maxCorrelatedShown is how many pairs a text names besides the largest. A choice.
const maxCorrelatedShown = 5

// LargestCorrelation returns the largest correlation of the recovered signals z, d×n, 0 of a single
// one.
func LargestCorrelation(z *mat.Dense) Correlation {
	all := correlations(z)
	if len(all) == 0 {
		return Correlation{}
	}
	return all[0]
}

// Correlated returns the correlations above 0.3 of the recovered signals z, d×n, the largest first.
func Correlated(z *mat.Dense) []Correlation {
	all := correlations(z)
	for k, c := range all {
		if !(c.Value > maxCorrelation) { // or NaN
			return all[:k]
		}
	}
	return all
}

// correlations returns those of all pairs of the signals z, the largest first.
func correlations(z *mat.Dense) (pairs []Correlation) {
	var all mat.SymDense
	stat.CorrelationMatrix(&all, z.T(), nil)
	for i := range all.SymmetricDim() {
		for j := range i {
			pairs = append(pairs, Correlation{Value: math.Abs(all.At(i, j)), Pair: [2]int{j, i}})
		}
	}
	slices.SortStableFunc(pairs, func(a, b Correlation) int { return cmp.Compare(b.Value, a.Value) })
	return pairs
}

// OtherCorrelated names all but the first of several correlated pairs, at most five of them, to follow
// that: "; 1 and 3 by 0.41; and 2 more pairs". It is empty for one pair.
func OtherCorrelated(all []Correlation) string {
	var names strings.Builder
	for k, c := range all {
		if k > maxCorrelatedShown {
			fmt.Fprintf(&names, "; and %s", text.Counted(len(all)-k, "more pair"))
			break
		}
		if k > 0 {
			fmt.Fprintf(&names, "; %s by %.2f", text.Numbers(c.Pair[:]), c.Value)
		}
	}
	return names.String()
}

// Warning says what a correlation above 0.3 means and, of recordings, what to do; "" up to 0.3.
func (c Correlation) Warning(isRecording bool) string {
	if c.Value <= maxCorrelation {
		return ""
	}
	warning := "they share parts, so at least one is a mixture unless the sources are correlated, too"
	if isRecording {
		warning += ". If the recording was filtered before, separate the raw one " +
			"in its place, behind a high-pass filter of 1 Hz"
	}
	return warning
}

// looksNonlinear reports whether the mixing of a sequence seems nonlinear though its demixing is
// linear. If the fit compared networks with the demixing, that is whether one of them, or
// conditional normalisation, has a significantly shorter code and was refused. Otherwise it is whether the
// signals depend on each other in a way that neither noise nor surplus sources explain; where one of these
// was found, their curvature must be evident. It is false where there are too few positions to say.
func (s *subject) looksNonlinear(
	ctx context.Context, r *sica.Result, l *Linear,
) (bool, error) {
	if !s.demixed || s.grid.Axes() > 1 {
		return false, nil
	}
	if s.compared {
		isUnbeaten := func(c sica.Candidate) bool { // linear, of this comparison
			return c.Name == "" && c.Failed == "" && c.Method != sica.NetworkOnly &&
				!slices.Contains(c.Transforms, preprocess.Conditional) && !c.Excess.Significant()
		}
		return r.Chosen.Excess.Significant() && !slices.ContainsFunc(r.Candidates, isUnbeaten), nil
	}
	screening, err := network.Screen(ctx, s.z, network.Options{Seed: r.Seed})
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil || !screening.Network {
		return false, nil
	}
	noisy := l.spectralNoise() > 0 || l.SurplusSuspected()
	return !noisy || screening.Curvature.Evident(), nil
}

// nonlinearMixing is the test of linearity.
func (r *Report) nonlinearMixing() []finding {
	if !r.Nonlinear {
		return nil
	}
	if r.Linear.Drift != nil {
		return []finding{{
			"The mixing seems nonlinear, or to change with time: the signals of one linear demixing for all " +
				"positions depend on each other.",
			r.unlessOther("Separate shorter pieces of the recording."),
		}}
	}
	if r.compared {
		return []finding{{
			"The mixing seems nonlinear: a nonlinear demixing has a significantly shorter code. The " +
				"linear one was kept, as noise may explain that or no network is confirmed.",
			"Use more positions, which may decide it.",
		}}
	}
	return []finding{{
		"The mixing seems nonlinear: these signals, of a linear demixing, depend on each other in a " +
			"way that neither noise nor surplus sources explain.",
		r.unlessOther(compareNetworks),
	}}
}

// compareNetworks is what to try where the mixing seems nonlinear.
const compareNetworks = "Fit by sica.Default, which compares networks with the linear demixing."

// unlessOther returns what to try or, if the demixing was made of other positions, separateAnew.
func (r *Report) unlessOther(next string) string {
	if r.isOther {
		return separateAnew
	}
	return next
}

// noiseShare returns the share of the channels' variance that is noise, 0 below MinNoise.
func (r *Report) noiseShare() float64 { return share(r.Linear.Noise) }

// spectralNoise is noiseShare if spectra show the noise, and 0 if only dependence does, which a
// nonlinear mixing causes as well.
func (l *Linear) spectralNoise() float64 {
	if l.NoiseFromDependence {
		return 0
	}
	return share(l.Noise)
}

// share returns the mean of the channels' shares of noise, 0 below MinNoise.
func share(noise []float64) float64 {
	if len(noise) == 0 {
		return 0
	}
	if mean := stat.Mean(noise, nil); mean >= MinNoise {
		return mean
	}
	return 0
}

// Remarks returns sentences about the mixing: noise of the channels, signals like noise, clipping and
// surplus sources, where they were found, and the largest correlation of two recovered signals, with
// other pairs above 0.3 and a warning there.
func (r *Report) Remarks() []string {
	var sentences []string
	for _, m := range r.remarks() {
		sentences = append(sentences, m.key+": "+m.text)
	}
	return sentences
}

// A remark is one of Remarks: what it is about, and what it says of that.
type remark struct{ key, text string }

func (r *Report) remarks() []remark {
	var remarks []remark
	if noise := r.noiseShare(); noise > 0 {
		remarks = append(remarks, remark{"noise of the channels", fmt.Sprintf("%.1f %% of their variance, "+
			"a rough estimate; %s", 100*noise, r.Linear.NoiseNote())})
	}
	if note := r.Linear.DriftNote(); note != "" {
		remarks = append(remarks, remark{"change with time", note})
	}
	if like := r.Linear.NoiseLike; len(like) > 0 {
		remarks = append(remarks, remark{"like noise",
			text.Signals(like) + " can't be told from noise of the channels"})
	}
	if len(r.Clipped) > 0 {
		names := "mixed " + text.Signals(r.Clipped)
		if r.channels != nil {
			var all []string
			for _, i := range r.Clipped {
				all = append(all, r.channels[i])
			}
			names = text.List(all)
		}
		remarks = append(remarks, remark{"clipped", names + ", which can look like more sources than " +
			"channels; " + clipping.Advice})
	}
	switch {
	case r.Linear.Surplus:
		remarks = append(remarks, remark{"sources", "there seem to be more than channels"})
	case r.Linear.SurplusSuspected():
		remarks = append(remarks, remark{"sources", "there may be more than channels"})
	}
	c := r.Correlation
	largest := fmt.Sprintf("%.3f (%s)", c.Value, text.Numbers(c.Pair[:]))
	if warning := c.Warning(len(r.Shape) < 2 && !r.highpassed && !r.misfits); warning != "" {
		largest += OtherCorrelated(r.Correlated)
		largest += fmt.Sprintf(". Above %g: %s. Shares don't add up to 100 %% then, and one can exceed it",
			maxCorrelation, warning)
	}
	return append(remarks, remark{"largest |correlation| of two recovered signals", largest})
}

// illConditioned is the condition number of the mixed signals from which their noise is named among
// the reasons for dependence. A choice: demixing amplifies noise in a channel up to that many
// times, so that at 10 a hundredth of the variance may become all of a signal.
const illConditioned = 10

// moreSources says that there seem to be surplus sources or, if they are only suspected, may be.
func (l *Linear) moreSources() string {
	if l.Surplus {
		return "There seem to be more sources than channels"
	}
	return "There may be more sources than channels"
}

// surplusHidesAll reports whether no signal is identified because there seem to be more sources than
// channels.
func (l *Linear) surplusHidesAll() bool { return l.noneIdentified() && l.Surplus }

// isWhite reports whether no signal's own past predicts it, without which no nonlinear demixing is
// identified.
func (r *Report) isWhite() bool {
	return !slices.ContainsFunc(r.Predictability, func(p Predictability) bool { return p.Own > maxGain })
}

// mayBeNonlinear reports whether another, nonlinear method may help where signals depend on each other:
// neither noise nor surplus sources were found, and the signals aren't white.
func (r *Report) mayBeNonlinear() bool {
	l := &r.Linear
	return l.spectralNoise() == 0 && !l.SurplusSuspected() && !r.isWhite()
}

// tryNetwork is what to try if the mixing may be nonlinear, "" if that can't help: of images networks
// weren't better.
func (r *Report) tryNetwork() string {
	if r.Network != nil || r.isWhite() || len(r.Shape) > 1 {
		return ""
	}
	return "If the mixing may be nonlinear, fit a network by sica.Direct."
}

// ErrorNote says in half a sentence what the expected errors of the signals contain, or why there are
// none; "" if no signal of a linear demixing is identified.
func (r *Report) ErrorNote() string {
	note := r.Linear.ErrorNote()
	switch {
	case r.Linear.ExpectedError == nil && r.Network != nil && r.Stability != nil:
		return "not known after a network; 1 − stability is its order of magnitude"
	case r.Linear.ExpectedError == nil:
		return "not known after a nonlinear demixing"
	case note == "":
	case r.Nonlinear:
		return "for a linear mixing; this one seems nonlinear, so the true error can be much larger"
	}
	return note
}

// stableSignals names the signals that nothing but identification speaks against, and those like
// noise. The former come again in refits and halves, aren't small, share little with others, fail no
// other test, and aren't in the pair that depends most.
func (r *Report) stableSignals() (said []string) {
	var stable []int
	failed := r.failed()
	for i := range r.Signals {
		isStable := r.Stability != nil && r.Stability.Signals[i] > minAgreement &&
			(r.Halves == nil || r.Halves.Signals[i] > minAgreement)
		hasShare := i >= len(r.Shares) || r.Shares[i] >= maxSuspectShare
		has, _ := r.hasTransient(i)
		if isStable && hasShare && !has && !r.isCorrelated(i) && !slices.Contains(failed, i) &&
			!slices.Contains(r.Linear.NoiseLike, i) {
			stable = append(stable, i)
		}
	}
	if stable != nil {
		said = append(said, fmt.Sprintf("Stable (above %g), with a share of at least 1 %%, and self-sufficient: "+
			"%s. %s", minAgreement, text.Signals(stable), r.Linear.howMixed(stable)))
	}
	if like := r.Linear.NoiseLike; like != nil {
		said = append(said, fmt.Sprintf("Like noise: %s.", text.Signals(like)))
	}
	return said
}

// howMixed says which of the named signals are identified, and that each can be a mixture.
func (l *Linear) howMixed(named []int) string {
	identified := slices.DeleteFunc(slices.Clone(named), func(i int) bool { return !l.Identified(i) })
	all := len(identified) == len(named)
	switch {
	case len(named) == 1 && all:
		return "It is identified, and can still be a mixture."
	case len(named) == 1:
		return "It isn't identified, and can be a mixture."
	case all:
		return "All are identified, and can still be mixtures."
	case len(identified) == 0:
		return "None is identified, and each can be a mixture."
	case len(identified) == 1:
		return fmt.Sprintf("Of these only %s is identified; each can be a mixture.", text.Signals(identified))
	}
	return fmt.Sprintf("Of these only %s are identified; each can be a mixture.", text.Signals(identified))
}

// isCorrelated reports whether a signal shares parts with another.
func (r *Report) isCorrelated(i int) bool {
	return slices.ContainsFunc(r.Correlated,
		func(c Correlation) bool { return c.Pair[0] == i || c.Pair[1] == i })
}

// nextForDependence is what to try where signals depend on each other.
func (r *Report) nextForDependence() []string {
	var next []string
	if r.Linear.Drift != nil && r.Network == nil {
		next = append(next, "The demixing changes with time, which can leave such dependence: compare shorter "+
			"pieces of the recording.")
	}
	noise := r.Linear.spectralNoise()
	switch {
	case r.Network != nil:
		next = append(next, "Sources that depend on each other stay dependent.")
	case r.Nonlinear && !r.compared:
		next = append(next, r.unlessOther(compareNetworks))
	case r.Linear.Surplus, r.Linear.SurplusSuspected():
		cause := r.Linear.moreSources() + ": don't fit a network, as they leave such dependence in any answer."
		if r.Linear.surplusHidesAll() { // which the first reason says
			cause = "Don't fit a network: more sources than channels leave such dependence in any answer."
		}
		if r.rate > 0 {
			cause += " As in most EEGs, that is no objection to taking out an artefact."
		}
		if !slices.ContainsFunc(r.Predictability, Predictability.SelfSufficient) {
			cause += " Echoes and delays look the same."
		}
		next = append(next, cause)
		next = append(next, r.stableSignals()...)
	case noise > 0:
		cause := ", or surplus sources or a drift of the mixing, which look the same. All leave"
		if r.Linear.NoiseLike != nil { // fewer sources than channels
			cause = ", which leaves"
		}
		next = append(next, fmt.Sprintf("The channels seem to have %.1f %% of noise%s such dependence in any "+
			"answer.", 100*noise, cause))
		next = append(next, r.stableSignals()...)
	case len(r.Clipped) > 0:
		next = append(next, "Clipping leaves such dependence in any answer: leave the clipped stretches out.")
		next = append(next, r.stableSignals()...)
	default:
		if r.isOther {
			next = append(next, separateAnew)
		} else if r.isWhite() {
			next = append(next, "If the mixing was nonlinear, no method can undo it: their pasts don't predict "+
				"these signals.")
		} else if len(r.Shape) > 1 {
			next = append(next, "Similar images, such as digits, depend on each other: look at the signals.")
		} else {
			next = append(next, r.tryNetwork())
		}
		if r.condition >= illConditioned {
			next = append(next, fmt.Sprintf("Noise in the channels may be the reason: the estimated mixing "+
				"has a condition number of %.0f, by which demixing can amplify noise.", r.condition))
		}
	}
	side := int(math.Round(math.Sqrt(float64(r.Positions))))
	if len(r.Shape) < 2 && !r.isSequence && side*side == r.Positions {
		next = append(next, "If the signals are images, set Config.Shape.")
	}
	return next
}
