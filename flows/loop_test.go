package flows_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/metric"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/ml/train/optimizer/cosineschedule"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/backendtest"
)

// linePoints is a data set of the first steps of a line, x and y of one step a
// batch, one epoch after another.
type linePoints struct{ *line }

func (d linePoints) Name() string { return "line" }

func (d linePoints) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		x, _ := tensors.CopyFlatData[float64](d.batches[0])
		y, _ := tensors.CopyFlatData[float64](d.batches[1])
		for i := 0; i < len(x); i += 8 {
			batch := train.Batch{
				Inputs: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(x[i:i+8:i+8], 8)},
				Labels: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(y[i:i+8:i+8], 8)},
			}
			if !yield(batch, nil) {
				return
			}
		}
	}
}

// GoMLX's loop makes the steps of Train, also if the length of an epoch isn't a multiple of the
// steps of a call. Its hooks get the loss of each step, its metrics the losses of the runs.
func TestLoopMakesTrainsSteps(t *testing.T) {
	backendtest.Each(t, func(t *testing.T, b compute.Backend) {
		plain := newLine(t, b, model.NewStore(), torchAdam(.05), lineLoss)
		plain.set(t, "/line/w", 0)
		var want []float64
		for range 2 {
			for _, loss := range plain.train(t) {
				want = append(want, loss[0])
			}
		}

		p := newLine(t, b, model.NewStore(), torchAdam(.05), lineLoss)
		p.set(t, "/line/w", 0)
		double := metric.NewBaseMetric("Twice", "2", "twice", func(_ *model.Scope, _, losses []*Node) *Node {
			return MulScalar(ReduceAllSum(losses[0]), 2)
		}, nil)
		loop, steps := p.trainer.Loop(t.Context(), nil, linePoints{p}, double)
		var got []float64
		var atSteps []int
		loop.OnStep("losses", 0, func(_ *train.Loop, metrics []*tensors.Tensor) error {
			got = append(got, tensors.ToScalar[float64](metrics[0]))
			if twice := tensors.ToScalar[float64](metrics[2]); twice != 2*got[len(got)-1] {
				t.Errorf("the metric is %g at a loss of %g", twice, got[len(got)-1])
			}
			return nil
		})
		train.EveryNSteps(loop, 16, "every 16", 0, func(loop *train.Loop, _ []*tensors.Tensor) error {
			atSteps = append(atSteps, loop.LoopStep)
			return nil
		})
		if _, err := loop.RunEpochs(steps, 1); err != nil {
			t.Fatalf("%+v", err)
		}
		if _, err := loop.RunSteps(steps, 25); err != nil { // to within an epoch
			t.Fatalf("%+v", err)
		}
		if !reflect.DeepEqual(got, want[:lineSteps+25]) {
			t.Errorf("the loop's losses are %v, want %v", got, want[:lineSteps+25])
		}
		if !reflect.DeepEqual(atSteps, []int{15, 31, 47, 63}) {
			t.Errorf("called at steps %v", atSteps)
		}
		if n := optimizer.GetGlobalStep(p.store); n != lineSteps+25 || loop.Trainer.GlobalStep() != n {
			t.Errorf("the store counts %d steps and the loop %d, want %d", n, loop.Trainer.GlobalStep(), lineSteps+25)
		}
		onward, _ := p.trainer.Loop(t.Context(), nil, linePoints{p})
		if onward.LoopStep != lineSteps+25 {
			t.Errorf("a second loop begins at step %d", onward.LoopStep)
		}
	})
}

// A schedule over the whole training gets its number of steps from the loop. Before, Train can't
// know it.
func TestLoopPassesNumberOfSteps(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	store := model.NewStore()
	store.SetParam(optimizer.ParamLearningRate, .1)
	p := newLine(t, b, store, optimizer.StochasticGradientDescent().WithDecay(false), func(scope *model.Scope, data, batch []*Node) *Node {
		cosineschedule.New(scope, batch[0].Graph(), dtypes.Float64).NumCycles(1).Done()
		return lineLoss(scope, data, batch)
	})
	p.set(t, "/line/w", 0)
	_, err := p.trainer.Train(t.Context(), nil, p.batches, lineSteps)
	if err == nil || !strings.Contains(err.Error(), "must be run by Trainer.Loop") {
		t.Errorf("Train without a loop: %v", err)
	}
	loop, steps := p.trainer.Loop(t.Context(), nil, linePoints{p})
	if _, err := loop.RunSteps(steps, lineSteps); err != nil {
		t.Fatalf("%+v", err)
	}
	want := .05 * (1 + math.Cos(math.Pi*(lineSteps-1)/lineSteps))
	if got := p.get("/" + optimizer.Scope + "/learning_rate"); math.Abs(got-want) > 1e-9 {
		t.Errorf("the rate of the last step is %g, want %g", got, want)
	}
	p.train(t) // goes on with the loop's number of steps
}

// oneBatch is a data set of one batch.
type oneBatch struct{ train.Batch }

func (d oneBatch) Name() string { return "one" }

func (d oneBatch) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) { yield(d.Batch, nil) }
}

func TestLoopErrors(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	p := newLine(t, b, model.NewStore(), torchAdam(.05), lineLoss)
	p.set(t, "/line/w", 0)
	for _, test := range []struct {
		batch train.Batch
		want  string
	}{
		{train.Batch{Inputs: []*tensors.Tensor{tensors.FromValue(make([]float64, 8))}}, `data set "one": 1 inputs and labels; must be 2`},
		{train.Batch{Inputs: []*tensors.Tensor{tensors.FromValue(make([]float64, 8)), tensors.FromValue(make([]float64, 7))}}, "tensor 2 of 2 is shaped (Float64)[7]; must be (Float64)[8]"},
		{train.Batch{Inputs: []*tensors.Tensor{nil, nil}}, "tensor 1 of 2 is nil"},
	} {
		loop, steps := p.trainer.Loop(t.Context(), nil, oneBatch{test.batch})
		if _, err := loop.RunEpochs(steps, 1); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	loop, steps := p.trainer.Loop(ctx, nil, linePoints{p})
	loop.OnStep("cancel", 0, func(*train.Loop, []*tensors.Tensor) error { cancel(); return nil })
	if _, err := loop.RunEpochs(steps, 2); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the context of Trainer.Loop has ended") {
		t.Errorf("after the end of ctx: %v", err)
	}
}

// Hooks get losses in the loss's dtype, as from GoMLX's trainer, and in float32 for a loss in half
// precision.
func TestHooksGetLossesInTheirDType(t *testing.T) {
	b := backendtest.Open(t, backend.Go)
	for dtype, want := range map[dtypes.DType]dtypes.DType{
		dtypes.Float16: dtypes.Float32, dtypes.Float32: dtypes.Float32, dtypes.Float64: dtypes.Float64,
	} {
		loss := func(scope *model.Scope, data, _ []*Node) *Node {
			return Square(scope.VariableWithShape("w", shapes.Make(dtype)).NodeValue(data[0].Graph()))
		}
		data := []*tensors.Tensor{tensors.FromValue([]float32{1})}
		sgd := optimizer.StochasticGradientDescent().WithLearningRate(1e-3).Done()
		trainer, err := flows.NewTrainer(
			b, model.NewStore(), sgd, loss, []shapes.Shape{data[0].Shape()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer trainer.Finalize()
		loop, steps := trainer.Loop(t.Context(), data, nil)
		metrics, err := loop.RunSteps(steps, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range metrics {
			if m.DType() != want {
				t.Errorf("a loss in %s: a metric in %s, want %s", dtype, m.DType(), want)
			}
		}
	}
}
