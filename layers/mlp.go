package layers

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
)

// ParamMLPHidden is the hyperparameter for the widths of the hidden layers of
// MLP, an []int. The default is {32, 32}.
const ParamMLPHidden = "sica_mlp_hidden"

// MLPConfig is made by MLP; call Done to get the output node.
type MLPConfig struct {
	scope   *model.Scope
	x       *Node
	hidden  []int
	outputs int
}

// MLP is a multi-layer perceptron with SiLU activations over x shaped
// [R, B, C]. SiLU is smooth, so that the gradient of the output in the input,
// which is the velocity of a Wasserstein gradient flow, is continuous.
func MLP(scope *model.Scope, x *Node) *MLPConfig {
	x.AssertRank(3)
	return &MLPConfig{
		scope:   scope,
		x:       x,
		hidden:  model.GetParamOr(scope, ParamMLPHidden, []int{32, 32}),
		outputs: 1,
	}
}

// Hidden sets the widths of the hidden layers. The default is {32, 32}, or
// the hyperparameter ParamMLPHidden.
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
	for i, width := range c.hidden {
		x = activation.Swish(linear(c.scope.In("hidden_%d", i), x, width)) // [R, B, width]
	}
	return linear(c.scope.In("output"), x, c.outputs) // [R, B, outputs]
}
