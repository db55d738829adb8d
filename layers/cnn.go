package layers

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// ParamCNNChannels is the hyperparameter for the hidden channels of CNN, an
// int. The default is the paper's 16.
const ParamCNNChannels = "sica_cnn_channels"

// The paper's network has three convolutions of kernel size 3.
const (
	cnnLayers  = 3
	kernelSize = 3
)

// CNNConfig is made by CNN; call Done to get the output node.
type CNNConfig struct {
	scope    *model.Scope
	x        *Node
	channels int
	outputs  int
}

// CNN is the network of the SICA paper (appendix "Neural Network
// Architecture"): Conv(C→16)–ReLU–Conv(16→16)–ReLU–Conv(16→16)–Flatten–
// Linear(16·T → outputs), every convolution with kernel size 3 and zero
// padding of 1. It takes x shaped [R, B, p…, C] with an index of one, two or
// three axes.
func CNN(scope *model.Scope, x *Node) *CNNConfig {
	return &CNNConfig{
		scope:    scope,
		x:        x,
		channels: model.GetParamOr(scope, ParamCNNChannels, 16),
		outputs:  1,
	}
}

// Channels sets the number of hidden channels. The default is 16, or the
// hyperparameter ParamCNNChannels.
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
	x := c.x
	runs, batch := x.Shape().Dim(0), x.Shape().Dim(1)
	for i := range cnnLayers {
		x = Conv(c.scope.In("conv_%d", i), x, c.channels) // [R, B, p…, channels]
		if i < cnnLayers-1 {
			x = relu(x)
		}
	}
	x = Reshape(x, runs, batch, -1)                   // [R, B, T·channels]
	return linear(c.scope.In("output"), x, c.outputs) // [R, B, outputs]
}

// Conv is a convolution of kernel size 3 along every axis of the index, with
// zero padding of 1, of each run: x shaped [R, B, p…, C] becomes
// [R, B, p…, outputs]. Its variables are weights [R, 3,…,3, C, outputs] and
// biases [R, outputs].
//
// It is written as shifted copies of x and one matrix product, which XLA runs
// several times faster than its own convolution inside a compiled loop, and
// which has a runs axis.
func Conv(scope *model.Scope, x *Node, outputs int) *Node {
	dims := x.Shape().Dimensions
	kernel, biases := convVariables(scope, x.Graph(), x.DType(), dims[0], len(dims)-3, dims[len(dims)-1], outputs)
	return addBiases(convolve(x, kernel), biases) // [R, B, p…, out]
}

// convVariables are the kernel, as [R, taps, C, outputs] with the taps in
// row-major order, and the biases [R, outputs] of a convolution.
func convVariables(scope *model.Scope, g *Graph, dtype dtypes.DType, runs, axes, channels, outputs int) (kernel, biases *Node) {
	dims := []int{runs}
	for range axes {
		dims = append(dims, kernelSize)
	}
	kernel = scope.VariableWithShape(weightsName, shapes.Make(dtype, append(dims, channels, outputs)...)).NodeValue(g)
	biases = scope.VariableWithShape(biasesName, shapes.Make(dtype, runs, outputs)).NodeValue(g)
	return Reshape(kernel, runs, -1, channels, outputs), biases
}

// convolve is the convolution of x [R, B, p…, C] with zeros around it and the
// kernel [R, taps, C, outputs]: [R, B, p…, outputs].
func convolve(x, kernel *Node) *Node {
	zero := Const(x.Graph(), asTensor([]float64{0}, x.DType(), nil))
	return convolveInside(surround(x, zero), kernel)
}

// convolveInside is the convolution of x [R, B, p+2…, C] where the kernel
// [R, taps, C, outputs] lies inside it: [R, B, p…, outputs].
func convolveInside(x, kernel *Node) *Node {
	runs, taps, channels, outputs := kernel.Shape().Dim(0), kernel.Shape().Dim(1), kernel.Shape().Dim(2), kernel.Shape().Dim(3)
	patches := Concatenate(shiftedCopies(x), -1) // [R, B, p…, taps·C]
	dims := append([]int{}, patches.Shape().Dimensions...)
	dims[len(dims)-1] = outputs
	y := Einsum("rni,rio->rno",
		Reshape(patches, runs, -1, taps*channels),
		Reshape(kernel, runs, taps*channels, outputs)) // [R, B·T, out]
	return Reshape(y, dims...) // [R, B, p…, out]
}

