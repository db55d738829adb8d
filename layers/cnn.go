package layers

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/argument"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/host"
)

// The paper's network has three convolutions of kernel size 3 with 16 channels each.
const (
	cnnLayers   = 3
	kernelSize  = 3
	cnnChannels = 16
)

// CNNConfig holds the options of CNN; call Done to get the output node.
type CNNConfig struct {
	scope    *model.Scope
	x        *Node
	channels int
	outputs  int
}

// CNN is the network of the SICA paper (appendix "Neural Network Architecture"):
// Conv(C→16)–ReLU–Conv(16→16)–ReLU–Conv(16→16)–Flatten– Linear(16·T → outputs), every convolution
// with kernel size 3 and zero padding of 1. x is shaped [R, B, p…, C] with one to three axes p….
//
// Its variables are those of a convolution (Conv) in each of the sub-scopes conv_0 to conv_2, and
// of an affine map (Dense) in output.
//
// x has a leading runs axis: InsertAxes(x, 0) makes one of GoMLX's [B, H, W, C]; see ParamRuns.
func CNN(scope *model.Scope, x *Node) *CNNConfig {
	checkIndexed(scope, "CNN", x)
	return &CNNConfig{
		scope:    scope,
		x:        x,
		channels: cnnChannels,
		outputs:  1,
	}
}

// Channels sets the number of hidden channels. The default is the paper's 16.
func (c *CNNConfig) Channels(n int) *CNNConfig {
	c.channels = n
	return c
}

// Outputs sets the number of outputs. The default is 1.
func (c *CNNConfig) Outputs(n int) *CNNConfig {
	c.outputs = n
	return c
}

// Done builds the network and returns its output, [R, B, outputs].
func (c *CNNConfig) Done() *Node {
	checkUnits("CNN", c.channels, c.outputs)
	x := c.x
	runs, batch := x.Shape().Dim(0), x.Shape().Dim(1)
	for i := range cnnLayers {
		x = conv(c.scope.In("conv_%d", i), x, c.channels) // [R, B, p…, channels]
		if i < cnnLayers-1 {
			x = relu(x)
		}
	}
	x = Reshape(x, runs, batch, -1)                   // [R, B, T·channels]
	return linear(c.scope.In("output"), x, c.outputs) // [R, B, outputs]
}

// Conv is a convolution of each run along every axis of the index, with kernel size 3 and zero
// padding of 1. x shaped [R, B, p…, C], with one to three axes p…, becomes [R, B, p…, outputs]. Its
// variables, in the sub-scope "conv", are weights [R, 3,…,3, C, outputs] and biases [R, outputs].
//
// x has a leading runs axis: InsertAxes(x, 0) makes one of GoMLX's [B, H, W, C]; see ParamRuns.
//
// Conv is implemented by shifted copies of x and one matrix product. In a compiled loop XLA runs
// these several times faster than its own convolution, which has no runs axis either.
func Conv(scope *model.Scope, x *Node, outputs int) *Node {
	checkIndexed(scope, "Conv", x)
	argument.AtLeast("layers: Conv", "outputs", outputs, 1)
	return conv(scope.In("conv"), x, outputs)
}

// checkIndexed panics unless x is shaped [R, B, p…, C].
func checkIndexed(scope *model.Scope, layer string, x *Node) {
	checkInput(scope, layer, x, "[R, B, p…, C] with one to three axes p…", 4, 6)
}

// checkUnits panics unless a layer has hidden channels and outputs.
func checkUnits(layer string, channels, outputs int) {
	argument.AtLeast("layers: "+layer, "channels", channels, 1)
	argument.AtLeast("layers: "+layer, "outputs", outputs, 1)
}

// conv is Conv with the variables in scope itself.
func conv(scope *model.Scope, x *Node, outputs int) *Node {
	dims := x.Shape().Dimensions
	runs, axes, channels := dims[0], len(dims)-3, dims[len(dims)-1]
	kernel, biases := convVariables(scope, x.Graph(), x.DType(), runs, axes, channels, outputs)
	return addBiases(convolve(x, kernel), biases) // [R, B, p…, out]
}

// convVariables returns the kernel, as [R, taps, C, outputs] with the taps in
// row-major order, and the biases [R, outputs] of a convolution.
func convVariables(
	scope *model.Scope, g *Graph, dtype dtypes.DType, runs, axes, channels, outputs int,
) (kernel, biases *Node) {
	dims := []int{runs}
	for range axes {
		dims = append(dims, kernelSize)
	}
	kernel, biases = affineVariables(scope, g, dtype, append(dims, channels, outputs)...)
	return Reshape(kernel, runs, -1, channels, outputs), biases
}

// convolve returns the convolution of x [R, B, p…, C] with zeros around it and the
// kernel [R, taps, C, outputs]: [R, B, p…, outputs].
func convolve(x, kernel *Node) *Node {
	k := kernel.Shape().Dimensions
	runs, taps, channels, outputs := k[0], k[1], k[2], k[3]
	patches := shiftedCopies(x) // [R, B, p…, taps·C]
	dims := append([]int{}, patches.Shape().Dimensions...)
	dims[len(dims)-1] = outputs
	y := Einsum("rni,rio->rno",
		Reshape(patches, runs, -1, taps*channels),
		Reshape(kernel, runs, taps*channels, outputs)) // [R, B·T, out]
	return Reshape(y, dims...) // [R, B, p…, out]
}

// convolveTransposed returns the transpose of convolve, as in its gradient, with the kernel [R,
// taps, outputs, C]. x [R, B, p…, C] becomes [R, B, p…, outputs].
func convolveTransposed(x, kernel *Node) *Node {
	taps := kernel.Shape().Dim(1)
	var backward []*Node
	for k := range taps {
		tap := Slice(kernel, AxisRange(), AxisRange(taps-1-k, taps-k)) // [R, 1, outputs, C]
		backward = append(backward, tap)
	}
	return convolve(x, Transpose(Concatenate(backward, 1), 2, 3)) // [R, B, p…, outputs]
}

// addBiases adds biases [R, C] to every position of x [R, …, C].
func addBiases(x, biases *Node) *Node {
	dims := x.Shape().Dimensions
	flat := Reshape(x, dims[0], -1, dims[len(dims)-1]) // [R, N, C]
	return Reshape(Add(flat, InsertAxes(biases, 1)), dims...)
}

// shiftedCopies concatenates on the channel axis the copies of x [R, B, p…, C] that the taps of a
// kernel see from each position, with zeros outside and taps in row-major order: [R, B, p…,
// taps·C].
func shiftedCopies(x *Node) *Node {
	const reach = kernelSize / 2
	axes := x.Rank() - 3
	padding := make([]compute.PadAxis, x.Rank())
	for axis := 2; axis < 2+axes; axis++ {
		padding[axis] = compute.PadAxis{Start: reach, End: reach}
	}
	zero := Const(x.Graph(), host.Tensor([]float64{0}, x.DType()))
	padded := Pad(x, zero, padding...) // [R, B, p+2…, C]

	var copies []*Node
	for _, tap := range grid.Box(reach, axes) {
		slice := []SliceAxisSpec{AxisRange(), AxisRange()}
		for i, offset := range tap {
			first := reach + offset
			slice = append(slice, AxisRange(first, first+x.Shape().Dim(2+i)))
		}
		copies = append(copies, Slice(padded, append(slice, AxisRange())...)) // [R, B, p…, C]
	}
	return Concatenate(copies, -1) // [R, B, p…, taps·C]
}
