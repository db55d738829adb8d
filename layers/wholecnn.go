package layers

import (
	"math"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// WholeCNNConfig is made by WholeCNN; call Done to get the output node.
type WholeCNNConfig struct {
	scope      *model.Scope
	z, y, idx  *Node
	idx2, time *Node // of the rectified flow, else nil
	shape      []int
	channels   int
	outputs    int
}

// WholeCNN is CNN over WholeContext(z, y, idx, shape...), or over
// WholeContextRF where Target is called: the same variables, the same function,
// with about a third of the work. Three facts, none of them an approximation,
// save the rest:
//
//   - The first layer is linear, and its inputs are the same signals for every
//     sample but at the hidden positions. So the signals are convolved once, and
//     each sample corrects the few positions that see its hidden ones.
//   - y and the time are the same at every position, so that all they add to the first
//     layer is one vector a sample, but at the edges, where the kernel has taps
//     outside.
//   - Nothing stands between the last convolution and the linear map after it.
//     They are folded into one linear map of the second layer.
//
// What is left to do for a sample at every position is the second layer.
func WholeCNN(scope *model.Scope, z, y, idx *Node, shape ...int) *WholeCNNConfig {
	return &WholeCNNConfig{
		scope: scope,
		z:     z, y: y, idx: idx,
		shape:    shape,
		channels: model.GetParamOr(scope, ParamCNNChannels, 16),
		outputs:  1,
	}
}

// Target adds what WholeContextRF has over WholeContext: the second context,
// which hides idx2, and the encoded time of TimeEncoding, shaped [R, B, K].
func (c *WholeCNNConfig) Target(idx2, time *Node) *WholeCNNConfig {
	c.idx2, c.time = idx2, time
	return c
}

// Channels sets the number of hidden channels. The default is 16, or the
// hyperparameter ParamCNNChannels.
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
	index := border(c.shape)
	x := relu(c.firstLayer(index))    // [R, B, L, H]
	thirds := c.secondLayer(index, x) // three times [R, B, N·H]
	for i, x := range thirds {
		thirds[i] = relu(x)
	}
	return c.lastLayers(index, thirds) // [R, B, outputs]
}

// convVariables are those of layer number i, as in CNN.
func (c *WholeCNNConfig) convVariables(i, channels int) (kernel, biases *Node) {
	runs := c.z.Shape().Dim(0)
	return convVariables(c.scope.In("conv_%d", i), c.z.Graph(), c.z.DType(), runs, len(c.shape), channels, c.channels)
}

// firstLayer is the first convolution, before its activation, at the positions of the
// bordered index. Borders are −∞, so that the activation makes zeros of them:
// [R, B, L, H].
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
	ofSignals, ofSample, sample := context, value, c.y
	rows, changes := c.hide(index, c.idx, mask, context) // [R, B, taps·d], [R, B, taps·d, H]
	if c.time != nil {
		mask2, context2, time := take(d), take(d), take(times)
		rows2, changes2 := c.hide(index, c.idx2, mask2, context2)
		rows, changes = Concatenate([]*Node{rows, rows2}, 2), Concatenate([]*Node{changes, changes2}, 2)
		ofSignals = Add(context, context2)
		ofSample = Concatenate([]*Node{value, time}, 2) // [R, taps, d+K, H]
		sample = Concatenate([]*Node{c.y, c.time}, -1)  // [R, B, d+K]
	}

	signals := Reshape(Transpose(c.z, 1, 2), append(append([]int{runs, 1}, c.shape...), d)...) // [R, 1, p…, d]
	shared := addBiases(convolve(signals, ofSignals), biases)                                  // [R, 1, p…, H]
	outside := c.constant([]float64{math.Inf(-1)})
	shared = index.pad(shared, outside)                                                                                                     // [R, 1, size, H]
	shared = Pad(shared, outside, compute.PadAxis{}, compute.PadAxis{}, compute.PadAxis{End: index.length - index.size}, compute.PadAxis{}) // [R, 1, L, H]

	own := Einsum("rbc,rkch->rbkh", sample, ofSample) // [R, B, taps, H]: by the tap that sees it
	rows2, changes2 := c.edges(index, own)
	rows, changes = Concatenate([]*Node{rows, rows2}, 2), Concatenate([]*Node{changes, changes2}, 2) // [R, B, M], [R, B, M, H]

	x := Add(shared, InsertAxes(ReduceSum(own, 2), 2)) // [R, B, L, H]
	return addAt(x, rows, changes)
}

