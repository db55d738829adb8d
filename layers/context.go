package layers

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/seed-47b1e431/gosica/internal/argument"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/host"
)

// WholeContext returns the input [M, Z_t, Z̃₋ₜ] of the paper's network (appendix "Neural Network
// Architecture") for each sample of each run:
//
//   - M is one at the hidden position of each signal and zero elsewhere,
//   - Z_t repeats y, the current value of z_t, at every position (zeros for a network that is to
//     predict z_t),
//   - Z̃₋ₜ is z with the hidden position set to zero.
//
// z is shaped [R, d, T]; y and the int32 hidden positions idx are shaped [R, B, d]. A joint sample
// hides the same position in every signal, a product sample a different one in each. The result is
// shaped [R, B, p…, 3d], where shape gives the axes p… of the index; without shape the index is a
// sequence. Z_t of a sample with a position outside 0 to T−1 is NaN.
func WholeContext(z, y, idx *Node, shape ...int) *Node {
	shape = checkWhole("WholeContext", z, y, idx, shape)
	y = nanOutside(y, idx, z.Shape().Dim(2))
	return inIndexShape(Concatenate([]*Node{
		hiddenMask(z, idx),   // [R, B, T, d]
		repeatOverTime(z, y), // [R, B, T, d]
		hideContext(z, idx),  // [R, B, T, d]
	}, -1), shape)
}

// WholeContextRF returns the input of the paper's rectified flow network: WholeContext with y =
// z_t(τ), a second context [M′, Z̃′] that hides idx2 instead of idx, and the time. The time is K
// features of τ, such as τ itself, shaped [R, B, K] and repeated at every position. The hidden
// value of the second context is the flow's target and never an input. The result is shaped [R, B,
// p…, 5d+K].
func WholeContextRF(z, y, idx, idx2, time *Node, shape ...int) *Node {
	shape = checkWhole("WholeContextRF", z, y, idx, shape)
	checkTarget("WholeContextRF", idx, idx2, time)
	y = nanOutside(nanOutside(y, idx, z.Shape().Dim(2)), idx2, z.Shape().Dim(2))
	return inIndexShape(Concatenate([]*Node{
		hiddenMask(z, idx),      // [R, B, T, d]
		repeatOverTime(z, y),    // [R, B, T, d]
		hideContext(z, idx),     // [R, B, T, d]
		hiddenMask(z, idx2),     // [R, B, T, d]
		hideContext(z, idx2),    // [R, B, T, d]
		repeatOverTime(z, time), // [R, B, T, K]
	}, -1), shape)
}

// checkWhole returns the axes of the index, which default to a sequence, [T]. It panics unless z
// [R, d, T], y [R, B, d], idx [R, B, d] and shape match.
func checkWhole(layer string, z, y, idx *Node, shape []int) []int {
	checkSignals(layer, z, idx)
	argument.Dims("layers: "+layer, "y", y, "[R, B, d]", idx.Shape().Dimensions...)
	if y.DType() != z.DType() {
		exceptions.Panicf("layers: %s: y is %s; must be of z's dtype, %s", layer, y.Shape(), z.DType())
	}
	positions := z.Shape().Dim(2)
	if len(shape) == 0 {
		return []int{positions}
	}
	if len(shape) > 3 || slices.Min(shape) < 1 || grid.Product(shape) != positions {
		exceptions.Panicf("layers: %s: shape is %v; must be the one to three axes of z's %d "+
			"positions, or none for a sequence", layer, shape, positions)
	}
	return shape
}

// checkTarget panics unless idx2 is shaped like idx, [R, B, d], and time is [R, B, K].
func checkTarget(layer string, idx, idx2, time *Node) {
	dims := idx.Shape().Dimensions
	argument.Indices("layers: "+layer, "idx2", idx2, "[R, B, d]", dims...)
	argument.Dims("layers: "+layer, "time", time, "[R, B, K]", dims[0], dims[1], argument.Any)
}

// checkSignals panics unless z is [R, d, T] and idx [R, B, d].
func checkSignals(layer string, z, idx *Node) {
	argument.Dims("layers: "+layer, "z", z, "[R, d, T]", argument.Any, argument.Any, argument.Any)
	runs, d := z.Shape().Dim(0), z.Shape().Dim(1)
	argument.Indices("layers: "+layer, "idx", idx, "[R, B, d]", runs, argument.Any, d)
}

// nanOutside returns x [R, B, C], with NaN for each sample one of whose positions idx [R, B, d] is
// outside 0 to positions−1, where gathering is undefined.
func nanOutside(x, idx *Node, positions int) *Node {
	g := x.Graph()
	before := LessThan(ReduceMin(idx, -1), Const(g, int32(0)))
	after := GreaterOrEqual(ReduceMax(idx, -1), Const(g, int32(positions)))
	outside := InsertAxes(LogicalOr(before, after), -1) // [R, B, 1]
	outside = BroadcastToDims(outside, x.Shape().Dimensions...)
	nan := Const(g, host.Tensor([]float64{math.NaN()}, x.DType()))
	return Where(outside, BroadcastToDims(nan, x.Shape().Dimensions...), x)
}

