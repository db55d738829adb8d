package layers

import (
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

// borderedIndex lays the positions of an index out in one row, in which every tap of a
// kernel is at one distance from all of them. For that a border lies before the first
// position of each axis, which is also the one after the last position before it, and
// further borders at the end. Along the last axis there are as many as make its length
// a multiple of three. Positions are row-major.
type borderedIndex struct {
	inner    []int     // the axes without borders
	shape    []int     // the axes with them
	size     int       // the positions of shape
	length   int       // size, and the borders at the end
	first    int       // where the first inner position lies
	rowReach int       // the distance of the last tap without its offset in the last axis
	inside   []int32   // [T]: where the inner positions lie
	offsets  []int32   // [taps]: from a position to what each tap of a kernel sees
	edges    []int32   // [E]: inner positions from which some tap sees a border
	outside  []float64 // [E·taps]: one where that tap does, else zero
}

func border(inner []int) *borderedIndex {
	const reach = kernelSize / 2
	last := len(inner) - 1
	x := &borderedIndex{inner: inner, size: 1}
	positions := 1
	for i, n := range inner {
		positions *= n
		n += reach
		if i == last {
			n = (n + kernelSize - 1) / kernelSize * kernelSize
		}
		x.shape = append(x.shape, n)
		x.size *= n
	}
	strides := make([]int, len(inner))
	stride := 1
	for i := last; i >= 0; i-- {
		strides[i] = stride
		stride *= x.shape[i]
		x.first += strides[i] * (x.shape[i] - inner[i])
		if i < last {
			x.rowReach += strides[i] * reach
		}
	}
	x.length = x.first + x.size + x.rowReach + reach

	taps := grid.Box(reach, len(inner))
	for _, tap := range taps {
		x.offsets = append(x.offsets, int32(dot(tap, strides)))
	}
	at := make([]int, len(inner))
	for range positions {
		p := int32(x.first + dot(at, strides))
		x.inside = append(x.inside, p)
		outside := make([]float64, len(taps))
		edge := false
		for k, tap := range taps {
			if grid.Flatten(at, tap, inner, positions) == positions {
				outside[k], edge = 1, true
			}
		}
		if edge {
			x.edges = append(x.edges, p)
			x.outside = append(x.outside, outside...)
		}
		grid.Next(at, inner)
	}
	return x
}

func dot(a, b []int) int {
	sum := 0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// pad puts the scalar fill before the positions of each axis of v [R, B, p…, C]:
// [R, B, size, C].
func (x *borderedIndex) pad(v, fill *Node) *Node {
	padding := make([]compute.PadAxis, v.Rank())
	for i, n := range x.inner {
		padding[2+i].Start = x.shape[i] - n
	}
	return Reshape(Pad(v, fill, padding...), v.Shape().Dim(0), v.Shape().Dim(1), x.size, v.Shape().Dim(-1))
}
