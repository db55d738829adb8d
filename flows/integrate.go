package flows

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/seed-47b1e431/gosica/internal/argument"
	"github.com/seed-47b1e431/gosica/internal/guard"
	"github.com/seed-47b1e431/gosica/internal/host"
)

// A Velocity builds the velocity v(y, τ) of a flow, shaped like y, at the scalar time tau of y's
// dtype. held has the nodes of IntegrateConfig.Hold.
type Velocity func(scope *model.Scope, y, tau *Node, held []*Node) *Node

// IntegrateConfig holds the options of Integrate; call Done to get the output node.
type IntegrateConfig struct {
	scope    *model.Scope
	velocity Velocity
	y        *Node
	held     []*Node
	solver   Solver
	start    float64
	end      float64
	steps    int
}

// Integrate solves dy/dτ = v(y, τ) from y, of any shape and a float dtype, in equal steps. On XLA
// the steps are one compiled While, on the pure-Go backend copies of the step. The velocity may be
// any graph function that uses Gradient and variables of scope's store, such as those of a Trainer.
// To follow a flow from values on the host, use [Follow].
//
// Since a While on XLA sees no nodes outside it, GoMLX 0.28.6 imposes three conditions. Violating
// one is an error on every backend, with one exception:
//
//   - Other nodes that the velocity needs must come through Hold.
//   - Integrate must be alone in the graph of a model.Exec; other operations need another Exec.
//     MulScalar(x, 2) and similar operations inside and outside the velocity share one scalar 2.
//     Such an operation before Integrate is an error, as is a second Integrate. After Integrate it
//     works in pure Go; on XLA GoMLX reports "cannot add operation … after returning".
//   - Integrate can't be differentiated, and can't be in the StepLoss of a Trainer, which is in a
//     While already.
//
// The defaults are 100 steps of Euler from τ = 0 to 1.
func Integrate(scope *model.Scope, velocity Velocity, y *Node) *IntegrateConfig {
	return &IntegrateConfig{
		scope: scope, velocity: velocity, y: y,
		solver: Euler, end: 1, steps: 100,
	}
}

// Hold sets the nodes, of any shapes, that are passed to the velocity besides y and τ. The default
// is none.
func (c *IntegrateConfig) Hold(nodes ...*Node) *IntegrateConfig {
	c.held = nodes
	return c
}

// Solver sets the method of a step. The default is Euler.
func (c *IntegrateConfig) Solver(s Solver) *IntegrateConfig {
	c.solver = s
	return c
}

// Between sets the times of the start and of the end; a later start follows the flow back. The
// default is from 0 to 1.
func (c *IntegrateConfig) Between(start, end float64) *IntegrateConfig {
	c.start, c.end = start, end
	return c
}

// Steps sets the number of steps. The default is 100, as in the paper.
func (c *IntegrateConfig) Steps(n int) *IntegrateConfig {
	c.steps = n
	return c
}

