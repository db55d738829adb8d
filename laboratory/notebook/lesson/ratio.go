package lesson

import (
	"context"
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
	"github.com/seed-47b1e431/gosica/internal/purego"
	"github.com/seed-47b1e431/gosica/layers"
)

// Training has the settings with which Adam learns a ratio.
type Training struct {
	Steps        int
	BatchSize    int // joint samples of a step, and product samples
	LearningRate float64
}

// DefaultTraining returns settings that learn the ratio of two signals of some thousand
// positions in about a second.
func DefaultTraining() Training {
	return Training{Steps: 300, BatchSize: 256, LearningRate: 1e-2}
}

// A Ratio is a network that has learned log p(z)/q(z) from samples of p and q: the
// joint and the product ones. Close it after use.
type Ratio struct {
	// Loss is the logistic loss of every training step so far, in nats. It is 2·log 2, about
	// 1.39, for a network that doesn't distinguish the samples. The optimum is lower by twice
	// the Jensen–Shannon divergence of p and q.
	Loss []float64

	training Training
	d        int
	store    *model.Store
	trainer  *flows.Trainer
	logRatio *model.Exec
	velocity *model.Exec
}

// LearnRatio learns the ratio from joint and product samples, both of d signals at any number of
// positions. Weights and batches are drawn from rng. A nil backend is pure Go. If ctx ends, the
// error wraps ctx's.
func LearnRatio(
	ctx context.Context, backend compute.Backend, rng *rand.Rand,
	joint, product *mat.Dense, training Training,
) (*Ratio, error) {
	backend, err := purego.Or(backend)
	if err != nil {
		return nil, fmt.Errorf("lesson: %w", err)
	}
	if rng == nil {
		return nil, errNilRand
	}
	if err := check("joint", joint, 0); err != nil {
		return nil, err
	}
	if !(training.Steps > 0 && training.BatchSize > 0 && training.LearningRate > 0) {
		return nil, fmt.Errorf("lesson: training: is %+v; must all be positive", training)
	}
	d, _ := joint.Dims()
	r := &Ratio{training: training, d: d, store: model.NewStore()}
	if err := r.build(backend, rng); err != nil {
		return nil, fmt.Errorf("lesson: building the network: %w", err)
	}
	if err := r.learn(ctx, rng, joint, product); err != nil {
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

// network returns the log-ratio, [1, B], at the samples z [1, B, d].
func network(scope *model.Scope, z *Node) *Node {
	return Squeeze(layers.MLP(scope.In(scopeName), z).Done(), -1)
}

// loss returns the logistic loss, [1], of classifying the joint samples batch[0] and the product
// samples batch[1], both [1, B, d].
func loss(scope *model.Scope, _, batch []*Node) *Node {
	joint := network(scope, batch[0])                  // [1, B]
	product := network(scope.ResetVisited(), batch[1]) // [1, B]
	return ReduceMean(flows.LogisticLoss(joint, product), -1)
}

// chunk is the number of training steps in one call of the backend. If ctx ends, the training
// stops after such a call.
const chunk = 50

// learn continues the training of the network on other samples.
func (r *Ratio) learn(ctx context.Context, rng *rand.Rand, joint, product *mat.Dense) error {
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
		for _, byRun := range losses { // of one run
			r.Loss = append(r.Loss, byRun[0])
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

// LogRatio returns the learned log p(z)/q(z) at the n points, d×n.
func (r *Ratio) LogRatio(points *mat.Dense) ([]float64, error) {
	return r.evaluate(r.logRatio, points)
}

// Velocity returns the velocity v = −∇ log p(z)/q(z) of the Wasserstein gradient
// flow (the paper's equation log.joint.ratio) at the n points, both d×n.
func (r *Ratio) Velocity(points *mat.Dense) (*mat.Dense, error) {
	values, err := r.evaluate(r.velocity, points)
	if err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(mat.NewDense(len(values)/r.d, r.d, values).T()), nil
}

// evaluate returns the outputs of exec at the points, d×n: the values of the first point, then
// those of the second, and so on.
func (r *Ratio) evaluate(exec *model.Exec, points *mat.Dense) ([]float64, error) {
	if err := check("points", points, r.d); err != nil {
		return nil, err
	}
	_, n := points.Dims()
	values := mat.DenseCopyOf(points.T()).RawMatrix().Data
	result, err := exec.Call1(tensors.FromFlatDataAndDimensions(values, 1, n, r.d))
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
