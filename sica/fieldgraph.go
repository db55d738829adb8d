package sica

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// ratioLoss is the logistic loss of the density ratio, [R].
func (f *field) ratioLoss(scope *model.Scope, data, batch []*Node) *Node {
	joint, product, weights := batch[0], batch[1], batch[2]
	idx := Concatenate([]*Node{f.everySignal(joint), product}, 1) // [R, 2B, d]
	z := data[0]
	var noise *Node
	if len(batch) > 3 {
		noise = batch[3] // [R, 2B, d+dK]
	}
	logit := f.network(scope, f.features(data, layers.GatherSignals(z, idx), idx, noise), 1) // [R, 2B, 1]
	half := joint.Shape().Dim(1)
	losses := flows.LogisticLoss(
		Squeeze(Slice(logit, AxisRange(), AxisRange(0, half)), -1), // [R, B]
		Squeeze(Slice(logit, AxisRange(), AxisRange(half)), -1))    // [R, B]
	return weightedMean(losses, weights)
}

// rectifiedLoss is the squared error of the rectified flow, [R].
func (f *field) rectifiedLoss(scope *model.Scope, data, batch []*Node) *Node {
	joint, product, weights, tau := f.everySignal(batch[0]), batch[1], batch[2], batch[3]
	z := data[0]
	y0 := layers.GatherSignals(z, joint)   // [R, B, d]
	y1 := layers.GatherSignals(z, product) // [R, B, d]
	y := flows.StraightPath(y0, y1, tau)   // [R, B, d]
	v := f.network(scope, f.pathFeatures(data, y, joint, product, tau), f.d)
	return weightedMean(flows.RectifiedLoss(v, y0, y1), weights)
}

// weightedMean averages losses [R, B] over the batch.
func weightedMean(losses, weights *Node) *Node {
	return Div(ReduceSum(Mul(losses, weights), -1), ReduceSum(weights, -1)) // [R]
}

// everySignal repeats positions [R, B] for each of the d signals.
func (f *field) everySignal(t *Node) *Node {
	runs, batch := t.Shape().Dim(0), t.Shape().Dim(1)
	return BroadcastToDims(InsertAxes(t, -1), runs, batch, f.d) // [R, B, d]
}

// features is the input of the ratio's network for the values y at the
// positions idx, both [R, B, d]. If noise isn't nil it is added to the input of
// a window network.
func (f *field) features(data []*Node, y, idx, noise *Node) *Node {
	z := data[0]
	if f.cfg.Context == WholeSequence {
		return layers.WholeContext(z, y, idx, f.shape...) // [R, B, p…, 3d]
	}
	if noise != nil && f.cfg.judge {
		y = Add(y, noise)
	}
	if f.cfg.seesContext() {
		y = Concatenate([]*Node{y, f.localContext(data, idx)}, -1)
	}
	if noise != nil && !f.cfg.judge {
		y = Add(y, noise)
	}
	if f.cfg.seesContext() {
		y = Mul(y, data[2])
	}
	return y // [R, B, inputs]
}

// localContext is the context of the samples at positions idx, [R, B, d·K].
func (f *field) localContext(data []*Node, idx *Node) *Node {
	if f.cfg.Context == Prediction {
		return layers.GatherSignals(data[1], idx) // K = 1
	}
	return layers.WindowContext(data[0], idx, data[1])
}

// pathFeatures is the input of the rectified flow's network for the values y
// on the path at time tau [R, B], between the positions idx and idx2.
func (f *field) pathFeatures(data []*Node, y, idx, idx2, tau *Node) *Node {
	z := data[0]
	if f.cfg.Context == WholeSequence {
		return layers.WholeContextRF(z, y, idx, idx2, tau, f.shape...) // [R, B, p…, 5d+1]
	}
	inputs := []*Node{y, InsertAxes(tau, -1)}
	if f.cfg.seesContext() {
		inputs = append(inputs, f.localContext(data, idx), f.localContext(data, idx2))
	}
	return Concatenate(inputs, -1) // [R, B, d+1+2dK]
}

// network is the paper's CNN or the MLP over features: [R, B, outputs].
func (f *field) network(scope *model.Scope, features *Node, outputs int) *Node {
	scope = scope.In(scopeName)
	if f.cfg.Context == WholeSequence {
		return layers.CNN(scope, features).Outputs(outputs).Done()
	}
	return layers.MLP(scope, features).Hidden(f.cfg.Hidden...).Outputs(outputs).Done()
}

// logitGraph is the log-ratio at the samples of positions idx [R, B, d]:
// inputs are the data and idx, the output is [R, B].
func (f *field) logitGraph(scope *model.Scope, inputs []*Node) *Node {
	data, idx := inputs[:len(inputs)-1], inputs[len(inputs)-1]
	y := layers.GatherSignals(data[0], idx)
	return Squeeze(f.network(scope, f.features(data, y, idx, nil), 1), -1)
}

// velocityGraph follows the flow from the values y [R, B, d] at positions t
// [R, B]. Inputs are the data, y, t and the scalars τ and h. For the gradient
// flow the output is its velocity, for the rectified flow y after one step h
// of the solver from time τ, both [R, B, d].
func (f *field) velocityGraph(scope *model.Scope, inputs []*Node) *Node {
	n := len(inputs) - 4
	data, y, idx, tau, h := inputs[:n], inputs[n], f.everySignal(inputs[n+1]), inputs[n+2], inputs[n+3]
	if f.cfg.Flow == WGF {
		return flows.RatioVelocity(func(y *Node) *Node {
			return Squeeze(f.network(scope, f.features(data, y, idx, nil), 1), -1)
		}, y)
	}
	return f.cfg.Solver.Step(func(y, tau *Node) *Node {
		times := BroadcastToDims(tau, y.Shape().Dim(0), y.Shape().Dim(1)) // [R, B]
		// At refinement the target's context is the signals' own (paper,
		// section "Minimising KL using Rectified Flow": Z̃′ = Z̃).
		return f.network(scope.ResetVisited(), f.pathFeatures(data, y, idx, idx, times), f.d)
	}, y, tau, h)
}
