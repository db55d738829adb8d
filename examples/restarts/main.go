// Restarts learns the density of six heavy-tailed signals after a leaky-ReLU layer, as networks
// of many signals are trained: matrices by relative steps, at rates that are high first and fall,
// three runs at once with rates of their own, of which the best on new points is kept.
package main

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	sicalayers "github.com/seed-47b1e431/gosica/layers"
)

const runs, d, steps, batch = 3, 6, 600, 256

// logDensity is log p of x [R, B, d], [R, B], as if z had densities 1/(π·cosh z).
func logDensity(scope *model.Scope, x *Node) *Node {
	z, logDet := sicalayers.Invertible(scope.In("map"), x).Layers(4).FullMatrices().Done()
	cosh := Add(Abs(z), Log1P(Exp(MulScalar(Abs(z), -2)))) // log 2·cosh z
	return Sub(logDet, ReduceSum(AddScalar(cosh, math.Log(math.Pi/2)), -1))
}

func loss(scope *model.Scope, _, batch []*Node) *Node {
	return Neg(ReduceMean(logDensity(scope, batch[0]), -1)) // [R]
}

// learn returns the mean log-density of new points of each run, and of the true density.
func learn(ctx context.Context) (learnt []float32, truth float64) {
	store := model.NewStore()
	defer store.Finalize()
	store.SetParam(sicalayers.ParamSeed, 1) // each run begins elsewhere
	store.SetParam(sicalayers.ParamRuns, runs)
	adam := flows.RunsAdam().Clip(5).Relative("matrices").Schedule("/map",
		flows.Schedule{Rate: .04, Ramp: 50, Steps: steps, PerRun: true}).Done()
	shape := shapes.Make(dtypes.Float32, steps, runs, batch, d) // [S, R, B, d]
	b := must(backend.Open(backend.Go))
	trainer := must(flows.NewTrainer(b, store, adam, loss, nil, []shapes.Shape{shape}))
	defer trainer.Finalize()
	check(store.GetVariable(flows.RunsAdamRates).SetValue(tensors.FromValue([]float32{1, .5, .25})))
	points, _ := mixed(1, steps*runs*batch)
	must(trainer.Train(ctx, nil, []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(points, shape.Dimensions...)}, steps))

	points, truth = mixed(2, 4000)
	means := must(model.CallOnce(b, store, func(scope *model.Scope, x *Node) *Node {
		return ReduceMean(logDensity(scope, BroadcastToDims(x, runs, 4000, d)), -1)
	}, tensors.FromFlatDataAndDimensions(points, 1, 4000, d)))
	return means.Value().([]float32), truth
}

func main() {
	learnt, truth := learn(context.Background())
	fmt.Printf("nats per point: %.2f by the runs, %.2f by the truth\n", learnt, truth)
}
