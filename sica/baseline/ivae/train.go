package ivae

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/learning"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// maxChunk is the maximum number of steps in one call of the trainer. ctx can end the training only
// between calls. Half as many cost time on small networks, twice as many delay the end.
const maxChunk = 64

// A training is the training of the four networks.
type training struct {
	*learning.Learner // of the signals [1, n, d] and u [1, n, k]

	cfg   Config
	d, n  int
	chunk int // maximum number of steps in a call of the trainer
	dtype dtypes.DType
	rng   *rand.Rand
	order []int32 // order of the positions in this epoch
}

func newTraining(x, u *mat.Dense, cfg Config, dtype dtypes.DType) (*training, error) {
	d, n := x.Dims()
	tr := &training{
		cfg: cfg, d: d, n: n, dtype: dtype,
		chunk: min(maxChunk, cfg.epoch(n)),
		rng:   stream.Named(cfg.Seed, name),
		order: make([]int32, n),
	}
	for t := range tr.order {
		tr.order[t] = int32(t)
	}
	b := cfg.batch(n)
	var err error
	tr.Learner, err = learning.New(cfg.Backend, cfg.LearningRate, cfg.loss,
		[]*tensors.Tensor{learning.PositionsFirst(x, dtype), learning.PositionsFirst(u, dtype)},
		[]shapes.Shape{
			shapes.Make(dtypes.Int32, tr.chunk, 1, b),
			shapes.Make(dtype, tr.chunk, 1, b, d),
		},
	)
	if err != nil {
		return nil, err
	}
	return tr, tr.initialise()
}

// initialise draws the weights uniformly from ±√(6/(inputs+outputs)), Xavier's rule, and the
// biases from ±1/√inputs, PyTorch's rule.
func (tr *training) initialise() error {
	for v := range tr.Store.IterVariables() {
		if !v.Trainable {
			continue
		}
		weights := tr.Store.GetVariable(path.Join(v.Scope(), "weights")).Shape()
		inputs, outputs := float64(weights.Dim(1)), float64(weights.Dim(2))
		bound := 1 / math.Sqrt(inputs)
		if v.Name() == "weights" {
			bound = math.Sqrt(6 / (inputs + outputs))
		}
		values := make([]float64, v.Shape().Size())
		for i := range values {
			values[i] = bound * (2*tr.rng.Float64() - 1)
		}
		if err := v.SetValue(host.Tensor(values, v.DType(), v.Shape().Dimensions...)); err != nil {
			return err
		}
	}
	return nil
}

// run makes all epochs and returns the mean loss of each.
func (tr *training) run(ctx context.Context) ([]float64, error) {
	rate := newPlateau(tr.cfg.LearningRate, tr.cfg.Patience)
	losses := make([]float64, tr.cfg.epochs(tr.n))
	for i := range losses {
		var err error
		if losses[i], err = tr.epoch(ctx); err != nil {
			return nil, err
		}
		if rate.update(losses[i]) {
			if err := tr.SetRate(rate.rate); err != nil {
				return nil, err
			}
		}
	}
	return losses, nil
}

// epoch goes through all positions once and returns the mean loss.
func (tr *training) epoch(ctx context.Context) (float64, error) {
	tr.rng.Shuffle(tr.n, func(i, j int) { tr.order[i], tr.order[j] = tr.order[j], tr.order[i] })
	total := tr.cfg.epoch(tr.n)
	var losses []float64
	for len(losses) < total {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		next, err := tr.train(ctx, len(losses), min(tr.chunk, total-len(losses)))
		if err != nil {
			return 0, err
		}
		losses = append(losses, next...)
	}
	mean := stat.Mean(losses, nil)
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return 0, fmt.Errorf("training: %w: try a LearningRate below %g",
			ica.ErrNotFinite, tr.cfg.LearningRate)
	}
	return mean, nil
}

// train makes the given number of steps of the epoch, from step first on, and returns the loss of
// each.
func (tr *training) train(ctx context.Context, first, steps int) ([]float64, error) {
	b := tr.cfg.batch(tr.n)
	positions := make([]int32, tr.chunk*b)
	copy(positions, tr.order[first*b:(first+steps)*b])
	noise := make([]float64, tr.chunk*b*tr.d)
	for i := range steps * b * tr.d {
		noise[i] = tr.rng.NormFloat64()
	}
	batches := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(positions, tr.chunk, 1, b),
		host.Tensor(noise, tr.dtype, tr.chunk, 1, b, tr.d),
	}
	defer batches[0].FinalizeAll()
	defer batches[1].FinalizeAll()
	return tr.Train(ctx, batches, steps)
}

// network returns the current network in scope.
func (tr *training) network(scope string) (learning.Network, error) {
	return tr.Network(leaky, tr.cfg.layerScopes(scope)...)
}

// A plateau decreases a learning rate when the loss has stopped falling, as PyTorch's
// ReduceLROnPlateau does with its default settings.
type plateau struct {
	rate     float64
	patience int
	best     float64
	bad      int // epochs since best
}

func newPlateau(rate float64, patience int) *plateau {
	return &plateau{rate: rate, patience: patience, best: math.Inf(1)}
}

// update adds the loss of an epoch and reports whether it decreased the rate.
func (p *plateau) update(loss float64) bool {
	const factor, threshold, minChange = 0.1, 1e-4, 1e-8 // PyTorch's
	if loss < p.best*(1-threshold) {
		p.best, p.bad = loss, 0
	} else {
		p.bad++
	}
	if p.bad <= p.patience {
		return false
	}
	p.bad = 0
	if p.rate*(1-factor) <= minChange {
		return false
	}
	p.rate *= factor
	return true
}
