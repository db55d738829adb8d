package network

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// numBlocks is how many contiguous blocks along the first axis the positions
// are cut into, of which each fold holds two out.
const numBlocks = 10

// An index is the positions with the past of each, and which positions each fold holds out.
type index struct {
	*past.Past
	reach  int
	stride int   // positions of a row, an entry of the first axis
	lags   []int // offsets of the past in the flat order, all negative
	scored []int // positions with a complete past
}

// CheckShape returns an error unless networks can be fitted to signals at positions of this
// shape.
func CheckShape(shape []int) error {
	_, err := newIndex(shape, 1)
	return err
}

func newIndex(shape []int, reach int) (*index, error) {
	offsets := past.Within(reach, len(shape))
	before, after := past.Margins(offsets, len(shape))
	least := make([]int, len(shape))
	for a := range shape {
		least[a] = 2*(before[a]+after[a]) + 1
		if a == 0 {
			least[a] = max(least[a], numBlocks*(before[a]+1))
		}
	}
	for a, n := range shape {
		if n < least[a] {
			return nil, fmt.Errorf("x: has positions of shape %v, too few for networks that see a past of "+
				"%d; must be at least %v", shape, reach, least)
		}
	}
	x := &index{Past: past.New(shape, offsets), reach: reach, stride: grid.Product(shape[1:])}
	for _, lag := range x.Lags {
		x.lags = append(x.lags, -lag)
	}
	x.scored = x.Positions()
	return x, nil
}

// block is which of the blocks position t lies in.
func (x *index) block(t int) int { return t / x.stride * numBlocks / x.Shape[0] }

// heldOut tells whether fold holds position t out: blocks 3 and 7 in the first
// fold, 2 and 6 in the second and so on.
func (x *index) heldOut(fold, t int) bool {
	b := x.block(t)
	return b == 3-fold || b == 7-fold
}

// maxFolds is how many folds heldOut has blocks for.
const maxFolds = 3

// split are the scored positions that fold trains on and those it holds out.
func (x *index) split(fold int) (train, held []int) {
	for _, t := range x.scored {
		if x.heldOut(fold, t) {
			held = append(held, t)
		} else {
			train = append(train, t)
		}
	}
	return train, held
}

// around are the positions that fold holds out with those before that their pasts reach
// to, in order, and which of them are held out and scored: their lags lead to the same
// values as among all positions.
func (x *index) around(fold int) (positions, scored []int) {
	farthest, next := 0, 0
	for _, lag := range x.lags {
		farthest = min(farthest, lag)
	}
	_, held := x.split(fold)
	for _, t := range held {
		for next = max(next, t+farthest); next <= t; next++ {
			positions = append(positions, next)
		}
		scored = append(scored, len(positions)-1)
	}
	return positions, scored
}

// settled are the positions without those of the first block: signals may begin far
// from where they stay, as the paper's AR(7) do, and what few large values share or
// are bent to is no evidence.
func (x *index) settled(positions []int) []int {
	var rest []int
	for _, t := range positions {
		if x.block(t) > 0 {
			rest = append(rest, t)
		}
	}
	return rest
}

// starts are the rows at which a run of rows may start without one that fold
// holds out.
func (x *index) starts(fold, rows int) []int {
	var starts []int
	free := 0
	for row := range x.Shape[0] {
		if x.heldOut(fold, row*x.stride) {
			free = 0
			continue
		}
		if free++; free >= rows {
			starts = append(starts, row-rows+1)
		}
	}
	return starts
}

// The pasts to choose from. A resolution: the paper's sources have 7 lags.
const (
	leastPast        = 2
	mostPastSequence = 8
	mostPastImage    = 3
)

// index is that of o, with a past for these signals.
func (o Options) index(signals []*mat.Dense) (*index, error) {
	switch {
	case o.Past < 0:
		return newIndex(o.Shape, 0)
	case o.Past > 0:
		return newIndex(o.Shape, o.Past)
	}
	most := mostPastSequence
	if len(o.Shape) > 1 {
		most = mostPastImage
	}
	best, err := newIndex(o.Shape, leastPast)
	if err != nil {
		return newIndex(o.Shape, 1)
	}
	farthest := best
	for reach := most; reach > leastPast; reach-- {
		if x, err := newIndex(o.Shape, reach); err == nil {
			farthest = x
			break
		}
	}
	shortest := math.Inf(1)
	for reach := leastPast; ; reach++ {
		x, err := newIndex(o.Shape, reach)
		if err != nil || len(x.lags) > len(farthest.lags) {
			return best, nil
		}
		if length := gaussianLength(signals, x.lags, farthest.scored); length < shortest {
			best, shortest = x, length
		}
	}
}

// indexed is o with its defaults for the signals z, which it checks, and their index.
func (o Options) indexed(z *mat.Dense) (Options, *index, error) {
	if err := signal.CheckMixed(z); err != nil {
		return o, nil, err
	}
	d, T := z.Dims()
	o, err := o.withDefaults(d, T)
	if err != nil {
		return o, nil, err
	}
	x, err := o.index([]*mat.Dense{z})
	return o, x, err
}

// gaussianLength is the description length in nats of the signals by
// autoregressions with Gaussian innovations, up to a constant (G. Schwarz, Annals of
// Statistics 6(2), 1978).
func gaussianLength(signals []*mat.Dense, lags, positions []int) float64 {
	n := float64(len(positions))
	length := 0.
	for _, z := range signals {
		d, _ := z.Dims()
		for i := range d {
			_, std := ar.Regress(z.RawRowView(i), lags, positions)
			length += n*math.Log(std) + float64(len(lags))/2*math.Log(n)
		}
	}
	return length
}
