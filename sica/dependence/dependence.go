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
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
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
		return Dependence{}, fmt.Errorf("z has %d positions: want at least %d", t, MinPositions)
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
		return errors.New("z has 1 signal: want at least 2")
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
		return fmt.Errorf("neighbours of %d positions: want those of z's %d", len(neighbours), t)
	}
	for k, list := range neighbours {
		if len(list) == 0 || len(list) != len(neighbours[0]) {
			return fmt.Errorf("%d neighbours of position %d and %d of position 1: want as many of each, and at least one", len(list), k+1, len(neighbours[0]))
		}
		for _, n := range list {
			if n < 0 || int(n) > t {
				return fmt.Errorf("neighbour %d of position %d: want 0 to %d, and %d for one outside", n, k+1, t-1, t)
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
	whole                  *features
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
	standard, err := preprocess.Standardised(z)
	if err != nil {
		return nil, err
	}
	a := new(Analysis)
	a.residuals, a.predictions = ar.SelfResiduals(standard, neighbours)
	ar.AddJitter(a.residuals)
	if a.whole, err = newFeatures(ctx, a.residuals, a.predictions); err != nil {
		return nil, err
	}
	return a, nil
}

// Worst is the most dependent pair, by what stays of each when any of so many equal
// blocks of positions is left out; with 0 blocks none is. It stops with ctx's error
// when ctx ends.
func (a *Analysis) Worst(ctx context.Context, blocks int) (Pair, error) {
	pairs, err := a.pairs(ctx, blocks)
	if err != nil {
		return Pair{}, err
	}
	return slices.MaxFunc(pairs, func(p, q Pair) int { return cmp.Compare(p.Total(), q.Total()) }), nil
}

// Mean is the total dependence of all pairs on average. It stops with ctx's error when
// ctx ends.
func (a *Analysis) Mean(ctx context.Context) (float64, error) {
	pairs, err := a.pairs(ctx, 0)
	if err != nil {
		return 0, err
	}
	mean := 0.0
	for _, p := range pairs {
		mean += p.Total() / float64(len(pairs))
	}
	return mean, nil
}

// pairs are all pairs with their dependence above chance that stays when any of the
// blocks is left out.
func (a *Analysis) pairs(ctx context.Context, blocks int) ([]Pair, error) {
	d, t := a.residuals.Dims()
	pairs := allPairs(d)
	each := func(do func(p *Pair)) error {
		return parallel.Do(ctx, parallel.Workers(len(pairs)), len(pairs), func(_, k int) { do(&pairs[k]) })
	}
	if err := each(func(p *Pair) { p.Dependence = p.correlations(a.whole, 0) }); err != nil {
		return nil, err
	}
	// A block at a time, as the features of a million positions take much memory.
	for b := range blocks {
		from, to := b*t/blocks, (b+1)*t/blocks
		without, err := newFeatures(ctx, signal.WithoutColumns(a.residuals, from, to), signal.WithoutColumns(a.predictions, from, to))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue // a signal lives in this block alone
		}
		err = each(func(p *Pair) {
			left := p.correlations(without, 0)
			p.Residuals = min(p.Residuals, left.Residuals)
			p.Contexts = min(p.Contexts, left.Contexts)
		})
		if err != nil {
			return nil, err
		}
	}
	if err := each(func(p *Pair) { p.Dependence = p.aboveChance(a.whole) }); err != nil {
		return nil, err
	}
	return pairs, nil
}

// allPairs are the pairs of d signals, without their dependence.
func allPairs(d int) []Pair {
	var pairs []Pair
	for i := range d {
		for j := range i {
			pairs = append(pairs, Pair{I: i, J: j})
		}
	}
	return pairs
}

// correlations are those of the pair's features, the second signal's shifted
// around by shift positions.
func (p Pair) correlations(f *features, shift int) Dependence {
	return Dependence{
		Residuals: correlation(f.white[p.I], f.white[p.J], shift),
		Contexts:  correlation(f.residual[p.I], f.prediction[p.J], shift) + correlation(f.residual[p.J], f.prediction[p.I], shift),
	}
}

// aboveChance is the pair's dependence over that of shifted signals.
func (p Pair) aboveChance(f *features) Dependence {
	over := p.Dependence
	t := len(f.white[0][0])
	for k := range nullShifts {
		// Shifts of an eighth to seven eighths of the signal, in even steps.
		shift := t/8 + (2*k+1)*(t-t/4)/(2*nullShifts)
		chance := p.correlations(f, shift)
		over.Residuals -= chance.Residuals / nullShifts
		over.Contexts -= chance.Contexts / nullShifts
	}
	return Dependence{Residuals: max(over.Residuals, 0), Contexts: max(over.Contexts, 0)}
}
