package iterate

import (
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// Scope holds the variables of a Network, without the optimizer's.
const Scope = "field"

// A Network is what a vector field's networks see and are.
type Network struct {
	// Whole is the paper's network over the whole sequence, of positions of this
	// Shape; else the network is an MLP.
	Whole bool
	Shape []int
	// SumOutputs makes the log-ratio of Whole a sum of d outputs, not one.
	SumOutputs bool
	// TimeWaves is the number of waves in the encoded time that the velocity of Whole sees; see
	// timeEncoding.
	TimeWaves int
	// Hidden are the widths of the MLP's hidden layers.
	Hidden []int
	// Custom, if set, takes the MLP's place: it takes x [R, B, inputs] to [R, B, outputs].
	Custom func(scope *model.Scope, x *Node, outputs int) *Node
	// Context is what the MLP sees in addition to the values, nil for nothing. For the ratio
	// data[2] is then a mask [R, 1, inputs] of what each network sees of all inputs.
	Context ContextGraph
	// BareContext leaves the context without noise.
	BareContext bool
}

// A ContextGraph builds the context of the samples at positions idx [R, B, d]: [R, B, d·K].
type ContextGraph func(data []*Node, idx *Node) *Node

// Window returns the values of the neighbours, of which data[1] is the table, int32 [T, K].
func Window(data []*Node, idx *Node) *Node { return layers.WindowContext(data[0], idx, data[1]) }

// Predictions returns those of each signal from its neighbours, data[1] [R, d, T].
func Predictions(data []*Node, idx *Node) *Node { return layers.GatherSignals(data[1], idx) }

// LogRatio builds the log-ratio; it is of type LogRatio.
func (n Network) LogRatio(scope *model.Scope, data []*Node, y, idx, noise *Node) *Node {
	scope = scope.In(Scope)
	switch {
	case n.Whole && n.SumOutputs:
		d := y.Shape().Dim(-1)
		outputs := layers.WholeCNN(scope, data[0], y, idx, n.Shape...).Outputs(d).Done() // [R, B, d]
		return ReduceSum(outputs, -1)
	case n.Whole:
		return Squeeze(layers.WholeCNN(scope, data[0], y, idx, n.Shape...).Done(), -1)
	}
	return Squeeze(n.mlp(scope, n.inputs(data, y, idx, noise), 1), -1)
}

// inputs returns those of the ratio's MLP, [R, B, inputs].
func (n Network) inputs(data []*Node, y, idx, noise *Node) *Node {
	if noise != nil && n.BareContext {
		y = Add(y, noise)
	}
	if n.Context != nil {
		y = Concatenate([]*Node{y, n.Context(data, idx)}, -1)
	}
	if noise != nil && !n.BareContext {
		y = Add(y, noise)
	}
	if n.Context != nil {
		y = Mul(y, data[2])
	}
	return y
}

// Velocity builds the velocity; it is of type Velocity.
func (n Network) Velocity(scope *model.Scope, data []*Node, y, idx, idx2, tau *Node) *Node {
	scope = scope.In(Scope)
	d := y.Shape().Dim(-1)
	if n.Whole {
		time := timeEncoding(tau, n.TimeWaves)
		return layers.WholeCNN(scope, data[0], y, idx, n.Shape...).Target(idx2, time).Outputs(d).Done()
	}
	inputs := []*Node{y, InsertAxes(tau, -1)}
	if n.Context != nil {
		inputs = append(inputs, n.Context(data, idx), n.Context(data, idx2))
	}
	x := Concatenate(inputs, -1) // [R, B, d+1+2dK]
	return n.mlp(scope, x, d)
}

// timeEncoding encodes the time tau [R, B] of a rectified flow for its network: τ, and sin 2πkτ
// and cos 2πkτ for each k from 1 to waves. The result is [R, B, 1+2·waves]. The paper says "an
// additional time-encoding", and no more.
func timeEncoding(tau *Node, waves int) *Node {
	code := []*Node{tau}
	for k := 1; k <= waves; k++ {
		angle := MulScalar(tau, 2*math.Pi*float64(k))
		code = append(code, Sin(angle), Cos(angle))
	}
	return Stack(code, -1)
}

// everySignal repeats positions t [R, B] for each of d signals: [R, B, d]. It is the idx of joint
// samples, which have all signals at one position; see layers.WholeContext.
func everySignal(t *Node, d int) *Node {
	return BroadcastToDims(InsertAxes(t, -1), t.Shape().Dim(0), t.Shape().Dim(1), d)
}

// WholeSamples returns the number of samples, of n for each run, to evaluate layers.WholeCNN on at
// a time over an index of that many positions. Its memory grows with the product of samples and
// positions.
func WholeSamples(runs, positions, n int) int {
	// A hidden layer of 16 channels in float32 stays within 2 MiB, about a core's cache. A call
	// has 4 samples at least, as it takes some time of its own.
	const channels, values = 16, 2 << 20 / 4
	return min(max(values/(channels*positions*runs), 4), n)
}

// mlp returns the MLP, or what takes its place, of x [R, B, inputs]: [R, B, outputs].
func (n Network) mlp(scope *model.Scope, x *Node, outputs int) *Node {
	if n.Custom == nil {
		return layers.MLP(scope, x).Hidden(n.Hidden...).Outputs(outputs).Done()
	}
	y := n.Custom(scope, x, outputs)
	want := shapes.Make(x.DType(), x.Shape().Dim(0), x.Shape().Dim(1), outputs)
	switch {
	case y == nil:
		exceptions.Panicf("the output is nil; must be %s, [R, B, outputs]", want)
	case !y.Shape().Equal(want):
		exceptions.Panicf("the output is %s; must be %s, [R, B, outputs]", y.Shape(), want)
	}
	return y
}

// network returns the settings of the networks on positions of this shape, and what they see.
func (c Config) network(shape []int) Network {
	n := Network{
		Whole: c.Context == WholeSequence, Shape: shape,
		SumOutputs: c.SumOutputs, TimeWaves: c.TimeWaves,
		Hidden: c.Hidden, Custom: c.Network, BareContext: c.contextsAlone(),
	}
	switch {
	case !c.seesContext():
	case c.predicts():
		n.Context = Predictions
	default:
		n.Context = Window
	}
	return n
}

// logitGraph returns the log-ratio at the samples of positions idx [R, B, d]:
// inputs are the data and idx, the output is [R, B].
func (f *networks) logitGraph(scope *model.Scope, inputs []*Node) *Node {
	data, idx := inputs[:len(inputs)-1], inputs[len(inputs)-1]
	y := layers.GatherSignals(data[0], idx)
	return f.network.LogRatio(scope, data, y, idx, nil)
}

// movesGraph returns what the flow does to the values y [R, B, d] at positions t [R, B],
// after the data in inputs: the velocity of the gradient flow, or where the rectified
// flow has taken y at τ = 1, both [R, B, d].
func (f *networks) movesGraph(scope *model.Scope, inputs []*Node) *Node {
	n := len(inputs) - 2
	data, y, idx := inputs[:n:n], inputs[n], everySignal(inputs[n+1], f.d)
	if f.cfg.Kind == WGF {
		return flows.RatioVelocity(func(y *Node) *Node {
			return f.network.LogRatio(scope, data, y, idx, nil)
		}, y)
	}
	velocity := func(scope *model.Scope, y, tau *Node, held []*Node) *Node {
		data, idx := held[:n], held[n]
		times := BroadcastToDims(tau, y.Shape().Dim(0), y.Shape().Dim(1)) // [R, B]
		// At refinement the target's context is the signals' own (paper,
		// section "Minimising KL using Rectified Flow": Z̃′ = Z̃).
		return f.network.Velocity(scope, data, y, idx, idx, times)
	}
	return flows.Integrate(scope, velocity, y).Hold(append(data, idx)...).
		Solver(f.cfg.Solver).Steps(f.cfg.SolverSteps).Done()
}
