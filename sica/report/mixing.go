package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/clipping"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/internal/network"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// looksNonlinear reports whether the mixing of a sequence seems nonlinear although its demixing is
// linear. If the fit examined nonlinear mixings, it reports whether the code of a network or of
// conditional normalisation is significantly shorter but was rejected. Otherwise it reports whether
// the signals depend on each other in a way that neither noise nor surplus sources explain. It is
// false with too few positions.
func (s *subject) looksNonlinear(ctx context.Context, r *sica.Result) (bool, error) {
	if !s.demixed || s.grid.Axes() > 1 {
		return false, nil
	}
	if s.fit.networks != notExamined {
		isUnbeaten := func(c sica.Candidate) bool { // linear, of this comparison
			return c.Name == "" && c.Failed == "" && c.Mode != sica.NetworkOnly &&
				!slices.Contains(c.Transforms, preprocess.Conditional) &&
				!slices.Contains(c.Transforms, network.Curves) && !c.Excess.Significant()
		}
		return r.Chosen.Excess.Significant() && !slices.ContainsFunc(r.Candidates, isUnbeaten), nil
	}
	screening, err := network.Screen(ctx, s.z, false, network.Options{Seed: r.Config.Seed})
	if errors.Is(err, signal.ErrSignals) {
		return false, nil
	}
	return err == nil && screening.Network, err
}

// noiseShare returns the channels' mean share of noise; 0 below notes.MinNoise.
func (l *Linear) noiseShare() float64 {
	if len(l.Noise) == 0 {
		return 0
	}
	if mean := stat.Mean(l.Noise, nil); mean >= notes.MinNoise {
		return mean
	}
	return 0
}

// A remark is a statement about the mixing: its subject, key, and the text.
type remark struct{ key, text string }

// remarks returns remarks about noise of the channels, noise-like signals, clipping, dependence and
// surplus sources, as far as found, and about the largest correlation of two recovered signals,
// with a warning and other pairs above 0.3.
func (r *Report) remarks() (remarks []remark) {
	add := func(applies bool, key, text string) {
		if applies {
			remarks = append(remarks, remark{key, text})
		}
	}
	l := &r.Linear
	noise := l.noiseShare()
	add(noise > 0, "noise of the channels", fmt.Sprintf("%.1f %% of their variance, a rough "+
		"estimate", 100*noise))
	add(l.Drift != nil, "change with time", notes.Drift(l.Drift))
	add(len(l.NoiseLike) > 0, "like noise", r.likeNoise())
	add(len(r.Clipped) > 0, "clipped", r.clippedNames()+", which can look like more sources than "+
		"channels; "+clipping.Advice)
	add(l.Reason == linear.MoreSources, "sources", fmt.Sprintf("there seem to be more than channels "+
		"(evidence of %.1f standard errors)", l.SurplusEvidence))
	if l.Reason == linear.Dependence {
		p := slices.MaxFunc(l.Pairs,
			func(p, q linear.Pair) int { return cmp.Compare(p.Dependence, q.Dependence) })
		add(true, "dependence of innovations", fmt.Sprintf("independent signals have as much with a "+
			"probability of %.1g; the magnitudes of %s correlate most, by %.2f", l.Independence,
			text.Signals([]int{p.J, p.I}), p.Dependence))
	}
	add(true, "largest |correlation| of two recovered signals", r.largestCorrelation())
	return remarks
}

// clippedNames names the mixed signals that are clipped.
func (r *Report) clippedNames() string {
	if len(r.Channels) == 0 {
		return "mixed " + text.Signals(r.Clipped)
	}
	var names []string
	for _, i := range r.Clipped {
		names = append(names, r.Channels[i])
	}
	return text.List(names)
}

// largestCorrelation describes Correlation, with a warning above 0.3.
func (r *Report) largestCorrelation() string {
	c, isOther := r.Correlation, r.fit.origin == otherPositions
	largest := fmt.Sprintf("%.3f (%s)", c.Value, text.Numbers(c.Pair[:]))
	if len(r.Correlated) == 0 {
		return largest
	}
	warning := notes.Correlation(len(r.Shape) < 2 && !r.cfg.Highpassed && !isOther)
	if isOther {
		warning += ". " + separateAnew
	}
	return largest + notes.OtherPairs(r.Correlated[1:]) + fmt.Sprintf(". Above %g: %s. Shares don't add "+
		"up to 100 %% then, and one can exceed it", linear.MaxCorrelation, warning)
}

// errorNote returns a clause about the contents of the signals' expected errors, or why there are
// none; "" if no signal of a linear demixing is identified.
func (r *Report) errorNote() string {
	l := &r.Linear
	note := notes.ExpectedError(l.ExpectedError, l.Groups, l.Noise, l.Drift)
	switch {
	case l.ExpectedError == nil && r.Network != nil && r.Stability != nil:
		return "not known after a network; 1 − stability is its order of magnitude"
	case l.ExpectedError == nil:
		return "not known after a nonlinear demixing"
	case note != "" && r.Nonlinear:
		return "for a linear mixing; this one seems nonlinear, so the true error can be much larger"
	}
	return note
}
