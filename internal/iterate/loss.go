package iterate

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// A training step uses the data that all steps share and a separate batch, as flows.StepLoss has
// them, both with a leading axis R of networks:
//
//	data   the signals z [R, d, T], and what a Network sees in addition
//	batch  joint positions [R, B], product positions [R, B, d], weights [R, B] of the
//	       samples and, for RectifiedLoss, times τ [R, B] or, for RatioLoss, where there
//	       is any, noise [R, 2B, inputs] of the joint, then of the product samples

// A LogRatio builds the log-ratio [R, B] of the values y at the positions idx, both [R, B, d].
// noise, unless nil, is added to the network's input.
type LogRatio func(scope *model.Scope, data []*Node, y, idx, noise *Node) *Node

// A Velocity builds the rectified flow's velocity [R, B, d] for the values y [R, B, d]
// on the path at time tau [R, B], between the positions idx and idx2, both [R, B, d].
type Velocity func(scope *model.Scope, data []*Node, y, idx, idx2, tau *Node) *Node

// RatioLoss returns the logistic loss of a density ratio, [R].
func RatioLoss(logRatio LogRatio) flows.StepLoss {
	return func(scope *model.Scope, data, batch []*Node) *Node {
		joint, product, weights := batch[0], batch[1], batch[2]
		d := product.Shape().Dim(-1)
		idx := Concatenate([]*Node{everySignal(joint, d), product}, 1) // [R, 2B, d]
		var noise *Node
		if len(batch) > 3 {
			noise = batch[3]
		}
		logits := logRatio(scope, data, layers.GatherSignals(data[0], idx), idx, noise) // [R, 2B]
		half := joint.Shape().Dim(1)
		losses := flows.LogisticLoss(
			Slice(logits, AxisRange(), AxisRange(0, half)), // [R, B]
			Slice(logits, AxisRange(), AxisRange(half)))    // [R, B]
		return weightedMean(losses, weights)
	}
}

// RectifiedLoss returns the squared error of the rectified flow, [R].
func RectifiedLoss(velocity Velocity) flows.StepLoss {
	return func(scope *model.Scope, data, batch []*Node) *Node {
		product, weights, tau := batch[1], batch[2], batch[3]
		joint := everySignal(batch[0], product.Shape().Dim(-1)) // [R, B, d]
		y0 := layers.GatherSignals(data[0], joint)              // [R, B, d]
		y1 := layers.GatherSignals(data[0], product)            // [R, B, d]
		y := flows.StraightPath(y0, y1, tau)                    // [R, B, d]
		v := velocity(scope, data, y, joint, product, tau)      // [R, B, d]
		return weightedMean(flows.RectifiedLoss(v, y0, y1), weights)
	}
}

// weightedMean returns the weighted mean of the losses [R, B] over the batch, [R].
func weightedMean(losses, weights *Node) *Node {
	return Div(ReduceSum(Mul(losses, weights), -1), ReduceSum(weights, -1)) // [R]
}
