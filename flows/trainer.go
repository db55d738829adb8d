package flows

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/seed-47b1e431/gosica/internal/guard"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/lazy"
	"github.com/seed-47b1e431/gosica/internal/purego"
)

// A StepLoss builds the loss of one training step for each of R independent runs: [R] of a float
// dtype, or a scalar for one run. data is the same for all steps; batch is the batch of this step,
// without the leading steps axis of Trainer.Train. The loss is built in training mode
// (Scope.IsTraining) at the store's root scope, and more than once, so it must always create the
// same variables.
type StepLoss func(scope *model.Scope, data, batch []*Node) *Node

// A Trainer trains the variables of a model.Store by many steps per call.
//
// On XLA a call is one compiled While loop over its steps. It carries every variable and the
// optimizer's state from step to step on the device. The pure-Go backend can't differentiate inside
// a loop, so there the host makes the steps, with the same graph. The program is compiled once, in
// the first Train.
//
// The gradient is that of the sum of the runs' losses. So the runs stay independent with any
// elementwise optimizer. The losses of regularizers and of train.AddRegularizationLoss are added to
// the sum, once for all runs.
//
// A Trainer, like GoMLX's, is for one goroutine at a time, and so is its store. Several Trainers
// with different stores may train at once on one backend.
type Trainer struct {
	backend   compute.Backend
	store     *model.Store
	optimizer optimizer.Interface
	loss      StepLoss

	dataShapes, batchShapes []shapes.Shape
	runs                    int
	lossDType               dtypes.DType

	exec         *model.Exec
	compilations int                                 // so far
	variables    []*model.Variable                   // used by the step, carried by the loop
	initial      map[*model.Variable]*tensors.Tensor // of the optimizer's state
}

// NewTrainer returns a trainer of the variables that loss uses, by an optimizer of GoMLX or of this
// package, or a custom one. Variables that a custom optimizer creates in UpdateGraph must be
// SetTrainable(false). dataShapes are the shapes of Train's data for all steps (nil for none), and
// batchShapes the shapes of its batches. Batches have a leading axis of S, the maximum number of
// steps per call: usually [S, R, …], or [S, …] for a scalar loss. Without batches (nil) every step
// has the same inputs, and Train makes any number of steps. A nil backend means
// backend.Open(backend.Go).
//
// NewTrainer creates the variables, including those of the optimizer. New trainable variables have
// no value yet: the caller may set them (see layers.Initialise) or leave them to their initializers
// in the first Train. Variables with a value keep it, including the optimizer's moments and rate
// ([Trainer.SetLearningRate]), so training continues from a checkpoint.
//
// It is an error if store, opt or loss is nil, if shapes are invalid, or if the loss can't be
// built, is neither a scalar nor [R], or uses no trainable variable.
func NewTrainer(
	backend compute.Backend, store *model.Store, opt optimizer.Interface, loss StepLoss,
	dataShapes, batchShapes []shapes.Shape,
) (*Trainer, error) {
	backend, err := purego.Or(backend)
	if err != nil {
		return nil, fmt.Errorf("flows: NewTrainer: %w", err)
	}
	backend = lazy.Opened(backend)
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
	t.exec, err = model.NewExec(backend, store, func(scope *model.Scope, inputs []*Node) []*Node {
		t.compilations++
		return build(scope, inputs)
	})
	if err != nil {
		return nil, fmt.Errorf("flows: %w", err)
	}
	return t, nil
}

// check returns an error unless the arguments of NewTrainer are valid.
func (t *Trainer) check() error {
	switch {
	case t.backend.IsFinalized():
		return errors.New("the backend is finalized; must be open")
	case t.store == nil:
		return errors.New("the store is nil; must be one of model.NewStore")
	case t.optimizer == nil:
		return errors.New("the optimizer is nil; must be an optimizer.Interface")
	case t.loss == nil:
		return errors.New("the loss is nil; must be a StepLoss")
	}
	for k, s := range t.dataShapes {
		if !s.Ok() {
			return fmt.Errorf("dataShapes[%d] is %s; must be valid", k, s)
		}
	}
	for k, s := range t.batchShapes {
		if !s.Ok() || s.Rank() == 0 || s.Dim(0) < 1 || s.Dim(0) != t.steps() {
			return fmt.Errorf("batchShapes[%d] is %s; must have a first axis of S ≥ 1 steps, "+
				"the same for all", k, s)
		}
	}
	return nil
}

