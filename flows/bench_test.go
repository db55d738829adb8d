package flows_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// benchSteps is the number of steps of a call, of a run of a loop and of a round.
const benchSteps = 200

// benchSamples yields batches of normal samples, float32 [1, B, 3], without end.
type benchSamples struct {
	values []float32
	batch  int
}

func (d benchSamples) Name() string { return "samples" }

func (d benchSamples) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		for i := 0; ; i = (i + 1) % benchSteps {
			size := 3 * d.batch
			x := tensors.FromFlatDataAndDimensions(slices.Clone(d.values[i*size:(i+1)*size]), 1, d.batch, 3)
			if !yield(train.Batch{Inputs: []*tensors.Tensor{x}}, nil) {
				return
			}
		}
	}
}

// A step of a network of two hidden layers on a batch, by GoMLX's train.Loop, by
// Trainer's Loop on the same data set, and by Train on batches put together before:
// the median over rounds in which each makes 200 steps, in turns.
func BenchmarkStep(b *testing.B) {
	for _, size := range []struct{ width, batch int }{{32, 64}, {32, 256}, {128, 256}, {256, 1024}} {
		for _, name := range backend.Available() {
			b.Run(fmt.Sprintf("%s/width=%d/batch=%d", name, size.width, size.batch), func(b *testing.B) {
				opened, err := backend.Open(name)
				if err != nil {
					b.Fatal(err)
				}
				benchmarkStep(b, opened, size.width, size.batch)
			})
		}
	}
}

func benchmarkStep(b *testing.B, on compute.Backend, width, batch int) {
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]float32, benchSteps*batch*3)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	samples := benchSamples{values, batch}
	whole := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(slices.Clone(values), benchSteps, 1, batch, 3)}
	network := func(scope *model.Scope, x *Node) *Node { // the mean of ‖f(x) − x‖², [1]
		y := layers.MLP(scope.In("net"), x).Hidden(width, width).Outputs(3).Done()
		return ReduceMean(ReduceSum(Square(Sub(y, x)), -1), -1)
	}
	loss := func(scope *model.Scope, _, batch []*Node) *Node { return network(scope, batch[0]) }

	gomlx := train.NewLoop(train.NewTrainer(on, model.NewStore(), func(scope *model.Scope, x *Node) *Node {
		loss := network(scope, x)
		train.AddMainLoss(loss)
		return loss
	}, nil, torchAdam(1e-3), nil, nil))
	newTrainer := func() *flows.Trainer {
		trainer, err := flows.NewTrainer(on, model.NewStore(), torchAdam(1e-3), loss, nil, []shapes.Shape{shapes.Make(dtypes.Float32, benchSteps, 1, batch, 3)})
		if err != nil {
			b.Fatal(err)
		}
		return trainer
	}
	loop, steps := newTrainer().Loop(b.Context(), nil, samples)
	alone := newTrainer()
	contenders := []struct {
		name string
		run  func() error
	}{
		{"train.Loop", func() error { _, err := gomlx.RunSteps(samples, benchSteps); return err }},
		{"Trainer.Loop", func() error { _, err := loop.RunSteps(steps, benchSteps); return err }},
		{"Train", func() error { _, err := alone.Train(b.Context(), nil, whole, benchSteps); return err }},
	}
	took := make([][]time.Duration, len(contenders))
	round := func(record bool) {
		for k, c := range contenders {
			began := time.Now()
			if err := c.run(); err != nil {
				b.Fatal(err)
			}
			if record {
				took[k] = append(took[k], time.Since(began))
			}
		}
	}
	round(false) // compiles
	for b.Loop() {
		round(true)
	}
	b.ReportMetric(0, "ns/op")
	for k, c := range contenders {
		slices.Sort(took[k])
		b.ReportMetric(float64(took[k][len(took[k])/2].Microseconds())/benchSteps, c.name+"-µs")
	}
}
