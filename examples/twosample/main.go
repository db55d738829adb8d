// Twosample tests whether two samples come from one distribution: a density ratio
// that was learned on one half of them is no larger, on the average, on the one than
// on the other in the other half, if they do. Two tests are made at once, as two runs.
package main

import (
	"context"
	"fmt"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	sicalayers "github.com/seed-47b1e431/gosica/layers"
)

const steps, n = 200, 400 // training steps, and points in half a sample

// logRatio is log p(x)/q(x), [R, B, 1] for x [R, B, 2].
func logRatio(scope *model.Scope, x *Node) *Node {
	return sicalayers.MLP(scope.In("ratio"), x).Done()
}

func loss(scope *model.Scope, data, _ []*Node) *Node {
	logits := logRatio(scope, data[0]) // [R, 2n, 1]
	p, q := Slice(logits, AxisRange(), AxisRange(0, n)), Slice(logits, AxisRange(), AxisRange(n))
	return ReduceMean(flows.LogisticLoss(p, q), 1, 2) // [R]
}

// pValues are those of two pairs of samples: the same distribution, and one whose
// coordinates, each standard normal too, are correlated by rho.
func pValues(ctx context.Context, rho float64) (values []float64) {
	b := must(backend.Open(backend.Auto))
	store := model.NewStore()
	store.SetParam(sicalayers.ParamRuns, 2)
	defer store.Finalize()
	learn, held := halves(rho), halves(rho)
	trainer := must(flows.NewTrainer(b, store, optimizer.Adam().LearningRate(.01).Done(), loss,
		[]shapes.Shape{learn.Shape()}, nil)) // no batches: all samples in each step
	defer trainer.Finalize()
	must(trainer.Train(ctx, []*tensors.Tensor{learn}, nil, steps))

	ratios := must(model.CallOnce(b, store, logRatio, held))
	for _, run := range ratios.Value().([][][]float32) {
		values = append(values, pValue(run[:n], run[n:]))
	}
	return values
}

func main() {
	p := pValues(context.Background(), .6)
	fmt.Printf("p-values: %.2g of one distribution, %.2g of two\n", p[0], p[1])
}
