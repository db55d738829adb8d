package iterate

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/guard"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/lazy"
	"github.com/seed-47b1e431/gosica/internal/programs"
	"github.com/seed-47b1e431/gosica/layers"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// networks are count independent networks (runs × networks of a run) of d signals at t positions.
// count is the runs axis R of layers and flows.
type networks struct {
	cfg        Config
	network    Network
	d, t       int
	count      int
	dtype      dtypes.DType
	shape      []int
	neighbours [][]int32         // [T][K], empty unless the networks see a context
	constants  []*tensors.Tensor // tensors of data that are the same in every iteration
	ridge      [][]float64       // weights of each signal's prediction; nil to fit them to z

	store   *model.Store
	trainer *flows.Trainer // nil for learned networks
	flow    *model.Exec    // of movesGraph
	logit   *model.Exec    // nil for learned networks

	lease  *programs.Lease[*networks] // of idle; nil with custom functions
	failed bool
}

// idle holds networks that aren't in use, with their compiled programs.
var idle = programs.NewPool((*networks).close)

// maxIdlePositions is the largest number of positions of networks kept in idle. Networks of more
// positions train for longer than XLA compiles, and their tables of neighbours take memory.
const maxIdlePositions = 1 << 16

// acquire returns networks from idle, or builds them; see newNetworks. Networks from idle have the
// variables with which they were released. If ctx ends while acquire waits for networks, it returns
// the error of ctx.
func acquire(
	ctx context.Context, trains bool, backend compute.Backend, cfg Config, d int, g *grid.Grid, count int,
) (*networks, error) {
	backend = lazy.Opened(backend)
	build := func() (*networks, error) { return newNetworks(trains, backend, cfg, d, g, count) }
	if cfg.Network != nil || cfg.NewOptimizer != nil || g.Len() > maxIdlePositions {
		return build()
	}
	key := programs.Key{Backend: backend, Spec: fmt.Sprintf("%v %+v %d %v %d",
		trains, cfg.compiled(), d, g.Shape(), count)}
	lease, err := idle.Acquire(ctx, key, build)
	if err != nil {
		return nil, err
	}
	f := lease.Program
	f.lease, f.cfg = lease, cfg // the settings of another fit may differ where programs don't
	return f, nil
}

// compiled returns the settings on which compiled programs depend; the others are zero.
func (c Config) compiled() Config {
	c.Iterations, c.Standardise, c.KeepBest, c.Budget = 0, false, false, 0
	c.FirstStep, c.LastStep, c.MaxMove, c.Family = 0, 0, 0, ""
	c.OnIteration, c.Stop = nil, nil
	return c
}

// releaseNetworks returns the networks to idle, or frees them.
func (f *networks) releaseNetworks() {
	switch {
	case f.lease == nil:
		f.close()
	case f.failed:
		f.lease.Discard()
	default:
		f.lease.Release()
	}
}

// addTrainer adds the programs that train the networks and evaluate their log-ratios.
func (f *networks) addTrainer(backend compute.Backend) error {
	loss := RatioLoss(f.network.LogRatio)
	if f.cfg.Kind == klflow.RF {
		loss = RectifiedLoss(f.network.Velocity)
	}
	var err error
	f.trainer, err = flows.NewTrainer(
		backend, f.store, f.cfg.optimizer(), loss, f.dataShapes(), f.batchShapes(),
	)
	if f.cfg.Network != nil {
		// Checked first, as this error says more about a network without the runs axis.
		wrong := f.checkCustom()
		if wrong != nil && (err == nil || f.store.NumVariables() > 0) {
			return wrong
		}
	}
	if err != nil && f.cfg.Network != nil && f.cfg.NewOptimizer == nil {
		return fmt.Errorf("Flow.Network: %w", err)
	}
	if err != nil {
		return err
	}
	f.logit, err = model.NewExec(backend, f.store, f.logitGraph)
	return err
}

