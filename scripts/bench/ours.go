package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// ours is this library on one of its backends.
type ours struct {
	backend compute.Backend
	where   string
	literal bool // the network as the paper writes it, not folded

	work func(ctx context.Context) (float64, error) // solves once, in milliseconds
	free func()
}

func (o *ours) name() (impl, backend string) {
	if o.literal {
		return "gosica_literal", o.where
	}
	return "gosica", o.where
}

// takes leaves out the literal form where it makes no difference or takes
// minutes, and the pure-Go backend where it does.
func (o *ours) takes(p problem) bool {
	small := p.runs == 1 && p.positions() <= 1024
	switch p.kind {
	case defaultFit:
		return !o.literal && (o.where != backend.Go || small && p.d == 2)
	case paperIteration:
		return !o.literal && o.where != backend.Go
	}
	return small || !o.literal && o.where != backend.Go
}

func (o *ours) prepare(ctx context.Context, p problem, arrays map[string]array, _ string) ([]float64, float64, error) {
	o.free = func() {}
	switch p.kind {
	case rfTrainStep, wgfTrainStep:
		return o.prepareTraining(p, arrays)
	case refine:
		return o.prepareRefinement(p, arrays)
	case defaultFit:
		losses, compile, err := o.prepareTraining(p, arrays)
		o.drop()
		o.work = func(ctx context.Context) (float64, error) { return o.fitDefault(ctx, p, arrays) }
		return losses, compile, err
	case paperIteration:
		training := p
		training.kind = rfTrainStep
		losses, compile, err := o.prepareTraining(training, arrays)
		o.drop()
		o.work = func(ctx context.Context) (float64, error) { return o.iteratePaper(ctx, p, arrays) }
		return losses, compile, err
	}
	return nil, 0, fmt.Errorf("no case %q", p.kind)
}

func (o *ours) time(ctx context.Context, repeats int) ([]float64, error) {
	var all []float64
	for range repeats {
		ms, err := o.work(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, ms)
	}
	return all, nil
}

func (o *ours) drop() { o.free(); o.free = func() {} }

// prepareTraining compiles a While loop over the given batches; the unit of
// work is one of its steps.
func (o *ours) prepareTraining(p problem, arrays map[string]array) ([]float64, float64, error) {
	names := []string{"joint", "product", "tau"}
	data := []string{"z"}
	loss, opt := o.rectifiedLoss(p), flows.Adagrad().LearningRate(1e-5).Done()
	switch p.kind {
	case wgfTrainStep:
		names, loss = names[:2], o.ratioLoss(p)
		opt = optimizer.Adam().LearningRate(1e-5).Epsilon(1e-8).Done()
	case defaultFit:
		names, data, loss = []string{"joint", "product", "noise"}, []string{"z", "predictions", "mask"}, defaultLoss(p)
		opt = optimizer.Adam().LearningRate(3e-3).Epsilon(1e-8).Done()
	}
	shared, batches := inputs(arrays, data), inputs(arrays, names)
	total := steps
	if p.runs*p.positions() <= 1024 { // about as many steps a call as sica makes
		total = 5 * steps
		for k, name := range names {
			batches[k] = arrays[name].times(5).tensor()
		}
	}
	store := model.NewStore()
	trainer, err := flows.NewTrainer(o.backend, store, opt, loss, shapesOf(shared), shapesOf(batches))
	if err != nil {
		return nil, 0, err
	}
	o.free = func() { trainer.Finalize(); store.Finalize() }
	if err := setWeights(store, arrays); err != nil {
		return nil, 0, err
	}
	train := func() ([][]float64, float64, error) {
		begin := time.Now()
		losses, err := trainer.Train(context.Background(), shared, batches, total)
		return losses, milliseconds(begin), err
	}
	perRun, compile, err := train()
	if err != nil {
		return nil, 0, err
	}
	losses := make([]float64, steps)
	for i, step := range perRun[:steps] {
		for _, loss := range step {
			losses[i] += loss / float64(len(step))
		}
	}
	o.work = func(context.Context) (float64, error) {
		_, ms, err := train()
		return ms / float64(total), err
	}
	return losses, compile, nil
}

func (o *ours) rectifiedLoss(p problem) flows.StepLoss {
	return func(scope *model.Scope, data, batch []*Node) *Node {
		z, joint, product, tau := data[0], layers.EverySignal(batch[0], p.d), batch[1], batch[2]
		y0, y1 := layers.GatherSignals(z, joint), layers.GatherSignals(z, product) // [R, B, d]
		y := flows.StraightPath(y0, y1, tau)                                       // [R, B, d]
		v := o.velocity(scope, p, z, y, joint, product, tau)                       // [R, B, d]
		return ReduceMean(flows.RectifiedLoss(v, y0, y1), -1)                      // [R]
	}
}

// velocity is the paper's network of the rectified flow, in the form to measure.
func (o *ours) velocity(scope *model.Scope, p problem, z, y, idx, idx2, tau *Node) *Node {
	if o.literal {
		return layers.CNN(scope, layers.WholeContextRF(z, y, idx, idx2, tau, p.shape...)).Outputs(p.d).Done()
	}
	return layers.WholeCNN(scope, z, y, idx, p.shape...).Target(idx2, tau).Outputs(p.d).Done()
}

