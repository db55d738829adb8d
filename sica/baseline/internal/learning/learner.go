// Package learning is what the methods that learn networks have in common: their
// training by Adam, what it has learned as networks on the host, and whether the
// loss still fell at its end.
package learning

import (
	"context"
	"path"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/host"
)

// A Learner trains networks by Adam, with PyTorch's ε of 1e-8. There is one run,
// R = 1 in the words of flows and layers.
type Learner struct {
	// Store holds the variables, which New creates and the caller sets.
	Store *model.Store
	// Data is what all steps share.
	Data []*tensors.Tensor

	trainer *flows.Trainer
	rate    *model.Variable
}

// New returns a Learner of the variables that loss uses, with the learning rate
// to begin with. batches are the shapes of what Train will be given. The Learner
// frees data when it is closed.
func New(backend compute.Backend, rate float64, loss flows.StepLoss, data []*tensors.Tensor, batches []shapes.Shape) (*Learner, error) {
	l := &Learner{Store: model.NewStore(), Data: data}
	var dataShapes []shapes.Shape
	for _, x := range data {
		dataShapes = append(dataShapes, x.Shape())
	}
	adam := optimizer.Adam().LearningRate(rate).Epsilon(1e-8).Done()
	var err error
	if l.trainer, err = flows.NewTrainer(backend, l.Store, adam, loss, dataShapes, batches); err != nil {
		return nil, err
	}
	l.rate = l.Store.GetVariable(path.Join("/", optimizer.Scope, optimizer.ParamLearningRate))
	return l, nil
}

// Close frees the training program, the variables and the data.
func (l *Learner) Close() {
	l.trainer.Finalize()
	l.Store.Finalize()
	for _, x := range l.Data {
		x.FinalizeAll()
	}
}

// Train makes the first steps steps of batches, see flows.Trainer, and returns
// the loss of each step before it was made. See there too for what ends with ctx.
func (l *Learner) Train(ctx context.Context, batches []*tensors.Tensor, steps int) ([]float64, error) {
	ofRuns, err := l.trainer.Train(ctx, l.Data, batches, steps)
	if err != nil {
		return nil, err
	}
	losses := make([]float64, steps)
	for i, loss := range ofRuns {
		losses[i] = loss[0]
	}
	return losses, nil
}

// SetRate sets the learning rate from the next step on.
func (l *Learner) SetRate(rate float64) error {
	return l.rate.SetValue(host.Tensor([]float64{rate}, l.rate.DType()))
}

// PositionsFirst is the signals x, d×T, as a tensor [1, T, d] of a float dtype.
func PositionsFirst(x *mat.Dense, dtype dtypes.DType) *tensors.Tensor {
	d, n := x.Dims()
	return host.Tensor(mat.DenseCopyOf(x.T()).RawMatrix().Data, dtype, 1, n, d)
}
