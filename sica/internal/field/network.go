package field

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/programs"
	"github.com/seed-47b1e431/gosica/internal/trainstep"
	"github.com/seed-47b1e431/gosica/layers"
)

// networks are count independent networks (runs × networks of a run) that see d
// signals at t positions; count is the runs axis R of layers and flows.
type networks struct {
	cfg        Config
	network    trainstep.Network
	d, t       int
	count      int
	dtype      dtypes.DType
	shape      []int
	neighbours [][]int32         // [T][K], empty unless the networks see a context
	constants  []*tensors.Tensor // of data, the same in every iteration
	ridge      [][]float64       // the weights of each signal's prediction; nil fits them to the signals

	store   *model.Store
	trainer *flows.Trainer // nil for learned networks
	flow    *model.Exec    // of movesGraph
	logit   *model.Exec    // nil for learned networks

	key    programs.Key // of idle, none if functions of the caller's have a part
	failed bool
}

// idle are networks that nothing uses, with what XLA compiled for them.
var idle = programs.NewPool((*networks).close)

// mostKept is the most positions of networks that are kept in idle: those of more train for
// longer than XLA compiles, and their tables of neighbours take memory.
const mostKept = 1 << 16

// obtain takes networks of a kind out of idle, or makes them. Those out of idle have the
// variables that they were left with.
func obtain(kind string, build func(compute.Backend, Config, int, *grid.Grid, int) (*networks, error), backend compute.Backend, cfg Config, d int, g *grid.Grid, count int) (*networks, error) {
	if cfg.Network != nil || cfg.NewOptimizer != nil || g.Len() > mostKept {
		return build(backend, cfg, d, g, count)
	}
	key := programs.Key{Backend: backend, Spec: fmt.Sprintf("%s %+v %d %v %d", kind, cfg, d, g.Shape(), count)}
	if f, ok := idle.Take(key); ok {
		return f, nil
	}
	f, err := build(backend, cfg, d, g, count)
	if err != nil {
		return nil, err
	}
	f.key = key
	return f, nil
}

// leave leaves the networks to who needs the same next, or frees them.
func (f *networks) leave() {
	if f.key == (programs.Key{}) || f.failed {
		f.close()
		return
	}
	idle.Put(f.key, f)
}

func newNetworks(backend compute.Backend, cfg Config, d int, g *grid.Grid, count int) (*networks, error) {
	f, err := newLearned(backend, cfg, d, g, count)
	if err != nil {
		return nil, err
	}
	if err := f.addTrainer(backend); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// addTrainer adds what trains and weighs the networks.
func (f *networks) addTrainer(backend compute.Backend) error {
	loss := trainstep.RatioLoss(f.network.LogRatio)
	if f.cfg.Flow == RF {
		loss = trainstep.RectifiedLoss(f.network.Velocity)
	}
	var err error
	if f.trainer, err = flows.NewTrainer(backend, f.store, f.cfg.optimizer(), loss, f.dataShapes(), f.batchShapes()); err != nil {
		return err
	}
	if f.cfg.Network != nil {
		if err := f.checkOwn(); err != nil {
			return err
		}
	}
	if f.cfg.Devices > 1 {
		if err := f.trainer.SetDevices(f.cfg.Devices); err != nil {
			return err
		}
	}
	f.logit, err = model.NewExec(backend, f.store, f.logitGraph)
	return err
}

// newLearned are networks without what trains and weighs them, to be given its
// variables by SetVariables.
func newLearned(backend compute.Backend, cfg Config, d int, g *grid.Grid, count int) (*networks, error) {
	f := &networks{cfg: cfg, d: d, t: g.Len(), count: count, dtype: cfg.dtype(), shape: g.Shape(), store: model.NewStore()}
	f.network = cfg.network(f.shape)
	if cfg.seesContext() {
		table, err := grid.Neighbours(cfg.window(), f.shape...)
		if err != nil {
			return nil, err
		}
		f.neighbours = table
		if cfg.Context == LocalWindow {
			f.constants = append(f.constants, f.neighbourTensor())
		}
		f.constants = append(f.constants, f.maskTensor())
	}
	var err error
	if f.flow, err = model.NewExec(backend, f.store, f.movesGraph); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// optimizer is the caller's, or the one that is named.
func (c Config) optimizer() optimizer.Interface {
	if c.NewOptimizer != nil {
		return c.NewOptimizer()
	}
	return trainstep.NewOptimizer(c.Optimizer, c.LearningRate)
}

// checkOwn returns an error if a caller's network has variables that renew doesn't: they
// would be shared by networks that must be independent.
func (f *networks) checkOwn() error {
	rngs := make([]*rand.Rand, f.count)
	for k := range rngs {
		rngs[k] = rand.New(rand.NewPCG(0, 0)) // weights that renew draws again
	}
	scope := f.store.Scope(trainstep.Scope)
	if err := layers.Initialise(scope, rngs); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	for v := range scope.IterVariables() {
		if !v.HasValue() {
			return fmt.Errorf("network: its variable %q isn't of layers.Dense, Conv, MLP or CNN, whose weights each of the %d networks has to itself", v.Path(), f.count)
		}
	}
	return nil
}

// close frees what was made of the networks.
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

// renew draws new weights, network k from rngs[k], and forgets the optimizer's
// moments.
func (f *networks) renew(rngs []*rand.Rand) error {
	if err := layers.Initialise(f.store.Scope(trainstep.Scope), rngs); err != nil {
		return err
	}
	return f.trainer.ResetOptimizer()
}
