package flows

import (
	"context"
	"fmt"
	"iter"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/metric"
	"github.com/gomlx/gomlx/ml/train/optimizer"
)

// Loop returns a loop of GoMLX, to which its progress bar, its plots and any hook
// attach, and the data set to run it on, which makes the training steps:
//
//	loop, steps := trainer.Loop(ctx, nil, ds)
//	commandline.AttachProgressBar(loop)
//	metrics, err := loop.RunSteps(steps, 10_000) // or RunEpochs
//
// source yields one batch a step, its inputs followed by its labels as the batch
// of the StepLoss, of the shapes that NewTrainer was told without their first axis.
// They are finalized, as by GoMLX. data is for all steps, as in Train.
//
// Steps are made S at a time, fewer where the run or an epoch ends, and then
// counted by the loop one by one. So a hook sees the loss of its own step, but the
// variables as they are after the last of the S: for both to be of one step, call
// it every S steps (train.EveryNSteps). The same goes for the end of ctx, which is
// an error of the run, and for an error of a hook, which ends it.
//
// The loop's loss is the mean over the runs. The metrics, besides GoMLX's loss and
// its moving average, are given the losses [R] of the step as predictions. The
// loop's own train.Trainer only counts: it has a store of its own, Eval isn't for it,
// and the durations of its steps are those of counting.
func (t *Trainer) Loop(ctx context.Context, data []*tensors.Tensor, source train.Dataset, metrics ...metric.Interface) (*train.Loop, train.Dataset) {
	counted := model.NewStore()
	if v := t.store.GetVariable("/" + optimizer.GlobalStepVariableName); v != nil && v.HasValue() {
		counted.VariableWithValue(optimizer.GlobalStepVariableName, v.MustValue().Value()).SetTrainable(false)
	}
	losses := func(_ *model.Scope, losses *Node) *Node {
		train.AddMainLoss(losses)
		return losses
	}
	counter := train.NewTrainer(gobackend.GetBackend(), counted, losses, nil, counting{}, metrics, nil)
	d := &stepsOf{trainer: t, ctx: ctx, data: data, source: source, loop: train.NewLoop(counter)}
	return d.loop, d
}

// counting is an optimizer that counts steps.
type counting struct{}

// UpdateGraph implements optimizer.Interface.
func (counting) UpdateGraph(_ *model.Scope, g *Graph, _ *Node) {
	optimizer.IncrementGlobalStep(g, dtypes.Int64)
}

// Clear implements optimizer.Interface.
func (counting) Clear(*model.Scope) error { return nil }

// stepsOf is the data set of the losses of training steps, which it makes.
type stepsOf struct {
	trainer *Trainer
	ctx     context.Context
	data    []*tensors.Tensor
	source  train.Dataset
	loop    *train.Loop
}

// Name implements train.Dataset.
func (d *stepsOf) Name() string { return d.source.Name() }

// Iter implements train.Dataset.
func (d *stepsOf) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		next, stop := iter.Pull2(d.source.Iter())
		defer stop()
		for {
			losses, err := d.train(next)
			if err != nil {
				yield(train.Batch{}, err)
				return
			}
			if len(losses) == 0 {
				return
			}
			for _, loss := range losses {
				if !yield(train.Batch{Inputs: []*tensors.Tensor{tensors.FromValue(loss)}}, nil) {
					return
				}
			}
		}
	}
}

// train makes as many steps as a call can, or as are left of the run or of the
// source, and returns their losses.
func (d *stepsOf) train(next func() (train.Batch, error, bool)) ([][]float64, error) {
	if err := d.tellLastStep(); err != nil {
		return nil, err
	}
	most := d.trainer.steps()
	if left := d.loop.EndStep - d.loop.LoopStep; left > 0 {
		most = min(most, left)
	}
	stacked := make([]*tensors.Tensor, len(d.trainer.batchShapes))
	for k, s := range d.trainer.batchShapes {
		stacked[k] = tensors.FromShape(s)
		defer stacked[k].FinalizeAll()
	}
	steps := 0
	for steps < most {
		batch, err, ok := next()
		if !ok {
			break
		}
		if err == nil {
			err = d.stack(stacked, batch, steps)
		}
		if err != nil {
			return nil, fmt.Errorf("flows: batch of data set %q: %w", d.source.Name(), err)
		}
		steps++
	}
	if steps == 0 {
		return nil, nil
	}
	return d.trainer.Train(d.ctx, d.data, stacked, steps)
}

// stack puts a batch in place step of the tensors, and frees it.
func (d *stepsOf) stack(stacked []*tensors.Tensor, batch train.Batch, step int) error {
	parts := append(append([]*tensors.Tensor{}, batch.Inputs...), batch.Labels...)
	if len(parts) != len(stacked) {
		return fmt.Errorf("%d inputs and labels: want %d, as NewTrainer was told", len(parts), len(stacked))
	}
	for k, part := range parts {
		want := d.trainer.batchShapes[k].Clone()
		want.Dimensions = want.Dimensions[1:]
		if part == nil || !part.Ok() || !part.Shape().Equal(want) {
			return fmt.Errorf("tensor %d is %s: want %s, as NewTrainer was told", k, shapeOf(part), want)
		}
		var err error
		if e := part.ConstBytes(func(from []byte) {
			err = stacked[k].MutableBytes(func(to []byte) { copy(to[step*len(from):], from) })
		}); e != nil {
			return e
		}
		if err != nil {
			return err
		}
	}
	return batch.Finalize()
}

// tellLastStep tells schedules that look for it how long the run is, as
// train.Loop tells them in the store of its own Trainer.
func (d *stepsOf) tellLastStep() error {
	v := d.trainer.store.GetVariable(model.JoinPath(train.TrainerAbsoluteScope, train.TrainLastStepVarName))
	if v == nil {
		return nil
	}
	return v.SetValue(tensors.FromScalar(int64(d.loop.EndStep)))
}
