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

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/layers"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// ours is this library on one of its backends.
type ours struct {
	backend     compute.Backend
	backendName string
	literal     bool // the network as the paper writes it, not folded
	peak        work // of the backend; the zero value before it is measured

	work func(ctx context.Context) (float64, error) // solves once, in milliseconds
	free func()
}

func (o *ours) name() (impl, backend string) {
	if o.literal {
		return "gosica_literal", o.backendName
	}
	return "gosica", o.backendName
}

// supports excludes the literal form where it makes no difference or takes minutes, and the pure-Go
// backend where it takes minutes.
func (o *ours) supports(p problem) bool {
	small := p.runs == 1 && p.positions() <= 1024
	if p.kind == fastFit {
		return !o.literal && (o.backendName != backend.Go || small && p.d == 2)
	}
	return small || !o.literal && o.backendName != backend.Go
}

func (o *ours) prepare(
	ctx context.Context, p problem, arrays map[string]array, _ string,
) ([]float64, float64, error) {
	o.free = func() {}
	switch p.kind {
	case rfTrainStep, wgfTrainStep:
		return o.prepareTraining(p, arrays)
	case refine:
		return o.prepareRefinement(p, arrays)
	case fastFit:
		losses, compile, err := o.prepareTraining(p, arrays)
		o.release()
		o.work = func(ctx context.Context) (float64, error) { return o.fitFast(ctx, p, arrays) }
		return losses, compile, err
	}
	return nil, 0, fmt.Errorf("no case %q", p.kind)
}

func (o *ours) time(ctx context.Context) (float64, error) { return o.work(ctx) }

func (o *ours) release() { o.free(); o.free = func() {} }