// newNetworks returns networks, which can be trained if trains is true. Otherwise they can only
// move signals, with variables from setVariables.
func newNetworks(
	trains bool, backend compute.Backend, cfg Config, d int, g *grid.Grid, count int,
) (*networks, error) {
	f := &networks{
		cfg: cfg, d: d, t: g.Len(), count: count,
		dtype: cfg.dtype(), shape: g.Shape(), store: model.NewStore(),
	}
	f.store.SetParam(layers.ParamRuns, count)
	f.network = NewNetwork(cfg, f.shape)
	if cfg.seesContext() {
		table, err := grid.Neighbours(cfg.window(), f.shape...)
		if err != nil {
			return nil, err
		}
		f.neighbours = table
		if cfg.Context == klflow.LocalWindow {
			f.constants = append(f.constants, f.neighbourTensor())
		}
		f.constants = append(f.constants, f.maskTensor())
	}
	var err error
	f.flow, err = model.NewExec(backend, f.store, f.movesGraph)
	if err == nil && trains {
		err = f.addTrainer(backend)
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// optimizer returns the custom optimizer, or the one named by the settings.
func (c Config) optimizer() optimizer.Interface {
	if c.NewOptimizer == nil {
		return NewOptimizer(c.Optimizer, c.LearningRate)
	}
	var custom optimizer.Interface
	guard.Callback("Flow.NewOptimizer", func() { custom = c.NewOptimizer() })
	return custom
}

// checkCustom returns an error if a custom network has variables that renew doesn't draw: networks
// that must be independent would share them.
func (f *networks) checkCustom() error {
	rngs := make([]*rand.Rand, f.count)
	for k := range rngs {
		rngs[k] = rand.New(rand.NewPCG(0, 0)) // weights that renew draws again
	}
	scope := f.store.Scope(Scope)
	if err := layers.Initialise(scope, rngs); err != nil {
		return fmt.Errorf("Flow.Network: %w", err)
	}
	for v := range scope.IterVariables() {
		if !v.HasValue() {
			return fmt.Errorf("Flow.Network: its variable %q isn't of layers.Dense, Conv, MLP or CNN, "+
				"whose weights each of the %d networks has to itself", v.Path(), f.count)
		}
	}
	return nil
}

// close frees the networks and their programs.
func (f *networks) close() {
	for _, exec := range []*model.Exec{f.flow, f.logit} {
		if exec != nil {
			exec.Finalize()
		}
	}
	if f.trainer != nil {
		f.trainer.Finalize()
	}
	f.store.Finalize()
	finalize(f.constants)
}

// renew draws new weights, for network k from rngs[k], and resets the optimizer.
func (f *networks) renew(rngs []*rand.Rand) error {
	if err := layers.Initialise(f.store.Scope(Scope), rngs); err != nil {
		return err
	}
	return f.trainer.ResetOptimizer()
}

// data returns the tensors that all training steps and evaluations share: the signals z,
// [networks][d·T], as [networks, d, T] and, if the networks see a context, its data and the mask of
// the inputs that each network sees. The method release frees them.
func (f *networks) data(z [][]float64) []*tensors.Tensor {
	var flat []float64
	for _, v := range z {
		flat = append(flat, v...)
	}
	data := []*tensors.Tensor{host.Tensor(flat, f.dtype, f.count, f.d, f.t)}
	if f.cfg.predicts() {
		data = append(data, f.predictions(z))
	}
	return append(data, f.constants...)
}

// release frees the tensors of data except the constants.
func (f *networks) release(data []*tensors.Tensor) {
	finalize(data[:len(data)-len(f.constants)])
}

// dataShapes returns the shapes of data.
func (f *networks) dataShapes() []shapes.Shape {
	data := []shapes.Shape{shapes.Make(f.dtype, f.count, f.d, f.t)}
	if f.cfg.predicts() {
		data = append(data, data[0])
	}
	for _, c := range f.constants {
		data = append(data, c.Shape())
	}
	return data
}

// neighbourTensor returns the table of grid.Neighbours, int32 [T, K].
func (f *networks) neighbourTensor() *tensors.Tensor {
	var flat []int32
	for _, row := range f.neighbours {
		flat = append(flat, row...)
	}
	return tensors.FromFlatDataAndDimensions(flat, f.t, len(f.neighbours[0]))
}

// predictions returns the predictions of every network's signals from their own neighbours,
// [networks, d, T]. The networks of a run share the signals.
func (f *networks) predictions(z [][]float64) *tensors.Tensor {
	var flat []float64
	for network, v := range z {
		if network%f.cfg.Networks() > 0 {
			flat = append(flat, flat[len(flat)-f.d*f.t:]...)
			continue
		}
		for i := range f.d {
			signal := v[i*f.t : (i+1)*f.t]
			flat = append(flat, ar.Predict(f.predictionWeights(i, signal), signal, f.neighbours)...)
		}
	}
	return host.Tensor(flat, f.dtype, f.count, f.d, f.t)
}

// predictionWeights returns the weights of the prediction of signal i.
func (f *networks) predictionWeights(i int, signal []float64) []float64 {
	if f.ridge != nil {
		return f.ridge[i]
	}
	return ar.Weights(signal, f.neighbours)
}

// maskTensor returns the mask of the inputs that each network sees, with ones and zeros: [networks,
// 1, inputs].
func (f *networks) maskTensor() *tensors.Tensor {
	views := f.cfg.views(len(f.shape))
	var mask []float64
	for network := range f.count {
		view := views[network%f.cfg.Networks()/f.cfg.folds()]
		for range f.d {
			mask = append(mask, view[0])
		}
		for range f.d {
			mask = append(mask, view[1:]...)
		}
	}
	return host.Tensor(mask, f.dtype, f.count, 1, f.inputs())
}

// batchShapes returns the shapes of batchTensors.
func (f *networks) batchShapes() []shapes.Shape {
	steps, b := f.cfg.Chunk(f.t, f.count), f.cfg.batch(f.t)
	batch := []shapes.Shape{
		shapes.Make(dtypes.Int32, steps, f.count, b),      // joint positions
		shapes.Make(dtypes.Int32, steps, f.count, b, f.d), // product positions
		shapes.Make(f.dtype, steps, f.count, b),           // weights
	}
	switch {
	case f.cfg.Kind == klflow.RF:
		batch = append(batch, shapes.Make(f.dtype, steps, f.count, b)) // τ
	case f.cfg.Noise > 0:
		batch = append(batch, shapes.Make(f.dtype, steps, f.count, 2*b, f.noisy()))
	}
	return batch
}

// inputs returns the number of inputs of a window network for the ratio.
func (f *networks) inputs() int { return f.d * len(f.cfg.views(len(f.shape))[0]) }

// noisy returns the number of inputs to which noise is added. Contexts that are weighted alone get
// none, as with noise they would explain less.
func (f *networks) noisy() int {
	if f.cfg.contextsAlone() {
		return f.d
	}
	return f.inputs()
}

// finalize frees tensors at once: the garbage collector doesn't see how much device memory they
// hold.
func finalize(ts []*tensors.Tensor) {
	for _, t := range ts {
		t.FinalizeAll()
	}
}