// Done returns the end point, shaped like y. It panics, as graph functions do, if y isn't of a
// float dtype, if there is no step, if a time isn't finite, if the solver is unknown, or if the
// velocity isn't shaped like y.
func (c *IntegrateConfig) Done() *Node {
	const where = "flows: Integrate"
	argument.Present(where, "scope", c.scope != nil, "one, such as store.RootScope()")
	argument.Present(where, "velocity", c.velocity != nil, "a function")
	argument.Present(where, "y", c.y != nil, "floats")
	argument.Present(where, "a node of Hold", !slices.Contains(c.held, nil), "a node")
	g := c.y.Graph()
	if !c.y.DType().IsFloat() {
		exceptions.Panicf("flows: Integrate: y is shaped %s; must be floats", c.y.Shape())
	}
	if c.steps < 1 {
		exceptions.Panicf("flows: Integrate: %d steps; must be at least 1", c.steps)
	}
	if length := c.end - c.start; math.IsNaN(length) || math.IsInf(length, 0) {
		exceptions.Panicf("flows: Integrate: Between: %g, %g; must be finite", c.start, c.end)
	}
	if g.State(inStepLoss{}) != nil {
		exceptions.Panicf("flows: Integrate: it is in the loss of a Trainer, which is in a While " +
			"already; must be in a graph of its own")
	}
	if g.State(integrated{}) != nil {
		exceptions.Panicf("flows: Integrate: it is the second in its graph; must be alone in its " +
			"graph")
	}
	g.AttachState(integrated{}, true)
	c.solver.check()
	variables, scalars := c.dryRun()
	y := c.y
	if isPureGo(g.Backend()) {
		// Refuse here what While refuses on XLA.
		for s := range scalars {
			if s.sharedIn(g) {
				exceptions.Panicf("flows: Integrate: the velocity shares a scalar, %g of "+
					"MulScalar or the like, with the graph around it; must be alone in its graph", s.value)
			}
		}
		for k := range c.steps {
			y = c.step(Const(g, int32(k)), y, c.held)
		}
	} else if err := exceptions.TryCatch[error](func() {
		y = repeat(g, Const(g, int32(c.steps)), c.y, c.held, variables, c.step)
	}); err != nil {
		// dryRun could build the step alone, so the graph around it is the reason.
		panic(fmt.Errorf("flows: Integrate: the velocity shares a scalar, of MulScalar or "+
			"the like, with the graph around it; must be alone in its graph: %w", err))
	}
	return IdentityWithCustomGradient(y, func(_, _ *Node) *Node {
		exceptions.Panicf("flows: Integrate: it can't be differentiated, as it is a While")
		return nil
	})
}

// Keys of a graph's state: the graph has an Integrate, or is a step of a Trainer.
type (
	integrated struct{}
	inStepLoss struct{}
)

// A scalar is a constant that MulScalar, ZerosLike and similar functions create once per graph.
type scalar struct {
	dtype dtypes.DType
	value float64
}

// sharedIn reports whether g has the scalar already, and adds it otherwise.
func (s scalar) sharedIn(g *Graph) bool {
	last := g.LastNode()
	Scalar(g, s.dtype, s.value)
	return g.LastNode() == last
}

// step returns y after step i of the solver, an int32 scalar.
func (c *IntegrateConfig) step(i, y *Node, held []*Node) *Node {
	g, dtype := y.Graph(), y.DType()
	constant := func(v float64) *Node { return Const(g, host.Tensor([]float64{v}, dtype)) }
	h := constant((c.end - c.start) / float64(c.steps))
	tau := Add(constant(c.start), Mul(ConvertDType(i, dtype), h))
	return c.solver.Step(func(y, tau *Node) *Node {
		var v *Node
		if err := guard.Call("the velocity", func() {
			v = c.velocity(c.scope.ResetVisited(), y, tau, held)
		}); err != nil {
			panic(err)
		}
		argument.Present("flows: Integrate", "the velocity's result", v != nil, "shaped like y")
		if !v.Shape().Equal(y.Shape()) {
			exceptions.Panicf("flows: Integrate: the velocity is shaped %s; must be %s, like y",
				v.Shape(), y.Shape())
		}
		return v
	}, y, tau, h)
}

// dryRun builds a step in a separate graph. It returns the variables and the shared scalars that
// the velocity uses.
func (c *IntegrateConfig) dryRun() (used []*model.Variable, scalars map[scalar]bool) {
	store := c.scope.Store()
	scalars = make(map[scalar]bool)
	if err := dryRun(c.y.Graph().Backend(), store, func(g *Graph) {
		store.SetTraining(g, store.IsTraining(c.y.Graph()))
		held := make([]*Node, len(c.held))
		for k, h := range c.held {
			held[k] = Parameter(g, fmt.Sprintf("held_%d", k), h.Shape())
		}
		first := Const(g, tensors.FromScalar(int32(0)))
		c.step(first, Parameter(g, "y", c.y.Shape()), held)
		for v := range store.IterVariables() {
			if v.InUseByGraph(g) {
				used = append(used, v)
			}
		}
		for _, n := range g.Nodes() {
			if n.Type() != NodeTypeConstant || !n.IsScalar() || !n.DType().IsFloat() {
				continue
			}
			value, err := host.Values(n.ConstantValue())
			if err != nil {
				panic(err)
			}
			if s := (scalar{n.DType(), value[0]}); s.sharedIn(g) {
				scalars[s] = true
			}
		}
	}); err != nil {
		panic(fmt.Errorf("flows: Integrate: building the velocity at y %s: %w%s", c.y.Shape(), err,
			c.advice(err)))
	}
	return used, scalars
}

