package field

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// ratioLoss is the logistic loss of the density ratio, [R].
func (f *networks) ratioLoss(scope *model.Scope, data, batch []*Node) *Node {
	joint, product, weights := batch[0], batch[1], batch[2]
	idx := Concatenate([]*Node{layers.EverySignal(joint, f.d), product}, 1) // [R, 2B, d]
	z := data[0]
	var noise *Node
	if len(batch) > 3 {
		noise = batch[3] // [R, 2B, d+dK]
	}
	logits := f.logRatio(scope, data, layers.GatherSignals(z, idx), idx, noise) // [R, 2B]
	half := joint.Shape().Dim(1)
	losses := flows.LogisticLoss(
		Slice(logits, AxisRange(), AxisRange(0, half)), // [R, B]
		Slice(logits, AxisRange(), AxisRange(half)))    // [R, B]
	return weightedMean(losses, weights)
}

// rectifiedLoss is the squared error of the rectified flow, [R].
func (f *networks) rectifiedLoss(scope *model.Scope, data, batch []*Node) *Node {
	joint, product, weights, tau := layers.EverySignal(batch[0], f.d), batch[1], batch[2], batch[3]
	z := data[0]
	y0 := layers.GatherSignals(z, joint)   // [R, B, d]
	y1 := layers.GatherSignals(z, product) // [R, B, d]
	y := flows.StraightPath(y0, y1, tau)   // [R, B, d]
	v := f.pathVelocity(scope, data, y, joint, product, tau)
	return weightedMean(flows.RectifiedLoss(v, y0, y1), weights)
}

// weightedMean averages losses [R, B] over the batch.
func weightedMean(losses, weights *Node) *Node {
	return Div(ReduceSum(Mul(losses, weights), -1), ReduceSum(weights, -1)) // [R]
}

// logRatio is the learned log-ratio of the values y at the positions idx, both
// [R, B, d]: [R, B]. If noise isn't nil it is added to the input of a window
// network.
func (f *networks) logRatio(scope *model.Scope, data []*Node, y, idx, noise *Node) *Node {
	scope = scope.In(scopeName)
	var logit *Node // [R, B, 1]
	if f.cfg.Context == WholeSequence {
		logit = layers.WholeCNN(scope, data[0], y, idx, f.shape...).Done()
	} else {
		logit = layers.MLP(scope, f.features(data, y, idx, noise)).Hidden(f.cfg.Hidden...).Done()
	}
	return Squeeze(logit, -1)
}

// pathVelocity is the learned velocity [R, B, d] of the rectified flow for the
// values y [R, B, d] on the path at time tau [R, B], between the positions idx
// and idx2, both [R, B, d].
func (f *networks) pathVelocity(scope *model.Scope, data []*Node, y, idx, idx2, tau *Node) *Node {
	scope = scope.In(scopeName)
	if f.cfg.Context == WholeSequence {
		return layers.WholeCNN(scope, data[0], y, idx, f.shape...).Target(idx2, tau).Outputs(f.d).Done()
	}
	inputs := []*Node{y, InsertAxes(tau, -1)}
	if f.cfg.seesContext() {
		inputs = append(inputs, f.localContext(data, idx), f.localContext(data, idx2))
	}
	x := Concatenate(inputs, -1) // [R, B, d+1+2dK]
	return layers.MLP(scope, x).Hidden(f.cfg.Hidden...).Outputs(f.d).Done()
}

// features is the input [R, B, inputs] of a window network for the values y at
// the positions idx, both [R, B, d], with the noise, if it isn't nil.
func (f *networks) features(data []*Node, y, idx, noise *Node) *Node {
	if noise != nil && f.cfg.contextsAlone {
		y = Add(y, noise)
	}
	if f.cfg.seesContext() {
		y = Concatenate([]*Node{y, f.localContext(data, idx)}, -1)
	}
	if noise != nil && !f.cfg.contextsAlone {
		y = Add(y, noise)
	}
	if f.cfg.seesContext() {
		y = Mul(y, data[2])
	}
	return y
}

// localContext is the context of the samples at positions idx, [R, B, d·K].
func (f *networks) localContext(data []*Node, idx *Node) *Node {
	if f.cfg.Context == Prediction {
		return layers.GatherSignals(data[1], idx) // K = 1
	}
	return layers.WindowContext(data[0], idx, data[1])
}

// logitGraph is the log-ratio at the samples of positions idx [R, B, d]:
// inputs are the data and idx, the output is [R, B].
func (f *networks) logitGraph(scope *model.Scope, inputs []*Node) *Node {
	data, idx := inputs[:len(inputs)-1], inputs[len(inputs)-1]
	y := layers.GatherSignals(data[0], idx)
	return f.logRatio(scope, data, y, idx, nil)
}

// velocityGraph follows the flow from the values y [R, B, d] at positions t
// [R, B]. Inputs are the data, y, t and the scalars τ and h. For the gradient
// flow the output is its velocity, for the rectified flow y after one step h
// of the solver from time τ, both [R, B, d].
func (f *networks) velocityGraph(scope *model.Scope, inputs []*Node) *Node {
	n := len(inputs) - 4
	data, y, idx, tau, h := inputs[:n], inputs[n], layers.EverySignal(inputs[n+1], f.d), inputs[n+2], inputs[n+3]
	if f.cfg.Flow == WGF {
		return flows.RatioVelocity(func(y *Node) *Node {
			return f.logRatio(scope, data, y, idx, nil)
		}, y)
	}
	return f.cfg.Solver.Step(func(y, tau *Node) *Node {
		times := BroadcastToDims(tau, y.Shape().Dim(0), y.Shape().Dim(1)) // [R, B]
		// At refinement the target's context is the signals' own (paper,
		// section "Minimising KL using Rectified Flow": Z̃′ = Z̃).
		return f.pathVelocity(scope.ResetVisited(), data, y, idx, idx, times)
	}, y, tau, h)
}
