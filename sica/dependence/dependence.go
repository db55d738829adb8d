// Package dependence measures how far signals are from self-sufficient, without networks and
// without the true sources: by the dependence of two signals at a position, given the neighbours of
// each. A small dependence doesn't prove that the signals are the sources: see Measure.
package dependence

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Dependence is the dependence of two signals at a position, given the neighbours of each. It is a
// sum of squared correlations of bounded features, without unit, minus the same sum for signals
// shifted against each other. It is about 0 for self-sufficient signals and some tenths for clearly
// dependent ones; for the coordinates of points on a ring it is about 2.
type Dependence struct {
	// Residuals is the dependence between the prediction residuals of the two signals.
	Residuals float64 `json:"residuals"`
	// Contexts is the dependence between the residual of one signal and the prediction of the
	// other, both ways.
	Contexts float64 `json:"contexts"`
}

// Total returns Residuals + Contexts.
func (d Dependence) Total() float64 { return d.Residuals + d.Contexts }

// String returns the total and its parts, to three decimals.
func (d Dependence) String() string {
	return fmt.Sprintf("%.3f (residuals %.3f, contexts %.3f)", d.Total(), d.Residuals, d.Contexts)
}

// How dependence is measured.
const (
	// nullShifts is the number of shifts over which the dependence by chance is averaged.
	nullShifts = 10
	// JackknifeBlocks is the number of equal blocks of positions that the jackknife leaves out in
	// turn.
	JackknifeBlocks = 16
	// MinPositions is the minimum number of positions: four for each block of the jackknife.
	MinPositions = 64
)

// Measure returns the dependence of the most dependent pair of the signals z, d×n, with a position
// index of the given shape (none for a sequence). It is for white signals: correlation at a
// position isn't counted, so two signals that are copies of each other up to noise give about 0.
// For signals that may be correlated use sica.EstimateDivergence.
//
// The result is about 0 if white signals are self-sufficient: p(z_t | contexts) = Π_i p(z_i,t | own
// context). The same z gives the same result. Measure trains no network and takes 35 to 90 ms of
// one core for 8 signals at 4096 positions.
//
// A wrong demixing of coloured signals can give about 0, too. So Measure can't test whether a saved
// separation still fits a new window; docs/how-to/save-stop-resume.md has such a test.
//
// Each signal is predicted from its own neighbours by ridge regression. If the signals are
// self-sufficient, the residual of a signal is independent of the predictions of the others, and
// the whitened residuals are independent of each other. Residuals and predictions are mapped to
// normal quantiles u, and the features sin u, cos u, sin 2u and cos 2u are correlated. These
// frequencies of the characteristic function also detect nonlinear dependence, and are robust to
// outliers. The result is the minimum over a jackknife that leaves out a sixteenth of the positions
// at a time.
//
// If the residual of every signal is below a tenth of the signal, every mixture is as predictable,
// and the criterion doesn't distinguish mixtures. Then the signals themselves replace their
// residuals.
//
// It is an error if z has fewer than two signals or 64 positions, or if signals are constant or
// linearly dependent.
func Measure(z *mat.Dense, shape ...int) (Dependence, error) {
	d, err := measure(z, shape)
	if err != nil {
		return Dependence{}, fmt.Errorf("dependence: %w", err)
	}
	return d, nil
}

func measure(z *mat.Dense, shape []int) (Dependence, error) {
	if err := checkSignals(z); err != nil {
		return Dependence{}, err
	}
	_, t := z.Dims()
	if t < MinPositions {
		return Dependence{}, fmt.Errorf("z: has %d positions; must have at least %d", t, MinPositions)
	}
	g, err := grid.New(shape, t)
	if err != nil {
		return Dependence{}, fmt.Errorf("shape: %w", err)
	}
	a, err := analyse(context.Background(), z, g.Own())
	if err != nil {
		return Dependence{}, err
	}
	worst, err := a.Worst(context.Background(), JackknifeBlocks)
	return worst.Dependence, err
}

// checkSignals returns an error unless the dependence of the signals z can be measured.
func checkSignals(z *mat.Dense) error {
	if err := signal.Check("z", z); err != nil {
		return err
	}
	d, _ := z.Dims()
	if d < 2 {
		return errors.New("z: has 1 signal; must have at least 2")
	}
	return nil
}

// check returns an error unless z can be measured and has a list of neighbours for each position.
func check(z *mat.Dense, neighbours [][]int32) error {
	if err := checkSignals(z); err != nil {
		return err
	}
	_, t := z.Dims()
	if len(neighbours) != t {
		return fmt.Errorf("neighbours: are of %d positions; must be of z's %d", len(neighbours), t)
	}
	for k, list := range neighbours {
		if len(list) == 0 || len(list) != len(neighbours[0]) {
			return fmt.Errorf("neighbours: position %d has %d, position 1 has %d; must be "+
				"equally many, and at least one", k+1, len(list), len(neighbours[0]))
		}
		for _, n := range list {
			if n < 0 || int(n) > t {
				return fmt.Errorf("neighbours: one of position %d is %d; must be 0 to %d, or %d "+
					"for one outside", k+1, n, t-1, t)
			}
		}
	}
	return nil
}

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
}

// Analyse predicts the signals z, d×n, from their own neighbours. neighbours lists these for each
// position, as layers.Neighbours does; n stands for a neighbour outside. It is an error if there
// are fewer than two signals, if there isn't a list for each position, if lists are empty, differ
// in length or have entries that aren't 0 to n, or if signals are constant or linearly dependent.
// It stops with ctx's error when ctx ends.
func Analyse(ctx context.Context, z *mat.Dense, neighbours [][]int32) (*Analysis, error) {
	a, err := analyse(ctx, z, neighbours)
	if err != nil {
		return nil, fmt.Errorf("dependence: %w", err)
	}
	return a, nil
}

func analyse(ctx context.Context, z *mat.Dense, neighbours [][]int32) (*Analysis, error) {
	if err := check(z, neighbours); err != nil {
		return nil, err
	}
	standard, err := mapping.Standardised(z)
	if err != nil {
		return nil, err
	}
	a := new(Analysis)
	a.residuals, a.predictions = ar.SelfResiduals(standard, neighbours)
	ar.AddJitter(a.residuals)
	if a.features, err = newFeatures(ctx, a.residuals, a.predictions); err != nil {
		return nil, err
	}
	return a, nil
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
