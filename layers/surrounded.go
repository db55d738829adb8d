package layers

import (
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

// surroundedIndex is an index with one more position on each end of every axis,
// and the last axis filled up so that without those two its length is a multiple
// of three. Its positions are row-major.
type surroundedIndex struct {
	inner   []int // the axes that are surrounded
	shape   []int
	size    int
	inside  []int32   // [T]: where the inner positions lie
	offsets []int32   // [taps]: from a position to what each tap of a kernel sees
	edges   []int32   // [E]: inner positions from which some tap sees outside
	outside []float64 // [E·taps]: one where that tap does, else zero
}

func surround(inner []int) *surroundedIndex {
	const reach = kernelSize / 2
	x := &surroundedIndex{inner: inner, size: 1}
	positions := 1
	for i, n := range inner {
		positions *= n
		if i == len(inner)-1 {
			n = (n + 2) / 3 * 3
		}
		x.shape = append(x.shape, n+2*reach)
		x.size *= n + 2*reach
	}
	inward := make([]int, len(inner))
	for i := range inward {
		inward[i] = reach
	}
	taps := grid.Box(reach, len(inner))
	at := make([]int, len(inner))
	first := grid.Flatten(at, inward, x.shape, x.size)
	for _, tap := range taps {
		x.offsets = append(x.offsets, int32(grid.Flatten(inward, tap, x.shape, x.size)-first))
	}
	for range positions {
		p := int32(grid.Flatten(at, inward, x.shape, x.size))
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

// pad surrounds the positions of v [R, B, p…, C] with the scalar fill:
// [R, B, p′…, C].
func (x *surroundedIndex) pad(v, fill *Node) *Node {
	const reach = kernelSize / 2
	padding := make([]compute.PadAxis, v.Rank())
	for i, n := range x.inner {
		padding[2+i] = compute.PadAxis{Start: reach, End: x.shape[i] - n - reach}
	}
	return Pad(v, fill, padding...)
}
