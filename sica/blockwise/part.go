package blockwise

import (
	"context"
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"
)

// spread is how many positions of a part lie together: many times what a linear
// demixing looks back and around.
const spread = 1 << 13

var errNil = errors.New("blockwise: x is nil; must be a recording")

// Part returns n of the positions of a recording, 1 to all of them, as signals d×n: those that Fit
// learns from. They are in blocks of 8192 spread evenly over the recording, each beside the next.
// Parts of as many positions of recordings of one length are at the same positions.
func Part(ctx context.Context, x Source, n int) (*mat.Dense, error) {
	if x == nil || x == Source(InMemory{}) {
		return nil, errNil
	}
	d, t := x.Dims()
	if n < 1 || n > t {
		return nil, fmt.Errorf("blockwise: n: is %d; must be 1 to %d, the positions of the recording",
			n, t)
	}
	part := mat.NewDense(d, n, nil)
	l := layout{n, t, (n + spread - 1) / spread}
	from := 0 // of the block that was read
	k := 0
	for z, err := range x.Blocks(spread) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("blockwise: %w", err)
		}
		_, length := z.Dims()
		for k < l.blocks {
			// What of block k of the part lies in the block that was read.
			first := l.start(k)
			last := first + l.begin(k+1) - l.begin(k)
			low, high := max(first, from), min(last, from+length)
			if low < high {
				to := l.begin(k) + low - first
				part.Slice(0, d, to, to+high-low).(*mat.Dense).Copy(z.Slice(0, d, low-from, high-from))
			}
			if last > from+length {
				break
			}
			k++
		}
		if from += length; k == l.blocks {
			break
		}
	}
	if k < l.blocks {
		return nil, fmt.Errorf("blockwise: the recording ended at position %d of %d: %w",
			from, t, io.ErrUnexpectedEOF)
	}
	return part, nil
}

// A layout says where the blocks of a part of n positions are in a recording of t.
type layout struct{ n, t, blocks int }

// begin returns the position of the part at which block k begins.
func (l layout) begin(k int) int { return k * l.n / l.blocks }

// start returns the position of the recording at which block k begins: its share of what is left
// out, and half of that, is before it.
func (l layout) start(k int) int { return l.begin(k) + (l.t-l.n)*(2*k+1)/(2*l.blocks) }

// Positions returns where the n positions of Part are in the recording, in order and from 0. Those
// of a Subset are where it is a subset of.
func Positions(x Source, n int) []int {
	_, t := x.Dims()
	l := layout{n, t, (n + spread - 1) / spread}
	subset, isSubset := x.(Subset)
	positions := make([]int, 0, n)
	for k := range l.blocks {
		first := l.start(k)
		for p := range l.begin(k+1) - l.begin(k) {
			position := first + p
			if isSubset {
				position = subset.Recorded(position)
			}
			positions = append(positions, position)
		}
	}
	return positions
}
