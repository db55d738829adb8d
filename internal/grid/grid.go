// Package grid has the index of the positions of signals: a sequence, an image or a video,
// row-major.
package grid

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// A Grid is a position index of one, two or three axes.
type Grid struct {
	shape []int
	own   func() [][]int32
}

// New returns the index of the given shape for t positions. An empty shape means a sequence. The
// errors are those of Check.
func New(shape []int, t int) (*Grid, error) {
	if err := Check(shape, t); err != nil {
		return nil, err
	}
	if len(shape) == 0 {
		shape = []int{t}
	}
	g := &Grid{shape: slices.Clone(shape)}
	g.own = sync.OnceValue(func() [][]int32 { return neighbours(ownReach(len(g.shape)), g.shape) })
	return g, nil
}

// WithoutOnes returns a shape without axes of length 1, which cost time without changing
// neighbourhoods; nil if the rest is a sequence.
func WithoutOnes(shape []int) []int {
	var longer []int
	for _, n := range shape {
		if n != 1 {
			longer = append(longer, n)
		}
	}
	if len(longer) == len(shape) || len(longer) == 0 {
		return shape
	}
	if len(longer) == 1 {
		return nil
	}
	return longer
}

// ImageShape returns the shape of an image or a video, and nil for a sequence.
func ImageShape(shape []int) []int {
	if len(shape) < 2 {
		return nil
	}
	return shape
}

// Check returns an error unless t positions can have the shape: one, two or three
// axes whose product is t, or none, which is a sequence. The error doesn't name the argument.
func Check(shape []int, t int) error {
	if len(shape) > 3 {
		return fmt.Errorf("is %v; must have one, two or three axes", shape)
	}
	product := 1
	for _, n := range shape {
		if n < 1 {
			return fmt.Errorf("is %v; must be at least 1 on each axis", shape)
		}
		product = min(product, t+1) * min(n, t+1) // bounded, so as not to overflow int
	}
	if len(shape) > 0 && product != t {
		return fmt.Errorf("is %v for %d positions; must have the product %[2]d", shape, t)
	}
	return nil
}

// Shape has the length of each axis. It must not be changed.
func (g *Grid) Shape() []int { return g.shape }

// Axes returns the number of axes.
func (g *Grid) Axes() int { return len(g.shape) }

// Len returns T, the number of positions.
func (g *Grid) Len() int { return Product(g.shape) }

// Product returns the product of all lengths.
func Product(shape []int) int {
	p := 1
	for _, n := range shape {
		p *= n
	}
	return p
}

// Range returns 0, …, n−1.
func Range(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = k
	}
	return all
}

// ownReach returns how far a signal's own neighbours reach along each of the given number of axes:
// few enough that their weights can be fitted to a thousand positions (6 in a sequence, 24 in an
// image, 26 in a video).
func ownReach(axes int) int { return max(4-axes, 1) }

// Own lists, for each position, the positions that predict a signal there; see Neighbours. It is
// computed once, and must not be changed.
func (g *Grid) Own() [][]int32 { return g.own() }

// Middle returns the middle of the signals z, whose positions have the given shape, along the
// leading axis, and its shape: as many whole slices as have at most limit positions together, but
// at least one.
func Middle(z *mat.Dense, shape []int, limit int) (middle *mat.Dense, itsShape []int) {
	d, t := z.Dims()
	slice := t / shape[0]
	keep := max(1, limit/slice)
	if keep >= shape[0] {
		return z, shape
	}
	from := (shape[0] - keep) / 2
	itsShape = slices.Clone(shape)
	itsShape[0] = keep
	return mat.DenseCopyOf(z.Slice(0, d, from*slice, (from+keep)*slice)), itsShape
}

// Neighbours lists, for every position of an index of the given axes
// (row-major), the positions up to width away along each axis, itself left
// out, in row-major order of the offset: [T][(2·width+1)^axes − 1]. A
// neighbour beyond the edge is listed as T.
func Neighbours(width int, shape ...int) ([][]int32, error) {
	if width < 0 {
		return nil, fmt.Errorf("width: is %d; must be 0 or more", width)
	}
	if len(shape) == 0 {
		return nil, errors.New("shape: has no axes; must have at least one")
	}
	for _, n := range shape {
		if n < 1 {
			return nil, fmt.Errorf("shape: is %v; must be at least 1 on each axis", shape)
		}
	}
	return neighbours(width, shape), nil
}

func neighbours(width int, shape []int) [][]int32 {
	positions := Product(shape)
	offsets := boxOffsets(width, len(shape))
	table := make([][]int32, positions)
	at := make([]int, len(shape))
	for t := range table {
		row := make([]int32, len(offsets))
		for k, offset := range offsets {
			row[k] = int32(Flatten(at, offset, shape, positions))
		}
		table[t] = row
		Next(at, shape)
	}
	return table
}

// Reaches returns, for each neighbour of Neighbours, the largest distance along any of the given
// number of axes.
func Reaches(width, axes int) []int {
	offsets := boxOffsets(width, axes)
	reaches := make([]int, len(offsets))
	for k, offset := range offsets {
		for _, step := range offset {
			reaches[k] = max(reaches[k], step, -step)
		}
	}
	return reaches
}

// Next moves at to the next position, row-major; after the last comes
// the first.
func Next(at, shape []int) {
	for i := len(at) - 1; i >= 0; i-- {
		if at[i]++; at[i] < shape[i] {
			return
		}
		at[i] = 0
	}
}

// boxOffsets returns the offsets of all neighbours up to width away along each
// axis, the centre left out.
func boxOffsets(width, axes int) [][]int {
	offsets := Box(width, axes)
	centre := len(offsets) / 2
	return slices.Delete(offsets, centre, centre+1)
}

// Box returns the offsets of up to width along each axis, in row-major order.
func Box(width, axes int) [][]int {
	shape, at := slices.Repeat([]int{2*width + 1}, axes), make([]int, axes)
	offsets := make([][]int, Product(shape))
	for k := range offsets {
		for _, step := range at {
			offsets[k] = append(offsets[k], step-width)
		}
		Next(at, shape)
	}
	return offsets
}

// Flatten returns the row-major position of at+offset, or outside beyond the edge.
func Flatten(at, offset, shape []int, outside int) int {
	flat := 0
	for i, n := range shape {
		p := at[i] + offset[i]
		if p < 0 || p >= n {
			return outside
		}
		flat = flat*n + p
	}
	return flat
}
