// Package grid is the index of the positions of signals: a sequence, an image or a
// video, row-major.
package grid

import (
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

// New is the index of the given shape for t positions. No shape is a sequence. It is
// an error if the shape doesn't fit.
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

// Check returns an error unless t positions can have the shape: one, two or three
// axes whose product is t, or none, which is a sequence.
func Check(shape []int, t int) error {
	if len(shape) > 3 {
		return fmt.Errorf("shape %v: want one, two or three axes", shape)
	}
	product := 1
	for _, n := range shape {
		if n < 1 {
			return fmt.Errorf("shape %v: every axis must be at least 1", shape)
		}
		product = min(product, t+1) * min(n, t+1) // beyond t is enough, beyond int would be too much
	}
	if len(shape) > 0 && product != t {
		return fmt.Errorf("shape %v doesn't fit the signals' %d positions: want a shape whose product is %d", shape, t, t)
	}
	return nil
}

// Shape has the length of each axis. It must not be changed.
func (g *Grid) Shape() []int { return g.shape }

// Axes is the number of axes.
func (g *Grid) Axes() int { return len(g.shape) }

// Len is T, the number of positions.
func (g *Grid) Len() int { return Product(g.shape) }

// Product is that of all lengths.
func Product(shape []int) int {
	p := 1
	for _, n := range shape {
		p *= n
	}
	return p
}

// ownReach is how far a signal's own neighbours lie along an axis, for an index of
// the given number of axes: few enough that their weights can be fitted to a thousand
// positions (6 in a sequence, 24 in an image, 26 in a video).
func ownReach(axes int) int { return max(4-axes, 1) }

// Own lists the positions that a signal is predicted from at each position; see
// Neighbours. It is made once, and must not be changed.
func (g *Grid) Own() [][]int32 { return g.own() }

// Middle is at most limit positions of z, whole slices of the leading axis about its
// middle, and their index.
func (g *Grid) Middle(z *mat.Dense, limit int) (*mat.Dense, *Grid) {
	d, t := z.Dims()
	slice := t / g.shape[0]
	keep := max(1, limit/slice)
	if keep >= g.shape[0] {
		return z, g
	}
	from := (g.shape[0] - keep) / 2
	cut := slices.Clone(g.shape)
	cut[0] = keep
	short, err := New(cut, keep*slice)
	if err != nil {
		panic(err) // a shape that was cut short fits
	}
	return mat.DenseCopyOf(z.Slice(0, d, from*slice, (from+keep)*slice)), short
}
