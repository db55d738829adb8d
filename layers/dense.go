package layers

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/regularizer"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/argument"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/host"
)

// ParamRuns is the hyperparameter for the number R of runs, the length of the first axis of every
// layer's input: an int of at least 1, by default 1. Like GoMLX's hyperparameters it is looked up
// in the layer's scope and the scopes around it. An axis of another length panics: a batch of
// GoMLX's shape, without a runs axis, would be taken for many networks. Its name is "sica_runs".
const ParamRuns = argument.ParamRuns

// ParamSeed is the hyperparameter for the seed of the initial values, an int. If it is 0 or more,
// layers begin with the distributions of [Initialise] and [InitialiseInvertible], with the same
// values on every backend, from random streams that depend on the seed, the run and the variable's
// scope. With the default of -1 the scope's initializer draws the values, except those of
// Invertible.
const ParamSeed = "sica_seed"

// seed returns the value of ParamSeed, which is negative for none.
func seed(scope *model.Scope) int { return model.GetParamOr(scope, ParamSeed, -1) }

// stream returns the random stream for the initial values of a run in scope. purpose separates
// variables.
func stream(seed int, scope string, run int, purpose string) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %s", scope, run, purpose)
	return rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
}

// checkInput panics unless x is an input of the given form, with minRank to maxRank axes and
// ParamRuns runs.
func checkInput(scope *model.Scope, layer string, x *Node, form string, minRank, maxRank int) {
	argument.Layer(scope, "layers: "+layer, "x", x, form, minRank, maxRank)
}

// Dense returns the affine map x·W + b of each run: x [R, B, …, C] of a float dtype becomes [R, B,
// …, outputs]. Its variables, in the sub-scope "dense", are weights [R, C, outputs] and biases [R,
// outputs].
//
// x has a leading runs axis: InsertAxes(x, 0) makes one of GoMLX's [B, C]; see ParamRuns.
func Dense(scope *model.Scope, x *Node, outputs int) *Node {
	checkInput(scope, "Dense", x, "[R, B, …, C]", 3, math.MaxInt)
	argument.AtLeast("layers: Dense", "outputs", outputs, 1)
	dims := slices.Clone(x.Shape().Dimensions)
	last := len(dims) - 1
	x = Reshape(x, dims[0], -1, dims[last])    // [R, N, in]
	y := linear(scope.In("dense"), x, outputs) // [R, N, out]
	dims[last] = outputs
	return Reshape(y, dims...) // [R, …, out]
}

// linear is Dense of x [R, N, in], with the variables in scope itself.
func linear(scope *model.Scope, x *Node, outputs int) *Node {
	runs, inputs := x.Shape().Dim(0), x.Shape().Dim(2)
	w, b := affineVariables(scope, x.Graph(), x.DType(), runs, inputs, outputs)
	return Add(Einsum("rni,rio->rno", x, w), InsertAxes(b, 1)) // [R, N, out]
}

// relu returns max(x, 0) with the subgradient 0 at 0, as in PyTorch. Exact zeros are common because
// of masked columns of contexts. NaN stays NaN.
func relu(x *Node) *Node {
	return Where(LessOrEqual(x, ZerosLike(x)), ZerosLike(x), x)
}

// MLPConfig holds the options of MLP; call Done to get the output node.
type MLPConfig struct {
	scope   *model.Scope
	x       *Node
	hidden  []int
	outputs int
}

// MLP is a multi-layer perceptron with SiLU activations over x shaped [R, B, C]. SiLU is smooth, so
// the gradient of the output with respect to the input, the velocity of a Wasserstein gradient
// flow, is continuous. For other activations combine Dense with GoMLX's activations.
//
// Its variables are weights and biases as in Dense, in the sub-scopes hidden_0, hidden_1, … and
// output.
//
// x has a leading runs axis: InsertAxes(x, 0) makes one of GoMLX's [B, C]; see ParamRuns.
func MLP(scope *model.Scope, x *Node) *MLPConfig {
	checkInput(scope, "MLP", x, "[R, B, C]", 3, 3)
	return &MLPConfig{
		scope:   scope,
		x:       x,
		hidden:  []int{32, 32},
		outputs: 1,
	}
}

// Hidden sets the widths of the hidden layers. The default is {32, 32}; without widths the map is
// affine.
func (c *MLPConfig) Hidden(widths ...int) *MLPConfig {
	c.hidden = widths
	return c
}

// Outputs sets the number of outputs. The default is 1.
func (c *MLPConfig) Outputs(n int) *MLPConfig {
	c.outputs = n
	return c
}

// Done builds the network and returns its output, [R, B, outputs].
func (c *MLPConfig) Done() *Node {
	x := c.x
	for _, width := range c.hidden {
		argument.AtLeast("layers: MLP", "hidden width", width, 1)
	}
	argument.AtLeast("layers: MLP", "outputs", c.outputs, 1)
	for i, width := range c.hidden {
		x = activation.Swish(linear(c.scope.In("hidden_%d", i), x, width)) // [R, B, width]
	}
	return linear(c.scope.In("output"), x, c.outputs) // [R, B, outputs]
}

// The names of the variables of every affine map and convolution.
const (
	weightsName = "weights"
	biasesName  = "biases"
)

