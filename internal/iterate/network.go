package iterate

import (
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/guard"
	"github.com/seed-47b1e431/gosica/layers"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// Scope is the scope of the variables of a Network, without those of the optimizer.
const Scope = "field"

// A Network says what the networks of a vector field see and are, given the settings and the shape
// of the positions.
type Network struct {
	cfg   Config
	shape []int
}

// NewNetwork returns the network with these settings on positions of the given shape.
func NewNetwork(cfg Config, shape []int) Network { return Network{cfg, shape} }

// context returns what the network sees of the samples at positions idx [R, B, d] besides their
// values, [R, B, d·K]: the predictions in data[1], or the values of the neighbours in the table
// data[1], int32 [T, K]. It is nil if the network sees nothing else.
func (n Network) context(data []*Node, idx *Node) *Node {
	switch {
	case !n.cfg.seesContext():
		return nil
	case n.cfg.predicts():
		return layers.GatherSignals(data[1], idx)
	}
	return layers.WindowContext(data[0], idx, data[1])
}

// whole returns the paper's network over the whole sequence.
func (n Network) whole(scope *model.Scope, data []*Node, y, idx *Node) *layers.WholeCNNConfig {
	return layers.WholeCNN(scope, data[0], y, idx, n.shape...)
}

// LogRatio builds the log-ratio; it is of type LogRatio.
func (n Network) LogRatio(scope *model.Scope, data []*Node, y, idx, noise *Node) *Node {
	scope = scope.In(Scope)
	switch {
	case n.cfg.Context != klflow.WholeSequence:
		return Squeeze(n.mlp(scope, n.inputs(data, y, idx, noise), 1), -1)
	case n.cfg.SumOutputs:
		outputs := n.whole(scope, data, y, idx).Outputs(y.Shape().Dim(-1)).Done() // [R, B, d]
		return ReduceSum(outputs, -1)
	}
	return Squeeze(n.whole(scope, data, y, idx).Done(), -1)
}

// inputs returns the inputs of the ratio's MLP, [R, B, inputs]. If the MLP sees a context, data[2]
// is a mask [R, 1, inputs] of what each network sees.
func (n Network) inputs(data []*Node, y, idx, noise *Node) *Node {
	bareContext := n.cfg.contextsAlone() // without noise
	if noise != nil && bareContext {
		y = Add(y, noise)
	}
	context := n.context(data, idx)
	if context != nil {
		y = Concatenate([]*Node{y, context}, -1)
	}
	if noise != nil && !bareContext {
		y = Add(y, noise)
	}
	if context != nil {
		y = Mul(y, data[2])
	}
	return y
}

// Velocity builds the velocity; it is of type Velocity.
func (n Network) Velocity(scope *model.Scope, data []*Node, y, idx, idx2, tau *Node) *Node {
	scope = scope.In(Scope)
	d := y.Shape().Dim(-1)
	if n.cfg.Context == klflow.WholeSequence {
		time := timeEncoding(tau, n.cfg.TimeWaves)
		return n.whole(scope, data, y, idx).Target(idx2, time).Outputs(d).Done()
	}
	inputs := []*Node{y, InsertAxes(tau, -1)}
	if context := n.context(data, idx); context != nil {
		inputs = append(inputs, context, n.context(data, idx2))
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

// everySignal repeats positions t [R, B] for each of d signals: [R, B, d]. The result is the idx of
// joint samples, which have all signals at one position; see layers.WholeContext.
func everySignal(t *Node, d int) *Node {
	return BroadcastToDims(InsertAxes(t, -1), t.Shape().Dim(0), t.Shape().Dim(1), d)
}

// WholeSamples returns how many of the n samples of each run to evaluate at a time with
// layers.WholeCNN over the given number of positions. The memory grows with the product of samples
// and positions.
func WholeSamples(runs, positions, n int) int {
	// A hidden layer of 16 channels in float32 stays within 2 MiB, about the cache of a core. A
	// call has at least 4 samples, since each call takes some time in itself.
	const channels, values = 16, 2 << 20 / 4
	return min(max(values/(channels*positions*runs), 4), n)
}

// mlp returns the output [R, B, outputs] of the MLP or the custom network for x [R, B, inputs].
func (n Network) mlp(scope *model.Scope, x *Node, outputs int) *Node {
	if n.cfg.Network == nil {
		return layers.MLP(scope, x).Hidden(n.cfg.Hidden...).Outputs(outputs).Done()
	}
	var y *Node
	err := guard.Call("Flow.Network", func() { y = n.cfg.Network(scope, x, outputs) })
	if err != nil {
		panic(err)
	}
	want := shapes.Make(x.DType(), x.Shape().Dim(0), x.Shape().Dim(1), outputs)
	switch {
	case y == nil:
		exceptions.Panicf("the output is nil; must be %s, [R, B, outputs]", want)
	case !y.Shape().Equal(want):
		exceptions.Panicf("the output is %s; must be %s, [R, B, outputs]", y.Shape(), want)
	}
	return y
}

// logitGraph returns the log-ratio [R, B] at samples of positions idx [R, B, d]. inputs are the
// data and idx.
func (f *networks) logitGraph(scope *model.Scope, inputs []*Node) *Node {
	data, idx := inputs[:len(inputs)-1], inputs[len(inputs)-1]
	y := layers.GatherSignals(data[0], idx)
	return f.network.LogRatio(scope, data, y, idx, nil)
}

// movesGraph returns the moves [R, B, d] of the values y [R, B, d] at positions t [R, B] by the
// flow: the velocity of the gradient flow, or the point at τ = 1 on the rectified flow's path from
// y. y and t follow the data in inputs.
func (f *networks) movesGraph(scope *model.Scope, inputs []*Node) *Node {
	n := len(inputs) - 2
	data, y, idx := inputs[:n:n], inputs[n], everySignal(inputs[n+1], f.d)
	if f.cfg.Kind == klflow.WGF {
		return flows.RatioVelocity(func(y *Node) *Node {
			return f.network.LogRatio(scope, data, y, idx, nil)
		}, y)
	}
	velocity := func(scope *model.Scope, y, tau *Node, held []*Node) *Node {
		data, idx := held[:n], held[n]
		times := BroadcastToDims(tau, y.Shape().Dim(0), y.Shape().Dim(1)) // [R, B]
		// During refinement the context of the target is the signals' own (paper, section
		// "Minimising KL using Rectified Flow": Z̃′ = Z̃).
		return f.network.Velocity(scope, data, y, idx, idx, times)
	}
	return flows.Integrate(scope, velocity, y).Hold(append(data, idx)...).
		Solver(f.cfg.Solver).Steps(f.cfg.SolverSteps).Done()
}
