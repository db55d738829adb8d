package layers

import (
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/argument"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/host"
)

// WholeCNNConfig holds the options of WholeCNN; call Done to get the output node.
type WholeCNNConfig struct {
	scope      *model.Scope
	z, y, idx  *Node
	idx2, time *Node // for the rectified flow, else nil
	shape      []int
	channels   int
	outputs    int
}

// WholeCNN is CNN over WholeContext(z, y, idx, shape...), or over WholeContextRF if Target is
// called. It has the same variables and, for finite z, the same values, for about a third of the
// work. Three exact identities save the rest:
//
//   - The first layer is linear, and its inputs are the same signals for every sample except at the
//     hidden positions. So the signals are convolved once, and each sample corrects the few
//     positions that see hidden positions.
//   - y and the time are the same at every position. So they add one vector per sample to the first
//     layer, except at the edges, where kernel taps lie outside.
//   - There is no nonlinearity between the last convolution and the linear map after it. Both are
//     folded into one linear map of the second layer.
//
// Only the second layer remains to be computed for each sample at every position.
//
// z has a leading runs axis (see ParamRuns). The outputs of a sample with a position outside 0 to
// T−1 are NaN.
//
// For example, a network that predicts the values at positions idx, [1, B, d], the same for all
// signals (a joint sample), from all other positions of z [1, d, T]:
//
//	target := GatherSignals(z, idx)
//	out := WholeCNN(scope.In("net"), z, ZerosLike(target), idx).Outputs(d).Done() // [1, B, d]
//	loss := ReduceAllMean(Square(Sub(out, target)))
func WholeCNN(scope *model.Scope, z, y, idx *Node, shape ...int) *WholeCNNConfig {
	argument.Layer(scope, "layers: WholeCNN", "z", z, "[R, d, T]", 3, 3)
	shape = checkWhole("WholeCNN", z, y, idx, shape)
	return &WholeCNNConfig{
		scope: scope,
		z:     z, y: y, idx: idx,
		shape:    shape,
		channels: cnnChannels,
		outputs:  1,
	}
}

// Target adds the inputs that WholeContextRF has beyond WholeContext: the second context, which
// hides idx2, and the time, K features of τ, shaped [R, B, K].
func (c *WholeCNNConfig) Target(idx2, time *Node) *WholeCNNConfig {
	checkTarget("WholeCNN", c.idx, idx2, time)
	c.idx2, c.time = idx2, time
	return c
}

// Channels sets the number of hidden channels. The default is the paper's 16.
func (c *WholeCNNConfig) Channels(n int) *WholeCNNConfig {
	c.channels = n
	return c
}

// Outputs sets the number of outputs. The default is 1.
func (c *WholeCNNConfig) Outputs(n int) *WholeCNNConfig {
	c.outputs = n
	return c
}

// Done builds the network and returns its output, [R, B, outputs].
func (c *WholeCNNConfig) Done() *Node {
	checkUnits("WholeCNN", c.channels, c.outputs)
	index := border(c.shape)
	x := relu(c.firstLayer(index))    // [R, B, L, H]
	thirds := c.secondLayer(index, x) // three times [R, B, N·H]
	for i, x := range thirds {
		thirds[i] = relu(x)
	}
	y := c.lastLayers(index, thirds) // [R, B, outputs]
	y = nanOutside(y, c.idx, c.z.Shape().Dim(2))
	if c.idx2 != nil {
		y = nanOutside(y, c.idx2, c.z.Shape().Dim(2))
	}
	return y
}

// convVariables returns the variables of convolution i, as in CNN.
func (c *WholeCNNConfig) convVariables(i, channels int) (kernel, biases *Node) {
	runs := c.z.Shape().Dim(0)
	scope, axes := c.scope.In("conv_%d", i), len(c.shape)
	return convVariables(scope, c.z.Graph(), c.z.DType(), runs, axes, channels, c.channels)
}

