package network

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// numBlocks is the number of contiguous blocks into which the positions are divided along the first
// axis. Each fold holds out two of them.
const numBlocks = 10

// An index holds the positions, the past of each, and which positions each fold holds out.
type index struct {
	*past.Past
	reach  int   // of the past; see Options.past
	stride int   // number of positions in a row, which is one entry of the first axis
	lags   []int // offsets of the past in row-major order, all negative
	scored []int // positions with a complete past

	// train are the scored positions on which each fold trains; held are those that it holds out.
	train, held [folds][]int
}

// CheckShape returns an error, which wraps signal.ErrSignals, unless networks can be fitted to
// signals at positions of this shape.
func CheckShape(shape []int) error {
	_, err := newIndex(shape, 1)
	return err
}

// newIndex returns the index of positions of the given shape, with a past of the given reach. The
// error for too few positions wraps signal.ErrSignals.
func newIndex(shape []int, reach int) (*index, error) {
	offsets := past.Within(reach, len(shape))
	before, after := past.Margins(offsets, len(shape))
	minShape := make([]int, len(shape))
	for a := range shape {
		minShape[a] = 2*(before[a]+after[a]) + 1
		if a == 0 {
			minShape[a] = max(minShape[a], numBlocks*(before[a]+1))
		}
	}
	for a, n := range shape {
		if n < minShape[a] {
			return nil, signal.AsErrSignals(fmt.Errorf("x: has positions of shape %v, too few for "+
				"networks that see a past of %d; must be at least %v", shape, reach, minShape))
		}
	}
	x := &index{Past: past.New(shape, offsets), reach: reach, stride: grid.Product(shape[1:])}
	for _, lag := range x.Lags {
		x.lags = append(x.lags, -lag)
	}
	x.scored = x.Positions()
	for fold := range folds {
		for _, t := range x.scored {
			if x.isHeldOut(fold, t) {
				x.held[fold] = append(x.held[fold], t)
			} else {
				x.train[fold] = append(x.train[fold], t)
			}
		}
	}
	return x, nil
}

// block returns the block of position t.
func (x *index) block(t int) int { return t / x.stride * numBlocks / x.Shape[0] }

// isHeldOut reports whether a fold holds out position t: blocks 3 and 7 in fold 0, 2 and 6 in fold
// 1, and so on.
func (x *index) isHeldOut(fold, t int) bool {
	b := x.block(t)
	return b == 3-fold || b == 7-fold
}

// folds is the number of folds. isHeldOut would allow three without the first block.
const folds = 2

// heldOutContext returns the positions that a fold holds out together with their pasts, in order,
// and the indices of the held-out ones among them. The lags lead to the same values from these
// indices as from the positions themselves.
func (x *index) heldOutContext(fold int) (positions, scored []int) {
	farthest, next := 0, 0
	for _, lag := range x.lags {
		farthest = min(farthest, lag)
	}
	for _, t := range x.held[fold] {
		for next = max(next, t+farthest); next <= t; next++ {
			positions = append(positions, next)
		}
		scored = append(scored, len(positions)-1)
	}
	return positions, scored
}

// withoutFirstBlock returns the positions outside the first block. Signals may begin far from their
// usual range, as the paper's AR(7) signals do. Dependence between a few such values is no evidence
// of a nonlinear mixing.
func (x *index) withoutFirstBlock(positions []int) []int {
	var rest []int
	for _, t := range positions {
		if x.block(t) > 0 {
			rest = append(rest, t)
		}
	}
	return rest
}

// pieceStarts returns the rows at which a piece of the given number of rows can start so that the
// fold holds out none of them.
func (x *index) pieceStarts(fold, rows int) []int {
	var starts []int
	trained := 0 // consecutive training rows up to this one
	for row := range x.Shape[0] {
		if x.isHeldOut(fold, row*x.stride) {
			trained = 0
			continue
		}
		if trained++; trained >= rows {
			starts = append(starts, row-rows+1)
		}
	}
	return starts
}

// The reaches of the past to choose from. The paper's sources have 7 lags.
const (
	minPast         = 2
	maxPastSequence = 8
	maxPastImage    = 3
)

// index returns the position index of the options. By default its past is the past of the
// autoregressions that give the signals the shortest code. It is an error if ctx ends.
func (o Options) index(ctx context.Context, signals []*mat.Dense) (*index, error) {
	shape := o.Shape
	if shape == nil {
		_, n := signals[0].Dims()
		shape = []int{n}
	}
	if o.past > 0 {
		return newIndex(shape, o.past)
	}
	maxPast := maxPastSequence
	if len(shape) > 1 {
		maxPast = maxPastImage
	}
	best, err := newIndex(shape, minPast)
	if err != nil {
		return newIndex(shape, 1)
	}
	farthest := best
	for reach := maxPast; reach > minPast; reach-- {
		if x, err := newIndex(shape, reach); err == nil {
			farthest = x
			break
		}
	}
	moments, err := allMoments(ctx, signals, farthest.lags, farthest.scored)
	if err != nil {
		return nil, err
	}
	shortest := math.Inf(1)
	for reach := minPast; ; reach++ {
		x, err := newIndex(shape, reach)
		if err != nil || len(x.lags) > len(farthest.lags) {
			return best, nil
		}
		if length := gaussianLength(moments, x.lags, len(farthest.scored)); length < shortest {
			best, shortest = x, length
		}
	}
}

// checkedIndex returns the index of the signals z. The error for a constant signal or too few
// positions wraps signal.ErrSignals.
func (o Options) checkedIndex(ctx context.Context, z *mat.Dense) (*index, error) {
	if err := signal.CheckMixed(z); err != nil {
		return nil, signal.AsErrSignals(err)
	}
	return o.index(ctx, []*mat.Dense{z})
}

// allMoments returns the moments of each signal, for lags among the given ones. It is an error if
// ctx ends.
func allMoments(
	ctx context.Context, signals []*mat.Dense, lags, positions []int,
) ([]*ar.Moments, error) {
	var all []*ar.Moments
	for _, z := range signals {
		d, _ := z.Dims()
		for i := range d {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			all = append(all, ar.NewMoments(z.RawRowView(i), lags, positions))
		}
	}
	return all, nil
}

// gaussianLength returns the code length in nats, at the given number of positions, of signals with
// these moments and of the coefficients, for autoregressions with Gaussian innovations, up to a
// constant (G. Schwarz, Annals of Statistics 6(2), 1978).
func gaussianLength(moments []*ar.Moments, lags []int, positions int) float64 {
	n := float64(positions)
	length := 0.0
	for _, m := range moments {
		_, std := m.Regress(lags)
		length += n*math.Log(std) + float64(len(lags))/2*math.Log(n)
	}
	return length
}