// convolveByProducts is convolveInside in another order: it makes every tap's
// product at every position, and then shifts it to where it belongs. It takes
// XLA's CPU backend less time than the patches, but its gradients take more.
func convolveByProducts(x, kernel *Node) *Node {
	dims := x.Shape().Dimensions
	runs, taps, channels, outputs := kernel.Shape().Dim(0), kernel.Shape().Dim(1), kernel.Shape().Dim(2), kernel.Shape().Dim(3)
	products := Einsum("rni,rio->rno",
		Reshape(x, runs, -1, channels),
		Reshape(Transpose(kernel, 1, 2), runs, channels, taps*outputs)) // [R, B·T′, taps·out]
	products = Reshape(products, append(append([]int{}, dims[:len(dims)-1]...), taps*outputs)...)
	var sum *Node
	for k, shift := range box(kernelSize/2, len(dims)-3) {
		slice := []SliceAxisSpec{AxisRange(), AxisRange()}
		for i, s := range shift {
			first := s + kernelSize/2
			slice = append(slice, AxisRange(first, first+dims[2+i]-(kernelSize-1)))
		}
		product := Slice(products, append(slice, AxisRange(k*outputs, (k+1)*outputs))...) // [R, B, p…, out]
		if sum == nil {
			sum = product
		} else {
			sum = Add(sum, product)
		}
	}
	return sum
}

// convolveTransposed is the transpose of convolve with the kernel
// [R, taps, outputs, C]: what gradients do. x [R, B, p…, C] becomes
// [R, B, p…, outputs].
func convolveTransposed(x, kernel *Node) *Node {
	taps := kernel.Shape().Dim(1)
	var backward []*Node
	for k := range taps {
		backward = append(backward, Slice(kernel, AxisRange(), AxisRange(taps-1-k, taps-k))) // [R, 1, outputs, C]
	}
	return convolve(x, Transpose(Concatenate(backward, 1), 2, 3))
}

// addBiases adds biases [R, C] to every position of x [R, …, C].
func addBiases(x, biases *Node) *Node {
	dims := x.Shape().Dimensions
	return Reshape(Add(Reshape(x, dims[0], -1, dims[len(dims)-1]), InsertAxes(biases, 1)), dims...)
}

// surround puts one more position on each end of every axis of the index of x
// [R, B, p…, C], with the value fill: [R, B, p+2…, C].
func surround(x, fill *Node) *Node {
	const reach = kernelSize / 2
	padding := make([]compute.PadAxis, x.Rank())
	for axis := 2; axis < x.Rank()-1; axis++ {
		padding[axis] = compute.PadAxis{Start: reach, End: reach}
	}
	return Pad(x, fill, padding...)
}

// shiftedCopies are, for each tap of a kernel in row-major order, what it sees
// of x [R, B, p+2…, C] from each position: [R, B, p…, C].
func shiftedCopies(x *Node) []*Node {
	axes := x.Rank() - 3
	var copies []*Node
	shift := make([]int, axes)
	for {
		slice := []SliceAxisSpec{AxisRange(), AxisRange()}
		for i, s := range shift {
			slice = append(slice, AxisRange(s, s+x.Shape().Dim(2+i)-(kernelSize-1)))
		}
		copies = append(copies, Slice(x, append(slice, AxisRange())...)) // [R, B, p…, C]
		if !nextInBox(shift, kernelSize) {
			return copies
		}
	}
}

// nextInBox counts digits up in row-major order, each from 0 to size-1, and
// reports whether there was a next one.
func nextInBox(digits []int, size int) bool {
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i]++
		if digits[i] < size {
			return true
		}
		digits[i] = 0
	}
	return false
}
