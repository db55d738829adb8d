package field

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/trainstep"
	"github.com/seed-47b1e431/gosica/layers"
)

// network is what the networks on positions of this shape see and are.
func (c Config) network(shape []int) trainstep.Network {
	n := trainstep.Network{Whole: c.Context == WholeSequence, SumOutputs: c.SumOutputs, TimeWaves: c.TimeWaves, Shape: shape, Hidden: c.Hidden, Own: c.Network, BareContext: c.contextsAlone}
	switch {
	case !c.seesContext():
	case c.Context == Prediction:
		n.Context = trainstep.Predictions
	default:
		n.Context = trainstep.Window
	}
	return n
}

// logitGraph is the log-ratio at the samples of positions idx [R, B, d]:
// inputs are the data and idx, the output is [R, B].
func (f *networks) logitGraph(scope *model.Scope, inputs []*Node) *Node {
	data, idx := inputs[:len(inputs)-1], inputs[len(inputs)-1]
	y := layers.GatherSignals(data[0], idx)
	return f.network.LogRatio(scope, data, y, idx, nil)
}

// movesGraph is what the flow does to the values y [R, B, d] at positions t [R, B],
// after the data in inputs: the velocity of the gradient flow, or where the rectified
// flow has taken y at τ = 1, both [R, B, d].
func (f *networks) movesGraph(scope *model.Scope, inputs []*Node) *Node {
	n := len(inputs) - 2
	data, y, idx := inputs[:n:n], inputs[n], layers.EverySignal(inputs[n+1], f.d)
	if f.cfg.Flow == WGF {
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
	return flows.Integrate(scope, velocity, y).Hold(append(data, idx)...).Solver(f.cfg.Solver).Steps(f.cfg.SolverSteps).Done()
}