// hide is what hiding the positions idx [R, B, d] changes: a signal's hidden
// value, seen by each tap of the kernel context from another position, gives
// way to the mask's one. Both kernels are [R, taps, d, H]; the positions
// changed are [R, B, taps·d], the changes [R, B, taps·d, H].
func (c *WholeCNNConfig) hide(index *borderedIndex, idx, mask, context *Node) (rows, changes *Node) {
	g := c.z.Graph()
	runs, batch, d := idx.Shape().Dim(0), idx.Shape().Dim(1), idx.Shape().Dim(2)
	taps := len(index.offsets)
	at := Gather(Const(g, index.inside), InsertAxes(idx, -1))                                  // [R, B, d]
	rows = Sub(InsertAxes(at, 2), Reshape(Const(g, index.offsets), 1, 1, taps, 1))             // [R, B, taps, d]
	hidden := GatherSignals(c.z, idx)                                                          // [R, B, d]
	changes = Sub(InsertAxes(mask, 1), Mul(InsertAxes(hidden, 2, -1), InsertAxes(context, 1))) // [R, B, taps, d, H]
	return Reshape(rows, runs, batch, taps*d), Reshape(changes, runs, batch, taps*d, c.channels)
}

// edges takes back what taps outside the index would have seen of the sample's
// own [R, B, taps, H]: the positions changed are [R, B, E], the changes
// [R, B, E, H].
func (c *WholeCNNConfig) edges(index *borderedIndex, own *Node) (rows, changes *Node) {
	g := c.z.Graph()
	runs, batch := own.Shape().Dim(0), own.Shape().Dim(1)
	outside := Reshape(c.constant(index.outside), len(index.edges), len(index.offsets)) // [E, taps]
	rows = BroadcastToDims(InsertAxes(Const(g, index.edges), 0, 0), runs, batch, len(index.edges))
	return rows, Neg(Einsum("ek,rbkh->rbeh", outside, own))
}

// secondLayer is the second convolution of x [R, B, L, H], before its activation, at
// size positions from the first inner one on, in three parts of every third position,
// each [R, B, N·H].
//
// Side by side in memory lie a position's channels and its neighbours'. So what the
// three taps along the last axis see from every third position is a matrix as it is:
// three products, each beginning one position further, see all positions, and nothing
// has to be copied together. Each product is with the taps of all rows of the kernel at
// once; what a row contributes lies as far off as it does.
func (c *WholeCNNConfig) secondLayer(index *borderedIndex, x *Node) []*Node {
	runs, batch, h := x.Shape().Dim(0), x.Shape().Dim(1), c.channels
	third := index.size / kernelSize
	kernel, biases := c.convVariables(1, h)                                     // [R, taps, H, H], [R, H]
	kernelRows := len(index.offsets) / kernelSize                               // K
	kernel = Reshape(kernel, runs, kernelRows, kernelSize*h, h)                 // [R, K, 3H, H]
	kernel = Reshape(Transpose(kernel, 1, 2), runs, kernelSize*h, kernelRows*h) // [R, 3H, K·H]
	bias := Reshape(BroadcastToDims(InsertAxes(biases, 1), runs, third, h), runs, 1, third*h)
	x = Reshape(x, runs, batch, index.length*h) // [R, B, L·H]

	thirds := make([]*Node, kernelSize)
	for i := range thirds {
		from := index.first - index.rowReach - kernelSize/2 + i
		to := from + index.size + 2*index.rowReach
		seen := Reshape(Slice(x, AxisRange(), AxisRange(), AxisRange(from*h, to*h)), runs, -1, kernelSize*h) // [R, B·M, 3H]
		products := Reshape(Einsum("rni,rio->rno", seen, kernel), runs, batch, -1, kernelRows*h)             // [R, B, M, K·H]
		sum := bias
		for k := range kernelRows {
			first := (index.rowReach + int(index.offsets[kernelSize*k+1])) / kernelSize // offsets of a row's middle tap
			row := Slice(products, AxisRange(), AxisRange(), AxisRange(first, first+third), AxisRange(k*h, (k+1)*h))
			sum = Add(sum, Reshape(row, runs, batch, third*h)) // [R, B, N·H]
		}
		if kernelRows > 1 {
			sum = written(sum)
		}
		thirds[i] = sum
	}
	return thirds
}

