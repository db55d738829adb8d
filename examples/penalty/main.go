// Penalty trains a linear autoencoder of three mixtures of two signals. A term of its loss makes the
// two codes independent of each other.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

const n, batch, steps = 2000, 250, 1500

// code is [B, 2] of mixtures x [B, 3].
func code(scope *model.Scope, x *Node) *Node {
	return layers.Dense(scope.In("encoder"), x, false, 2)
}

// train returns how well the codes recover the sources, and the last loss. The weight is the penalty's.
func train(ctx context.Context, weight float64, seed uint64) (mcc, last float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	sources := must(datasets.LaplaceAR(rng, 2, n, 0.7))
	var x mat.Dense // [n, 3]
	x.Mul(sources.T(), mat.NewDense(2, 3, []float64{1, 0.6, -0.5, 0.4, -1, 0.8}))
	loss := func(scope *model.Scope, _, batch []*Node) *Node {
		z := code(scope, batch[0])
		reconstruction := ReduceAllMean(Square(Sub(layers.Dense(scope.In("decoder"), z, false, 3), batch[0])))
		return Add(reconstruction, MulScalar(penalty(z), weight))
	}
	b := must(backend.Open(backend.Go))
	store := model.NewStore()
	defer store.Finalize()
	store.SetParam(model.ParamInitialSeed, int64(seed))
	shape := shapes.Make(dtypes.Float32, steps, batch, 3)
	adam := optimizer.Adam().LearningRate(0.01).Done()
	trainer := must(flows.NewTrainer(b, store, adam, loss, nil, []shapes.Shape{shape}))
	defer trainer.Finalize()
	var flat []float32
	for range steps * batch {
		flat = append(flat, row(&x, rng.IntN(n))...)
	}
	batches := tensors.FromFlatDataAndDimensions(flat, shape.Dimensions...)
	losses := must(trainer.Train(ctx, nil, []*tensors.Tensor{batches}, steps))

	var all [][]float32
	for t := range n {
		all = append(all, row(&x, t))
	}
	codes := must(model.CallOnce(b, store, code, all)).Value().([][]float32)
	z := mat.NewDense(2, n, nil)
	z.Apply(func(i, t int, _ float64) float64 { return float64(codes[t][i]) }, z)
	return must(metric.MCC(z, sources)).MCC, losses[steps-1][0]
}

func row(x *mat.Dense, t int) []float32 {
	return []float32{float32(x.At(t, 0)), float32(x.At(t, 1)), float32(x.At(t, 2))}
}

func main() {
	for seed := range uint64(6) {
		with, loss := train(context.Background(), 0.5, seed)
		without, _ := train(context.Background(), 0, seed)
		fmt.Printf("MCC %.2f with the penalty, at a loss of %.3f; %.2f without\n", with, loss, without)
	}
}

// must returns v, or ends the program with the error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatalf("%+v", err)
	}
	return v
}
