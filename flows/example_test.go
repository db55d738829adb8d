package flows_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
)

// A layer of GoMLX learns y = 2·x₁ − x₂ + 1 in one call of 300 steps, each with a batch of its own.
func ExampleTrainer_Train() {
	const steps, batch = 300, 32
	loss := func(scope *model.Scope, _, batch []*Node) *Node { // x [B, 2], y [B, 1]
		predicted := layers.Dense(scope.In("line"), batch[0], true, 1)
		return ReduceAllMean(Square(Sub(predicted, batch[1])))
	}
	xs, ys := make([]float32, 0, steps*batch*2), make([]float32, 0, steps*batch)
	rng := rand.New(rand.NewPCG(1, 0))
	for range steps * batch {
		x1, x2 := rng.Float32(), rng.Float32()
		xs, ys = append(xs, x1, x2), append(ys, 2*x1-x2+1)
	}
	batches := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(xs, steps, batch, 2),
		tensors.FromFlatDataAndDimensions(ys, steps, batch, 1),
	}

	b, err := backend.Open(backend.Go)
	if err != nil {
		log.Fatal(err)
	}
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	adam := optimizer.Adam().LearningRate(0.05).Done()
	trainer, err := flows.NewTrainer(b, store, adam, loss, nil, []shapes.Shape{
		shapes.Make(dtypes.Float32, steps, batch, 2), shapes.Make(dtypes.Float32, steps, batch, 1)})
	if err != nil {
		log.Fatal(err)
	}
	defer trainer.Finalize()
	losses, err := trainer.Train(context.Background(), nil, batches, steps) // [steps][1]
	if err != nil {
		log.Fatal(err)
	}
	weights := store.GetVariable("/line/dense/weights").MustValue().Value().([][]float32)
	fmt.Printf("%d losses, the last below 1e-4: %t\n", len(losses), losses[steps-1][0] < 1e-4)
	fmt.Printf("weights %.2f\n", weights)
	// Output:
	// 300 losses, the last below 1e-4: true
	// weights [[2.00] [-1.00]]
}

// Samples of p, around 2, move to q, around 0, along the learned density ratio. Here log p/q is a
// line, so that one ratio suffices. In general repeat short moves, as below.
func ExampleRatioVelocity_learned() {
	const steps, batch = 300, 256
	logRatio := func(scope *model.Scope, y *Node) *Node { // log p/q of y [B, 1], [B]
		return Squeeze(layers.Dense(scope.In("ratio"), y, true, 1), -1)
	}
	loss := func(scope *model.Scope, _, batch []*Node) *Node { // samples of p, samples of q
		p, q := logRatio(scope, batch[0]), logRatio(scope.ResetVisited(), batch[1])
		return ReduceAllMean(flows.LogisticLoss(p, q))
	}
	velocity := func(scope *model.Scope, y, _ *Node, _ []*Node) *Node {
		return flows.RatioVelocity(func(y *Node) *Node { return logRatio(scope, y) }, y)
	}
	ps, qs := make([]float32, steps*batch), make([]float32, steps*batch)
	rng := rand.New(rand.NewPCG(1, 0))
	for i := range ps {
		ps[i], qs[i] = float32(2+rng.NormFloat64()), float32(rng.NormFloat64())
	}

	b, err := backend.Open(backend.Go)
	if err != nil {
		log.Fatal(err)
	}
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	adam := optimizer.Adam().LearningRate(0.05).Done()
	shape := shapes.Make(dtypes.Float32, steps, batch, 1)
	trainer, err := flows.NewTrainer(b, store, adam, loss, nil, []shapes.Shape{shape, shape})
	if err != nil {
		log.Fatal(err)
	}
	defer trainer.Finalize()
	batches := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(ps, steps, batch, 1),
		tensors.FromFlatDataAndDimensions(qs, steps, batch, 1),
	}
	if _, err := trainer.Train(context.Background(), nil, batches, steps); err != nil {
		log.Fatal(err)
	}
	moved, err := flows.Follow(b, store, velocity, [][]float32{{1}, {2}, {3}}) // from τ = 0 to 1
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f\n", moved.Value())
	// Output:
	// [[-1.0] [0.0] [1.0]]
}

