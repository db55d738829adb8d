package layers

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// withGradients is forward(inputs), whose gradients in the inputs are
// backward(v), v being the gradient in the output. GoMLX lets only the identity
// have a gradient of its own: so the output's notes v, and the inputs' replace
// what was derived, which is left for the compilers to drop.
func withGradients(forward func(inputs []*Node) *Node, backward func(v *Node) []*Node, inputs ...*Node) *Node {
	var gradients []*Node
	noted := make([]*Node, len(inputs))
	for i, x := range inputs {
		noted[i] = IdentityWithCustomGradient(x, func(_, _ *Node) *Node { return gradients[i] })
	}
	return IdentityWithCustomGradient(forward(noted), func(_, v *Node) *Node {
		gradients = backward(v)
		return v
	})
}