// stepsWithoutBatches is the number of steps per call of the device without batches. Fewer cost
// time if a step takes microseconds; more delay the effect of an ended context.
const stepsWithoutBatches = 100

// steps returns S, the maximum number of steps in a call of the device.
func (t *Trainer) steps() int {
	if len(t.batchShapes) == 0 {
		return stepsWithoutBatches
	}
	return t.batchShapes[0].Dim(0)
}

// Compilations returns how many times the training program was compiled: 1 after the first Train.
func (t *Trainer) Compilations() int { return t.compilations }

// Finalize frees the compiled program, but not the store. Afterwards Train returns an error.
func (t *Trainer) Finalize() {
	if t.exec != nil {
		t.exec.Finalize()
		t.exec = nil
	}
}

// ResetOptimizer resets the optimizer's moments and step count, and the steps of GoMLX's schedules,
// to their initial values. State that was in the store or its checkpoint before NewTrainer is set
// to zero, the initial state of every optimizer of GoMLX and of this package. With new weights this
// allows a fresh start without compilation. Everything else is unchanged: weights, frozen
// variables, the learning rate, the state of random numbers.
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

// SetLearningRate sets the learning rate of further steps, for an optimizer of GoMLX or [Adagrad].
// These keep the rate in a variable of the store, which NewTrainer creates from the optimizer's
// setting or from optimizer.ParamLearningRate. If the store or its checkpoint has the variable
// already, it keeps its value, regardless of the optimizer's setting and the parameter.
//
// It is an error if rate isn't finite and at least 0, if a GoMLX schedule sets the rate in each
// step, or if the optimizer is [RunsAdam], whose Schedules set the rates: make a new Trainer
// instead.
func (t *Trainer) SetLearningRate(rate float64) error {
	const where = "flows: SetLearningRate"
	if !(rate >= 0 && rate <= math.MaxFloat64) {
		return fmt.Errorf("%s: rate is %g; must be at least 0 and finite", where, rate)
	}
	path := model.JoinPath("/", optimizer.Scope, optimizer.ParamLearningRate)
	for _, v := range t.variables {
		switch {
		case v.Path() != path:
		case t.initial[v] != nil:
			return fmt.Errorf("%s: a schedule sets the rate in each step; must be without", where)
		default:
			if err := v.SetValue(host.Tensor([]float64{rate}, v.Shape().DType)); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			return nil
		}
	}
	return fmt.Errorf("%s: the optimizer has no variable %q; must be one of GoMLX or Adagrad",
		where, path)
}

// Train makes the given number of steps: 1 to S, with the first of the batches, or any number
// without batches. It returns the loss of each step before its update, [steps][R], without
// regularization. data and batches must have the shapes of NewTrainer; Train doesn't free them. A
// loss that is NaN or infinite, for example by overflow in half precision, is no error. For
// variables in half precision GoMLX's Adam needs DType(dtypes.Float32).
//
// It is an error if the loss has a schedule over the whole training, such as NumCycles of GoMLX's
// cosineschedule, and no [Trainer.Loop] has set its length.
//
// If ctx ends, Train returns its error and no losses. The updates of earlier steps remain, and
// GoMLX's global step (optimizer.GetGlobalStep) counts them. The end of ctx takes effect before the
// next step in pure Go, and on XLA before the next call of the device, which makes up to S steps,
// or 100 without batches, and can't be interrupted. The compilation in the first Train, seconds of
// one core on XLA, can't be interrupted either: no step is made if ctx ends during it. To separate
// it, make one step without a deadline.
func (t *Trainer) Train(
	ctx context.Context, data, batches []*tensors.Tensor, steps int,
) ([][]float64, error) {
	if v := t.lastStep(); v != nil {
		last, err := v.Value()
		if err != nil {
			return nil, fmt.Errorf("flows: Train: %w", err)
		}
		if tensors.ToScalar[int64](last) < 0 {
			return nil, errors.New("flows: Train: a schedule of the loss, such as NumCycles, needs the " +
				"number of steps of the training; must be run by Trainer.Loop, or count its own (PeriodSteps)")
		}
	}
	return t.train(ctx, data, batches, steps)
}

