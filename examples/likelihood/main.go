// Likelihood fits an autoregressive density to two signals by maximum likelihood in GoMLX: each is
// predicted from its own past, with innovations from a mixture of Gaussians.
package main

import (
	"context"
	"fmt"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
)

const steps = 300

// loss is the negative log-density per position of the signals data[0] [R=1, d, T].
func loss(scope *model.Scope, data, _ []*Node) *Node {
	source := flows.Autoregressive(scope.In("source"), data[0]).Past(flows.Past(2, 1))
	logDensity := source.Done()            // [1, T−2]
	return Neg(ReduceMean(logDensity, -1)) // [1]
}

// fit returns the coefficients of each signal, nearest past last, and the loss before and after.
func fit(ctx context.Context, z *mat.Dense) (coefficients [][]float32, before, after float64) {
	store := model.NewStore()
	defer store.Finalize()
	d, n := z.Dims()
	values := make([]float32, 0, d*n)
	for _, v := range z.RawMatrix().Data {
		values = append(values, float32(v))
	}
	signals := tensors.FromFlatDataAndDimensions(values, 1, d, n)
	adam := optimizer.Adam().LearningRate(.02).Done()
	trainer := must(flows.NewTrainer(must(backend.Open(backend.Go)), store, adam, loss,
		[]shapes.Shape{signals.Shape()}, nil)) // no batches: all signals in each step
	defer trainer.Finalize()
	losses := must(trainer.Train(ctx, []*tensors.Tensor{signals}, nil, steps))
	v := store.GetVariable("/source/" + flows.AutoregressiveCoefficients) // [R, d, L]
	return must(v.Value()).Value().([][][]float32)[0], losses[0][0], losses[steps-1][0]
}

func main() {
	coefficients, before, after := fit(context.Background(), sources())
	fmt.Printf("%.3f nats per position, %.3f after; coefficients %.2f\n", before, after, coefficients)
}
