// Information estimates the mutual information of two signals by a density ratio, learned on one half
// of the positions and evaluated on the other. The true value is known, as the signals are normal.
package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

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

// logRatio of pairs [B, 2] learns the logarithm of their joint density by the product of its marginals.
func logRatio(scope *model.Scope, pairs *Node) *Node {
	ratio := fnn.New(scope.In("ratio"), pairs, 1).NumHiddenLayers(2, 32).Activation(activation.TypeSwish)
	return Squeeze(ratio.Done(), -1)
}

func loss(scope *model.Scope, data, _ []*Node) *Node {
	joint, product := logRatio(scope, data[0]), logRatio(scope.ResetVisited(), data[1])
	return ReduceAllMean(flows.LogisticLoss(joint, product))
}

// bound is that of M. D. Donsker and S. R. S. Varadhan, at most the mutual information up to the
// error of the two means.
func bound(scope *model.Scope, joint, product *Node) *Node {
	ratio := Exp(logRatio(scope.ResetVisited(), product))
	return Sub(ReduceAllMean(logRatio(scope, joint)), Log(ReduceAllMean(ratio)))
}

// information is that of x and y, in nats: estimated on the half that nothing was learned from, and,
// to see overfitting, on the half that the ratio was learned from.
func information(ctx context.Context, x, y []float32, seed uint64) (held, learned float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := must(backend.Open(backend.Auto))
	store := model.NewStore()
	defer store.Finalize()
	store.SetParam(model.ParamInitialSeed, int64(seed))
	half := len(x) / 2
	shape := shapes.Make(dtypes.Float32, half, 2)
	adam := optimizer.Adam().LearningRate(0.003).Done()
	trainer := must(flows.NewTrainer(b, store, adam, loss, []shapes.Shape{shape, shape}, nil))
	defer trainer.Finalize()
	joint := pairs(x[:half], y[:half])
	for range 10 { // no batches: all pairs in each step, and another permutation in each call
		must(trainer.Train(ctx, []*tensors.Tensor{joint, permuted(rng, x[:half], y[:half])}, nil, 100))
	}
	estimate := func(x, y []float32) float64 {
		return float64(tensors.ToScalar[float32](must(model.CallOnce(b, store, bound, pairs(x, y), permuted(rng, x, y)))))
	}
	return estimate(x[half:], y[half:]), estimate(x[:half], y[:half])
}

func main() {
	fmt.Println("correlation  true    estimated  on the learned half")
	for _, rho := range []float64{0, 0.3, 0.8, 0.95, 0.99} {
		x, y := normal(8000, rho)
		held, learned := information(context.Background(), x, y, 1)
		fmt.Printf("%-12g %.3f   %.3f      %.3f\n", rho, math.Abs(math.Log(1-rho*rho)/2), held, learned)
	}
}
