package start

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/network"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// orOwn is the start of the linear rule, or that of it behind one of Options.Own
// which describes the mixed signals in fewer nats at positions held out, beyond chance
// where it isn't linear; and whether it is one of those.
func (c chooser) orOwn(ctx context.Context, white, linear Start) (Start, bool, error) {
	o := c.networkOptions()
	x, err := resolved(c.x, white, o)
	if err != nil {
		return Start{}, false, err
	}
	s := &starts{}
	if err := s.add(ctx, x, linear, "the linear rule"); err != nil {
		return Start{}, false, err
	}
	for k, fitter := range c.Own {
		name := fmt.Sprintf("own start %d", k+1)
		own, err := c.demixBehind(ctx, fitter, name)
		if err == nil && ctx.Err() == nil {
			err = s.add(ctx, x, own, name)
		}
		if ctx.Err() != nil {
			return linear, false, nil
		}
		if err != nil {
			return Start{}, false, fmt.Errorf("%s: %w", name, err)
		}
	}
	s.markLinear()
	chosen, err := network.Choose(ctx, s.compared, o)
	if ctx.Err() != nil {
		return linear, false, nil
	}
	if err != nil {
		return Start{}, false, err
	}
	found := s.all[chosen.Chosen]
	found.Candidates = nil
	for k, of := range chosen.Candidates {
		taken := s.all[k].Taken
		taken.CodeLength, taken.Longer = of.CodeLength, of.Longer
		found.Candidates = append(found.Candidates, taken)
	}
	if chosen.Chosen > 0 {
		found.Why = fmt.Sprintf("%s It is the caller's %T and then the linear rule. %s", chosen.Why, c.Own[chosen.Chosen-1], found.Why)
	}
	return found, chosen.Chosen > 0, nil
}

// demixBehind is the start of the linear rule behind a caller's transform.
func (c chooser) demixBehind(ctx context.Context, fitter preprocess.Fitter, name string) (Start, error) {
	var m preprocess.Map
	var err error
	if c.x, m, err = preprocess.FitOwn(ctx, fitter, c.x); err != nil {
		return Start{}, err
	}
	white, err := c.whiten(ctx)
	if err != nil {
		return Start{}, err
	}
	own, err := c.demix(ctx, white)
	if err != nil {
		return Start{}, err
	}
	own.Maps = append([]preprocess.Map{m}, own.Maps...)
	own.Taken.Start = append([]preprocess.Transform{preprocess.Transform(name)}, own.Taken.Start...)
	return own, nil
}

// resolved are the mixed signals x as all starts are compared on them: with the noise of
// the resolution that whitened ones with few different values are given.
func resolved(x *mat.Dense, white Start, o network.Options) (*mat.Dense, error) {
	noisy, err := network.Resolved(white.Z, o)
	if err != nil || noisy == white.Z {
		return x, err
	}
	for _, m := range slices.Backward(white.Maps) {
		if noisy, err = m.Invert(noisy); err != nil {
			return nil, err
		}
	}
	return noisy, nil
}
