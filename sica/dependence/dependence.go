// Package dependence measures how far signals are from self-sufficient, without a
// network and without the truth: what a pair of signals tell of one another at a
// position, beyond what each tells of itself. The interval of the measure is by a
// bootstrap over blocks of positions.
package dependence

import (
	"cmp"
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

// A Dependence is what a pair of signals tell of one another at t, beyond what
// each tells of itself: squared correlations of bounded features, summed, less
// what signals shifted against one another have by chance. It is about 0 for
// self-sufficient signals, and a few tenths for a plain dependence. See Measure.
type Dependence struct {
	// Residuals is that of the two signals' residuals from their own
	// predictions.
	Residuals float64 `json:"residuals"`
	// Contexts is that of one signal's residual and the other's prediction,
	// both ways.
	Contexts float64 `json:"contexts"`
}

// Total is Residuals + Contexts.
func (d Dependence) Total() float64 { return d.Residuals + d.Contexts }

// How dependence is measured.
const (
	// nullShifts is the number of shifts that chance is averaged over.
	nullShifts = 10
	// JackknifeBlocks is the number of equal blocks of positions that are left out in
	// turn.
	JackknifeBlocks = 16
	// MinPositions is the fewest positions that the blocks and shifts make sense
	// for.
	MinPositions = 64
)

// Measure measures how far the most dependent pair of the d×T signals
// z, with a position index of the given shape (none for a sequence), is from
// what SICA asks: p(z_t | contexts) = Π p(z_i,t | own context). It trains
// nothing, draws nothing that isn't fixed, and takes milliseconds.
//
// Each signal is predicted from its own neighbours by ridge regression. If the
// signals are self-sufficient, its residual tells nothing of another's
// prediction, and the residuals, whitened, nothing of one another. Residuals
// and predictions are brought to normal quantiles u, and their features sin u,
// cos u, sin 2u and cos 2u correlated: a dependence of any form that these
// frequencies of the characteristic function see, and no few outliers make.
// Each value holds with any sixteenth of the positions left out.
//
// Where every signal's residual is below a tenth of it, any mixture of the
// signals is known from its own rest just as well, and SICA asks for nothing.
// The signals themselves are then compared in place of their residuals, as
// without a context.
//
// As the residuals are whitened, their correlation at one position doesn't count.
// Measure whitened signals, as those of every start of sica.Default are: others, such
// as the mixed signals themselves, may depend on each other more than this says.
//
// z must have at least 64 positions, and no constant or linearly dependent
// signals.
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
		return Dependence{}, err
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

// check returns an error unless these are signals and lists of their neighbours.
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
			return fmt.Errorf("neighbours: position %d has %d, position 1 has %d; must be equally "+
				"many, and at least one", k+1, len(list), len(neighbours[0]))
		}
		for _, n := range list {
			if n < 0 || int(n) > t {
				return fmt.Errorf("neighbours: one of position %d is %d; must be 0 to %d, or %d for one "+
					"outside", k+1, n, t-1, t)
			}
		}
	}
	return nil
}

// A Pair is two signals, counted from 0, with their dependence; J < I.
type Pair struct {
	I, J int
	Dependence
}

// An Analysis is signals with what their dependence is measured from: their
// residuals, predictions and features.
type Analysis struct {
	residuals, predictions *mat.Dense // d×T
	features               *features
}

// Analyse predicts the signals z, d×T, from their own neighbours, which are listed for
// each position as layers.Neighbours does; T is one outside. It is an error if there are
// fewer than two signals, if there isn't a list for each position, if the
// lists are empty, differ in length or name what is no position, if the signals are linearly
// dependent or one is constant. It stops with ctx's error when ctx ends.
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
	d, _ := z.Dims()
	if a.features, err = newFeatures(ctx, a.residuals, a.predictions, indices(d)); err != nil {
		return nil, err
	}
	return a, nil
}

// Worst is the most dependent pair, by what stays of each when any of so many equal
// blocks of positions is left out; with 0 blocks none is. It stops with ctx's error
// when ctx ends.
//
// Chance and the blocks only lower what a pair has, so that most pairs needn't be measured
// to the end: none that is below the pair with the largest correlations when that is.
func (a *Analysis) Worst(ctx context.Context, blocks int) (Pair, error) {
	pairs, err := a.whole(ctx)
	if err != nil {
		return Pair{}, err
	}
	byTotal := func(p, q bounded) int { return cmp.Compare(p.Total(), q.Total()) }
	first := slices.MaxFunc(pairs, byTotal)
	left, err := a.lower(ctx, []bounded{first}, blocks, 0)
	if err != nil {
		return Pair{}, err
	}
	least := 0.0
	if len(left) > 0 {
		least = left[0].Total()
	}
	rivals := slices.DeleteFunc(pairs, func(p bounded) bool { return p.Pair == first.Pair })
	if rivals, err = a.lower(ctx, rivals, blocks, least); err != nil {
		return Pair{}, err
	}
	left = append(left, rivals...)
	if len(left) == 0 {
		return Pair{I: 1, J: 0}, nil
	}
	return slices.MaxFunc(left, byTotal).Pair, nil
}

