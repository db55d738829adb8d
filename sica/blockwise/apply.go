package blockwise

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
)

// Transform is r.Transform, block by block: it returns those of the recovered signals,
// which come as x is read and are no more than one in memory. The error, before the first
// block of x is read, is that of r.Pointwise where a position can't be mapped by itself.
func Transform(r *sica.Result, x Blocks) Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		if err := r.Pointwise(); err != nil {
			yield(nil, fmt.Errorf("blockwise: %w", err))
			return
		}
		mapped(x, func(block *mat.Dense) (*mat.Dense, error) { return r.Transform(block) }, yield)
	}
}

// Remove is r.Remove, block by block; see Transform.
func Remove(r *sica.Result, x Blocks, rows ...int) Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		mapped(x, func(block *mat.Dense) (*mat.Dense, error) { return r.Remove(block, rows...) }, yield)
	}
}

// mapped yields what by makes of the blocks.
func mapped(x Blocks, by func(*mat.Dense) (*mat.Dense, error), yield func(*mat.Dense, error) bool) {
	first := 1
	for block, err := range x {
		if err != nil {
			yield(nil, err)
			return
		}
		made, err := by(block)
		if err != nil {
			yield(nil, fmt.Errorf("blockwise: the block from position %d: %w", first, err))
			return
		}
		if !yield(made, nil) {
			return
		}
		first += block.RawMatrix().Cols
	}
}
