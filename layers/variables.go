package layers

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/regularizer"
	"github.com/gomlx/gomlx/ml/model"
)

// Names of the variables of every layer in this package.
const (
	weightsName = "weights"
	biasesName  = "biases"
)

// affineVariables are weights [R, dims…, inputs, outputs], which the scope's
// regularizers see, and biases [R, outputs]. Weights alone are regularized, as in
// GoMLX.
func affineVariables(scope *model.Scope, g *Graph, dtype dtypes.DType, weightsDims ...int) (weights, biases *Node) {
	runs, outputs := weightsDims[0], weightsDims[len(weightsDims)-1]
	scope = scope.WithInitializer(runByRun(scope.Initializer()))
	v := scope.VariableWithShape(weightsName, shapes.Make(dtype, weightsDims...))
	if regularize := regularizer.FromScope(scope); regularize != nil {
		regularize(g, v)
	}
	weights = v.NodeValue(g)
	biases = scope.VariableWithShape(biasesName, shapes.Make(dtype, runs, outputs)).NodeValue(g)
	return weights, biases
}

// runByRun draws each run's part of a variable as initializer draws a variable
// without the runs axis, which it would take for inputs.
func runByRun(initializer model.VariableInitializer) model.VariableInitializer {
	return func(g *Graph, shape shapes.Shape) *Node {
		parts := make([]*Node, shape.Dim(0))
		for r := range parts {
			parts[r] = initializer(g, shapes.Make(shape.DType, shape.Dimensions[1:]...))
		}
		return Stack(parts, 0)
	}
}
