package blockwise

import (
	"context"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"
)

// spread is how many positions of a part lie together: many times what a linear
// demixing looks back and around.
const spread = 1 << 13

// Part reads n of the positions of a recording, 1 to all of them, in blocks of 8192 spread
// evenly over it, each beside the next: what Fit learns from. Parts of as many positions of
// recordings of one length are at the same positions.
func Part(ctx context.Context, x Source, n int) (*mat.Dense, error) {
	d, t := x.Dims()
	if n < 1 || n > t {
		return nil, fmt.Errorf("blockwise: a part of %d positions of a recording of %d: want 1 to %d",
			n, t, t)
	}
	part := mat.NewDense(d, n, nil)
	blocks := (n + spread - 1) / spread
	// start is where block k of the part is in the recording, its share of what is left
	// out, and half of that, before it.
	start := func(k int) int { return k*n/blocks + (t-n)*(2*k+1)/(2*blocks) }
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
		for k < blocks {
			// What of block k of the part lies in the block that was read.
			first, last := start(k), start(k)+(k+1)*n/blocks-k*n/blocks
			low, high := max(first, from), min(last, from+length)
			if low < high {
				to := k*n/blocks + low - first
				part.Slice(0, d, to, to+high-low).(*mat.Dense).Copy(z.Slice(0, d, low-from, high-from))
			}
			if last > from+length {
				break
			}
			k++
		}
		if from += length; k == blocks {
			break
		}
	}
	if k < blocks {
		return nil, fmt.Errorf("blockwise: the recording ended at position %d of %d: %w",
			from, t, io.ErrUnexpectedEOF)
	}
	return part, nil
}

// everySecond are the blocks of a part at even places, or at odd ones. A part that is too
// short has shorter blocks.
func everySecond(part *mat.Dense, odd int) *mat.Dense {
	d, n := part.Dims()
	length := max(min(spread, n/8), 1)
	half := new(mat.Dense)
	for from := odd * length; from < n; from += 2 * length {
		block := part.Slice(0, d, from, min(from+length, n))
		if half.IsEmpty() {
			half.CloneFrom(block)
			continue
		}
		var longer mat.Dense
		longer.Augment(half, block)
		half = &longer
	}
	return half
}
