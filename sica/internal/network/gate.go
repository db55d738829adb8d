package network

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/network/internal/source"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// The gate has three numbers, one for each test: evidentSigmas and these.
const (
	// certainAlarm is the probability of dependence by chance, in all pairs together, below which
	// it is beyond doubt.
	certainAlarm = 1e-4
	// minConditionalGain is by how many nats per position the code of conditional normalisation
	// must be shorter than the linear rule's, and by more than a standard error.
	minConditionalGain = 0.02
)

const (
	// The last two tests are made for at most maxConditioned signals, as conditional normalisation
	// takes seconds for more.
	maxConditioned = 4
	// Conditional normalisation is evaluated at glancePositions in the middle. Fewer miss weakly
	// nonlinear mixings, more take longer in each linear fit.
	glancePositions = 2048
	// hopelessErrors is by how many standard errors its code must be longer to be no reason. If it
	// is at the positions that the first fold holds out, the second isn't evaluated.
	hopelessErrors = 2
	// minNoise is the share of a channel's variance from which the linear rule's noise counts:
	// noise of one percent of its standard deviation. With more of it networks are fitted to noisy
	// channels.
	minNoise = 1e-4
)

// gate tests whether the linear rule's signals are reason to compare nonlinear separations, at the
// positions at which these would be compared. They are if a signal is predicted by its own past, as
// no nonlinear demixing could be identified otherwise, and one of three holds:
//
//   - The signals depend on each other, and their curvature is evident (see Screen), or certain
//     where the rule found noise or more sources than channels.
//   - The code of conditional normalisation is shorter by minConditionalGain and a standard error.
//   - They depend on each other beyond doubt, and that code isn't longer beyond doubt, as it is
//     where there are more sources than channels.
//
// The last two count for at most maxConditioned signals, and only where the rule found no noise and
// no more sources than channels, which explain them. The Why of the screening says which holds.
func (imp *improver) gate(ctx context.Context) (s *Screening, open bool, err error) {
	z := signal.SpreadBlocks(imp.demixed.Z, comparedBlocks, comparedBlock)
	d, n := z.Dims()
	o := imp.options
	o.Shape = []int{n}
	noisy := hasNoise(imp.demixed.Linear)
	if s, err = Screen(ctx, z, noisy, o); err != nil {
		return nil, false, err
	}
	if s.Network || !s.predicted || s.isPredictable || d > maxConditioned || noisy {
		return s, s.Network, nil
	}
	gain, err := imp.conditionalGain(ctx)
	switch {
	case err != nil:
		return s, false, err
	case gain.Mean > max(minConditionalGain, gain.SE):
		s.why = []string{fmt.Sprintf("Conditional normalisation gives the mixed signals a code that "+
			"is %.3f ± %.3f nats per position shorter.", gain.Mean, gain.SE)}
		return s, true, nil
	case s.isCertain() && !isHopeless(gain):
		s.why = []string{Dependent, "No noise that explains it was found."}
		return s, true, nil
	}
	return s, false, nil
}

// isUnexplained reports whether the linear rule's signals depend on each other beyond doubt, and
// the rule found neither noise nor surplus sources.
func (imp *improver) isUnexplained(s *Screening) bool {
	return s.isCertain() && !hasNoise(imp.demixed.Linear)
}

// hasNoise reports whether the linear rule found noise in a channel, or more sources than channels.
func hasNoise(findings *linear.Findings) bool {
	return findings.Reason == linear.MoreSources ||
		slices.ContainsFunc(findings.Noise, func(share float64) bool { return share > minNoise })
}

// conditionalGain returns by how much the code of conditional normalisation is shorter than the
// linear rule's, in the middle of the mixed signals; 0 if it can't be evaluated. If the first
// fold's gain is hopeless, it is that one. The gain needn't be significant: it is a reason to fit
// networks, whose gain must be significant.
func (imp *improver) conditionalGain(ctx context.Context) (gain nonlinear.Difference, err error) {
	o := imp.options
	var x *mat.Dense
	x, o.Shape = grid.Middle(imp.x.X(), imp.x.Shape(), glancePositions)
	c, err := imp.codes(ctx, x, o)
	if err != nil || len(c.codes) <= conditionalPlace {
		return gain, err
	}
	s, err := newScorer(ctx, c.codes[linearPlace:], o)
	if err != nil {
		return gain, err
	}
	s.kinds = []source.Kind{source.Jumping} // a nonlinearity may look like a strength that varies
	for fold := range folds {
		if err := s.scoreFold(ctx, fold); err != nil {
			return gain, err
		}
		gain = newDifference(s.Scored[1].constant, s.Scored[0].constant)
		if isHopeless(gain) {
			break
		}
	}
	return gain, nil
}

// isHopeless reports whether a code with this gain is longer beyond doubt.
func isHopeless(gain nonlinear.Difference) bool { return gain.Mean < -hopelessErrors*gain.SE }
