package sica

import (
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// field is the vector field of an iteration: lanes independent networks (runs
// × networks of a run), the lanes axis being the runs axis R of layers and flows.
type field struct {
	cfg        Config
	d, t       int
	lanes      int
	dtype      dtypes.DType
	shape      []int
	neighbours [][]int32         // [T][K], empty unless the networks see a context
	constants  []*tensors.Tensor // of data, the same in every iteration
	ridge      [][]float64       // the weights of each signal's prediction; nil fits them to the signals

	store    *model.Store
	trainer  *flows.Trainer // nil for a learned field
	velocity *model.Exec
	logit    *model.Exec // nil for a learned field
}

// scopeName holds the network's variables, apart from the optimizer's.
const scopeName = "field"

func newField(backend compute.Backend, cfg Config, d, t, lanes int) (*field, error) {
	f, err := newLearnedField(backend, cfg, d, t, lanes)
	if err != nil {
		return nil, err
	}
	loss := f.ratioLoss
	if cfg.Flow == RF {
		loss = f.rectifiedLoss
	}
	f.trainer, err = flows.NewTrainer(backend, f.store, cfg.optimizer(), loss, f.dataShapes(), f.batchShapes())
	if err != nil {
		return nil, err
	}
	if cfg.Devices > 1 {
		if err := f.trainer.SetDevices(cfg.Devices); err != nil {
			return nil, err
		}
	}
	if f.logit, err = model.NewExec(backend, f.store, f.logitGraph); err != nil {
		return nil, err
	}
	return f, nil
}

// newLearnedField is a field without what trains and judges it, to be given its
// variables by setVariables.
func newLearnedField(backend compute.Backend, cfg Config, d, t, lanes int) (*field, error) {
	f := &field{cfg: cfg, d: d, t: t, lanes: lanes, dtype: cfg.dtype(), shape: cfg.indexShape(t), store: model.NewStore()}
	if cfg.seesContext() {
		table, err := layers.Neighbours(cfg.window(), f.shape...)
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
	f.velocity, err = model.NewExec(backend, f.store, f.velocityGraph)
	return f, err
}

func (f *field) close() {
	f.velocity.Finalize()
	if f.trainer != nil {
		f.trainer.Finalize()
		f.logit.Finalize()
	}
	f.store.Finalize()
	finalize(f.constants)
}

// renew draws new weights, lane l from rngs[l], and forgets the optimizer's
// moments.
func (f *field) renew(rngs []*rand.Rand) error {
	if err := layers.Initialise(f.store.Scope(scopeName), rngs); err != nil {
		return err
	}
	return f.trainer.ResetOptimizer()
}

// optimizer is the optimizer that the config names, with PyTorch's constants.
func (c Config) optimizer() optimizer.Interface {
	if c.Optimizer == Adagrad {
		return flows.Adagrad().LearningRate(c.LearningRate).Done()
	}
	return optimizer.Adam().LearningRate(c.LearningRate).Epsilon(1e-8).Done()
}
