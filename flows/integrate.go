package flows

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// Velocity builds the velocity v(y, τ) of a flow, shaped like y, at the scalar
// time tau of y's dtype. held is what IntegrateConfig.Hold was given.
type Velocity func(scope *model.Scope, y, tau *Node, held []*Node) *Node

// IntegrateConfig is made by Integrate; call Done to get the output node.
type IntegrateConfig struct {
	scope    *model.Scope
	velocity Velocity
	y        *Node
	held     []*Node
	solver   Solver
	from, to float64
	steps    int
}

// Integrate follows dy/dτ = v(y, τ) from y, of any shape and a float dtype, in
// equal steps: on XLA as one compiled While, on the pure-Go backend as so many
// copies of the step. The velocity may be any graph function that uses variables
// of scope's store, as those of a Trainer, and Gradient.
//
// GoMLX 0.28.6 puts two conditions on it. What the velocity needs besides y, τ and
// variables must come through Hold: on XLA a While sees no other nodes. And the
// scalars of MulScalar, AddScalar and their like are shared by a whole graph, which
// a While doesn't see either: so let Integrate be alone in its graph, a model.Exec
// of its own. Nothing can be differentiated through a While.
func Integrate(scope *model.Scope, velocity Velocity, y *Node) *IntegrateConfig {
	return &IntegrateConfig{scope: scope, velocity: velocity, y: y, solver: Euler, to: 1, steps: 100}
}

// Hold sets the nodes, of any shapes, that the velocity is given besides y and τ.
// The default is none.
func (c *IntegrateConfig) Hold(nodes ...*Node) *IntegrateConfig {
	c.held = nodes
	return c
}

// Solver sets the method of a step. The default is Euler.
func (c *IntegrateConfig) Solver(s Solver) *IntegrateConfig {
	c.solver = s
	return c
}

// Between sets the times of the beginning and of the end; from the later to the
// earlier follows the flow back. The default is from 0 to 1.
func (c *IntegrateConfig) Between(from, to float64) *IntegrateConfig {
	c.from, c.to = from, to
	return c
}

// Steps sets the number of steps. The default is 100, as many as the paper has.
func (c *IntegrateConfig) Steps(n int) *IntegrateConfig {
	c.steps = n
	return c
}

// Done returns y at the end, in its shape. It panics, as graph functions do, at a
// y that has no float dtype, fewer steps than one, an unknown solver and a velocity
// of another shape.
func (c *IntegrateConfig) Done() *Node {
	g := c.y.Graph()
	if !c.y.DType().IsFloat() {
		exceptions.Panicf("flows: Integrate from y shaped %s: want floats", c.y.Shape())
	}
	if c.steps < 1 {
		exceptions.Panicf("flows: Integrate in %d steps: want 1 or more", c.steps)
	}
	if isPureGo(g.Backend()) {
		y := c.y
		for k := range c.steps {
			y = c.step(Const(g, int32(k)), y, c.held)
		}
		return y
	}
	variables := c.variables()
	var y *Node
	if err := exceptions.TryCatch[error](func() {
		y = repeat(g, Const(g, int32(c.steps)), c.y, c.held, variables, c.step)
	}); err != nil {
		// The step alone could be built, so that it is what is around it.
		panic(fmt.Errorf("flows: Integrate: the velocity shares a scalar, of MulScalar or its like, with the graph around it, where it must be alone: %w", err))
	}
	return y
}

// step is step number i of the solver, an int32 scalar.
func (c *IntegrateConfig) step(i, y *Node, held []*Node) *Node {
	g, dtype := y.Graph(), y.DType()
	constant := func(v float64) *Node { return Const(g, host.Tensor([]float64{v}, dtype)) }
	h := constant((c.to - c.from) / float64(c.steps))
	tau := Add(constant(c.from), Mul(ConvertDType(i, dtype), h))
	return c.solver.Step(func(y, tau *Node) *Node {
		v := c.velocity(c.scope.ResetVisited(), y, tau, held)
		if !v.Shape().Equal(y.Shape()) {
			exceptions.Panicf("flows: Integrate: the velocity is shaped %s: want %s, as y", v.Shape(), y.Shape())
		}
		return v
	}, y, tau, h)
}

// variables are those that the velocity uses.
func (c *IntegrateConfig) variables() []*model.Variable {
	store := c.scope.Store()
	var used []*model.Variable
	if err := dryRun(c.y.Graph().Backend(), store, func(g *Graph) {
		store.SetTraining(g, store.IsTraining(c.y.Graph()))
		held := make([]*Node, len(c.held))
		for k, h := range c.held {
			held[k] = Parameter(g, fmt.Sprintf("held_%d", k), h.Shape())
		}
		c.step(Const(g, tensors.FromScalar(int32(0))), Parameter(g, "y", c.y.Shape()), held)
		for v := range store.IterVariables() {
			if v.InUseByGraph(g) {
				used = append(used, v)
			}
		}
	}); err != nil {
		panic(fmt.Errorf("flows: Integrate: building the velocity of y, τ and what Hold was given: %w", err))
	}
	return used
}