// advice returns what to do about an error in building the velocity, or "".
func (c *IntegrateConfig) advice(err error) string {
	switch message := err.Error(); {
	case strings.Contains(message, "different graphs"):
		return "; the velocity has y, tau and the nodes of Hold: others must be passed by Hold"
	case strings.Contains(message, fmt.Sprintf("with length %d", len(c.held))):
		return "; if that is held, its nodes must be passed by Hold, to Integrate in a model.Exec: " +
			"Follow has none"
	case strings.Contains(message, "requested to reuse variable"):
		return "; velocity and y must have the shapes and the dtype that the store was trained with"
	}
	return visitedAdvice(err)
}

// A Solver is a one-step method for dy/dτ = v(y, τ).
type Solver string

// The solvers, with the order in h of the error at a given time.
const (
	Euler Solver = "euler" // order 1, one velocity per step
	Heun  Solver = "heun"  // order 2, two velocities per step
)

// Step returns y after a step along velocity from time tau to tau+h. tau and h are scalars of y's
// dtype.
func (s Solver) Step(velocity func(y, tau *Node) *Node, y, tau, h *Node) *Node {
	s.check()
	v := velocity(y, tau)
	if s == Euler {
		return Add(y, Mul(h, v))
	}
	next := velocity(Add(y, Mul(h, v)), Add(tau, h))
	return Add(y, Mul(MulScalar(h, 0.5), Add(v, next)))
}

// check panics unless s is one of the solvers.
func (s Solver) check() {
	if s != Euler && s != Heun {
		exceptions.Panicf("flows: solver is %q; must be %q or %q", s, Euler, Heun)
	}
}

// isPureGo reports whether b is the pure-Go backend, which can't differentiate inside a While.
func isPureGo(b compute.Backend) bool { return b.String() == gobackend.BackendName }

// repeat applies body to the tensor carried, steps times (an int32 scalar), in one While, and
// returns the result. The body gets the number of the iteration, the tensor, and held, which is
// constant. It may use and change the variables as usual.
//
// GoMLX 0.28.6 imposes three conditions on a While on XLA: the body must get every tensor as loop
// state; nothing outside may use a cached scalar of the graph, so repeat uses Const, never Zeros or
// AddScalar; condition and body must declare the same parameters.
func repeat(
	g *Graph, steps, carried *Node, held []*Node, variables []*model.Variable,
	body func(i, carried *Node, held []*Node) *Node,
) *Node {
	state := append([]*Node{Const(g, int32(0)), carried, steps}, held...)
	first := len(state) // index of the first variable
	outside := make([]*Node, len(variables))
	for k, v := range variables {
		outside[k] = v.NodeValue(g)
	}
	state = append(state, outside...)
	parameters := func(g *Graph) []*Node {
		ps := make([]*Node, len(state))
		for k, s := range state {
			ps[k] = Parameter(g, fmt.Sprintf("state_%d", k), s.Shape())
		}
		return ps
	}
	cond := NewClosure(g, func(g *Graph) []*Node {
		ps := parameters(g)
		return []*Node{LessThan(ps[0], ps[2])}
	})
	changed := make([]bool, len(variables))
	iteration := NewClosure(g, func(g *Graph) []*Node {
		ps := parameters(g)
		for k, v := range variables {
			v.SetNodeValue(ps[first+k])
		}
		next := body(ps[0], ps[1], ps[3:first])
		for k, v := range variables {
			changed[k] = v.NodeValue(g) != ps[first+k]
			ps[first+k] = v.NodeValue(g)
		}
		ps[0], ps[1] = Add(ps[0], Const(g, int32(1))), next
		return ps
	})
	final := While(cond, iteration, state...)
	for k, v := range variables {
		v.SetNodeValue(outside[k])
		if changed[k] {
			v.SetNodeValue(final[first+k])
		}
	}
	return final[1]
}