// hidden returns, for each sample, position and signal, whether idx hides the value: bool [R, B, T,
// d].
func hidden(z, idx *Node) *Node {
	runs, batch, d := idx.Shape().Dim(0), idx.Shape().Dim(1), idx.Shape().Dim(2)
	positions := z.Shape().Dim(2)
	t := Iota(z.Graph(), shapes.Make(dtypes.Int32, runs, batch, positions, d), 2)   // [R, B, T, d]
	return Equal(t, BroadcastToDims(InsertAxes(idx, 2), runs, batch, positions, d)) // [R, B, T, d]
}

// hiddenMask returns ones at the hidden positions, else zeros: [R, B, T, d].
func hiddenMask(z, idx *Node) *Node {
	return ConvertDType(hidden(z, idx), z.DType()) // [R, B, T, d]
}

// hideContext returns z with zeros at the hidden positions: [R, B, T, d].
func hideContext(z, idx *Node) *Node {
	mask := hidden(z, idx)                                 // [R, B, T, d]
	all := InsertAxes(Transpose(z, 1, 2), 1)               // [R, 1, T, d]
	all = BroadcastToDims(all, mask.Shape().Dimensions...) // [R, B, T, d]
	return Where(mask, ZerosLike(all), all)                // [R, B, T, d]
}

// repeatOverTime repeats y shaped [R, B, C] at each of z's positions.
func repeatOverTime(z, y *Node) *Node {
	runs, batch, c := y.Shape().Dim(0), y.Shape().Dim(1), y.Shape().Dim(2)
	return BroadcastToDims(InsertAxes(y, 2), runs, batch, z.Shape().Dim(2), c) // [R, B, T, C]
}

// inIndexShape splits T of x shaped [R, B, T, C] into the axes of the index.
func inIndexShape(x *Node, shape []int) *Node {
	dims := append([]int{x.Shape().Dim(0), x.Shape().Dim(1)}, shape...)
	return Reshape(x, append(dims, x.Shape().Dim(3))...) // [R, B, p…, C]
}

// Neighbours returns the positions around each position of an index with these axes, row-major:
// [T][(2·width+1)^axes − 1]. Neighbours are up to width away along each axis, in row-major order of
// the offset, without the position itself. A neighbour beyond the edge is listed as T. A negative
// width, no axis and an empty axis are errors.
func Neighbours(width int, shape ...int) ([][]int32, error) {
	table, err := grid.Neighbours(width, shape...)
	if err != nil {
		return nil, fmt.Errorf("layers: %w", err)
	}
	return table, nil
}

// WindowContext returns the values at the neighbours of each sample's positions, [R, B, d·K]. z is
// shaped [R, d, T]. The int32 positions idx are [R, B, d], one for each signal, as in WholeContext.
// neighbours is the int32 table [T, K] of Neighbours. Values beyond the edge of the index are zero.
// The value at the position itself isn't included. A sample with a position outside 0 to T−1 is
// NaN.
func WindowContext(z, idx, neighbours *Node) *Node {
	checkSignals("WindowContext", z, idx)
	argument.Indices("layers: WindowContext", "neighbours", neighbours, "[T, K]",
		z.Shape().Dim(2), argument.Any)
	runs, batch, d := idx.Shape().Dim(0), idx.Shape().Dim(1), idx.Shape().Dim(2)
	positions, k := neighbours.Shape().Dim(0), neighbours.Shape().Dim(1)
	at := Gather(neighbours, InsertAxes(idx, -1)) // [R, B, d, K]
	outside := Zeros(z.Graph(), shapes.Make(z.DType(), runs, d, 1))
	padded := Concatenate([]*Node{z, outside}, 2) // [R, d, T+1]
	return nanOutside(Reshape(gatherSignals(padded, at), runs, batch, d*k), idx, positions)
}

// GatherSignals returns the value of each signal at its position in idx, [R, B, d], for z shaped
// [R, d, T] and int32 idx shaped [R, B, d]. A sample with a position outside 0 to T−1 is NaN.
func GatherSignals(z, idx *Node) *Node {
	checkSignals("GatherSignals", z, idx)
	values := Reshape(gatherSignals(z, InsertAxes(idx, -1)), idx.Shape().Dimensions...)
	return nanOutside(values, idx, z.Shape().Dim(2))
}

// gatherSignals returns z[r, i, at[r, b, i, k]], [R, B, d, K], for z [R, d, T] and at [R, B, d, K].
func gatherSignals(z, at *Node) *Node {
	g := z.Graph()
	runs, d, positions := z.Shape().Dim(0), z.Shape().Dim(1), z.Shape().Dim(2)
	if entries := runs * d * positions; entries > math.MaxInt32 { // would wrap to other signals
		exceptions.Panicf("layers: %d runs of %d signals at %d positions are %d entries; "+
			"must be at most %d", runs, d, positions, entries, math.MaxInt32)
	}
	row := shapes.Make(dtypes.Int32, runs, 1, d, 1)
	signal := Add(MulScalar(Iota(g, row, 0), d), Iota(g, row, 2)) // [R, 1, d, 1]
	at = Add(at, MulScalar(signal, positions))                    // [R, B, d, K]
	return Gather(Reshape(z, -1), InsertAxes(at, -1))             // [R, B, d, K]
}