// affineVariables returns weights with the given dims [R, …, inputs, outputs] and biases [R,
// outputs]. The scope's regularizers apply to the weights only, as in GoMLX.
func affineVariables(
	scope *model.Scope, g *Graph, dtype dtypes.DType, dims ...int,
) (weights, biases *Node) {
	runs, outputs := dims[0], dims[len(dims)-1]
	scope = scope.WithInitializer(runByRun(scope.Initializer()))
	if s := seed(scope); s >= 0 {
		inputs := grid.Product(dims[1 : len(dims)-1])
		scope = scope.WithInitializer(torch(s, scope.Scope(), inputs))
	}
	v := scope.VariableWithShape(weightsName, shapes.Make(dtype, dims...))
	if regularize := regularizer.FromScope(scope); regularize != nil {
		regularize(g, v)
	}
	weights = v.NodeValue(g)
	biases = scope.VariableWithShape(biasesName, shapes.Make(dtype, runs, outputs)).NodeValue(g)
	return weights, biases
}

// runByRun returns an initializer that draws each run's part by initializer without the runs axis,
// which initializer would take for inputs.
func runByRun(initializer model.VariableInitializer) model.VariableInitializer {
	return func(g *Graph, shape shapes.Shape) *Node {
		parts := make([]*Node, shape.Dim(0))
		for r := range parts {
			parts[r] = initializer(g, shapes.Make(shape.DType, shape.Dimensions[1:]...))
		}
		return Stack(parts, 0)
	}
}

// torch returns PyTorch's initializer for affineVariables in scope: uniform on ±1/√inputs.
func torch(seed int, scope string, inputs int) model.VariableInitializer {
	return func(g *Graph, shape shapes.Shape) *Node {
		runs := shape.Dim(0)
		var values []float64
		for r := range runs {
			rng := stream(seed, scope, r, fmt.Sprint(shape.Rank())) // weights have more axes than biases
			values = append(values, uniform(rng, shape.Size()/runs, 1/math.Sqrt(float64(inputs)))...)
		}
		return Const(g, host.Tensor(values, shape.DType, shape.Dimensions...))
	}
}

// uniform draws n numbers uniformly on ±bound.
func uniform(rng *rand.Rand, n int, bound float64) []float64 {
	values := make([]float64, n)
	for k := range values {
		values[k] = bound * (2*rng.Float64() - 1)
	}
	return values
}

// Initialise draws all trainable weights and biases of Dense, Conv, MLP, CNN and WholeCNN in scope,
// those of run r from rngs[r] only. They are uniform on ±1/√fan-in, the default of PyTorch's Linear
// and Conv. The values are drawn on the host, so they are the same on every backend.
//
// Variables of other layers, including GoMLX's, are unchanged: only weights [R, …, outputs] of
// three axes or more with biases [R, outputs] are set. They must exist, as they do after the first
// execution of their graph or after flows.NewTrainer. A scope without such variables is an error,
// and so is a number of streams different from the number of runs.
func Initialise(scope *model.Scope, rngs []*rand.Rand) error {
	if scope == nil {
		return errors.New("layers: Initialise: scope is nil; must be one of the store")
	}
	found := false
	for v := range scope.IterVariables() {
		inputs := fanIn(scope.Store(), v)
		if inputs == 0 {
			continue
		}
		found = true
		if !v.Trainable {
			if v.Shape().Dim(0) != len(rngs) {
				return errStreams(v, rngs)
			}
			continue
		}
		bound := 1 / math.Sqrt(float64(inputs))
		err := setRuns(v, rngs, func(r int, dims []int) ([]float64, error) {
			return uniform(rngs[r], v.Shape().Size()/len(rngs), bound), nil
		})
		if err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("layers: scope %q has no variables of this package's layers; "+
			"they must have been created", scope.Scope())
	}
	return nil
}

// fanIn returns the number of inputs of the affine map that v belongs to; 0 if v isn't a variable
// of affineVariables.
func fanIn(store *model.Store, v *model.Variable) int {
	if v.Name() != weightsName && v.Name() != biasesName {
		return 0
	}
	weights := store.GetVariable(model.JoinPath(v.Scope(), weightsName))
	biases := store.GetVariable(model.JoinPath(v.Scope(), biasesName))
	if weights == nil || biases == nil {
		return 0
	}
	w, b := weights.Shape().Dimensions, biases.Shape().Dimensions
	if len(w) < 3 || len(b) != 2 || b[0] != w[0] || b[1] != w[len(w)-1] {
		return 0
	}
	return grid.Product(w[1 : len(w)-1])
}

// setRuns sets a variable whose first axis is the runs axis. draw returns the values of run r, for
// the other axes.
func setRuns(
	v *model.Variable, rngs []*rand.Rand, draw func(r int, dims []int) ([]float64, error),
) error {
	dims := v.Shape().Dimensions
	if dims[0] != len(rngs) {
		return errStreams(v, rngs)
	}
	var values []float64
	for r := range rngs {
		drawn, err := draw(r, dims[1:])
		if err != nil {
			return fmt.Errorf("layers: run %d of variable %q: %w", r+1, v.Path(), err)
		}
		values = append(values, drawn...)
	}
	if err := v.SetValue(host.Tensor(values, v.DType(), dims...)); err != nil {
		return fmt.Errorf("layers: setting %q: %w", v.Path(), err)
	}
	return nil
}

// errStreams returns the error for a number of streams different from the number of runs.
func errStreams(v *model.Variable, rngs []*rand.Rand) error {
	return fmt.Errorf("layers: %d random streams for the %d runs of variable %q; "+
		"must be one for each", len(rngs), v.Shape().Dim(0), v.Path())
}
