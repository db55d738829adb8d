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

	"github.com/seed-47b1e431/gosica/internal/host"
)

// Loop returns a GoMLX loop, for progress bars, plots and hooks, and the data set to run it on,
// which makes the training steps:
//
//	loop, steps := trainer.Loop(ctx, nil, ds)
//	commandline.AttachProgressBar(loop)
//	metrics, err := loop.RunSteps(steps, 10_000) // or RunEpochs
//
// source yields one batch per step, inputs followed by labels, with the shapes of NewTrainer
// without their first axis. Loop finalizes the batches, as GoMLX does. source is nil for a trainer
// without batches; the steps then have no end: use RunSteps. data is the same for all steps, as in
// Train.
//
// Steps are made S at a time, fewer before the end of the run or of an epoch, and then the loop
// counts them one by one. So a hook sees the loss of its own step, but the variables after the last
// of the S steps; every S steps (train.EveryNSteps) it sees both for the same step. Likewise, the
// end of ctx, an error of the run, and an error of a hook take effect after S steps.
//
// The loss of the loop is the mean over the runs. Besides GoMLX's loss and moving average, metrics
// get the losses [R] of the step as predictions. All are float64 if the StepLoss is, else float32.
// The train.Trainer of the loop only counts: it has another store, can't Eval, and its durations
// are those of counting.
func (t *Trainer) Loop(
	ctx context.Context, data []*tensors.Tensor, source train.Dataset,
	metrics ...metric.Interface,
) (*train.Loop, train.Dataset) {
	counterStore := model.NewStore()
	const name = optimizer.GlobalStepVariableName
	if v := t.store.GetVariable("/" + name); v != nil && v.HasValue() { // count on from there
		counterStore.VariableWithValue(name, v.MustValue().Value()).SetTrainable(false)
	}
	passLosses := func(_ *model.Scope, losses *Node) *Node {
		train.AddMainLoss(losses)
		return losses
	}
	counter := train.NewTrainer(
		gobackend.GetBackend(), counterStore, passLosses, nil, stepCounter{}, metrics, nil)
	if source == nil {
		source = noBatches{}
	}
	d := &lossDataset{
		trainer: t, ctx: ctx, data: data, source: source, loop: train.NewLoop(counter),
	}
	return d.loop, d
}

// noBatches yields batches without tensors, without end.
type noBatches struct{}

// Name implements train.Dataset.
func (noBatches) Name() string { return "no batches" }

// Iter implements train.Dataset.
func (noBatches) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		for yield(train.Batch{}, nil) {
		}
	}
}

// A stepCounter is an optimizer that only counts steps.
type stepCounter struct{}

// UpdateGraph implements optimizer.Interface.
func (stepCounter) UpdateGraph(_ *model.Scope, g *Graph, _ *Node) {
	optimizer.IncrementGlobalStep(g, dtypes.Int64)
}

// Clear implements optimizer.Interface.
func (stepCounter) Clear(*model.Scope) error { return nil }

// A lossDataset makes training steps when it is iterated over, and yields their losses.
type lossDataset struct {
	trainer *Trainer
	ctx     context.Context
	data    []*tensors.Tensor
	source  train.Dataset
	loop    *train.Loop
}

// Name implements train.Dataset.
func (d *lossDataset) Name() string { return d.source.Name() }

// Iter implements train.Dataset.
func (d *lossDataset) Iter() iter.Seq2[train.Batch, error] {
	return func(yield func(train.Batch, error) bool) {
		next, stop := iter.Pull2(d.source.Iter())
		defer stop()
		for {
			losses, err := d.train(next)
			if err != nil && d.ctx.Err() != nil { // GoMLX's message blames the data set
				err = fmt.Errorf("flows: the context of Trainer.Loop has ended: %w", err)
			}
			if err != nil {
				yield(train.Batch{}, err)
				return
			}
			if len(losses) == 0 {
				return
			}
			for _, loss := range losses {
				inputs := []*tensors.Tensor{host.Tensor(loss, d.dtype(), len(loss))}
				if !yield(train.Batch{Inputs: inputs}, nil) {
					return
				}
			}
		}
	}
}

// dtype returns the dtype of the yielded losses.
func (d *lossDataset) dtype() dtypes.DType {
	if d.trainer.lossDType == dtypes.Float64 {
		return dtypes.Float64
	}
	return dtypes.Float32
}

// train makes the steps of one call, fewer at the end of the run or of the source, and returns the
// losses.
func (d *lossDataset) train(next func() (train.Batch, error, bool)) ([][]float64, error) {
	if err := d.setLastStep(); err != nil {
		return nil, err
	}
	limit := d.trainer.steps()
	if left := d.loop.EndStep - d.loop.LoopStep; left > 0 {
		limit = min(limit, left)
	}
	stacked := make([]*tensors.Tensor, len(d.trainer.batchShapes))
	for k, s := range d.trainer.batchShapes {
		stacked[k] = tensors.FromShape(s)
		defer stacked[k].FinalizeAll()
	}
	made := 0
	for made < limit {
		batch, err, ok := next()
		if !ok {
			break
		}
		if err == nil {
			err = d.stack(stacked, batch, made)
		}
		if err != nil {
			return nil, fmt.Errorf("flows: batch of data set %q: %w", d.source.Name(), err)
		}
		made++
	}
	if made == 0 {
		return nil, nil
	}
	return d.trainer.train(d.ctx, d.data, stacked, made)
}

// stack copies the batch to index step of the stacked tensors, and frees it.
func (d *lossDataset) stack(stacked []*tensors.Tensor, batch train.Batch, step int) error {
	parts := append(append([]*tensors.Tensor{}, batch.Inputs...), batch.Labels...)
	if len(parts) != len(stacked) {
		return fmt.Errorf("%d inputs and labels; must be %d, as for NewTrainer",
			len(parts), len(stacked))
	}
	for k, part := range parts {
		want := d.trainer.batchShapes[k].Clone()
		want.Dimensions = want.Dimensions[1:]
		if part == nil || !part.Ok() || !part.Shape().Equal(want) {
			return fmt.Errorf("tensor %d of %d is %s; must be %s, as for NewTrainer",
				k+1, len(parts), describe(part), want)
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

// setLastStep sets the last step of the run in the trainer's store, where schedules read it.
// train.Loop only sets it in the store of the counting trainer.
func (d *lossDataset) setLastStep() error {
	if v := d.trainer.lastStep(); v != nil {
		return v.SetValue(tensors.FromScalar(int64(d.loop.EndStep)))
	}
	return nil
}
