// Package pairwise measures the dependence of each pair of signals, as package sica/dependence
// defines it: from residuals and predictions to features and their correlations.
package pairwise

import (
	"context"
	"errors"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Dependence is a dependence.Dependence, which has the definition.
type Dependence struct{ Residuals, Contexts float64 }

// Total returns Residuals + Contexts.
func (d Dependence) Total() float64 { return d.Residuals + d.Contexts }

const (
	// nullShifts is the number of shifts over which the dependence by chance is averaged.
	nullShifts = 10
	// JackknifeBlocks is the number of equal blocks of positions that the jackknife leaves out in
	// turn.
	JackknifeBlocks = 16
)

// A Pair is two signals, counted from 0, J < I, and their dependence.
type Pair struct {
	I, J int
	Dependence
}

// An Analysis holds the residuals, predictions and features of signals, from which their dependence
// is measured.
type Analysis struct {
	residuals, predictions *mat.Dense // d×n
	features               *features
	shape                  []int // of the n positions
}

// Analyse predicts the signals z, d×n, from their own neighbours among the n positions of g. It is
// an error if there are fewer than two signals, or if signals are constant or linearly dependent.
// It stops with ctx's error when ctx ends.
func Analyse(ctx context.Context, z *mat.Dense, g *grid.Grid) (*Analysis, error) {
	if err := Check(z); err != nil {
		return nil, err
	}
	standard, err := mapping.Standardised(z)
	if err != nil {
		return nil, err
	}
	a := &Analysis{shape: g.Shape()}
	a.residuals, a.predictions = ar.SelfResiduals(standard, g.Own())
	ar.AddJitter(a.residuals)
	if a.features, err = newFeatures(ctx, a.residuals, a.predictions); err != nil {
		return nil, err
	}
	return a, nil
}

// Check returns an error unless z has two signals or more, of finite values.
func Check(z *mat.Dense) error {
	if err := signal.Check("z", z); err != nil {
		return err
	}
	if d, _ := z.Dims(); d < 2 {
		return errors.New("z: has 1 signal; must have at least 2")
	}
	return nil
}

// Worst returns the most dependent pair. The dependence of a pair is the minimum over a jackknife
// that leaves out one of blocks equal blocks of positions at a time; with 0 blocks it is the
// dependence at all positions. Worst stops with ctx's error when ctx ends.
//
// The correction for chance and the jackknife only lower the dependence of a pair. So the pair with
// the largest correlations is measured first, and the others are corrected until they fall below
// it. Then the largest of the remaining pairs is measured, and the rest until they fall below both.
func (a *Analysis) Worst(ctx context.Context, blocks int) (Pair, error) {
	pairs, err := a.bounds(ctx)
	if err != nil {
		return Pair{}, err
	}
	worst, bound := Pair{I: 1, J: 0}, 0.0
	j := &jackknife{analysis: a, whitenings: make([]*whitening, blocks)}
	measure := func(pairs []bounded) error {
		pairs, err := j.tighten(ctx, pairs, bound)
		for _, p := range pairs {
			if p.Total() > bound {
				worst, bound = p.Pair, p.Total()
			}
		}
		return err
	}
	first, rivals := takeLargest(pairs)
	if first, err = a.correct(ctx, first, bound); err != nil {
		return Pair{}, err
	}
	if err = measure(first); err != nil {
		return Pair{}, err
	}
	if rivals, err = a.correct(ctx, rivals, bound); err != nil {
		return Pair{}, err
	}
	first, rivals = takeLargest(rivals)
	if err = measure(first); err != nil {
		return Pair{}, err
	}
	err = measure(rivals)
	return worst, err
}

// takeLargest returns the pair with the largest total, in a slice of length 1, and the others; nil
// if pairs is empty.
func takeLargest(pairs []bounded) (first, others []bounded) {
	if len(pairs) == 0 {
		return nil, nil
	}
	k := 0
	for l, p := range pairs {
		if p.Total() > pairs[k].Total() {
			k = l
		}
	}
	first = []bounded{pairs[k]}
	return first, slices.Delete(pairs, k, k+1)
}

// Mean returns the mean total dependence of all pairs. It stops with ctx's error when ctx ends.
func (a *Analysis) Mean(ctx context.Context) (float64, error) {
	pairs, err := a.bounds(ctx)
	if err != nil {
		return 0, err
	}
	n := float64(len(pairs))
	if pairs, err = a.correct(ctx, pairs, 0); err != nil {
		return 0, err
	}
	mean := 0.0
	for _, p := range pairs {
		mean += p.Total() / n
	}
	return mean, nil
}

// A bounded is a pair whose Dependence is an upper bound, which a jackknife turns into the exact
// value.
type bounded struct {
	Pair
	chance Dependence // mean correlations of shifted signals
}

// subtract returns the correlations c minus the correlations by chance, at least 0.
func (p bounded) subtract(c Dependence) Dependence {
	return Dependence{
		Residuals: max(c.Residuals-p.chance.Residuals, 0),
		Contexts:  max(c.Contexts-p.chance.Contexts, 0),
	}
}

// bounds returns all pairs with the first bound of their dependence: the correlations at all
// positions, not corrected for chance.
func (a *Analysis) bounds(ctx context.Context) ([]bounded, error) {
	d, _ := a.residuals.Dims()
	pairs := allPairs(d)
	err := each(ctx, pairs, func(p *bounded) { p.Dependence = p.correlations(a.features, 0) })
	return pairs, err
}

// correct corrects the correlations of pairs for chance, and drops the pairs whose total falls to
// bound or below.
func (a *Analysis) correct(
	ctx context.Context, pairs []bounded, bound float64,
) ([]bounded, error) {
	pairs = above(pairs, bound)
	err := each(ctx, pairs, func(p *bounded) { p.subtractChance(a.features, bound) })
	return above(pairs, bound), err
}

// above drops the pairs whose total is at most bound.
func above(pairs []bounded, bound float64) []bounded {
	return slices.DeleteFunc(pairs, func(p bounded) bool { return p.Total() <= bound })
}

// A jackknife leaves out equal blocks of positions, one after the other.
type jackknife struct {
	analysis *Analysis
	// whitenings are the whitenings of the residuals without each block; nil before their first
	// use.
	whitenings []*whitening
}

// tighten replaces the dependence of pairs by its minimum over the blocks. It drops the pairs whose
// total falls to bound or below.
func (j *jackknife) tighten(
	ctx context.Context, pairs []bounded, bound float64,
) ([]bounded, error) {
	a, blocks := j.analysis, len(j.whitenings)
	_, t := a.residuals.Dims()
	// A block at a time, as the features of a million positions take much memory.
	for b := range blocks {
		if pairs = above(pairs, bound); len(pairs) == 0 {
			break
		}
		from, to := b*t/blocks, (b+1)*t/blocks
		if j.whitenings[b] == nil {
			j.whitenings[b] = newWhitening(signal.WithoutColumns(a.residuals, from, to))
		}
		w := j.whitenings[b]
		if w.failed {
			continue // without this block a signal is constant
		}
		without, err := a.features.without(ctx, a, w, signalsOf(pairs), from, to)
		if err != nil {
			return nil, err
		}
		err = each(ctx, pairs, func(p *bounded) {
			d := p.subtract(p.correlations(without, 0))
			p.Residuals = min(p.Residuals, d.Residuals)
			p.Contexts = min(p.Contexts, d.Contexts)
		})
		if err != nil {
			return nil, err
		}
	}
	return above(pairs, bound), nil
}

// each calls do for each pair, concurrently.
func each(ctx context.Context, pairs []bounded, do func(p *bounded)) error {
	if len(pairs) == 0 {
		return ctx.Err()
	}
	return parallel.Do(ctx, parallel.Workers(len(pairs)), len(pairs),
		func(_, k int) { do(&pairs[k]) })
}

// signalsOf returns the signals of pairs, in order.
func signalsOf(pairs []bounded) []int {
	var signals []int
	for _, p := range pairs {
		signals = append(signals, p.I, p.J)
	}
	slices.Sort(signals)
	return slices.Compact(signals)
}

// allPairs returns the pairs of d signals, without their dependence.
func allPairs(d int) []bounded {
	var pairs []bounded
	for i := range d {
		for j := range i {
			pairs = append(pairs, bounded{Pair: Pair{I: i, J: j}})
		}
	}
	return pairs
}

// correlations returns the summed squared correlations of the pair's features, with the second
// signal circularly shifted by shift positions.
func (p Pair) correlations(f *features, shift int) Dependence {
	return Dependence{
		Residuals: correlation(f.white[p.I], f.white[p.J], shift),
		Contexts: correlation(f.residual[p.I], f.prediction[p.J], shift) +
			correlation(f.residual[p.J], f.prediction[p.I], shift),
	}
}

// subtractChance subtracts the mean of the pair's correlations over nullShifts shifts of its
// signals against each other. Each shift lowers the pair's total; subtractChance stops when the
// total falls to bound.
func (p *bounded) subtractChance(f *features, bound float64) {
	t := len(f.white[p.I][0])
	whole := p.Dependence
	for k := range nullShifts {
		// Shifts of an eighth to seven eighths of the signal, in even steps.
		shift := t/8 + (2*k+1)*(t-t/4)/(2*nullShifts)
		chance := p.correlations(f, shift)
		p.chance.Residuals += chance.Residuals / nullShifts
		p.chance.Contexts += chance.Contexts / nullShifts
		if p.Dependence = p.subtract(whole); p.Total() <= bound {
			return
		}
	}
}
