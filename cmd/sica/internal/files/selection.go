package files

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// A selection is the kept stretches of a recording.
type selection struct {
	blockwise.Source
	kept []stretch
	ends []int // of the kept stretches, in positions of the selection
}

func newSelection(x blockwise.Source, kept []stretch) selection {
	s, n := selection{Source: x, kept: kept}, 0
	for _, k := range kept {
		n += k.End - k.Begin
		s.ends = append(s.ends, n)
	}
	return s
}

// Dims implements blockwise.Source.
func (s selection) Dims() (d, n int) {
	d, _ = s.Source.Dims()
	return d, s.ends[len(s.ends)-1]
}

// Recorded implements blockwise.Subset.
func (s selection) Recorded(t int) int {
	k, _ := slices.BinarySearch(s.ends, t+1)
	return recorded(s.Source, s.kept[k].End-(s.ends[k]-t))
}

// Blocks implements blockwise.Source. Blocks are shorter where something is left out.
func (s selection) Blocks(n int) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		kept, position := s.kept, 0 // the stretches ahead, and the first position of the block x
		for x, err := range s.Source.Blocks(n) {
			if err != nil {
				yield(nil, err)
				return
			}
			d, length := x.Dims()
			for len(kept) > 0 && kept[0].Begin < position+length {
				begin, end := max(kept[0].Begin, position), min(kept[0].End, position+length)
				if !yield(mat.DenseCopyOf(x.Slice(0, d, begin-position, end-position)), nil) {
					return
				}
				if kept[0].End > position+length {
					break
				}
				kept = kept[1:]
			}
			position += length
		}
	}
}

// thin returns every k-th position of the signals, from the first on.
func thin(ctx context.Context, x blockwise.Source, k int) (blockwise.Source, error) {
	d, n := x.Dims()
	all, err := blockwise.Part(ctx, x, n)
	if err != nil {
		return nil, err
	}
	kept := mat.NewDense(d, n/k, nil)
	kept.Apply(func(i, t int, _ float64) float64 { return all.At(i, t*k) }, kept)
	return thinned{blockwise.InMemory{Dense: kept}, x, k}, nil
}

// thinned is one of every few positions of a recording.
type thinned struct {
	blockwise.InMemory
	from  blockwise.Source
	every int
}

// Recorded implements blockwise.Subset.
func (s thinned) Recorded(t int) int { return recorded(s.from, s.every*t) }

// recorded returns where position t of a Fitted is in the recording.
func recorded(x blockwise.Source, t int) int {
	if s, ok := x.(blockwise.Subset); ok {
		return s.Recorded(t)
	}
	return t
}

// FirstPiece returns the first n positions of a Fitted with nothing left out
// between them, from begin to before end, or the longest piece if all are shorter; and where in the
// recording begin is.
func FirstPiece(x blockwise.Source, n int) (begin, end, where int) {
	kept, isSelection := x.(selection)
	if !isSelection {
		_, total := x.Dims()
		return 0, min(n, total), recorded(x, 0)
	}
	for k, s := range kept.kept {
		if length := min(n, s.End-s.Begin); length > end-begin {
			begin = kept.ends[k] - (s.End - s.Begin)
			end = begin + length
		}
	}
	return begin, end, recorded(x, begin)
}

// inMemory returns the signals of a recording that is in memory, nil for others.
func inMemory(x blockwise.Source) *mat.Dense {
	if s, ok := x.(*Stream); ok {
		x = s.Source
	}
	if memory, ok := x.(blockwise.InMemory); ok {
		return memory.Dense
	}
	return nil
}
