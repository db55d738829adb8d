package flows

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// StepLoss builds the loss of one training step for each of R independent
// runs, shaped [R]. data holds what all steps share, batch what this step
// draws, each with the leading steps axis of Trainer.Train taken away.
type StepLoss func(scope *model.Scope, data, batch []*Node) *Node

// Trainer trains the variables of a model.Store by many steps a call.
//
// On XLA a call is one compiled While loop over its steps, with every variable
// and the optimizer's state carried from step to step on the device. The
// pure-Go backend can't differentiate inside a loop, so there the host makes
// the steps, with the same graph. Either is compiled once for given shapes.
// SetDevices spreads the runs over several devices of XLA.
//
// The runs' losses are summed before the gradient is taken, so that the runs
// stay independent under any optimizer that works element by element.
type Trainer struct {
	backend   compute.Backend
	store     *model.Store
	optimizer optimizer.Interface
	loss      StepLoss

	dataShapes, batchShapes []shapes.Shape

	onHost    bool
	exec      *model.Exec
	compile   int
	variables []*model.Variable                   // all that the loop carries
	devices   *devices                            // nil on one device
	state     map[*model.Variable]*tensors.Tensor // initial values of what isn't trained
}

// NewTrainer returns a trainer of the variables that loss uses. dataShapes and
// batchShapes are the shapes of what Train will be given; they are needed here
// to create the variables, with the optimizer's, whose values the caller then
// sets (see layers.Initialise) before the first Train.
func NewTrainer(backend compute.Backend, store *model.Store, opt optimizer.Interface, loss StepLoss, dataShapes, batchShapes []shapes.Shape) (*Trainer, error) {
	t := &Trainer{
		backend:   backend,
		store:     store,
		optimizer: opt,
		loss:      loss,

		dataShapes:  dataShapes,
		batchShapes: batchShapes,

		onHost: backend.String() == gobackend.BackendName,
	}
	if err := t.createVariables(); err != nil {
		return nil, fmt.Errorf("flows: building the training step: %w", err)
	}
	build := t.loopGraph
	if t.onHost {
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

// Compilations is the number of times that a training program was compiled.
func (t *Trainer) Compilations() int { return t.compile }

// Finalize frees the compiled programs. The store stays the caller's.
func (t *Trainer) Finalize() { t.exec.Finalize() }

// createVariables builds one training step on the pure-Go backend, where
// building compiles nothing, for its side effect on the store: a While can
// only carry variables that exist before it is built.
func (t *Trainer) createVariables() error {
	dry, err := model.NewExec(gobackend.GetBackend(), t.store, t.stepGraph)
	if err != nil {
		return err
	}
	defer dry.Finalize()
	inputs := append([]shapes.Shape{shapes.Make(dtypes.Int32)}, t.dataShapes...)
	if _, err := dry.Compile(append(inputs, t.batchShapes...)...); err != nil {
		return err
	}

	t.state = make(map[*model.Variable]*tensors.Tensor)
	for v := range t.store.IterVariables() {
		t.variables = append(t.variables, v)
		if v.Trainable {
			continue
		}
		if !v.HasValue() { // moments and counters begin at zero
			t.state[v] = tensors.FromShape(v.Shape())
			continue
		}
		value, err := v.Value()
		if err != nil {
			return err
		}
		if t.state[v], err = value.LocalClone(); err != nil {
			return err
		}
	}
	return t.ResetOptimizer()
}

// ResetOptimizer forgets the optimizer's moments and step count. Together with
// new weights it makes a fresh start without a new compilation.
func (t *Trainer) ResetOptimizer() error {
	for v, initial := range t.state {
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

// Train makes the first steps steps of batches, whose tensors all have a
// leading axis of at least that many steps, and returns the loss of each step
// before it was made, [steps][R]. If ctx ends, so does Train, with its error: on XLA
// before the call, in pure Go before the next step. The steps that were made stay.
func (t *Trainer) Train(ctx context.Context, data, batches []*tensors.Tensor, steps int) ([][]float64, error) {
	if len(batches) == 0 || steps < 1 || steps > batches[0].Shape().Dim(0) {
		return nil, errors.New("flows: Train needs at least one batch tensor whose first axis has steps ≥ 1 entries")
	}
	if t.onHost {
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
	runs := t.runs()
	perStep := make([][]float64, steps)
	for i := range perStep {
		perStep[i] = losses[i*runs : (i+1)*runs]
	}
	return perStep, nil
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

// stepGraph makes training step i = inputs[0] and returns its loss, [R].
func (t *Trainer) stepGraph(scope *model.Scope, inputs []*Node) []*Node {
	numData := len(t.dataShapes)
	i, data, batches := inputs[0], inputs[1:1+numData], inputs[1+numData:]
	batch := make([]*Node, len(batches))
	for k, b := range batches {
		batch[k] = at(b, i)
	}
	loss := t.loss(scope, data, batch) // [R]
	t.optimizer.UpdateGraph(scope, loss.Graph(), ReduceAllSum(loss))
	return []*Node{loss}
}

// at is x[i], without the leading axis. (The pure-Go backend has no
// DynamicSlice; XLA makes one of a Gather at a single index.)
func at(x, i *Node) *Node {
	return Gather(x, InsertAxes(i, -1))
}

// loopGraph makes inputs[0] training steps in one While and returns the losses
// of all steps, [S, R].
//
// GoMLX 0.28.6 asks three things of a While on XLA: the body must get every
// tensor as loop state, nothing outside may use one of the graph's cached
// scalars (so Const here, never Zeros or AddScalar), and cond and body must
// declare the same parameters.
func (t *Trainer) loopGraph(scope *model.Scope, inputs []*Node) []*Node {
	g := inputs[0].Graph()
	numData := len(t.dataShapes)
	steps := inputs[1+numData].Shape().Dim(0)
	losses := Const(g, tensors.FromShape(shapes.Make(dtypes.Float32, steps, t.runs())))

	state := append([]*Node{Const(g, int32(0)), losses}, inputs...)
	for _, v := range t.variables {
		state = append(state, v.NodeValue(g))
	}
	parameters := func(g *Graph) []*Node {
		ps := make([]*Node, len(state))
		for k, s := range state {
			ps[k] = Parameter(g, fmt.Sprintf("state_%d", k), s.Shape())
		}
		return ps
	}
	cond := NewClosure(g, func(g *Graph) []*Node {
		ps := parameters(g)
		return []*Node{LessThan(ps[0], ps[2])}
	})
	body := NewClosure(g, func(g *Graph) []*Node {
		ps := parameters(g)
		i, losses, held := ps[0], ps[1], ps[2+len(inputs):]
		for k, v := range t.variables {
			v.SetNodeValue(held[k])
		}
		loss := t.stepGraph(scope, append([]*Node{i}, ps[3:2+len(inputs)]...))[0] // [R]
		ps[0] = Add(i, Const(g, int32(1)))
		ps[1] = DynamicUpdateSlice(losses, InsertAxes(ConvertDType(loss, dtypes.Float32), 0), []*Node{i, Const(g, int32(0))})
		for k, v := range t.variables {
			held[k] = v.NodeValue(g)
		}
		return ps
	})
	final := While(cond, body, state...)
	for k, v := range t.variables {
		v.SetNodeValue(final[2+len(inputs)+k])
	}
	return []*Node{final[1]}
}

// runs is R, the second axis of every batch tensor.
func (t *Trainer) runs() int { return t.batchShapes[0].Dim(1) }

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
