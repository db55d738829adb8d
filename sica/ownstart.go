package sica

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/internal/direct"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// orOwn is the start of the linear rule, or that of it behind one of Preparation.Starts
// which describes the mixed signals in fewer nats at positions held out, beyond chance
// where it isn't linear; and whether it is one of those.
func (c Config) orOwn(ctx context.Context, place int, run Run, g *grid.Grid, white, linear choice) (choice, bool, error) {
	o := c.networkOptions(place, run, g)
	x, err := resolved(run.X, white, o)
	if err != nil {
		return choice{}, false, err
	}
	s := &starts{}
	if err := s.add(x, linear, "the linear rule"); err != nil {
		return choice{}, false, err
	}
	for k, fitter := range c.Starts {
		name := fmt.Sprintf("own start %d", k+1)
		own, err := c.demixBehind(ctx, place, run, g, fitter, name)
		if err == nil && ctx.Err() == nil {
			err = s.add(x, own, name)
		}
		if ctx.Err() != nil {
			return linear, false, nil
		}
		if err != nil {
			return choice{}, false, fmt.Errorf("%s: %w", name, err)
		}
	}
	for k, start := range s.compared {
		if l := start.LogDet; !slices.ContainsFunc(l, func(v float64) bool { return v != l[0] }) {
			s.compared[k].LogDet = l[:1] // a linear start, which need not win beyond chance
		}
	}
	chosen, err := direct.Choose(ctx, nil, s.compared, o)
	if ctx.Err() != nil {
		return linear, false, nil
	}
	if err != nil {
		return choice{}, false, err
	}
	found := s.choices[chosen.Chosen]
	found.candidates = nil
	for k, of := range chosen.Candidates {
		taken := s.choices[k].taken
		taken.CodeLength, taken.Longer = of.CodeLength, of.Longer
		found.candidates = append(found.candidates, taken)
	}
	if chosen.Chosen > 0 {
		found.why = fmt.Sprintf("%s It is the caller's %T and then the linear rule. %s", chosen.Why, c.Starts[chosen.Chosen-1], found.why)
	}
	return found, chosen.Chosen > 0, nil
}

// demixBehind is the start of the linear rule behind a caller's transform.
func (c Config) demixBehind(ctx context.Context, place int, run Run, g *grid.Grid, fitter preprocess.Fitter, name string) (choice, error) {
	x, m, err := prepare(ctx, fitter, run.X)
	if err != nil {
		return choice{}, err
	}
	run.X = x
	white, err := c.whiten(ctx, run)
	if err != nil {
		return choice{}, err
	}
	own, err := c.demix(ctx, place, run, g, white)
	if err != nil {
		return choice{}, err
	}
	own.maps = append([]preprocess.Map{m}, own.maps...)
	own.taken.Start = append([]preprocess.Transform{preprocess.Transform(name)}, own.taken.Start...)
	return own, nil
}

// resolved are the mixed signals x as all starts are compared on them: with the noise of
// the resolution that whitened ones with few different values are given.
func resolved(x *mat.Dense, white choice, o direct.Options) (*mat.Dense, error) {
	noisy, err := direct.Resolved(white.z, o)
	if err != nil || noisy == white.z {
		return x, err
	}
	for _, m := range slices.Backward(white.maps) {
		if noisy, err = m.Invert(noisy); err != nil {
			return nil, err
		}
	}
	return noisy, nil
}
