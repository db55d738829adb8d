// Package learning has the shared parts of rivals that train networks: training by Adam, evaluation
// of trained networks without a backend, and the decrease of the loss at the end.
//
// The names to know are New, Learner and Network.
package learning

import (
	"context"
	"fmt"
	"math"
	"path"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/internal/host"
)

// A Learner trains the networks of one fit by Adam, with PyTorch's ε of 1e-8. The axis R of runs
// in packages flows and layers has length 1.
type Learner struct {
	// Store holds the variables, which New creates and the caller sets.
	Store *model.Store
	// Data are the inputs of the loss that are the same in every step.
	Data []*tensors.Tensor

	trainer *flows.Trainer
	rate    *model.Variable
}

// New returns a Learner that minimises loss, with the learning rate rate until SetRate. batches are
// the shapes of the batches of Train, with a leading steps axis. Close frees data.
func New(
	backend compute.Backend, rate float64, loss flows.StepLoss,
	data []*tensors.Tensor, batches []shapes.Shape,
) (*Learner, error) {
	l := &Learner{Store: model.NewStore(), Data: data}
	var dataShapes []shapes.Shape
	for _, x := range data {
		dataShapes = append(dataShapes, x.Shape())
	}
	adam := optimizer.Adam().LearningRate(rate).Epsilon(1e-8).Done()
	var err error
	l.trainer, err = flows.NewTrainer(backend, l.Store, adam, loss, dataShapes, batches)
	if err != nil {
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

// Train makes the given number of training steps and returns the loss before each. Step k uses
// entry k along the first axis of each batch. If ctx ends, Train ends as flows.Trainer.Train does.
func (l *Learner) Train(
	ctx context.Context, batches []*tensors.Tensor, steps int,
) ([]float64, error) {
	byRun, err := l.trainer.Train(ctx, l.Data, batches, steps) // [steps, 1]
	if err != nil {
		return nil, err
	}
	losses := make([]float64, steps)
	for i, loss := range byRun {
		losses[i] = loss[0]
	}
	return losses, nil
}

// SetRate sets the learning rate of the next steps.
func (l *Learner) SetRate(rate float64) error {
	return l.rate.SetValue(host.Tensor([]float64{rate}, l.rate.DType()))
}

// PositionsFirst returns the signals x, d×n, as a tensor [1, n, d] of a float dtype.
func PositionsFirst(x *mat.Dense, dtype dtypes.DType) *tensors.Tensor {
	d, n := x.Dims()
	return host.Tensor(mat.DenseCopyOf(x.T()).RawMatrix().Data, dtype, 1, n, d)
}

// LastTenth returns the mean of the last tenth of the losses, which must not be empty, and its
// decrease from the mean of the tenth before. With a single loss the decrease is +Inf: nothing
// shows that the loss has stopped falling.
func LastTenth(losses []float64) (mean, decrease float64) {
	tenth := max(1, len(losses)/10)
	last := losses[len(losses)-tenth:]
	before := losses[max(0, len(losses)-2*tenth) : len(losses)-tenth]
	mean = stat.Mean(last, nil)
	if len(before) == 0 {
		return mean, math.Inf(1)
	}
	return mean, stat.Mean(before, nil) - mean
}

// A Network is a trained multi-layer perceptron, evaluated without a backend: affine maps with
// activations in between.
type Network struct {
	layers     []affine
	activation func(float64) float64
}

// affine is the map x ↦ x·weights + biases.
type affine struct {
	weights *mat.Dense // inputs × outputs
	biases  []float64
}

// Network returns the current perceptron from the variables of layers.Dense or layers.MLP in the
// given scopes of Store, from the first layer to the last.
func (l *Learner) Network(
	activation func(float64) float64, scopes ...string,
) (Network, error) {
	n := Network{activation: activation}
	for _, scope := range scopes {
		weights, err := l.values(path.Join(scope, "weights"))
		if err != nil {
			return Network{}, err
		}
		biases, err := l.values(path.Join(scope, "biases"))
		if err != nil {
			return Network{}, err
		}
		inputs, outputs := len(weights)/len(biases), len(biases)
		n.layers = append(n.layers, affine{mat.NewDense(inputs, outputs, weights), biases})
	}
	return n, nil
}

// values returns the values of a variable by its path in Store.
func (l *Learner) values(variable string) ([]float64, error) {
	v := l.Store.GetVariable(variable)
	if v == nil {
		return nil, fmt.Errorf("no variable %q was trained", variable)
	}
	value, err := v.Value()
	if err != nil {
		return nil, err
	}
	return host.Values(value)
}

// Outputs returns the outputs, outputs × n, at the inputs x, inputs × n.
func (n Network) Outputs(x mat.Matrix) *mat.Dense {
	y := mat.DenseCopyOf(x.T()) // [n, inputs]
	for i, layer := range n.layers {
		y = layer.apply(y)
		if i < len(n.layers)-1 {
			y.Apply(func(_, _ int, v float64) float64 { return n.activation(v) }, y)
		}
	}
	return mat.DenseCopyOf(y.T())
}

// apply maps x, n × inputs, to n × outputs.
func (a affine) apply(x *mat.Dense) *mat.Dense {
	var y mat.Dense
	y.Mul(x, a.weights)
	y.Apply(func(_, j int, v float64) float64 { return v + a.biases[j] }, &y)
	return &y
}