// firstLayer returns the first convolution, before its activation, at the positions of the bordered
// index, [R, B, L, H]. Borders are −∞, which the activation turns into zeros.
func (c *WholeCNNConfig) firstLayer(index *borderedIndex) *Node {
	runs, d := c.z.Shape().Dim(0), c.z.Shape().Dim(1)
	inputs := 3 * d
	times := 0
	if c.time != nil {
		times = c.time.Shape().Dim(2)
		inputs += 2*d + times
	}
	kernel, biases := c.convVariables(0, inputs) // [R, taps, C, H], [R, H]
	next := 0
	take := func(n int) *Node { // the kernel's next n channels
		next += n
		return Slice(kernel, AxisRange(), AxisRange(), AxisRange(next-n, next)) // [R, taps, n, H]
	}

	mask, value, context := take(d), take(d), take(d) // [R, taps, d, H]
	signalKernel, sampleKernel, sample := context, value, c.y
	rows, changes := c.hide(index, c.idx, mask, context) // [R, B, taps·d], [R, B, taps·d, H]
	if c.time != nil {
		mask2, context2, time := take(d), take(d), take(times)
		rows2, changes2 := c.hide(index, c.idx2, mask2, context2)
		rows = Concatenate([]*Node{rows, rows2}, 2)          // [R, B, 2·taps·d]
		changes = Concatenate([]*Node{changes, changes2}, 2) // [R, B, 2·taps·d, H]
		signalKernel = Add(context, context2)
		sampleKernel = Concatenate([]*Node{value, time}, 2) // [R, taps, d+K, H]
		sample = Concatenate([]*Node{c.y, c.time}, -1)      // [R, B, d+K]
	}

	dims := append(append([]int{runs, 1}, c.shape...), d)
	signals := Reshape(Transpose(c.z, 1, 2), dims...)            // [R, 1, p…, d]
	shared := addBiases(convolve(signals, signalKernel), biases) // [R, 1, p…, H]
	outside := c.constant([]float64{math.Inf(-1)})
	shared = index.pad(shared, outside)                       // [R, 1, size, H]
	shared = padEnd(shared, outside, index.length-index.size) // [R, 1, L, H]

	own := Einsum("rbc,rkch->rbkh", sample, sampleKernel) // [R, B, taps, H], per tap
	rows2, changes2 := c.edges(index, own)
	rows = Concatenate([]*Node{rows, rows2}, 2)          // [R, B, M]
	changes = Concatenate([]*Node{changes, changes2}, 2) // [R, B, M, H]

	x := Add(shared, InsertAxes(ReduceSum(own, 2), 2)) // [R, B, L, H]
	return addAt(x, rows, changes)
}

// hide returns the changes from hiding the positions idx [R, B, d]: the hidden value of a signal,
// which each tap of the kernel context sees from a different position, is replaced by a one of the
// mask. Both kernels are [R, taps, d, H]. rows, the positions changed, is [R, B, taps·d], and
// changes is [R, B, taps·d, H].
func (c *WholeCNNConfig) hide(
	index *borderedIndex, idx, mask, context *Node,
) (rows, changes *Node) {
	g := c.z.Graph()
	runs, batch, d := idx.Shape().Dim(0), idx.Shape().Dim(1), idx.Shape().Dim(2)
	taps := len(index.offsets)
	inside := Gather(Const(g, index.inside), InsertAxes(idx, -1)) // [R, B, d]
	offsets := Reshape(Const(g, index.offsets), 1, 1, taps, 1)
	rows = Sub(InsertAxes(inside, 2), offsets)           // [R, B, taps, d]
	hidden := InsertAxes(GatherSignals(c.z, idx), 2, -1) // [R, B, 1, d, 1]
	seen := Mul(hidden, InsertAxes(context, 1))          // [R, B, taps, d, H]
	changes = Sub(InsertAxes(mask, 1), seen)             // [R, B, taps, d, H]
	return Reshape(rows, runs, batch, taps*d), Reshape(changes, runs, batch, taps*d, c.channels)
}

// edges returns the changes that remove the contributions own [R, B, taps, H] of a sample for taps
// outside the index. rows, the positions changed, is [R, B, E], and changes is [R, B, E, H].
func (c *WholeCNNConfig) edges(index *borderedIndex, own *Node) (rows, changes *Node) {
	g := c.z.Graph()
	runs, batch := own.Shape().Dim(0), own.Shape().Dim(1)
	outside := Reshape(c.constant(index.outside), len(index.edges), len(index.offsets)) // [E, taps]
	rows = InsertAxes(Const(g, index.edges), 0, 0)                                      // [1, 1, E]
	rows = BroadcastToDims(rows, runs, batch, len(index.edges))                         // [R, B, E]
	return rows, Neg(Einsum("ek,rbkh->rbeh", outside, own))
}

