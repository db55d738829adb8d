// Moons turns a normal cloud into two moons by rectified flow: a network of GoMLX
// learns the velocity from one to the other, and the cloud follows it.
package main

import (
	"context"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/fnn"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/ml/train/optimizer/cosineschedule"
	"github.com/gomlx/gomlx/ui/commandline"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
)

// velocity is the network, [B, 2] at y [B, 2] and a time tau, [B] or a scalar.
func velocity(scope *model.Scope, y, tau *Node, _ []*Node) *Node {
	times := Mul(OnesLike(Slice(y, AxisRange(), AxisElem(0))), Reshape(tau, -1, 1)) // [B, 1]
	network := fnn.New(scope.In("velocity"), Concatenate([]*Node{y, times}, -1), 2)
	return network.NumHiddenLayers(2, 64).Activation(activation.TypeSwish).Done()
}

// loss is a scalar: there is one run.
func loss(scope *model.Scope, _, batch []*Node) *Node {
	cloud, moons, tau := batch[0], batch[1], batch[2]
	cosineschedule.New(scope, cloud.Graph(), dtypes.Float32).LearningRate(.02).NumCycles(1).Done()
	v := velocity(scope, flows.StraightPath(cloud, moons, tau), tau, nil)
	return ReduceAllMean(flows.RectifiedLoss(v, cloud, moons))
}

// run trains, with attach to watch it, and returns which part of 1000 points lies on
// the moons before and after they follow the flow.
func run(ctx context.Context, attach func(*train.Loop)) (before, after float64) {
	b := must(backend.Open(backend.Auto))
	store := model.NewStore()
	defer store.Finalize()
	points := shapes.Make(dtypes.Float32, 100, 256, 2) // 100 steps a call, 256 samples
	times := shapes.Make(dtypes.Float32, 100, 256)
	trainer := must(flows.NewTrainer(b, store, optimizer.Adam().LearningRate(.02).Done(), loss,
		nil, []shapes.Shape{points, points, times}))
	defer trainer.Finalize()
	loop, steps := trainer.Loop(ctx, nil, samples{})
	attach(loop)
	must(loop.RunSteps(steps, 1500))

	follow := must(model.NewExec(b, store, func(scope *model.Scope, y *Node) *Node {
		return flows.Integrate(scope, velocity, y).Solver(flows.Heun).Steps(50).Done()
	}))
	defer follow.Finalize()
	cloud := normal(1000)
	moved := must(follow.Call1(cloud)).Value().([][]float32)
	return onMoons(cloud), onMoons(moved)
}

func main() {
	attach := func(loop *train.Loop) { commandline.AttachProgressBar(loop) }
	before, after := run(context.Background(), attach)
	fmt.Printf("on the moons: %.0f %% of the cloud, %.0f %% after the flow\n", 100*before, 100*after)
}
