package lesson

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// Training says how a ratio is learned, by Adam.
type Training struct {
	Steps        int
	BatchSize    int // samples of either kind in a step
	LearningRate float64
}

// DefaultTraining learns the ratio of two signals of some thousand positions in
// about a second.
func DefaultTraining() Training {
	return Training{Steps: 300, BatchSize: 256, LearningRate: 1e-2}
}

// A Ratio is a network that has learned log p(z)/q(z) from samples of p and q: the
// joint and the product ones. Close it after use.
type Ratio struct {
	// Loss is the logistic loss of every training step so far: 2·log 2, about
	// 1.39, where the network can't tell the samples apart, and at best less by
	// twice the Jensen–Shannon divergence of p and q, in nats.
	Loss []float64

	training Training
	d        int
	store    *model.Store
	trainer  *flows.Trainer
	logRatio *model.Exec
	velocity *model.Exec
}

// LearnRatio learns the ratio from joint and product samples, both of d signals
// at any number of positions. Weights and batches are drawn from rng. The error
// wraps ctx's once ctx has ended.
func LearnRatio(
	ctx context.Context, backend compute.Backend, rng *rand.Rand,
	joint, product *mat.Dense, training Training,
) (*Ratio, error) {
	if backend == nil {
		return nil, errors.New("lesson: backend is nil; give a compute.Backend")
	}
	if rng == nil {
		return nil, errNilRand
	}
	if err := check("joint", joint, 0); err != nil {
		return nil, err
	}
	if !(training.Steps > 0 && training.BatchSize > 0 && training.LearningRate > 0) {
		return nil, fmt.Errorf("lesson: training is %+v; all of it must be positive", training)
	}
	d, _ := joint.Dims()
	r := &Ratio{training: training, d: d, store: model.NewStore()}
	if err := r.build(backend, rng); err != nil {
		return nil, fmt.Errorf("lesson: building the network: %w", err)
	}
	if err := r.Learn(ctx, rng, joint, product); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Ratio) build(backend compute.Backend, rng *rand.Rand) error {
	adam := optimizer.Adam().LearningRate(r.training.LearningRate).Done()
	batch := shapes.Make(dtypes.Float64, chunk, 1, r.training.BatchSize, r.d) // one run, R = 1
	var err error
	if r.trainer, err = flows.NewTrainer(backend, r.store, adam, loss, nil,
		[]shapes.Shape{batch, batch}); err != nil {
		return err
	}
	if err := layers.Initialise(r.store.Scope(scopeName), []*rand.Rand{rng}); err != nil {
		return err
	}
	if r.logRatio, err = model.NewExec(backend, r.store, network); err != nil {
		return err
	}
	r.velocity, err = model.NewExec(backend, r.store, func(scope *model.Scope, z *Node) *Node {
		return flows.RatioVelocity(func(z *Node) *Node { return network(scope, z) }, z)
	})
	return err
}

const scopeName = "ratio"

// network is the log-ratio at the samples z [1, B, d]: [1, B].
func network(scope *model.Scope, z *Node) *Node {
	return Squeeze(layers.MLP(scope.In(scopeName), z).Done(), -1)
}

// loss is that of telling joint samples batch[0] from product ones batch[1], both
// [1, B, d]: [1].
func loss(scope *model.Scope, _, batch []*Node) *Node {
	joint := network(scope, batch[0])                  // [1, B]
	product := network(scope.ResetVisited(), batch[1]) // [1, B]
	return ReduceMean(flows.LogisticLoss(joint, product), -1)
}

// chunk is the number of training steps in one call, between which ctx may end it.
const chunk = 50

// Learn trains on, as LearnRatio does, from what the network knows already: where
// the samples have moved a little since, it has little to learn.
func (r *Ratio) Learn(ctx context.Context, rng *rand.Rand, joint, product *mat.Dense) error {
	if rng == nil {
		return errNilRand
	}
	if err := check("joint", joint, r.d); err != nil {
		return err
	}
	if err := check("product", product, r.d); err != nil {
		return err
	}
	for done := 0; done < r.training.Steps; done += chunk {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("lesson: learning the ratio: %w", err)
		}
		batches := []*tensors.Tensor{r.batches(rng, joint), r.batches(rng, product)}
		losses, err := r.trainer.Train(ctx, nil, batches, min(chunk, r.training.Steps-done))
		if err != nil {
			return fmt.Errorf("lesson: learning the ratio: %w", err)
		}
		for _, ofRuns := range losses {
			r.Loss = append(r.Loss, ofRuns[0])
		}
	}
	return nil
}

// batches draws the batches of a chunk of steps from z, [chunk, 1, B, d].
func (r *Ratio) batches(rng *rand.Rand, z *mat.Dense) *tensors.Tensor {
	_, n := z.Dims()
	values := make([]float64, 0, chunk*r.training.BatchSize*r.d)
	for range chunk * r.training.BatchSize {
		t := rng.IntN(n)
		for i := range r.d {
			values = append(values, z.At(i, t))
		}
	}
	return tensors.FromFlatDataAndDimensions(values, chunk, 1, r.training.BatchSize, r.d)
}

// LogRatio returns the learned log p(z)/q(z) at the N points, d×N.
func (r *Ratio) LogRatio(points *mat.Dense) ([]float64, error) {
	return r.at(points, r.logRatio)
}

// Velocity returns the velocity v = −∇ log p(z)/q(z) of the Wasserstein gradient
// flow (the paper's equation log.joint.ratio) at the N points, d×N both.
func (r *Ratio) Velocity(points *mat.Dense) (*mat.Dense, error) {
	values, err := r.at(points, r.velocity)
	if err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(mat.NewDense(len(values)/r.d, r.d, values).T()), nil
}

// at returns what exec makes of the points, row-major, points first.
func (r *Ratio) at(points *mat.Dense, exec *model.Exec) ([]float64, error) {
	if err := check("points", points, r.d); err != nil {
		return nil, err
	}
	_, n := points.Dims()
	result, err := exec.Call1(tensors.FromFlatDataAndDimensions(mat.DenseCopyOf(points.T()).RawMatrix().Data, 1, n, r.d))
	if err != nil {
		return nil, fmt.Errorf("lesson: evaluating the ratio: %w", err)
	}
	return tensors.CopyFlatData[float64](result)
}

// Step returns z moved by one Euler step of length eta along the velocity.
func (r *Ratio) Step(z *mat.Dense, eta float64) (*mat.Dense, error) {
	moved, err := r.Velocity(z)
	if err != nil {
		return nil, err
	}
	moved.Scale(eta, moved)
	moved.Add(z, moved)
	return moved, nil
}

// Close frees the network and its programs.
func (r *Ratio) Close() {
	r.trainer.Finalize()
	r.logRatio.Finalize()
	r.velocity.Finalize()
	r.store.Finalize()
}