// lastStep returns the variable with the last step of the training if the loss reads it, else nil.
// Its value is negative until the last step is known.
func (t *Trainer) lastStep() *model.Variable {
	path := model.JoinPath(train.TrainerAbsoluteScope, train.TrainLastStepVarName)
	for _, v := range t.variables {
		if v.Path() == path {
			return v
		}
	}
	return nil
}

// train is Train without the requirement that the last step is known.
func (t *Trainer) train(
	ctx context.Context, data, batches []*tensors.Tensor, steps int,
) ([][]float64, error) {
	if t.exec == nil {
		return nil, errors.New("flows: Train: the trainer is finalized; must be used before Finalize")
	}
	if err := checkTensors("data", data, t.dataShapes); err != nil {
		return nil, fmt.Errorf("flows: Train: %w", err)
	}
	if err := checkTensors("batches", batches, t.batchShapes); err != nil {
		return nil, fmt.Errorf("flows: Train: %w", err)
	}
	switch {
	case steps < 1:
		return nil, fmt.Errorf("flows: Train: %d steps; must be at least 1", steps)
	case len(batches) > 0 && steps > t.steps():
		return nil, fmt.Errorf("flows: Train: %d steps; must be 1 to %d, the first axis of the "+
			"batches", steps, t.steps())
	case isPureGo(t.backend):
		return t.trainOnHost(ctx, data, batches, steps)
	}
	perStep := make([][]float64, 0, steps)
	for len(perStep) < steps {
		next, err := t.trainOnDevice(ctx, data, batches, min(steps-len(perStep), t.steps()))
		if err != nil {
			return nil, err
		}
		perStep = append(perStep, next...)
	}
	return perStep, nil
}

