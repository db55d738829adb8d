// CNN is a model of GoMLX, trained by its train.Trainer, that has a layer of gosica
// between its own: sicalayers.CNN over images, then dropout and a dense layer. It tells
// images of horizontal from images of vertical stripes.
package main

import (
	"fmt"
	"math/rand"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/dataset"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/layers/regularizer"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/metric"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	sicalayers "github.com/seed-47b1e431/gosica/layers"
)

const side = 10 // of an image

// logits is the model, [B, 1] of images [B, side, side, 1].
func logits(scope *model.Scope, images *Node) *Node {
	x := InsertAxes(images, 0) // [R=1, B, side, side, 1]: layers have a runs axis
	x = sicalayers.CNN(scope.In("cnn"), x).Channels(8).Outputs(16).Done()
	x = activation.Relu(Squeeze(x, 0)) // [B, 16]
	x = layers.DropoutStatic(scope, x, .2)
	return layers.Dense(scope.In("output"), x, true, 1)
}

// accuracy is that on new images after 100 steps.
func accuracy() float32 {
	b := must(backend.Open(backend.Auto))
	store := model.NewStore()
	defer store.Finalize()
	store.SetParam(regularizer.ParamL2, 1e-4) // of all weights, the CNN's too
	store.SetParam(model.ParamInitialSeed, int64(1))
	rng := rand.New(rand.NewSource(1))
	images := func() *dataset.InMemoryDataset {
		x, horizontal := stripes(rng, 500)
		all := must(dataset.InMemoryFromData(b, "stripes", []any{x}, []any{horizontal}))
		return all.BatchSize(50, true)
	}
	adam := optimizer.Adam().LearningRate(3e-3).Done()
	trainer := train.NewTrainer(b, store, logits, loss.BinaryCrossentropyLogits, adam,
		nil, []metric.Interface{metric.NewMeanBinaryLogitsAccuracy("accuracy", "acc")})
	must(train.NewLoop(trainer).RunSteps(images().Shuffle().WithRand(rng).Infinite(true), 100))
	return must(trainer.Eval(images()))[1].Value().(float32)
}

func main() {
	fmt.Printf("accuracy on new images: %.0f %%\n", 100*accuracy())
}
