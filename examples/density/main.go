// Density learns the density of two moons by an invertible network, keeps it in a checkpoint of
// GoMLX, and evaluates it in another store.
package main

import (
	"context"
	"fmt"
	"math"
	"os"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	sicalayers "github.com/seed-47b1e431/gosica/layers"
)

const steps, batch = 300, 256

// logDensity of x [B, d] is log N(g(x); 0, I) + log|det ∂g/∂x|, [B], in nats.
func logDensity(scope *model.Scope, x *Node) *Node {
	z, logDet := sicalayers.Invertible(scope.In("map"), InsertAxes(x, 0)).Done() // [1, B, d], [1, B]
	return Squeeze(Sub(logDet, MulScalar(ReduceSum(AddScalar(Square(z), math.Log(2*math.Pi)), -1), 0.5)), 0)
}

func loss(scope *model.Scope, _, batch []*Node) *Node {
	return Neg(ReduceAllMean(logDensity(scope, batch[0])))
}

// learn trains the density and saves it in the folder dir.
func learn(ctx context.Context, dir string) {
	store := model.NewStore()
	defer store.Finalize()
	store.SetParam(sicalayers.ParamSeed, 1) // a good beginning for Invertible
	handler := must(checkpoint.Build(store).Dir(dir).Done())
	shape := shapes.Make(dtypes.Float32, steps, batch, 2) // [S, B, d]
	adam := flows.RunsAdam().Clip(5).Schedule("/map", flows.Schedule{Rate: .03, Steps: steps}).Done()
	b := must(backend.Open(backend.Go))
	trainer := must(flows.NewTrainer(b, store, adam, loss, nil, []shapes.Shape{shape}))
	defer trainer.Finalize()
	points := tensors.FromFlatDataAndDimensions(twoMoons(1, steps*batch), shape.Dimensions...)
	must(trainer.Train(ctx, nil, []*tensors.Tensor{points}, steps))
	check(handler.Save())
}

// score returns the mean log-density of new points, in nats, by the density saved in dir.
func score(dir string) float64 {
	store := model.NewStore()
	defer store.Finalize()
	must(checkpoint.Load(store).Dir(dir).Done())
	points := tensors.FromFlatDataAndDimensions(twoMoons(2, 1000), 1000, 2)
	b := must(backend.Open(backend.Go))
	mean := must(model.CallOnce(b, store, func(scope *model.Scope, x *Node) *Node {
		return ReduceAllMean(logDensity(scope, x))
	}, points))
	return float64(tensors.ToScalar[float32](mean))
}

func main() {
	dir := must(os.MkdirTemp("", "density"))
	defer os.RemoveAll(dir)
	learn(context.Background(), dir)
	fmt.Printf("%.2f nats per point; the best Gaussian has -1.91\n", score(dir))
}
