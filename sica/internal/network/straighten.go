package network

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Curves is the transform that straightens each channel by a separate curve; see linear.Straighten.
// It is found together with the demixing that follows it.
const Curves preprocess.Transform = "curves"

// straightBlocks is the largest number of blocks of a sequence on which curves are fitted and
// compared. It is smaller than for networks, as curves have few slopes.
const straightBlocks = comparedBlocks / 2

// straightName is the name of the code of curves in sentences.
const straightName = "the linear rule after straightening each channel by a curve"

// straighten compares the linear rule with the linear rule after straightening the channels, for
// example of sensors that saturate. The latter is better if its code is significantly shorter, and
// if only it identifies all signals while the rule's reason isn't noise or, in a sequence, noise
// can't explain the gain. Otherwise the result is nil, also if there are too few positions to
// compare, or if the straightened channels can't be whitened.
func (imp *improver) straighten(ctx context.Context) (*Improvement, error) {
	improvement, err := imp.withCurves(ctx)
	if errors.Is(err, signal.ErrSignals) {
		return nil, nil
	}
	return improvement, err
}

// withCurves is straighten, with an error that wraps signal.ErrSignals for signals that can't be
// compared or whitened.
func (imp *improver) withCurves(ctx context.Context) (*Improvement, error) {
	o := imp.options
	x, shape := compared(imp.x, straightBlocks)
	o.Shape = shape
	s, err := imp.straightened(ctx, x, shape)
	if s == nil || err != nil {
		return nil, err
	}
	c, err := imp.linearCodes(ctx, x, o)
	if err != nil {
		return nil, err
	}
	isSequence := len(shape) == 1
	if isSequence {
		if err := c.addNoisy(ctx, o.Seed); err != nil {
			return nil, err
		}
	}
	place := len(c.codes)
	if err := c.add(ctx, c.x, *s, straightName); err != nil {
		return nil, err
	}
	choice, err := Choose(ctx, c.codes, o)
	if err != nil {
		return nil, err
	}
	identified := s.areIdentified() && !imp.demixed.areIdentified() &&
		imp.demixed.Linear.Reason != linear.Noise
	isLarge := isSequence && c.gain(choice, place) > imp.noiseGain()
	if choice.Chosen != place || !identified && !isLarge {
		return nil, nil
	}
	return &Improvement{
		Chosen: *s, All: c.withCodeLengths(choice), Why: []string{choice.Why, Identified},
	}, nil
}

// CanStraighten reports whether the mixed signals x have enough positions for Improve to compare
// curves.
func CanStraighten(x *ica.Signals) bool {
	_, shape := compared(x, straightBlocks)
	return CheckShape(shape) == nil
}

// compared returns the mixed signals at the positions used to compare separations, and the shape of
// these: blocks of a sequence, and as many positions in the middle of images.
func compared(x *ica.Signals, blocks int) (part *mat.Dense, shape []int) {
	if len(x.Shape()) > 1 {
		return grid.Middle(x.X(), x.Shape(), blocks*comparedBlock)
	}
	part = signal.SpreadBlocks(x.X(), blocks, comparedBlock)
	_, n := part.Dims()
	return part, []int{n}
}

// areIdentified reports whether the linear rule identifies all signals.
func (s *Separation) areIdentified() bool { return len(s.Linear.Groups) == len(s.Linear.Sources) }

// straightened returns the linear rule's separation after straightening the channels; nil if that
// promises too little. The curves are fitted at the compared positions x, of the given shape.
func (imp *improver) straightened(
	ctx context.Context, x *mat.Dense, shape []int,
) (*Separation, error) {
	maps := slices.Clone(imp.white.Maps[:len(imp.white.Maps)-1]) // without whitening
	channels, err := mapping.ApplyAll(x, maps)
	if err != nil {
		return nil, err
	}
	signals, err := ica.New(channels, shape...)
	if err != nil {
		return nil, err
	}
	options := linear.Config{Seed: imp.options.Seed}
	noiseGain := 0.
	if len(shape) == 1 {
		noiseGain = imp.noiseGain()
	}
	curves, err := linear.Straighten(ctx, signals, imp.demixed.Demixing, noiseGain, options)
	if !IsEnd(ctx, err) {
		err = signal.AsErrSignals(err) // the straightened channels can't be whitened
	}
	if curves == nil || err != nil {
		return nil, err
	}
	maps = append(maps, curves)
	straight, err := mapping.ApplyAll(imp.x.X(), maps)
	if err != nil {
		return nil, signal.AsErrSignals(err) // they overflow
	}
	z, whitening, err := mapping.Fit(ctx, straight, []preprocess.Transform{preprocess.ZCA})
	if err != nil {
		return nil, signal.AsErrSignals(err)
	}
	demixed, err := Demix(ctx, imp.x, Separation{
		Transforms: slices.Concat(imp.transforms, []preprocess.Transform{Curves, preprocess.ZCA}),
		Maps:       append(maps, whitening...), Z: z,
	}, options)
	return &demixed, err
}