// The whole gradient flow: samples of p = N(2, 0.5²) become samples of q = N(0, 1) in 12 short moves,
// each along the ratio of where they are then. The loss rises to 2·log 2 = 1.39, where samples of
// the two can't be distinguished, and stays there. If it doesn't, as with moves of 1 here, make them
// shorter.
func ExampleRatioVelocity_repeated() {
	const steps, batch, n = 60, 256, 1000
	logRatio := func(scope *model.Scope, y *Node) *Node { // log p/q of y [B, 1], [B]: a parabola
		powers := Concatenate([]*Node{y, Square(y)}, -1)
		return Squeeze(layers.Dense(scope.In("ratio"), powers, true, 1), -1)
	}
	loss := func(scope *model.Scope, _, batch []*Node) *Node {
		p, q := logRatio(scope, batch[0]), logRatio(scope.ResetVisited(), batch[1])
		return ReduceAllMean(flows.LogisticLoss(p, q))
	}
	velocity := func(scope *model.Scope, y, _ *Node, _ []*Node) *Node {
		return flows.RatioVelocity(func(y *Node) *Node { return logRatio(scope, y) }, y)
	}
	rng := rand.New(rand.NewPCG(1, 0))
	ps := make([][]float32, n) // move
	for i := range ps {
		ps[i] = []float32{float32(2 + 0.5*rng.NormFloat64())}
	}
	repack := func() []*tensors.Tensor { // batches of the samples of p as they are, and of q
		p, q := make([]float32, steps*batch), make([]float32, steps*batch)
		for i := range p {
			p[i], q[i] = ps[rng.IntN(n)][0], float32(rng.NormFloat64())
		}
		return []*tensors.Tensor{
			tensors.FromFlatDataAndDimensions(p, steps, batch, 1),
			tensors.FromFlatDataAndDimensions(q, steps, batch, 1),
		}
	}

	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	shape := shapes.Make(dtypes.Float32, steps, batch, 1)
	adam := optimizer.Adam().LearningRate(0.05).Done()
	// The first nil: in pure Go.
	trainer, err := flows.NewTrainer(nil, store, adam, loss, nil, []shapes.Shape{shape, shape})
	if err != nil {
		log.Fatal(err)
	}
	defer trainer.Finalize()
	for move := range 12 {
		losses, err := trainer.Train(context.Background(), nil, repack(), steps) // goes on
		if err != nil {
			log.Fatal(err)
		}
		moved, err := flows.Follow(nil, store, velocity, ps, func(c *flows.IntegrateConfig) {
			c.Between(0, 0.25).Steps(5)
		})
		if err != nil {
			log.Fatal(err)
		}
		ps = moved.Value().([][]float32)
		if move%4 == 3 {
			mean, square := 0., 0.
			for _, p := range ps {
				mean += float64(p[0]) / n
				square += float64(p[0]*p[0]) / n
			}
			fmt.Printf("mean %.1f, standard deviation %.1f, loss %.1f\n",
				mean, math.Sqrt(square-mean*mean), losses[steps-1][0])
		}
	}
	// Output:
	// mean 0.4, standard deviation 1.0, loss 1.3
	// mean 0.1, standard deviation 1.0, loss 1.4
	// mean 0.0, standard deviation 1.0, loss 1.4
}

// The velocity v(y, τ) = y moves y to e·y in τ from 0 to 1. Back along it is from 1 to 0.
func ExampleFollow() {
	velocity := func(_ *model.Scope, y, _ *Node, _ []*Node) *Node { return y }
	store := model.NewStore()                                              // of a trained velocity: the store that it was trained in
	there, err := flows.Follow(nil, store, velocity, [][]float64{{1, -2}}) // nil: in pure Go
	if err != nil {
		log.Fatal(err)
	}
	back, err := flows.Follow(nil, store, velocity, there, func(c *flows.IntegrateConfig) {
		c.Solver(flows.Heun).Between(1, 0)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f %.1f\n", there.Value(), back.Value())
	// Output: [[2.7 -5.4]] [[1.0 -2.0]]
}

// The loss of a sample is 0 for the velocity along its straight path, and grows with the square of
// the distance from that. In a training the velocity is that of a network at the path's points.
func ExampleRectifiedLoss() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		log.Fatal(err)
	}
	from, to := [][]float64{{0, 0}, {1, 1}}, [][]float64{{2, 4}, {1, 5}} // two samples
	out, err := model.CallOnceN(b, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		y0, y1, tau := in[0], in[1], in[2]
		v := Const(y0.Graph(), [][]float64{{2, 4}, {0, 3}})
		return []*Node{flows.StraightPath(y0, y1, tau), flows.RectifiedLoss(v, y0, y1)}
	}, from, to, []float64{0.5, 0.25})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("points", out[0].Value(), "losses", out[1].Value())
	// Output: points [[1 2] [1 2]] losses [0 1]
}
