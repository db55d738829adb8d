package blockwise

import "gonum.org/v1/gonum/mat"

// InMemory is a Source of signals, d×T, that are all there. Its blocks are copies.
type InMemory struct{ *mat.Dense }

// Dims returns the numbers of signals and of positions, 0 without a matrix.
func (m InMemory) Dims() (d, n int) {
	if m.Dense == nil {
		return 0, 0
	}
	return m.Dense.Dims()
}

// Blocks implements Source.
func (m InMemory) Blocks(n int) Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		d, t := m.Dims()
		for from := 0; from < t; from += n {
			if !yield(mat.DenseCopyOf(m.Slice(0, d, from, min(from+n, t))), nil) {
				return
			}
		}
	}
}