// secondLayer returns the second convolution of x [R, B, L, H], before its activation, at size
// positions from the first inner position on, in three parts of every third position, each [R, B,
// N·H].
//
// The channels of neighbouring positions are adjacent in memory. So the inputs of the three taps
// along the last axis, for every third position, already form a matrix: three products, each
// beginning one position further, cover all positions without copies. Each product includes the
// taps of all rows of the kernel; the contribution of a row is offset by the distance of the row.
func (c *WholeCNNConfig) secondLayer(index *borderedIndex, x *Node) []*Node {
	runs, batch, h := x.Shape().Dim(0), x.Shape().Dim(1), c.channels
	third := index.size / kernelSize
	kernel, biases := c.convVariables(1, h) // [R, taps, H, H], [R, H]
	kernelRows := len(index.offsets) / kernelSize
	kernel = Reshape(kernel, runs, kernelRows, kernelSize*h, h)                 // [R, K, 3H, H]
	kernel = Reshape(Transpose(kernel, 1, 2), runs, kernelSize*h, kernelRows*h) // [R, 3H, K·H]
	bias := BroadcastToDims(InsertAxes(biases, 1), runs, third, h)              // [R, N, H]
	bias = Reshape(bias, runs, 1, third*h)                                      // [R, 1, N·H]
	x = Reshape(x, runs, batch, index.length*h)                                 // [R, B, L·H]

	thirds := make([]*Node, kernelSize)
	for i := range thirds {
		from := index.first - index.rowReach - kernelSize/2 + i
		to := from + index.size + 2*index.rowReach
		seen := Slice(x, AxisRange(), AxisRange(), AxisRange(from*h, to*h))
		seen = Reshape(seen, runs, -1, kernelSize*h)                // [R, B·M, 3H]
		products := Einsum("rni,rio->rno", seen, kernel)            // [R, B·M, K·H]
		products = Reshape(products, runs, batch, -1, kernelRows*h) // [R, B, M, K·H]
		sum := bias
		for k := range kernelRows {
			middle := int(index.offsets[kernelSize*k+1]) // offset of the row's middle tap
			first := (index.rowReach + middle) / kernelSize
			row := Slice(products, AxisRange(), AxisRange(),
				AxisRange(first, first+third), AxisRange(k*h, (k+1)*h)) // [R, B, N, H]
			sum = Add(sum, Reshape(row, runs, batch, third*h)) // [R, B, N·H]
		}
		if kernelRows > 1 {
			sum = written(sum)
		}
		thirds[i] = sum
	}
	return thirds
}

// written returns x [R, B, N] in a form that makes XLA's CPU compiler store the values. The
// compiler recomputes a sum in each loop that reads it, but not the result of a scatter. The same
// is done to the gradient.
func written(x *Node) *Node {
	write := func(x *Node) *Node {
		at := Const(x.Graph(), [][]int32{{0, 0, 0}})
		nothing := Zeros(x.Graph(), shapes.Make(x.DType(), 1))
		return ScatterSum(x, at, nothing, false, false)
	}
	return IdentityWithCustomGradient(write(x), func(_, v *Node) *Node { return write(v) })
}

// lastLayers returns the last convolution and the linear map after it, [R, B, outputs], as one
// linear map of the parts of the second layer, each [R, B, N·H].
func (c *WholeCNNConfig) lastLayers(index *borderedIndex, thirds []*Node) *Node {
	g, dtype := c.z.Graph(), c.z.DType()
	runs, h := c.z.Shape().Dim(0), c.channels
	positions := c.z.Shape().Dim(2)
	kernel, biases := c.convVariables(2, h) // [R, taps, H, H], [R, H]
	weights, offset := affineVariables(
		c.scope.In("output"), g, dtype, runs, positions*h, c.outputs) // [R, T·H, outputs], [R, outputs]
	dims := append(append([]int{runs, c.outputs}, c.shape...), h)
	perOutput := Reshape(Transpose(weights, 1, 2), dims...) // [R, outputs, p…, H]

	sums := ReduceSum(Reshape(perOutput, runs, c.outputs, positions, h), 2) // [R, outputs, H]
	y := Add(offset, Einsum("roh,rh->ro", sums, biases))                    // [R, outputs]
	y = InsertAxes(y, 1)                                                    // [R, 1, outputs]
	for i, folded := range c.inThirds(index, convolveTransposed(perOutput, kernel)) {
		y = Add(y, Einsum("rbn,ron->rbo", thirds[i], folded)) // [R, B, outputs]
	}
	return y
}

