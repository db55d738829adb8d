package flows

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// StepLoss builds the loss of one training step for each of R independent
// runs, shaped [R] and of a float dtype, or a scalar where there is one run. data
// holds what all steps share, batch what this step draws, each with the leading
// steps axis of Trainer.Train taken away. It is built in training mode
// (Scope.IsTraining) at the store's root scope, and more than once: its variables
// must come out the same.
type StepLoss func(scope *model.Scope, data, batch []*Node) *Node

// Trainer trains the variables of a model.Store by many steps a call.
//
// On XLA a call is one compiled While loop over its steps, with every variable
// and the optimizer's state carried from step to step on the device. The
// pure-Go backend can't differentiate inside a loop, so there the host makes
// the steps, with the same graph. Either is compiled once, in the first Train.
// SetDevices spreads the runs over several devices of XLA.
//
// The runs' losses are summed before the gradient is taken, so that the runs
// stay independent under any optimizer that works element by element. What
// regularizers and train.AddRegularizationLoss add is added to the sum, once for
// all runs.
//
// A Trainer, like GoMLX's, is for one goroutine at a time, and so is its store.
// Several Trainers with stores of their own may train at once on one backend.
type Trainer struct {
	backend   compute.Backend
	store     *model.Store
	optimizer optimizer.Interface
	loss      StepLoss

	dataShapes, batchShapes []shapes.Shape
	runs                    int

	exec      *model.Exec
	compile   int
	variables []*model.Variable                   // that the step uses, all that the loop carries
	changed   []*model.Variable                   // of these
	initial   map[*model.Variable]*tensors.Tensor // of the optimizer's state
	devices   *devices                            // nil on one device
}

// NewTrainer returns a trainer of the variables that loss uses by any optimizer of
// GoMLX or of this package. dataShapes are the shapes of what Train will be given
// for all steps (nil for nothing), batchShapes those of its batches, each with a
// leading axis of the S steps that a call can make: [S, R, …] as a rule, or
// [S, …] of a loss that is a scalar.
//
// The variables, with the optimizer's, are created here, without a value if they
// are trainable: the caller may set them now (see layers.Initialise), or leave them
// to their initializers in the first Train. What has a value keeps it, the
// optimizer's moments too, so that training goes on from a checkpoint.
//
// A nil argument, shapes that can't be, a loss that can't be built, isn't shaped
// [R] or uses no trainable variable are errors.
func NewTrainer(backend compute.Backend, store *model.Store, opt optimizer.Interface, loss StepLoss, dataShapes, batchShapes []shapes.Shape) (*Trainer, error) {
	t := &Trainer{
		backend:   backend,
		store:     store,
		optimizer: opt,
		loss:      loss,

		dataShapes:  dataShapes,
		batchShapes: batchShapes,
	}
	if err := t.check(); err != nil {
		return nil, fmt.Errorf("flows: NewTrainer: %w", err)
	}
	if err := t.prepare(); err != nil {
		return nil, err
	}
	build := t.loopGraph
	if isPureGo(backend) {
		build = t.stepGraph
	}
	var err error
	t.exec, err = model.NewExec(backend, store, func(scope *model.Scope, inputs []*Node) []*Node {
		t.compile++
		return build(scope, inputs)
	})
	if err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	return t, nil
}

// check is the error of what NewTrainer was given.
func (t *Trainer) check() error {
	switch {
	case t.backend == nil:
		return errors.New("the backend is nil: open one with backend.Open or compute.New")
	case t.backend.IsFinalized():
		return errors.New("the backend is finalized")
	case t.store == nil:
		return errors.New("the store is nil: make one with model.NewStore")
	case t.optimizer == nil:
		return errors.New("the optimizer is nil")
	case t.loss == nil:
		return errors.New("the loss is nil")
	case len(t.batchShapes) == 0:
		return errors.New("no batch shapes: want one at least, whose first axis is that of the steps")
	}
	for k, s := range t.dataShapes {
		if !s.Ok() {
			return fmt.Errorf("data shape %d isn't one", k)
		}
	}
	for k, s := range t.batchShapes {
		if !s.Ok() || s.Rank() == 0 || s.Dim(0) < 1 || s.Dim(0) != t.steps() {
			return fmt.Errorf("batch shape %d is %s: want a first axis of S ≥ 1 steps, the same for all", k, s)
		}
	}
	return nil
}

// steps is S, the most steps that a call of Train can make.
func (t *Trainer) steps() int { return t.batchShapes[0].Dim(0) }

// Compilations is the number of times that the training program was compiled: 1
// after the first Train.
func (t *Trainer) Compilations() int { return t.compile }

