// Restarts learns the density of six heavy-tailed signals after a leaky-ReLU layer, as networks
// of many signals are trained: matrices by relative steps, at rates that are high first and fall,
// three runs at once with rates of their own, of which the best on new points is kept by itself.
package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
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

// means returns the mean log-density of points [n, d] by each of the runs in a store.
func means(b compute.Backend, store *model.Store, points []float32, runs int) []float32 {
	n := len(points) / d
	mean := must(model.CallOnce(b, store, func(scope *model.Scope, x *Node) *Node {
		return ReduceMean(logDensity(scope, BroadcastToDims(x, runs, n, d)), -1)
	}, tensors.FromFlatDataAndDimensions(points, 1, n, d)))
	return mean.Value().([]float32)
}

// learn returns the mean log-density of new points of each run, of the best by itself, and of the
// true density.
func learn(ctx context.Context) (learnt []float32, best float32, truth float64) {
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
	learnt = means(b, store, points, runs)
	r := slices.Index(learnt, slices.Max(learnt))
	kept := must(sicalayers.SelectRun(store, r)) // to save by GoMLX's checkpoint, say
	defer kept.Finalize()
	return learnt, means(b, kept, points, 1)[0], truth
}

func main() {
	learnt, best, truth := learn(context.Background())
	fmt.Printf("nats per point: %.2f by the runs, %.2f by the one kept, %.2f by the truth\n",
		learnt, best, truth)
}