// inThirds splits x [R, outputs, p…, H] like the output of secondLayer, with zeros at borders, into
// three parts [R, outputs, N·H].
func (c *WholeCNNConfig) inThirds(index *borderedIndex, x *Node) []*Node {
	runs, outputs, h := x.Shape().Dim(0), x.Shape().Dim(1), c.channels
	zero := c.constant([]float64{0})
	x = index.pad(x, zero)                                         // [R, outputs, size, H]
	x = Slice(x, AxisRange(), AxisRange(), AxisRange(index.first)) // from the first inner one on
	x = padEnd(x, zero, index.first)                               // [R, outputs, size, H]
	x = Reshape(x, runs, outputs, -1, kernelSize, h)               // [R, outputs, N, 3, H]
	thirds := make([]*Node, kernelSize)
	for i := range thirds {
		third := Slice(x, AxisRange(), AxisRange(), AxisRange(), AxisRange(i, i+1))
		thirds[i] = Reshape(third, runs, outputs, -1) // [R, outputs, N·H]
	}
	return thirds
}

// padEnd appends n positions with the scalar fill to x [R, B, N, C].
func padEnd(x, fill *Node, n int) *Node {
	none := compute.PadAxis{}
	return Pad(x, fill, none, none, compute.PadAxis{End: n}, none) // [R, B, N+n, C]
}

// constant returns the values in the dtype of the signals, as a vector, or as a scalar for one
// value.
func (c *WholeCNNConfig) constant(values []float64) *Node {
	var dims []int
	if len(values) > 1 {
		dims = []int{len(values)}
	}
	return Const(c.z.Graph(), host.Tensor(values, c.z.DType(), dims...))
}

// addAt adds changes [R, B, M, H] to x [R, B, T, H] at the positions rows [R, B, M], which may
// repeat.
func addAt(x, rows, changes *Node) *Node {
	g := x.Graph()
	dims := x.Shape().Dimensions
	runs, batch, positions, channels := dims[0], dims[1], dims[2], dims[3]
	first := shapes.Make(dtypes.Int32, runs, batch, 1)
	sample := Add(Mul(Iota(g, first, 0), Const(g, int32(batch))), Iota(g, first, 1)) // [R, B, 1]
	rows = Add(rows, Mul(sample, Const(g, int32(positions))))                        // [R, B, M]
	x = ScatterSum(Reshape(x, -1, channels),                                         // [R·B·T, H]
		Reshape(rows, -1, 1), Reshape(changes, -1, channels), false, false)
	return Reshape(x, dims...) // [R, B, T, H]
}

// A borderedIndex lays out the positions of an index in one row such that every tap of a kernel has
// the same offset from all positions. For that, each axis begins with a border, which also serves
// as the border after the end of the line before, and further borders follow at the end. The last
// axis has as many border positions as make its length a multiple of three. Positions are
// row-major.
type borderedIndex struct {
	inner    []int     // axes without borders
	shape    []int     // axes with borders
	size     int       // number of positions of shape
	length   int       // size plus the borders at the end
	first    int       // place of the first inner position
	rowReach int       // offset of the last tap except along the last axis
	inside   []int32   // [T]: places of the inner positions
	offsets  []int32   // [taps]: offset of each tap of a kernel
	edges    []int32   // [E]: inner positions from which some tap sees a border
	outside  []float64 // [E·taps]: one where that tap does, else zero
}

// border returns the bordered index for the axes inner.
func border(inner []int) *borderedIndex {
	const reach = kernelSize / 2
	last := len(inner) - 1
	x := &borderedIndex{inner: inner, size: 1}
	positions := grid.Product(inner)
	for i, n := range inner {
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

// pad puts borders with the scalar fill before the positions of each axis of v [R, B, p…, C]: [R,
// B, size, C].
func (x *borderedIndex) pad(v, fill *Node) *Node {
	padding := make([]compute.PadAxis, v.Rank())
	for i, n := range x.inner {
		padding[2+i].Start = x.shape[i] - n
	}
	runs, batch, channels := v.Shape().Dim(0), v.Shape().Dim(1), v.Shape().Dim(-1)
	return Reshape(Pad(v, fill, padding...), runs, batch, x.size, channels)
}
