package blockwise

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
)

// Transform returns the recovered signals of x, by r.Transform of each block. A block is read and
// transformed when the returned blocks are iterated over, with one block in memory. If r can't
// map each position by itself, the only element is the error of r.CheckPointwise.
func Transform(r *sica.Result, x Blocks) Blocks {
	return eachBlock(r, x, func(block *mat.Dense) (*mat.Dense, error) { return r.Transform(block) })
}

// Remove returns the mixed signals x without the recovered signals of the given rows, by r.Remove
// of each block; see Transform.
func Remove(r *sica.Result, x Blocks, rows []int) Blocks {
	return eachBlock(r, x, func(block *mat.Dense) (*mat.Dense, error) {
		return r.Remove(block, rows)
	})
}

// eachBlock yields f of each block, or the first error as the last element.
func eachBlock(r *sica.Result, x Blocks, f func(*mat.Dense) (*mat.Dense, error)) Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		if r == nil || x == nil {
			yield(nil, errors.New("blockwise: r or x is nil; must be a result and blocks of signals"))
			return
		}
		if err := r.CheckPointwise(); err != nil {
			yield(nil, fmt.Errorf("blockwise: %w", err))
			return
		}
		first := 1
		for block, err := range x {
			if err != nil {
				yield(nil, err)
				return
			}
			result, err := f(block)
			if err != nil {
				yield(nil, fmt.Errorf("blockwise: the block from position %d: %w", first, err))
				return
			}
			if !yield(result, nil) {
				return
			}
			first += block.RawMatrix().Cols
		}
	}
}
