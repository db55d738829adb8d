package layers

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Dense is the affine map x·W + b of each run: x shaped [R, …, in] of a float
// dtype becomes [R, …, outputs]. Its variables, in the sub-scope "dense", are
// weights [R, in, outputs] and biases [R, outputs].
func Dense(scope *model.Scope, x *Node, outputs int) *Node {
	if x.Rank() < 2 {
		exceptions.Panicf("layers: Dense of x shaped %s: want [R, …, inputs]", x.Shape())
	}
	dims := x.Shape().Dimensions
	y := linear(scope.In("dense"), Reshape(x, dims[0], -1, dims[len(dims)-1]), outputs) // [R, N, out]
	outDims := append(append([]int{}, dims[:len(dims)-1]...), outputs)
	return Reshape(y, outDims...) // [R, …, out]
}

// linear is Dense for x already shaped [R, N, in], with the variables in scope
// itself.
func linear(scope *model.Scope, x *Node, outputs int) *Node {
	w, b := affineVariables(scope, x.Graph(), x.DType(), x.Shape().Dim(0), x.Shape().Dim(2), outputs)
	return Add(Einsum("rni,rio->rno", x, w), InsertAxes(b, 1)) // [R, N, out]
}

// relu is max(x, 0) with the subgradient 0 at 0, as PyTorch has it; the
// masked columns of a context make exact zeros common.
func relu(x *Node) *Node {
	return Where(GreaterThan(x, ZerosLike(x)), x, ZerosLike(x))
}
