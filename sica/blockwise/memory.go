package blockwise

import "gonum.org/v1/gonum/mat"

// InMemory is a Source of signals, d×T, that are all there. Its blocks are copies.
type InMemory struct{ *mat.Dense }

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
