// Package blockwise separates recordings that are longer than memory: Fit learns from a
// part of one, and Transform and Remove map all of it, a block of positions after the
// other. datasets.OpenStream reads such a recording from a file.
package blockwise

import (
	"iter"

	"gonum.org/v1/gonum/mat"
)

// Blocks are signals that come a block of positions after the other, each d×n. An
// error, with a nil block, ends them.
type Blocks = iter.Seq2[*mat.Dense, error]

// A Source is a recording of d signals at t positions. It can be read in blocks of n positions, as
// often as need be. A datasets.Stream is one.
type Source interface {
	Dims() (d, t int)
	Blocks(n int) Blocks
}

// A Subset is a Source with some of the positions of a longer recording, in their order.
type Subset interface {
	Source
	// Recorded returns where position t is in the longer recording. Both count from 0.
	Recorded(t int) int
}