// Mean is the total dependence of all pairs on average. It stops with ctx's error when
// ctx ends.
func (a *Analysis) Mean(ctx context.Context) (float64, error) {
	pairs, err := a.whole(ctx)
	if err != nil {
		return 0, err
	}
	n := float64(len(pairs))
	if pairs, err = a.lower(ctx, pairs, 0, 0); err != nil {
		return 0, err
	}
	mean := 0.0
	for _, p := range pairs {
		mean += p.Total() / n
	}
	return mean, nil
}

// bounded is a pair with what its dependence is at most, and the chance that it is above.
type bounded struct {
	Pair
	chance Dependence
}

// subtract returns the pair of correlations c, less its chance.
func (p bounded) subtract(c Dependence) Dependence {
	return Dependence{
		Residuals: max(c.Residuals-p.chance.Residuals, 0),
		Contexts:  max(c.Contexts-p.chance.Contexts, 0),
	}
}

// whole are all pairs with their correlations at all positions, chance included.
func (a *Analysis) whole(ctx context.Context) ([]bounded, error) {
	d, _ := a.residuals.Dims()
	pairs := allPairs(d)
	err := each(ctx, pairs, func(p *bounded) { p.Dependence = p.correlations(a.features, 0) })
	return pairs, err
}

// lower lowers what pairs have at all positions to their dependence above chance that stays
// when any of the blocks is left out, and drops the pairs that fall to least or below.
func (a *Analysis) lower(
	ctx context.Context, pairs []bounded, blocks int, least float64,
) ([]bounded, error) {
	drop := func() {
		pairs = slices.DeleteFunc(pairs, func(p bounded) bool { return p.Total() <= least })
	}
	drop()
	err := each(ctx, pairs, func(p *bounded) {
		p.chance = p.meanChance(a.features)
		p.Dependence = p.subtract(p.Dependence)
	})
	if err != nil {
		return nil, err
	}
	_, t := a.residuals.Dims()
	// A block at a time, as the features of a million positions take much memory.
	for b := range blocks {
		if drop(); len(pairs) == 0 {
			break
		}
		from, to := b*t/blocks, (b+1)*t/blocks
		without, err := newFeatures(ctx, signal.WithoutColumns(a.residuals, from, to),
			signal.WithoutColumns(a.predictions, from, to), signalsOf(pairs))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // a signal lives in this block alone
		}
		err = each(ctx, pairs, func(p *bounded) {
			left := p.subtract(p.correlations(without, 0))
			p.Residuals = min(p.Residuals, left.Residuals)
			p.Contexts = min(p.Contexts, left.Contexts)
		})
		if err != nil {
			return nil, err
		}
	}
	drop()
	return pairs, nil
}

// each calls do for each pair, on all processors.
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

// allPairs are the pairs of d signals, without their dependence.
func allPairs(d int) []bounded {
	var pairs []bounded
	for i := range d {
		for j := range i {
			pairs = append(pairs, bounded{Pair: Pair{I: i, J: j}})
		}
	}
	return pairs
}

// correlations are those of the pair's features, the second signal's shifted
// around by shift positions.
func (p Pair) correlations(f *features, shift int) Dependence {
	return Dependence{
		Residuals: correlation(f.white[p.I], f.white[p.J], shift),
		Contexts: correlation(f.residual[p.I], f.prediction[p.J], shift) +
			correlation(f.residual[p.J], f.prediction[p.I], shift),
	}
}

// meanChance is the pair's correlations on average when its signals are shifted against one
// another.
func (p Pair) meanChance(f *features) (mean Dependence) {
	t := len(f.white[p.I][0])
	for k := range nullShifts {
		// Shifts of an eighth to seven eighths of the signal, in even steps.
		shift := t/8 + (2*k+1)*(t-t/4)/(2*nullShifts)
		chance := p.correlations(f, shift)
		mean.Residuals += chance.Residuals / nullShifts
		mean.Contexts += chance.Contexts / nullShifts
	}
	return mean
}
