package ivae

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

// training is the four networks while they learn.
type training struct {
	cfg     Config
	d, t    int
	chunk   int // the most steps of a call of the trainer
	dtype   dtypes.DType
	store   *model.Store
	trainer *flows.Trainer
	data    []*tensors.Tensor // the signals [1, T, d] and u [1, T, k]
	rate    *model.Variable
	rng     *rand.Rand
	order   []int32 // of the positions in this epoch
}

func newTraining(backend compute.Backend, x, u *mat.Dense, cfg Config, dtype dtypes.DType) (*training, error) {
	d, n := x.Dims()
	tr := &training{
		cfg: cfg, d: d, t: n, dtype: dtype,
		chunk: min(64, cfg.epoch(n)),
		store: model.NewStore(),
		data:  []*tensors.Tensor{positionsFirst(x, dtype), positionsFirst(u, dtype)},
		rng:   baseline.Rand(cfg.Seed, name),
		order: make([]int32, n),
	}
	for t := range tr.order {
		tr.order[t] = int32(t)
	}
	b := cfg.batch(n)
	var err error
	tr.trainer, err = flows.NewTrainer(backend, tr.store,
		optimizer.Adam().LearningRate(cfg.LearningRate).Epsilon(1e-8).Done(), // PyTorch's ε
		cfg.loss,
		[]shapes.Shape{tr.data[0].Shape(), tr.data[1].Shape()},
		[]shapes.Shape{shapes.Make(dtypes.Int32, tr.chunk, 1, b), shapes.Make(dtype, tr.chunk, 1, b, d)})
	if err != nil {
		return nil, err
	}
	tr.rate = tr.store.GetVariable(path.Join("/", optimizer.Scope, optimizer.ParamLearningRate))
	return tr, tr.initialise()
}

func (tr *training) close() {
	tr.trainer.Finalize()
	tr.store.Finalize()
	for _, x := range tr.data {
		x.FinalizeAll()
	}
}

// initialise draws the weights uniform on ±√(6/(inputs+outputs)), which is
// Xavier's rule, and the biases on ±1/√inputs, which is PyTorch's.
func (tr *training) initialise() error {
	for v := range tr.store.IterVariables() {
		if !v.Trainable {
			continue
		}
		weights := tr.store.GetVariable(path.Join(v.Scope(), "weights")).Shape()
		inputs, outputs := float64(weights.Dim(1)), float64(weights.Dim(2))
		bound := 1 / math.Sqrt(inputs)
		if v.Name() == "weights" {
			bound = math.Sqrt(6 / (inputs + outputs))
		}
		values := make([]float64, v.Shape().Size())
		for i := range values {
			values[i] = bound * (2*tr.rng.Float64() - 1)
		}
		if err := v.SetValue(tensor(values, tr.dtype, v.Shape().Dimensions...)); err != nil {
			return err
		}
	}
	return nil
}

// run makes all epochs and returns the mean loss of each.
func (tr *training) run(ctx context.Context) ([]float64, error) {
	rate := newPlateau(tr.cfg.LearningRate, tr.cfg.Patience)
	losses := make([]float64, tr.cfg.epochs(tr.t))
	for i := range losses {
		var err error
		if losses[i], err = tr.epoch(ctx); err != nil {
			return nil, err
		}
		if rate.after(losses[i]) {
			if err := tr.rate.SetValue(tensor([]float64{rate.rate}, tr.dtype)); err != nil {
				return nil, err
			}
		}
	}
	return losses, nil
}

// epoch goes once through the positions and returns the mean loss.
func (tr *training) epoch(ctx context.Context) (float64, error) {
	tr.rng.Shuffle(tr.t, func(i, j int) { tr.order[i], tr.order[j] = tr.order[j], tr.order[i] })
	total := tr.cfg.epoch(tr.t)
	var losses []float64
	for len(losses) < total {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		next, err := tr.train(len(losses), min(tr.chunk, total-len(losses)))
		if err != nil {
			return 0, err
		}
		for _, loss := range next {
			losses = append(losses, loss[0])
		}
	}
	mean := stat.Mean(losses, nil)
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return 0, fmt.Errorf("training: %w: try a lower learning rate than %g", sica.ErrNotFinite, tr.cfg.LearningRate)
	}
	return mean, nil
}

// train makes steps of the epoch from the given one on.
func (tr *training) train(from, steps int) ([][]float64, error) {
	b := tr.cfg.batch(tr.t)
	at := make([]int32, tr.chunk*b)
	copy(at, tr.order[from*b:(from+steps)*b])
	noise := make([]float64, tr.chunk*b*tr.d)
	for i := range steps * b * tr.d {
		noise[i] = tr.rng.NormFloat64()
	}
	batches := []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(at, tr.chunk, 1, b),
		tensor(noise, tr.dtype, tr.chunk, 1, b, tr.d),
	}
	defer batches[0].FinalizeAll()
	defer batches[1].FinalizeAll()
	return tr.trainer.Train(tr.data, batches, steps)
}

// network returns the network in scope as it is now.
func (tr *training) network(scope string) (network, error) {
	var f network
	for i := range len(tr.cfg.Hidden) + 1 {
		layer := path.Join("/", scope, layerName(i))
		weights, err := tr.values(path.Join(layer, "weights"))
		if err != nil {
			return nil, err
		}
		biases, err := tr.values(path.Join(layer, "biases"))
		if err != nil {
			return nil, err
		}
		f = append(f, affine{mat.NewDense(len(weights)/len(biases), len(biases), weights), biases})
	}
	return f, nil
}

func (tr *training) values(variable string) ([]float64, error) {
	value, err := tr.store.GetVariable(variable).Value()
	if err != nil {
		return nil, err
	}
	return floats(value)
}