// trainOnDevice makes at most S steps in one call.
func (t *Trainer) trainOnDevice(
	ctx context.Context, data, batches []*tensors.Tensor, steps int,
) ([][]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if t.compilations == 0 {
		inputs := slices.Concat([]shapes.Shape{shapes.Make(dtypes.Int32)}, t.dataShapes, t.batchShapes)
		if _, err := t.exec.Compile(inputs...); err != nil {
			return nil, fmt.Errorf("flows: compiling the training steps: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	outputs, err := t.exec.Call(arguments(int32(steps), data, batches)...)
	if err != nil {
		return nil, fmt.Errorf("flows: training: %w", err)
	}
	losses, err := host.Values(outputs[0]) // [S, R]
	if err != nil {
		return nil, fmt.Errorf("flows: the losses: %w", err)
	}
	perStep := make([][]float64, steps)
	for i := range perStep {
		perStep[i] = losses[i*t.runs : (i+1)*t.runs]
	}
	return perStep, nil
}

// checkTensors returns an error unless the tensors x of the named argument have the given shapes.
func checkTensors(name string, x []*tensors.Tensor, shapes []shapes.Shape) error {
	if len(x) != len(shapes) {
		return fmt.Errorf("%s: are %d tensors; must be %d, as for NewTrainer", name, len(x), len(shapes))
	}
	for k, want := range shapes {
		if x[k] == nil || !x[k].Ok() || !x[k].Shape().Equal(want) {
			return fmt.Errorf("%s[%d] is %s; must be %s, as for NewTrainer",
				name, k, describe(x[k]), want)
		}
	}
	return nil
}

// describe returns the shape of a tensor in words.
func describe(x *tensors.Tensor) string {
	switch {
	case x == nil:
		return "nil"
	case !x.Ok():
		return "finalized"
	}
	return "shaped " + x.Shape().String()
}

// trainOnHost is Train with a call for each step.
func (t *Trainer) trainOnHost(
	ctx context.Context, data, batches []*tensors.Tensor, steps int,
) ([][]float64, error) {
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

// arguments returns the arguments of Exec.Call.
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

// loopGraph makes inputs[0] training steps in one While and returns the losses of all steps,
// [S, R].
func (t *Trainer) loopGraph(scope *model.Scope, inputs []*Node) []*Node {
	g := inputs[0].Graph()
	step := func(i, losses *Node, held []*Node) *Node {
		loss := t.stepGraph(scope, append([]*Node{i}, held...))[0] // [R]
		row := InsertAxes(ConvertDType(loss, dtypes.Float32), 0)   // [1, R]
		corner := []*Node{i, Const(g, int32(0))}                   // of row in losses
		return DynamicUpdateSlice(losses, row, corner)             // [S, R]
	}
	losses := Const(g, tensors.FromShape(shapes.Make(dtypes.Float32, t.steps(), t.runs)))
	return []*Node{repeat(g, inputs[0], losses, inputs[1:], t.variables, step)}
}

// stepGraph makes training step i = inputs[0] and returns its loss, [R].
func (t *Trainer) stepGraph(scope *model.Scope, inputs []*Node) []*Node {
	loss := t.lossGraph(scope, inputs)
	t.updateGraph(scope, loss)
	return []*Node{loss}
}

// lossGraph returns the loss of step i = inputs[0], [R].
func (t *Trainer) lossGraph(scope *model.Scope, inputs []*Node) *Node {
	numData := len(t.dataShapes)
	i, data, batches := inputs[0], inputs[1:1+numData], inputs[1+numData:]
	scope.Store().SetTraining(i.Graph(), true) // for dropout and schedules
	i.Graph().AttachState(inStepLoss{}, true)
	batch := make([]*Node, len(batches))
	for k, b := range batches {
		batch[k] = element(b, i)
	}
	var loss *Node
	if err := guard.Call("the loss", func() { loss = t.loss(scope, data, batch) }); err != nil {
		if advice := visitedAdvice(err); advice != "" {
			panic(fmt.Errorf("%w%s", err, advice))
		}
		panic(fmt.Errorf("%w%s", err, t.sliced(batch)))
	}
	switch {
	case loss == nil:
		exceptions.Panicf("the loss is nil; must be shaped [R], or a scalar for one run")
	case !loss.DType().IsFloat() || loss.Rank() > 1:
		exceptions.Panicf("the loss is shaped %s; must be floats [R], one for each run, "+
			"or a scalar for one run", loss.Shape())
	case loss.IsScalar():
		return Reshape(loss, 1)
	}
	return loss
}

// visitedAdvice returns advice on how to use weights twice if err is about that, else "".
func visitedAdvice(err error) string {
	if !strings.Contains(err.Error(), "already visited") {
		return ""
	}
	return "; to use its weights twice, give each use after the first scope.ResetVisited(), before In"
}

// sliced describes in brackets the batch that a loss gets.
func (t *Trainer) sliced(batch []*Node) string {
	if len(batch) == 0 {
		return " (the loss gets 0 batch tensors, as batchShapes has none)"
	}
	var shapes []string
	for _, b := range batch {
		shapes = append(shapes, b.Shape().String())
	}
	return fmt.Sprintf(" (the loss gets %d batch tensors, %s: the batch shapes without their first "+
		"axis, that of the S = %d steps)", len(batch), strings.Join(shapes, ", "), t.steps())
}

// updateGraph makes the optimizer's update for the loss [R].
func (t *Trainer) updateGraph(scope *model.Scope, loss *Node) {
	g := loss.Graph()
	total := ReduceAllSum(loss)
	if added := train.TotalLoss(g); added != nil { // by regularizers
		total = Add(total, ConvertDType(added, total.DType()))
	}
	err := guard.Call("the optimizer", func() {
		t.optimizer.UpdateGraph(scope, g, total)
		train.ExecPerStepUpdateGraphFn(g)
	})
	if err != nil {
		panic(err)
	}
}

// element returns x[i], without the leading axis. The pure-Go backend has no DynamicSlice, and XLA
// compiles a Gather at a single index to one.
func element(x, i *Node) *Node {
	return Gather(x, InsertAxes(i, -1))
}

// prepare creates the variables of the step, since a While can only carry existing ones,
// initialises the optimizer's state, and keeps the values for ResetOptimizer.
func (t *Trainer) prepare() error {
	earlier := make(map[*model.Variable]bool) // may have values of an earlier training
	for v := range t.store.IterVariables() {
		earlier[v] = true
	}
	state, err := t.dryStep()
	if err != nil {
		return fmt.Errorf("flows: building the training step: %w", err)
	}
	if t.store.Loader() != nil { // a checkpoint loads values when they are first used
		for _, v := range state {
			earlier[v] = earlier[v] || v.HasValue()
		}
	}
	if err := t.initialise(); err != nil {
		return fmt.Errorf("flows: initialising the optimizer: %w", err)
	}
	t.initial = make(map[*model.Variable]*tensors.Tensor)
	for _, v := range state {
		t.initial[v] = tensors.FromShape(v.Shape())
		if earlier[v] {
			continue
		}
		value, err := v.Value()
		if err != nil {
			return fmt.Errorf("flows: %w", err)
		}
		if t.initial[v], err = value.LocalClone(); err != nil {
			return fmt.Errorf("flows: %w", err)
		}
	}
	return nil
}

// dryStep builds one training step without compiling it, which creates its variables. It sets the
// number of runs and the variables that the step uses, and returns those that are the optimizer's
// state.
func (t *Trainer) dryStep() (state []*model.Variable, err error) {
	err = dryRun(t.backend, t.store, func(g *Graph) {
		inputs := []*Node{Parameter(g, "step", shapes.Make(dtypes.Int32))}
		for k, s := range slices.Concat(t.dataShapes, t.batchShapes) {
			inputs = append(inputs, Parameter(g, fmt.Sprintf("input_%d", k), s))
		}
		scope := t.store.RootScope()
		loss := t.lossGraph(scope, inputs)
		t.runs, t.lossDType = loss.Shape().Dim(0), loss.DType()
		before, trainable := t.values(g)
		if trainable == 0 {
			exceptions.Panicf("the loss uses no trainable variable of the store; must use one")
		}
		t.checkRuns(g, loss)
		t.updateGraph(scope, loss)
		for v := range t.store.IterVariables() {
			if !v.InUseByGraph(g) {
				continue
			}
			t.variables = append(t.variables, v)
			byOptimizer := v.ChangedInGraph(g) && before[v] != v.NodeValue(g)
			bySchedule := v.ChangedInGraph(g) &&
				strings.HasPrefix(v.Path(), "/"+optimizer.Scope+"/")
			if !v.Trainable && (byOptimizer || bySchedule) {
				state = append(state, v)
			}
		}
	})
	return state, err
}

// checkRuns panics unless the first axis of every trainable variable is the runs axis of the loss.
// A loss [B], one for each sample, would be taken for B runs.
func (t *Trainer) checkRuns(g *Graph, loss *Node) {
	if t.runs == 1 {
		return
	}
	for v := range t.store.IterVariables() {
		if v.Trainable && v.InUseByGraph(g) && (v.Shape().Rank() == 0 || v.Shape().Dim(0) != t.runs) {
			exceptions.Panicf("the loss is %s, one for each of %d runs, not samples, and variable %q is "+
				"%s; must be a scalar for one run, as by ReduceAllMean, or [R] where each variable "+
				"is [R, …]",
				loss.Shape(), t.runs, v.Path(), v.Shape())
		}
	}
}

// values returns the nodes of the variables that g uses, and the number of trainable ones.
func (t *Trainer) values(g *Graph) (nodes map[*model.Variable]*Node, trainable int) {
	nodes = make(map[*model.Variable]*Node)
	for v := range t.store.IterVariables() {
		if v.InUseByGraph(g) {
			nodes[v] = v.NodeValue(g)
			if v.Trainable {
				trainable++
			}
		}
	}
	return nodes, trainable
}

// dryRun builds a graph over the store without compiling it. A panic of build is the error.
func dryRun(b compute.Backend, store *model.Store, build func(g *Graph)) error {
	g := NewGraph(b, "flows: dry run")
	defer g.Finalize()
	model.SetStore(g, store)
	return exceptions.TryCatch[error](func() { build(g) })
}

// initialise sets non-trainable variables without a value by their initializers, on the host,
// without XLA's compiler. The caller or the first step sets the trainable ones.
func (t *Trainer) initialise() error {
	var open, trainable []*model.Variable
	for v := range t.store.IterVariables() {
		switch {
		case v.HasValue():
		case v.Trainable:
			trainable = append(trainable, v)
		default:
			open = append(open, v)
		}
	}
	if len(open) == 0 {
		return nil
	}
	// Store.InitializeVariables skips variables with a value.
	for _, v := range trainable {
		if err := v.SetValue(tensors.FromShape(v.Shape())); err != nil {
			return err
		}
	}
	if err := t.store.InitializeVariables(gobackend.GetBackend(), nil); err != nil {
		return err
	}
	for _, v := range trainable {
		if err := v.SetValue(nil); err != nil {
			return err
		}
	}
	for _, v := range open {
		value, err := v.Value()
		if err != nil {
			return err
		}
		if value, err = value.LocalClone(); err != nil {
			return err
		}
		if err := v.SetValue(value); err != nil {
			return err
		}
	}
	return nil
}