func (o *ours) ratioLoss(p problem) flows.StepLoss {
	return func(scope *model.Scope, data, batch []*Node) *Node {
		z := data[0]
		idx := Concatenate([]*Node{layers.EverySignal(batch[0], p.d), batch[1]}, 1) // [R, 2B, d]
		y := layers.GatherSignals(z, idx)                                           // [R, 2B, d]
		var logits *Node                                                            // [R, 2B, 1]
		if o.literal {
			logits = layers.CNN(scope, layers.WholeContext(z, y, idx, p.shape...)).Done()
		} else {
			logits = layers.WholeCNN(scope, z, y, idx, p.shape...).Done()
		}
		return logisticLoss(logits)
	}
}

// logisticLoss takes the logits [R, 2B, 1] of the joint, then of the product
// samples.
func logisticLoss(logits *Node) *Node {
	half := logits.Shape().Dim(1) / 2
	joint, product := Slice(logits, AxisRange(), AxisRange(0, half)), Slice(logits, AxisRange(), AxisRange(half))
	return ReduceMean(flows.LogisticLoss(joint, product), 1, 2) // [R]
}

// defaultLoss is that of sica.Default's networks, which share the signals of
// the first run.
func defaultLoss(p problem) flows.StepLoss {
	return func(scope *model.Scope, data, batch []*Node) *Node {
		shared := func(x *Node) *Node {
			return BroadcastToDims(Slice(x, AxisRange(0, 1)), networks, p.d, p.positions())
		}
		z, predictions, mask, noise := shared(data[0]), shared(data[1]), data[2], batch[2]
		idx := Concatenate([]*Node{layers.EverySignal(batch[0], p.d), batch[1]}, 1)                                            // [R, 2B, d]
		x := Concatenate([]*Node{layers.GatherSignals(z, idx), layers.GatherSignals(predictions, idx)}, -1)                    // [R, 2B, 2d]
		return logisticLoss(layers.MLP(scope.In("mlp"), Mul(Add(x, noise), mask)).Hidden(defaultHidden, defaultHidden).Done()) // [R]
	}
}

// prepareRefinement compiles an Euler step of some positions; the unit of work
// is one of all.
func (o *ours) prepareRefinement(p problem, arrays map[string]array) ([]float64, float64, error) {
	t := p.positions()
	chunk := layers.WholeCNNSamples(p.runs, t, t) // as sica does
	const h = 0.01
	store := model.NewStore()
	exec, err := model.NewExec1(o.backend, store, func(scope *model.Scope, z, idx *Node) *Node {
		at := layers.EverySignal(idx, p.d)                                         // [R, B, d]
		tau := Zeros(z.Graph(), shapes.Make(z.DType(), idx.Shape().Dimensions...)) // [R, B]
		return MulScalar(o.velocity(scope, p, z, layers.GatherSignals(z, at), at, at, tau), h)
	})
	if err != nil {
		return nil, 0, err
	}
	o.free = func() { exec.Finalize(); store.Finalize() }
	z := inputs(arrays, []string{"z"})[0]
	if _, err := exec.Compile(z.Shape(), shapes.Make(dtypes.Int32, p.runs, chunk)); err != nil {
		return nil, 0, err
	}
	if err := setWeights(store, arrays); err != nil {
		return nil, 0, err
	}
	pass := func() (meanSquare, ms float64, err error) {
		begin := time.Now()
		for first := 0; first < t; first += chunk {
			from := min(first, t-chunk)
			idx := make([]int32, p.runs*chunk)
			for k := range idx {
				idx[k] = int32(from + k%chunk)
			}
			moved, err := exec.Call(z, tensors.FromFlatDataAndDimensions(idx, p.runs, chunk))
			if err != nil {
				return 0, 0, err
			}
			values, err := tensors.CopyFlatData[float32](moved)
			if err != nil {
				return 0, 0, err
			}
			if err := moved.FinalizeAll(); err != nil {
				return 0, 0, err
			}
			for k, v := range values {
				if at := from + k/p.d%chunk; at >= first { // not twice
					meanSquare += float64(v) * float64(v) / float64(p.runs*p.d*t)
				}
			}
		}
		return meanSquare, milliseconds(begin), nil
	}
	loss, compile, err := pass()
	o.work = func(context.Context) (float64, error) {
		_, ms, err := pass()
		return ms, err
	}
	return []float64{loss}, compile, err
}

// setWeights gives the variables of the store the values of the arrays.
func setWeights(store *model.Store, arrays map[string]array) error {
	for v := range store.IterVariables() {
		if !v.Trainable {
			continue
		}
		name := strings.ReplaceAll(strings.Trim(v.Path(), "/"), "/", "_")
		a, ok := arrays[name]
		if !ok {
			return fmt.Errorf("no weights for variable %q", v.Path())
		}
		if err := v.SetValue(a.tensor()); err != nil {
			return fmt.Errorf("setting %q: %w", v.Path(), err)
		}
	}
	return nil
}

func (a array) tensor() *tensors.Tensor {
	if len(a.ints) > 0 {
		return tensors.FromFlatDataAndDimensions(a.ints, a.dims...)
	}
	return tensors.FromFlatDataAndDimensions(a.floats, a.dims...)
}

func inputs(arrays map[string]array, names []string) []*tensors.Tensor {
	var all []*tensors.Tensor
	for _, name := range names {
		all = append(all, arrays[name].tensor())
	}
	return all
}

func shapesOf(all []*tensors.Tensor) []shapes.Shape {
	var shapes []shapes.Shape
	for _, t := range all {
		shapes = append(shapes, t.Shape())
	}
	return shapes
}

func milliseconds(begin time.Time) float64 { return 1e3 * time.Since(begin).Seconds() }
