package layers

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Names of the variables of every layer in this package.
const (
	weightsName = "weights"
	biasesName  = "biases"
)

// Dense is the affine map x·W + b of each run: x shaped [R, …, in] becomes
// [R, …, outputs]. Its variables are weights [R, in, outputs] and biases
// [R, outputs].
func Dense(scope *model.Scope, x *Node, outputs int) *Node {
	dims := x.Shape().Dimensions
	runs, inputs := dims[0], dims[len(dims)-1]
	x = Reshape(x, runs, -1, inputs) // [R, N, in]
	y := linear(scope, x, outputs)   // [R, N, out]
	outDims := append(append([]int{}, dims[:len(dims)-1]...), outputs)
	return Reshape(y, outDims...) // [R, …, out]
}

// linear is Dense for x already shaped [R, N, in].
func linear(scope *model.Scope, x *Node, outputs int) *Node {
	w, b := linearVariables(scope, x.Graph(), x.DType(), x.Shape().Dim(0), x.Shape().Dim(2), outputs)
	return Add(Einsum("rni,rio->rno", x, w), InsertAxes(b, 1)) // [R, N, out]
}

// linearVariables are the weights [R, inputs, outputs] and the biases
// [R, outputs] of an affine map.
func linearVariables(scope *model.Scope, g *Graph, dtype dtypes.DType, runs, inputs, outputs int) (weights, biases *Node) {
	weights = scope.VariableWithShape(weightsName, shapes.Make(dtype, runs, inputs, outputs)).NodeValue(g)
	biases = scope.VariableWithShape(biasesName, shapes.Make(dtype, runs, outputs)).NodeValue(g)
	return weights, biases
}

// relu is max(x, 0) with the subgradient 0 at 0, as PyTorch has it; the
// masked columns of a context make exact zeros common.
func relu(x *Node) *Node {
	return Where(GreaterThan(x, ZerosLike(x)), x, ZerosLike(x))
}
