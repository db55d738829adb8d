package layers_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	sicalayers "github.com/seed-47b1e431/gosica/layers"
)

// twoMoons draws n points of two half circles, as [n, 2] row-major.
func twoMoons(rng *rand.Rand, n int) []float32 {
	points := make([]float32, 2*n)
	for i := range n {
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		x, y := cos-.5, sin-.25
		if rng.IntN(2) == 1 {
			x, y = .5-cos, .25-sin
		}
		points[2*i], points[2*i+1] = float32(x+.1*rng.NormFloat64()), float32(y+.1*rng.NormFloat64())
	}
	return points
}

// Density estimation: the map that makes two moons standard normal, by maximum
// likelihood. log p(x) = log N(g(x); 0, I) + log|det ∂g/∂x|.
func ExampleInvertible() {
	const steps, batch = 300, 256
	logDensity := func(scope *model.Scope, x *Node) *Node { // [R, N]
		z, logDet := sicalayers.Invertible(scope.In("map"), x).Layers(6).Done()
		return Sub(logDet, AddScalar(MulScalar(ReduceSum(Square(z), -1), .5), math.Log(2*math.Pi)))
	}

	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	store := model.NewStore()
	defer store.Finalize()
	shape := shapes.Make(dtypes.Float32, steps, 1, batch, 2) // [S, R, B, d]
	opt := flows.RunsAdam().Clip(5).Schedule("/map", flows.Schedule{Rate: .03, Steps: steps}).Done()
	trainer, err := flows.NewTrainer(b, store, opt, func(scope *model.Scope, _, batch []*Node) *Node {
		return Neg(ReduceMean(logDensity(scope, batch[0]), 1)) // [R]
	}, nil, []shapes.Shape{shape})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer trainer.Finalize()
	rng := rand.New(rand.NewPCG(1, 0))
	if err := sicalayers.InitialiseInvertible(store.Scope("/map"), []*rand.Rand{rng}, nil); err != nil {
		fmt.Println(err)
		return
	}
	var points []float32
	for range steps {
		points = append(points, twoMoons(rng, batch)...)
	}
	batches := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(points, shape.Dimensions...)}
	losses, err := trainer.Train(context.Background(), nil, batches, steps)
	if err != nil {
		fmt.Println(err)
		return
	}
	// The best Gaussian needs 1.91 nats a point.
	fmt.Println("under 1.6 nats a point:", losses[steps-1][0] < 1.6)
	// Output: under 1.6 nats a point: true
}
