// Conditional draws samples of a class: a rectified flow learns two half circles, labelled 0 and 1,
// and then makes points of each.
package main

import (
	"context"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/fnn"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
)

const classes, steps, batch = 2, 100, 256 // steps of one call of Train, samples of a step

// velocity is shaped like y [B, 2]. tau is [B] or a scalar, and held[0] the labels, int32 [B].
func velocity(scope *model.Scope, y, tau *Node, held []*Node) *Node {
	times := Mul(OnesLike(Slice(y, AxisRange(), AxisElem(0))), Reshape(tau, -1, 1)) // [B, 1]
	label := OneHot(held[0], classes, y.DType())                                    // [B, classes]
	network := fnn.New(scope.In("velocity"), Concatenate([]*Node{y, times, label}, -1), 2)
	return network.NumHiddenLayers(2, 64).Activation(activation.TypeSwish).Done()
}

// loss passes the batch's labels where Integrate passes the nodes of Hold.
func loss(scope *model.Scope, _, batch []*Node) *Node {
	cloud, samples, tau, labels := batch[0], batch[1], batch[2], batch[3]
	v := velocity(scope, flows.StraightPath(cloud, samples, tau), tau, []*Node{labels})
	return ReduceAllMean(flows.RectifiedLoss(v, cloud, samples))
}

// points trains the flow, and returns n points of each class.
func points(ctx context.Context, n int) (classPoints [classes][][]float32) {
	b := must(backend.Open(backend.Auto))
	store := model.NewStore()
	defer store.Finalize()
	pairs, times := shapes.Make(dtypes.Float32, steps, batch, 2), shapes.Make(dtypes.Float32, steps, batch)
	trainer := must(flows.NewTrainer(b, store, optimizer.Adam().LearningRate(0.005).Done(), loss,
		nil, []shapes.Shape{pairs, pairs, times, shapes.Make(dtypes.Int32, steps, batch)}))
	defer trainer.Finalize()
	for range 20 {
		samples, labels := labelled()
		must(trainer.Train(ctx, nil, []*tensors.Tensor{normal(steps, batch, 2), samples, uniform(), labels}, steps))
	}
	sample := must(model.NewExec(b, store, func(scope *model.Scope, y, labels *Node) *Node {
		return flows.Integrate(scope, velocity, y).Hold(labels).Solver(flows.Heun).Steps(50).Done()
	}))
	defer sample.Finalize()
	for class := range classPoints {
		labels := make([]int32, n)
		for i := range labels {
			labels[i] = int32(class)
		}
		classPoints[class] = must(sample.Call1(normal(n, 2), labels)).Value().([][]float32)
	}
	return classPoints
}

func main() {
	for class, p := range points(context.Background(), 1000) {
		fmt.Printf("label %d: %.0f %% of the points are near half circle 0, %.0f %% near 1\n",
			class, 100*near(p, 0), 100*near(p, 1))
	}
}
