package layers

import (
	"github.com/gomlx/compute"
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
	runs, channels, axes := dims[0], dims[len(dims)-1], len(dims)-3
	g := x.Graph()

	kernel := []int{runs}
	taps := 1
	for range axes {
		kernel = append(kernel, kernelSize)
		taps *= kernelSize
	}
	kernel = append(kernel, channels, outputs)
	w := scope.VariableWithShape(weightsName, shapes.Make(x.DType(), kernel...)).NodeValue(g)
	b := scope.VariableWithShape(biasesName, shapes.Make(x.DType(), runs, outputs)).NodeValue(g)

	patches := shiftedCopies(x, axes)                                                                                // [R, B, p…, taps·C]
	y := Einsum("rni,rio->rno", Reshape(patches, runs, -1, taps*channels), Reshape(w, runs, taps*channels, outputs)) // [R, B·T, out]
	y = Add(y, InsertAxes(b, 1))                                                                                     // [R, B·T, out]
	outDims := append(append([]int{}, dims[:len(dims)-1]...), outputs)
	return Reshape(y, outDims...) // [R, B, p…, out]
}

// shiftedCopies lays the 3^axes neighbours of each position, zeros outside,
// side by side on the channel axis, in row-major order of the kernel.
func shiftedCopies(x *Node, axes int) *Node {
	const reach = kernelSize / 2
	padding := make([]compute.PadAxis, x.Rank())
	for axis := 2; axis < 2+axes; axis++ {
		padding[axis] = compute.PadAxis{Start: reach, End: reach}
	}
	padded := Pad(x, ScalarZero(x.Graph(), x.DType()), padding...) // [R, B, p+2…, C]

	var copies []*Node
	shift := make([]int, axes)
	for {
		slice := []SliceAxisSpec{AxisRange(), AxisRange()}
		for i, s := range shift {
			slice = append(slice, AxisRange(s, s+x.Shape().Dim(2+i)))
		}
		copies = append(copies, Slice(padded, append(slice, AxisRange())...)) // [R, B, p…, C]
		if !nextInBox(shift, kernelSize) {
			return Concatenate(copies, -1) // [R, B, p…, 3^axes·C]
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