// written is x [R, B, N], of which XLA's CPU compiler is to keep the values. It
// computes sums anew in each loop that reads them, but not what a scatter has added
// to. The same holds of the gradient.
func written(x *Node) *Node {
	write := func(x *Node) *Node {
		at := Const(x.Graph(), [][]int32{{0, 0, 0}})
		nothing := Zeros(x.Graph(), shapes.Make(x.DType(), 1))
		return ScatterSum(x, at, nothing, false, false)
	}
	return IdentityWithCustomGradient(write(x), func(_, v *Node) *Node { return write(v) })
}

// lastLayers are the last convolution and the linear map after it, as one
// linear map of the parts of the second layer, each [R, B, N·H]:
// [R, B, outputs].
func (c *WholeCNNConfig) lastLayers(index *borderedIndex, thirds []*Node) *Node {
	g, dtype := c.z.Graph(), c.z.DType()
	runs, h := c.z.Shape().Dim(0), c.channels
	positions := c.z.Shape().Dim(2)
	kernel, biases := c.convVariables(2, h)                                                                  // [R, taps, H, H], [R, H]
	weights, offset := affineVariables(c.scope.In("output"), g, dtype, runs, positions*h, c.outputs)         // [R, T·H, outputs], [R, outputs]
	perOutput := Reshape(Transpose(weights, 1, 2), append(append([]int{runs, c.outputs}, c.shape...), h)...) // [R, outputs, p…, H]

	sums := ReduceSum(Reshape(perOutput, runs, c.outputs, positions, h), 2) // [R, outputs, H]
	y := Add(offset, Einsum("roh,rh->ro", sums, biases))                    // [R, outputs]
	y = InsertAxes(y, 1)                                                    // [R, 1, outputs]
	for i, folded := range c.inThirds(index, convolveTransposed(perOutput, kernel)) {
		y = Add(y, Einsum("rbn,ron->rbo", thirds[i], folded)) // [R, B, outputs]
	}
	return y
}

// inThirds parts x [R, outputs, p…, H] as the second layer is, with zeros at borders:
// three times [R, outputs, N·H].
func (c *WholeCNNConfig) inThirds(index *borderedIndex, x *Node) []*Node {
	runs, outputs, h := x.Shape().Dim(0), x.Shape().Dim(1), c.channels
	zero := c.constant([]float64{0})
	x = index.pad(x, zero)                                                                                       // [R, outputs, size, H]
	x = Slice(x, AxisRange(), AxisRange(), AxisRange(index.first))                                               // from the first inner one on
	x = Pad(x, zero, compute.PadAxis{}, compute.PadAxis{}, compute.PadAxis{End: index.first}, compute.PadAxis{}) // [R, outputs, size, H]
	x = Reshape(x, runs, outputs, -1, kernelSize, h)
	thirds := make([]*Node, kernelSize)
	for i := range thirds {
		thirds[i] = Reshape(Slice(x, AxisRange(), AxisRange(), AxisRange(), AxisRange(i, i+1)), runs, outputs, -1)
	}
	return thirds
}

// constant is a vector in the signals' dtype, or a scalar of one value.
func (c *WholeCNNConfig) constant(values []float64) *Node {
	var dims []int
	if len(values) > 1 {
		dims = []int{len(values)}
	}
	return Const(c.z.Graph(), host.Tensor(values, c.z.DType(), dims...))
}

// addAt adds changes [R, B, M, H] to x [R, B, T, H] at the positions rows
// [R, B, M], where the same may come more than once.
func addAt(x, rows, changes *Node) *Node {
	g := x.Graph()
	dims := x.Shape().Dimensions
	runs, batch, positions, channels := dims[0], dims[1], dims[2], dims[3]
	first := shapes.Make(dtypes.Int32, runs, batch, 1)
	sample := Add(Mul(Iota(g, first, 0), Const(g, int32(batch))), Iota(g, first, 1)) // [R, B, 1]
	rows = Add(rows, Mul(sample, Const(g, int32(positions))))                        // [R, B, M]
	x = ScatterSum(Reshape(x, -1, channels), Reshape(rows, -1, 1), Reshape(changes, -1, channels), false, false)
	return Reshape(x, dims...)
}
