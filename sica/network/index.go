package network

import (
	"fmt"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/past"
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
	for a, n := range shape {
		if n < 1 {
			return nil, fmt.Errorf("shape %v: every axis must be at least 1", shape)
		}
		if n <= 2*(before[a]+after[a]) || (a == 0 && n < numBlocks*(before[a]+1)) {
			return nil, fmt.Errorf("shape %v is too small for a past of %d: "+
				"it must have at least %d positions along the first axis and more than %d along the others",
				shape, reach, numBlocks*(reach+1), 4*reach)
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
