package pcl

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/layers"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/learning"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// chunk is the number of steps in one call of the trainer. ctx can end the training only between
// calls. Half as many cost time on small networks, twice as many delay the end.
const chunk = 64

// A training is the training of a feature network and its regression.
type training struct {
	*learning.Learner // of the white, or raw, signals [1, n, d]

	cfg   Config
	n     int
	order *order
}

func newTraining(white *mat.Dense, cfg Config, dtype dtypes.DType) (*training, error) {
	_, n := white.Dims()
	rng := stream.Named(cfg.Seed, name)
	learner, err := learning.New(cfg.Backend, cfg.LearningRate, cfg.loss,
		[]*tensors.Tensor{learning.PositionsFirst(white, dtype)},
		[]shapes.Shape{shapes.Make(dtypes.Int32, chunk, 1, 3, cfg.batch(n))})
	if err != nil {
		return nil, err
	}
	tr := &training{Learner: learner, cfg: cfg, n: n}
	if err := tr.initialise(rng); err != nil {
		return nil, err
	}
	tr.order = newOrder(rng, n, cfg.batch(n))
	return tr, nil
}

// initialise draws the weights of the features, and sets the regression to start or draws the
// weights of its network.
func (tr *training) initialise(rng *rand.Rand) error {
	if err := layers.Initialise(tr.Store.Scope("/"+featureScope), []*rand.Rand{rng}); err != nil {
		return err
	}
	regression := tr.Store.Scope("/" + regressionScope)
	if tr.cfg.Joint {
		return layers.Initialise(regression, []*rand.Rand{rng})
	}
	for v := range regression.IterVariables() {
		values := make([]float64, v.Shape().Size())
		for i := range values {
			values[i] = start[v.Name()]
		}
		if err := v.SetValue(host.Tensor(values, v.DType(), v.Shape().Dimensions...)); err != nil {
			return err
		}
	}
	return nil
}

// run makes all steps and returns the loss of each.
func (tr *training) run(ctx context.Context) ([]float64, error) {
	total := tr.cfg.steps(tr.n)
	losses := make([]float64, 0, total)
	for len(losses) < total {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := tr.decay(float64(len(losses)) / float64(total)); err != nil {
			return nil, err
		}
		next, err := tr.train(ctx, min(chunk, total-len(losses)))
		if err != nil {
			return nil, err
		}
		for _, loss := range next {
			losses = append(losses, loss)
			if math.IsNaN(loss) || math.IsInf(loss, 0) {
				return nil, fmt.Errorf("step %d: %w: try a LearningRate below %g",
					len(losses), ica.ErrNotFinite, tr.cfg.LearningRate)
			}
		}
	}
	return losses, nil
}

// train makes the given number of steps, at most chunk, and returns the loss of each.
func (tr *training) train(ctx context.Context, steps int) ([]float64, error) {
	size := 3 * tr.cfg.batch(tr.n)
	positions := make([]int32, chunk*size)
	for i := range steps {
		tr.order.next(positions[i*size:][:size])
	}
	batch := tensors.FromFlatDataAndDimensions(positions, chunk, 1, 3, size/3)
	defer batch.FinalizeAll()
	return tr.Train(ctx, []*tensors.Tensor{batch}, steps)
}

// decay sets the learning rate after a share of the training, from 0 to 1.
func (tr *training) decay(share float64) error {
	if !tr.cfg.Decay {
		return nil
	}
	return tr.SetRate(tr.cfg.LearningRate * (1 + math.Cos(math.Pi*share)) / 2)
}

// features returns the current feature network.
func (tr *training) features() (learning.Network, error) {
	return tr.Network(silu, tr.cfg.featureLayers()...)
}

// An order draws the positions of the batches.
type order struct {
	rng   *rand.Rand
	n     int
	batch int
	left  []int32 // not yet used in this epoch
	all   []int32 // 1 … n−1
}

func newOrder(rng *rand.Rand, n, batch int) *order {
	o := &order{rng: rng, n: n, batch: batch}
	for i := range n - 1 {
		o.all = append(o.all, int32(i+1))
	}
	return o
}

// next sets the positions of a batch, [3, B]: t, then the neighbours t−1, then any t*.
func (o *order) next(positions []int32) {
	if len(o.left) < o.batch {
		o.rng.Shuffle(len(o.all), func(i, j int) { o.all[i], o.all[j] = o.all[j], o.all[i] })
		o.left = o.all
	}
	b := o.batch
	copy(positions, o.left[:b])
	for i, t := range o.left[:b] {
		positions[b+i] = t - 1
		positions[2*b+i] = o.rng.Int32N(int32(o.n))
	}
	o.left = o.left[b:]
}
