package layers_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/layers"
)

// GoMLX's train.Trainer learns to predict two sines from the positions before and after. The signals
// and the table of neighbours are the same in every step, so they are constants of the graph.
func ExampleWindowContext_trainer() {
	const n, batch = 64, 32
	z := [][][]float32{make([][]float32, 2)} // [R=1, d=2, T]
	for i, frequency := range []float64{0.4, 0.9} {
		for t := range n {
			z[0][i] = append(z[0][i], float32(math.Sin(frequency*float64(t))))
		}
	}
	neighbours, err := layers.Neighbours(1, n) // [T, K=2]
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	predict := func(scope *model.Scope, idx *Node) *Node { // int32 [R, B, d]
		z, neighbours := Const(idx.Graph(), z), Const(idx.Graph(), neighbours)
		x := layers.WindowContext(z, idx, neighbours)           // [R, B, d·K]
		return layers.MLP(scope, x).Hidden(8).Outputs(2).Done() // [R, B, d]
	}
	store := model.NewStore()
	defer store.Finalize()
	store.SetParam(model.ParamInitialSeed, int64(1))
	trainer := train.NewTrainer(b, store, predict, loss.MeanSquaredError,
		optimizer.Adam().LearningRate(0.02).Done(), nil, nil)
	rng := rand.New(rand.NewPCG(1, 0))
	var last float32
	for range 300 {
		idx, hidden := make([]int32, 2*batch), make([]float32, 2*batch)
		for k := range idx {
			t := 1 + rng.IntN(n-2)
			idx[k], hidden[k] = int32(t), z[0][k%2][t]
		}
		metrics, err := trainer.TrainStep(train.Batch{
			Inputs: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(idx, 1, batch, 2)},
			Labels: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(hidden, 1, batch, 2)},
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		last = metrics[0].Value().(float32)
	}
	fmt.Println("a mean squared error below 0.01, where the signals have 0.5:", last < 0.01)
	// Output: a mean squared error below 0.01, where the signals have 0.5: true
}
