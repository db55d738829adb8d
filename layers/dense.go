package layers

import (
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
	runs, inputs := x.Shape().Dim(0), x.Shape().Dim(2)
	w := scope.VariableWithShape(weightsName, shapes.Make(x.DType(), runs, inputs, outputs)).NodeValue(x.Graph())
	b := scope.VariableWithShape(biasesName, shapes.Make(x.DType(), runs, outputs)).NodeValue(x.Graph())
	return Add(Einsum("rni,rio->rno", x, w), InsertAxes(b, 1)) // [R, N, out]
}

// relu is max(x, 0) with the subgradient 0 at 0, as PyTorch has it; the
// masked columns of a context make exact zeros common.
func relu(x *Node) *Node {
	return Where(GreaterThan(x, ZerosLike(x)), x, ZerosLike(x))
}