// Finalize frees the compiled program, after which Train is an error. The store
// stays the caller's.
func (t *Trainer) Finalize() {
	if t.exec != nil {
		t.exec.Finalize()
		t.exec = nil
	}
}

// ResetOptimizer puts the optimizer's moments and step count, and the steps of
// GoMLX's schedules, back to their initial values; those that were in the store
// or its checkpoint before NewTrainer to zero, where every optimizer of GoMLX and of this package
// begins. Together with new weights it makes a fresh start without a new
// compilation. Everything else stays: weights, frozen variables, the learning rate,
// the state of random numbers.
func (t *Trainer) ResetOptimizer() error {
	for v, initial := range t.initial {
		value, err := initial.LocalClone()
		if err != nil {
			return fmt.Errorf("flows: %w", err)
		}
		if err := v.SetValue(value); err != nil {
			return fmt.Errorf("flows: resetting %q: %w", v.Path(), err)
		}
	}
	return nil
}

// Train makes the first steps steps, from 1 to S, of batches and returns the loss
// of each step before it was made, [steps][R], as the StepLoss has it, without
// regularization. data and batches must have the shapes that NewTrainer was told;
// they stay the caller's.
//
// If ctx ends, so does Train, with its error: on XLA before the call, which can't
// be interrupted, in pure Go before the next step. The steps that were made stay.
func (t *Trainer) Train(ctx context.Context, data, batches []*tensors.Tensor, steps int) ([][]float64, error) {
	if t.exec == nil {
		return nil, errors.New("flows: Train: the trainer is finalized")
	}
	if err := fits("data", data, t.dataShapes); err != nil {
		return nil, fmt.Errorf("flows: Train: %w", err)
	}
	if err := fits("batch", batches, t.batchShapes); err != nil {
		return nil, fmt.Errorf("flows: Train: %w", err)
	}
	if steps < 1 || steps > t.steps() {
		return nil, fmt.Errorf("flows: Train: %d steps: want 1 to %d, as many as a batch tensor has", steps, t.steps())
	}
	if isPureGo(t.backend) {
		return t.trainOnHost(ctx, data, batches, steps)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	tensor, err := t.callLoop(arguments(int32(steps), data, batches))
	if err != nil {
		return nil, fmt.Errorf("flows: training: %w", err)
	}
	losses, err := host.Values(tensor)
	if err != nil {
		return nil, fmt.Errorf("flows: the losses: %w", err)
	}
	perStep := make([][]float64, steps)
	for i := range perStep {
		perStep[i] = losses[i*t.runs : (i+1)*t.runs]
	}
	return perStep, nil
}

// fits is the error of tensors that aren't of these shapes.
func fits(what string, given []*tensors.Tensor, want []shapes.Shape) error {
	if len(given) != len(want) {
		return fmt.Errorf("%d %s tensors: want %d, as NewTrainer was told", len(given), what, len(want))
	}
	for k, x := range given {
		if x == nil || !x.Ok() || !x.Shape().Equal(want[k]) {
			return fmt.Errorf("%s tensor %d is %s: want %s, as NewTrainer was told", what, k, shapeOf(x), want[k])
		}
	}
	return nil
}

// shapeOf says what a tensor is.
func shapeOf(x *tensors.Tensor) string {
	switch {
	case x == nil:
		return "nil"
	case !x.Ok():
		return "finalized"
	}
	return "shaped " + x.Shape().String()
}

// callLoop runs the program of loopGraph and returns the losses, [S, R].
func (t *Trainer) callLoop(args []any) (*tensors.Tensor, error) {
	if t.devices != nil {
		return t.devices.call(t.exec, args)
	}
	outputs, err := t.exec.Call(args...)
	if err != nil {
		return nil, err
	}
	return outputs[0], nil
}

func (t *Trainer) trainOnHost(ctx context.Context, data, batches []*tensors.Tensor, steps int) ([][]float64, error) {
	perStep := make([][]float64, steps)
	for i := range perStep {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		outputs, err := t.exec.Call(arguments(int32(i), data, batches)...)
		if err != nil {
			return nil, fmt.Errorf("flows: training step %d: %w", i, err)
		}
		if perStep[i], err = host.Values(outputs[0]); err != nil {
			return nil, fmt.Errorf("flows: the loss of step %d: %w", i, err)
		}
	}
	return perStep, nil
}

// arguments lists what Exec.Call takes.
func arguments(first any, data, batches []*tensors.Tensor) []any {
	args := []any{first}
	for _, x := range data {
		args = append(args, x)
	}
	for _, x := range batches {
		args = append(args, x)
	}
	return args
}