// prepareTraining compiles a While loop over the given batches; the unit of
// work is one of its steps.
func (o *ours) prepareTraining(p problem, arrays map[string]array) ([]float64, float64, error) {
	data, batch := p.inputs(arrays)
	total := steps
	if p.runs*p.positions() <= 1024 { // about as many steps a call as sica makes
		total = 5 * steps
		for k, a := range batch {
			batch[k] = a.times(5)
		}
	}
	shared, batches := tensorsOf(data), tensorsOf(batch)
	cfg := p.settings()
	opt := iterate.NewOptimizer(cfg.Optimizer, cfg.LearningRate)
	loss := iterate.RectifiedLoss(o.velocity(p))
	if cfg.Kind == klflow.WGF {
		loss = iterate.RatioLoss(o.logRatio(p))
	}
	store := model.NewStore()
	store.SetParam(layers.ParamRuns, p.networks())
	trainer, err := flows.NewTrainer(o.backend, store, opt, loss, shapesOf(shared),
		shapesOf(batches))
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

// inputs returns the data and the batches of the problem's training steps, see package
// iterate. Every sample weighs the same.
func (p problem) inputs(arrays map[string]array) (data, batch []array) {
	weights := drawn([]int{steps, p.networks(), p.settings().BatchSize},
		func() float64 { return 1 })
	batch = []array{arrays["joint"], arrays["product"], weights}
	switch p.kind {
	case rfTrainStep:
		return []array{arrays["z"]}, append(batch, arrays["tau"])
	case wgfTrainStep:
		return []array{arrays["z"]}, batch
	}
	n := p.networks() // which share the signals of the first run
	return []array{arrays["z"].first().times(n), arrays["predictions"].times(n), arrays["mask"]},
		append(batch, arrays["noise"])
}

// network returns the network of sica for the problem.
func (p problem) network() iterate.Network {
	return iterate.NewNetwork(iterate.Config(*p.settings()), p.shape)
}

// velocity returns the paper's network of the rectified flow, in the form to measure.
func (o *ours) velocity(p problem) iterate.Velocity {
	if !o.literal {
		return p.network().Velocity
	}
	return func(scope *model.Scope, data []*Node, y, idx, idx2, tau *Node) *Node {
		time := InsertAxes(tau, -1) // [R, B, 1]
		return layers.CNN(scope, layers.WholeContextRF(data[0], y, idx, idx2, time,
			p.shape...)).Outputs(p.d).Done()
	}
}

// logRatio returns the network of the density ratio, in the form to measure.
func (o *ours) logRatio(p problem) iterate.LogRatio {
	if !o.literal {
		return p.network().LogRatio
	}
	return func(scope *model.Scope, data []*Node, y, idx, _ *Node) *Node {
		return Squeeze(layers.CNN(scope, layers.WholeContext(data[0], y, idx, p.shape...)).Done(),
			-1)
	}
}

// refineSteps is how many Euler steps of a chunk of positions a call makes; sica makes 100.
const refineSteps = 10

// prepareRefinement compiles Euler steps of some positions; the unit of work is one step
// of all. Like sica it makes several in one compiled loop, except for the literal form,
// whose convolutions XLA's CPU backend makes slowly in a loop.
func (o *ours) prepareRefinement(p problem, arrays map[string]array) ([]float64, float64, error) {
	t := p.positions()
	chunk := iterate.WholeSamples(p.runs, t, t) // as sica does
	h := 1 / float64(p.settings().SolverSteps)
	network := o.velocity(p)
	store := model.NewStore()
	store.SetParam(layers.ParamRuns, p.runs)
	steps := func(n int) (*model.Exec, error) { // z, y, idx to how far n steps go from y
		return model.NewExec(o.backend, store, func(scope *model.Scope, z, y, idx *Node) *Node {
			velocity := func(scope *model.Scope, y, tau *Node, held []*Node) *Node {
				at := BroadcastToDims(InsertAxes(held[1], -1), p.runs, chunk, p.d) // [R, B, d]
				times := BroadcastToDims(tau, held[1].Shape().Dimensions...)       // [R, B]
				return network(scope, held[:1], y, at, at, times)
			}
			if n == 1 {
				zero := Const(z.Graph(), tensors.FromShape(shapes.Make(z.DType())))
				return MulScalar(velocity(scope, y, zero, []*Node{z, idx}), h)
			}
			return Sub(flows.Integrate(scope, velocity, y).Hold(z, idx).Between(0,
				float64(n)*h).Steps(n).Done(), y)
		})
	}
	one, err := steps(1)
	if err != nil {
		return nil, 0, err
	}
	z := arrays["z"].tensor()
	if _, err := one.Compile(z.Shape(), shapes.Make(z.DType(), p.runs, chunk, p.d),
		shapes.Make(dtypes.Int32, p.runs, chunk)); err != nil {
		return nil, 0, err
	}
	if err := setWeights(store, arrays); err != nil {
		return nil, 0, err
	}
	several, n := one, 1
	if !o.literal {
		n = refineSteps
		if several, err = steps(n); err != nil {
			return nil, 0, err
		}
	}
	o.free = func() {
		one.Finalize()
		if several != one {
			several.Finalize()
		}
		store.Finalize()
	}
	pass := func(exec *model.Exec) (meanSquare, ms float64, err error) {
		begin := time.Now()
		meanSquare, err = moveAll(exec, p, chunk, arrays["z"])
		return meanSquare, milliseconds(begin), err
	}
	loss, compile, err := pass(one)
	if err == nil && n > 1 {
		_, compile, err = pass(several)
	}
	o.work = func(context.Context) (float64, error) {
		_, ms, err := pass(several)
		return ms / float64(n), err
	}
	return []float64{loss}, compile, err
}

// moveAll moves all positions by exec, a chunk at a time, and returns the mean square of the
// moves. The last chunk begins earlier if it would go beyond the end.
func moveAll(exec *model.Exec, p problem, chunk int, signals array) (float64, error) {
	t, z, values := p.positions(), signals.tensor(), signals.floats
	meanSquare := 0.0
	for first := 0; first < t; first += chunk {
		begin := min(first, t-chunk)
		y, idx := p.chunk(values, begin, chunk)
		moved, err := exec.Call1(z, tensors.FromFlatDataAndDimensions(y, p.runs, chunk, p.d),
			tensors.FromFlatDataAndDimensions(idx, p.runs, chunk))
		if err != nil {
			return 0, err
		}
		moves, err := tensors.CopyFlatData[float32](moved)
		if err != nil {
			return 0, err
		}
		if err := moved.FinalizeAll(); err != nil {
			return 0, err
		}
		for k, v := range moves {
			if at := begin + k/p.d%chunk; at >= first { // not twice
				meanSquare += float64(v) * float64(v) / float64(p.runs*p.d*t)
			}
		}
	}
	return meanSquare, nil
}

// chunk returns the signals of every run at length positions, [runs, length, d], and their indices.
func (p problem) chunk(values []float32, begin, length int) (y []float32, idx []int32) {
	t := p.positions()
	for r := range p.runs {
		for at := begin; at < begin+length; at++ {
			idx = append(idx, int32(at))
			for i := range p.d {
				y = append(y, values[(r*p.d+i)*t+at])
			}
		}
	}
	return y, idx
}

// setWeights sets the variables of the store to the arrays.
func setWeights(store *model.Store, arrays map[string]array) error {
	for v := range store.IterVariables() {
		if !v.Trainable {
			continue
		}
		name := strings.ReplaceAll(strings.TrimPrefix(v.Path(), "/"+iterate.Scope), "/", "_")
		name = strings.TrimPrefix(name, "_")
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

func tensorsOf(arrays []array) []*tensors.Tensor {
	var all []*tensors.Tensor
	for _, a := range arrays {
		all = append(all, a.tensor())
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
