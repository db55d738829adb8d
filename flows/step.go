package flows

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"github.com/gomlx/gomlx/support/exceptions"
)

// loopGraph makes inputs[0] training steps in one While and returns the losses
// of all steps, [S, R].
func (t *Trainer) loopGraph(scope *model.Scope, inputs []*Node) []*Node {
	g := inputs[0].Graph()
	losses := Const(g, tensors.FromShape(shapes.Make(dtypes.Float32, t.steps(), t.runs)))
	return []*Node{repeat(g, inputs[0], losses, inputs[1:], t.variables, func(i, losses *Node, held []*Node) *Node {
		loss := t.stepGraph(scope, append([]*Node{i}, held...))[0] // [R]
		return DynamicUpdateSlice(losses, InsertAxes(ConvertDType(loss, dtypes.Float32), 0), []*Node{i, Const(g, int32(0))})
	})}
}

// stepGraph makes training step i = inputs[0] and returns its loss, [R].
func (t *Trainer) stepGraph(scope *model.Scope, inputs []*Node) []*Node {
	loss := t.lossGraph(scope, inputs)
	t.updateGraph(scope, loss)
	return []*Node{loss}
}

// lossGraph is the loss of step i = inputs[0], [R].
func (t *Trainer) lossGraph(scope *model.Scope, inputs []*Node) *Node {
	numData := len(t.dataShapes)
	i, data, batches := inputs[0], inputs[1:1+numData], inputs[1+numData:]
	scope.Store().SetTraining(i.Graph(), true) // for dropout, schedules and their like
	batch := make([]*Node, len(batches))
	for k, b := range batches {
		batch[k] = at(b, i)
	}
	loss := t.loss(scope, data, batch)
	switch {
	case loss == nil:
		exceptions.Panicf("the loss is nil: want a node shaped [R], or a scalar of one run")
	case !loss.DType().IsFloat() || loss.Rank() > 1:
		exceptions.Panicf("the loss is shaped %s: want floats [R], one for each run, or a scalar of one run", loss.Shape())
	case loss.IsScalar():
		return Reshape(loss, 1)
	}
	return loss
}

// updateGraph makes the optimizer's update for the loss [R].
func (t *Trainer) updateGraph(scope *model.Scope, loss *Node) {
	g := loss.Graph()
	total := ReduceAllSum(loss)
	if added := train.TotalLoss(g); added != nil { // by regularizers
		total = Add(total, ConvertDType(added, total.DType()))
	}
	t.optimizer.UpdateGraph(scope, g, total)
	train.ExecPerStepUpdateGraphFn(g)
}

// at is x[i], without the leading axis. (The pure-Go backend has no
// DynamicSlice; XLA makes one of a Gather at a single index.)
func at(x, i *Node) *Node {
	return Gather(x, InsertAxes(i, -1))
}

// prepare builds one training step, which isn't compiled, for its side effect on
// the store: a While can only carry variables that exist before it is built. It
// finds out what the step uses and changes, and what of it is the optimizer's.
func (t *Trainer) prepare() error {
	earlier := make(map[*model.Variable]bool) // whose values may be of an earlier training
	for v := range t.store.IterVariables() {
		earlier[v] = true
	}
	var state []*model.Variable
	if err := dryRun(t.backend, t.store, func(g *Graph) {
		inputs := []*Node{Parameter(g, "step", shapes.Make(dtypes.Int32))}
		for k, s := range append(append([]shapes.Shape{}, t.dataShapes...), t.batchShapes...) {
			inputs = append(inputs, Parameter(g, fmt.Sprintf("input_%d", k), s))
		}
		scope := t.store.RootScope()
		loss := t.lossGraph(scope, inputs)
		t.runs = loss.Shape().Dim(0)
		before, trainable := t.values(g)
		if trainable == 0 {
			exceptions.Panicf("the loss uses no trainable variable of the store")
		}
		t.updateGraph(scope, loss)
		for v := range t.store.IterVariables() {
			if !v.InUseByGraph(g) {
				continue
			}
			t.variables = append(t.variables, v)
			if v.ChangedInGraph(g) {
				t.changed = append(t.changed, v)
			}
			byOptimizer := v.ChangedInGraph(g) && before[v] != v.NodeValue(g)
			bySchedule := v.ChangedInGraph(g) && strings.HasPrefix(v.Path(), "/"+optimizer.Scope+"/")
			if !v.Trainable && (byOptimizer || bySchedule) {
				state = append(state, v)
			}
		}
	}); err != nil {
		return fmt.Errorf("flows: building the training step: %w", err)
	}
	if t.store.Loader() != nil { // of a checkpoint, which gave values as they were asked for
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

// values are the nodes of the variables that g uses, and how many of them are
// trainable.
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
