package layers_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	sicalayers "github.com/seed-47b1e431/gosica/layers"
)

// sines draws 32 noisy sines of 16 positions, [B, T, 1], and which of them are fast.
func sines(rng *rand.Rand) (x, fast *tensors.Tensor) {
	var values, labels []float32
	for i := range 32 {
		phase := 2 * math.Pi * rng.Float64()
		frequency := .6 + .6*float64(i%2)
		for t := range 16 {
			values = append(values, float32(math.Sin(frequency*float64(t)+phase)+.5*rng.NormFloat64()))
		}
		labels = append(labels, float32(i%2))
	}
	return tensors.FromFlatDataAndDimensions(values, 32, 16, 1), tensors.FromFlatDataAndDimensions(labels, 32, 1)
}

// A model of GoMLX, trained by its train.Trainer, with CNN between its own layers. It
// begins as they do, by the scope's initializer.
func ExampleCNN() {
	b, err := backend.Open(backend.Go)
	if err != nil {
		fmt.Println(err)
		return
	}
	store := model.NewStore()
	defer store.Finalize()
	store.SetParam(model.ParamInitialSeed, int64(1))
	logits := func(scope *model.Scope, x *Node) *Node { // [B, T, 1]
		x = sicalayers.CNN(scope.In("cnn"), InsertAxes(x, 0)).Channels(8).Outputs(8).Done() // [R=1, B, 8]
		return gomlx.Dense(scope, activation.Relu(Squeeze(x, 0)), true, 1)                  // [B, 1]
	}
	trainer := train.NewTrainer(b, store, logits, loss.BinaryCrossentropyLogits, optimizer.Adam().LearningRate(3e-3).Done(), nil, nil)
	rng := rand.New(rand.NewPCG(1, 0))
	var last float32
	for step := range 100 {
		x, fast := sines(rng)
		metrics, err := trainer.TrainStep(train.Batch{Inputs: []*tensors.Tensor{x}, Labels: []*tensors.Tensor{fast}})
		if err != nil {
			fmt.Println(err)
			return
		}
		if step >= 90 {
			last += metrics[0].Value().(float32) / 10
		}
	}
	fmt.Println("under .04 nats an example, where guessing needs .69:", last < .04)
	// Output: under .04 nats an example, where guessing needs .69: true
}
