package sica

import (
	"fmt"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// Positions that one call looks at when the signals move. The whole-sequence
// network needs memory in proportion to T for each of them.
const (
	chunkWhole  = 128
	chunkWindow = 4096
)

// field is the vector field of an iteration: lanes independent networks (runs
// × folds), the lanes axis being the runs axis R of layers and flows.
type field struct {
	cfg        Config
	d, t       int
	lanes      int
	dtype      dtypes.DType
	shape      []int
	neighbours [][]int32 // [T][K], empty unless the networks see a context

	store    *model.Store
	trainer  *flows.Trainer
	velocity *model.Exec
	logit    *model.Exec
}

// scopeName holds the network's variables, apart from the optimizer's.
const scopeName = "field"

func newField(backend compute.Backend, cfg Config, d, t, lanes int) (*field, error) {
	f := &field{cfg: cfg, d: d, t: t, lanes: lanes, dtype: cfg.dtype(), shape: cfg.indexShape(t), store: model.NewStore()}
	if cfg.seesContext() {
		table, err := layers.Neighbours(cfg.window(), f.shape...)
		if err != nil {
			return nil, err
		}
		f.neighbours = table
	}
	loss := f.ratioLoss
	if cfg.Flow == RF {
		loss = f.rectifiedLoss
	}
	var err error
	f.trainer, err = flows.NewTrainer(backend, f.store, cfg.optimizer(), loss, f.dataShapes(), f.batchShapes())
	if err != nil {
		return nil, err
	}
	if f.velocity, err = model.NewExec(backend, f.store, f.velocityGraph); err != nil {
		return nil, err
	}
	if f.logit, err = model.NewExec(backend, f.store, f.logitGraph); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *field) close() {
	f.trainer.Finalize()
	f.velocity.Finalize()
	f.logit.Finalize()
	f.store.Finalize()
}

// renew draws new weights, lane l from rngs[l], and forgets the optimizer's
// moments.
func (f *field) renew(rngs []*rand.Rand) error {
	if err := layers.Initialise(f.store.Scope(scopeName), rngs); err != nil {
		return err
	}
	return f.trainer.ResetOptimizer()
}

// data is what all training steps and evaluations share: the signals z
// [lanes][d·T] as a tensor [lanes, d, T] and, where the networks see a context,
// what it is made of and the mask of what each of them sees.
func (f *field) data(z [][]float64) []*tensors.Tensor {
	var flat []float64
	for _, v := range z {
		flat = append(flat, v...)
	}
	data := []*tensors.Tensor{floatTensor(flat, f.dtype, f.lanes, f.d, f.t)}
	if !f.cfg.seesContext() {
		return data
	}
	if f.cfg.Context == Prediction {
		data = append(data, f.predictions(z))
	} else {
		data = append(data, f.neighbourTensor())
	}
	return append(data, f.maskTensor())
}

// dataShapes are the shapes of data.
func (f *field) dataShapes() []shapes.Shape {
	signals := shapes.Make(f.dtype, f.lanes, f.d, f.t)
	switch {
	case !f.cfg.seesContext():
		return []shapes.Shape{signals}
	case f.cfg.Context == Prediction:
		return []shapes.Shape{signals, signals, f.maskTensor().Shape()}
	}
	return []shapes.Shape{signals, f.neighbourTensor().Shape(), f.maskTensor().Shape()}
}

// neighbourTensor is the table of layers.Neighbours, int32 [T, K].
func (f *field) neighbourTensor() *tensors.Tensor {
	var flat []int32
	for _, row := range f.neighbours {
		flat = append(flat, row...)
	}
	return tensors.FromFlatDataAndDimensions(flat, f.t, len(f.neighbours[0]))
}

// predictions are every lane's signals as their own neighbours predict them,
// [lanes, d, T]. The networks of a run share the signals.
func (f *field) predictions(z [][]float64) *tensors.Tensor {
	var flat []float64
	for lane, v := range z {
		if lane%f.cfg.networks() > 0 {
			flat = append(flat, flat[len(flat)-f.d*f.t:]...)
			continue
		}
		for i := range f.d {
			flat = append(flat, predict(v[i*f.t:(i+1)*f.t], f.neighbours)...)
		}
	}
	return floatTensor(flat, f.dtype, f.lanes, f.d, f.t)
}

// maskTensor tells what each lane's network sees of the inputs, one or zero,
// [lanes, 1, inputs].
func (f *field) maskTensor() *tensors.Tensor {
	views := f.cfg.views(len(f.shape))
	var mask []float64
	for lane := range f.lanes {
		view := views[lane%f.cfg.networks()/f.cfg.folds()]
		for range f.d {
			mask = append(mask, view[0])
		}
		for range f.d {
			mask = append(mask, view[1:]...)
		}
	}
	return floatTensor(mask, f.dtype, f.lanes, 1, f.inputs())
}

// batchShapes are the shapes of batchTensors.
func (f *field) batchShapes() []shapes.Shape {
	steps, b := f.cfg.chunk(f.t), f.cfg.batch(f.t)
	batch := []shapes.Shape{
		shapes.Make(dtypes.Int32, steps, f.lanes, b),      // joint positions
		shapes.Make(dtypes.Int32, steps, f.lanes, b, f.d), // product positions
		shapes.Make(f.dtype, steps, f.lanes, b),           // weights
	}
	switch {
	case f.cfg.Flow == RF:
		batch = append(batch, shapes.Make(f.dtype, steps, f.lanes, b)) // τ
	case f.cfg.Noise > 0:
		batch = append(batch, shapes.Make(f.dtype, steps, f.lanes, 2*b, f.noisy()))
	}
	return batch
}

// inputs is the width of a window network's input for the ratio.
func (f *field) inputs() int { return f.d * len(f.cfg.views(len(f.shape))[0]) }

// noisy is the number of inputs that noise is added to. The judge's contexts
// get none: blurred, they would explain less than they do.
func (f *field) noisy() int {
	if f.cfg.judge {
		return f.d
	}
	return f.inputs()
}

// ratioLoss is the logistic loss of the density ratio, [R].
func (f *field) ratioLoss(scope *model.Scope, data, batch []*Node) *Node {
	joint, product, weights := batch[0], batch[1], batch[2]
	idx := Concatenate([]*Node{f.everySignal(joint), product}, 1) // [R, 2B, d]
	z := data[0]
	var noise *Node
	if len(batch) > 3 {
		noise = batch[3] // [R, 2B, d+dK]
	}
	logit := f.network(scope, f.features(data, layers.GatherSignals(z, idx), idx, noise), 1) // [R, 2B, 1]
	half := joint.Shape().Dim(1)
	losses := flows.LogisticLoss(
		Squeeze(Slice(logit, AxisRange(), AxisRange(0, half)), -1), // [R, B]
		Squeeze(Slice(logit, AxisRange(), AxisRange(half)), -1))    // [R, B]
	return weightedMean(losses, weights)
}

// rectifiedLoss is the squared error of the rectified flow, [R].
func (f *field) rectifiedLoss(scope *model.Scope, data, batch []*Node) *Node {
	joint, product, weights, tau := f.everySignal(batch[0]), batch[1], batch[2], batch[3]
	z := data[0]
	y0 := layers.GatherSignals(z, joint)   // [R, B, d]
	y1 := layers.GatherSignals(z, product) // [R, B, d]
	y := flows.StraightPath(y0, y1, tau)   // [R, B, d]
	v := f.network(scope, f.pathFeatures(data, y, joint, product, tau), f.d)
	return weightedMean(flows.RectifiedLoss(v, y0, y1), weights)
}

// weightedMean averages losses [R, B] over the batch.
func weightedMean(losses, weights *Node) *Node {
	return Div(ReduceSum(Mul(losses, weights), -1), ReduceSum(weights, -1)) // [R]
}

// everySignal repeats positions [R, B] for each of the d signals.
func (f *field) everySignal(t *Node) *Node {
	runs, batch := t.Shape().Dim(0), t.Shape().Dim(1)
	return BroadcastToDims(InsertAxes(t, -1), runs, batch, f.d) // [R, B, d]
}

// features is the input of the ratio's network for the values y at the
// positions idx, both [R, B, d]. If noise isn't nil it is added to the input of
// a window network.
func (f *field) features(data []*Node, y, idx, noise *Node) *Node {
	z := data[0]
	if f.cfg.Context == WholeSequence {
		return layers.WholeContext(z, y, idx, f.shape...) // [R, B, p…, 3d]
	}
	if noise != nil && f.cfg.judge {
		y = Add(y, noise)
	}
	if f.cfg.seesContext() {
		y = Concatenate([]*Node{y, f.localContext(data, idx)}, -1)
	}
	if noise != nil && !f.cfg.judge {
		y = Add(y, noise)
	}
	if f.cfg.seesContext() {
		y = Mul(y, data[2])
	}
	return y // [R, B, inputs]
}

// localContext is the context of the samples at positions idx, [R, B, d·K].
func (f *field) localContext(data []*Node, idx *Node) *Node {
	if f.cfg.Context == Prediction {
		return layers.GatherSignals(data[1], idx) // K = 1
	}
	return layers.WindowContext(data[0], idx, data[1])
}

// pathFeatures is the input of the rectified flow's network for the values y
// on the path at time tau [R, B], between the positions idx and idx2.
func (f *field) pathFeatures(data []*Node, y, idx, idx2, tau *Node) *Node {
	z := data[0]
	if f.cfg.Context == WholeSequence {
		return layers.WholeContextRF(z, y, idx, idx2, tau, f.shape...) // [R, B, p…, 5d+1]
	}
	inputs := []*Node{y, InsertAxes(tau, -1)}
	if f.cfg.seesContext() {
		inputs = append(inputs, f.localContext(data, idx), f.localContext(data, idx2))
	}
	return Concatenate(inputs, -1) // [R, B, d+1+2dK]
}

// network is the paper's CNN or the MLP over features: [R, B, outputs].
func (f *field) network(scope *model.Scope, features *Node, outputs int) *Node {
	scope = scope.In(scopeName)
	if f.cfg.Context == WholeSequence {
		return layers.CNN(scope, features).Outputs(outputs).Done()
	}
	return layers.MLP(scope, features).Hidden(f.cfg.Hidden...).Outputs(outputs).Done()
}

// logitGraph is the log-ratio at the samples of positions idx [R, B, d]:
// inputs are the data and idx, the output is [R, B].
func (f *field) logitGraph(scope *model.Scope, inputs []*Node) *Node {
	data, idx := inputs[:len(inputs)-1], inputs[len(inputs)-1]
	y := layers.GatherSignals(data[0], idx)
	return Squeeze(f.network(scope, f.features(data, y, idx, nil), 1), -1)
}

// velocityGraph follows the flow from the values y [R, B, d] at positions t
// [R, B]. Inputs are the data, y, t and the scalars τ and h. For the gradient
// flow the output is its velocity, for the rectified flow y after one step h
// of the solver from time τ, both [R, B, d].
func (f *field) velocityGraph(scope *model.Scope, inputs []*Node) *Node {
	n := len(inputs) - 4
	data, y, idx, tau, h := inputs[:n], inputs[n], f.everySignal(inputs[n+1]), inputs[n+2], inputs[n+3]
	if f.cfg.Flow == WGF {
		return flows.RatioVelocity(func(y *Node) *Node {
			return Squeeze(f.network(scope, f.features(data, y, idx, nil), 1), -1)
		}, y)
	}
	return f.cfg.Solver.Step(func(y, tau *Node) *Node {
		times := BroadcastToDims(tau, y.Shape().Dim(0), y.Shape().Dim(1)) // [R, B]
		// At refinement the target's context is the signals' own (paper,
		// section "Minimising KL using Rectified Flow": Z̃′ = Z̃).
		return f.network(scope.ResetVisited(), f.pathFeatures(data, y, idx, idx, times), f.d)
	}, y, tau, h)
}

// train makes steps training steps and returns each lane's mean loss.
func (f *field) train(data, batches []*tensors.Tensor, steps int) ([]float64, error) {
	losses, err := f.trainer.Train(data, batches, steps)
	if err != nil {
		return nil, err
	}
	mean := make([]float64, f.lanes)
	for _, step := range losses {
		for lane, loss := range step {
			mean[lane] += loss / float64(steps)
		}
	}
	return mean, nil
}

// moves is what the flow adds to the signals of every lane, [lanes][d·T]
// row-major: the velocity itself for the gradient flow, the displacement at
// τ = 1 for the rectified flow.
func (f *field) moves(data []*tensors.Tensor, values [][]float64) ([][]float64, error) {
	moves := make([][]float64, f.lanes)
	for lane := range moves {
		moves[lane] = make([]float64, f.d*f.t)
	}
	chunk := min(f.t, chunkWindow)
	if f.cfg.Context == WholeSequence {
		chunk = min(f.t, chunkWhole)
	}
	for first := 0; first < f.t; first += chunk {
		// The last chunk is moved back to keep the shape, and so the program.
		from := min(first, f.t-chunk)
		y, at := f.samplesAt(values, from, chunk)
		steps := 1
		if f.cfg.Flow == RF {
			steps = f.cfg.SolverSteps
		}
		var out *tensors.Tensor = y
		for s := range steps {
			args := []any{}
			for _, x := range data {
				args = append(args, x)
			}
			args = append(args, out, at, f.scalar(float64(s)/float64(steps)), f.scalar(1/float64(steps)))
			outputs, err := f.velocity.Call(args...)
			if err != nil {
				return nil, fmt.Errorf("sica: moving the signals: %w", err)
			}
			out = outputs[0]
		}
		result, err := toFloat64(out)
		if err != nil {
			return nil, err
		}
		for lane := range moves {
			for c := range chunk {
				for i := range f.d {
					move := result[(lane*chunk+c)*f.d+i]
					if f.cfg.Flow == RF {
						move -= values[lane][i*f.t+from+c]
					}
					moves[lane][i*f.t+from+c] = move
				}
			}
		}
	}
	return moves, nil
}

// samplesAt are the values [lanes, chunk, d] at chunk consecutive positions
// and the positions [lanes, chunk].
func (f *field) samplesAt(values [][]float64, from, chunk int) (y, at *tensors.Tensor) {
	flat := make([]float64, 0, f.lanes*chunk*f.d)
	positions := make([]int32, 0, f.lanes*chunk)
	for lane := range f.lanes {
		for c := range chunk {
			positions = append(positions, int32(from+c))
			for i := range f.d {
				flat = append(flat, values[lane][i*f.t+from+c])
			}
		}
	}
	return floatTensor(flat, f.dtype, f.lanes, chunk, f.d), tensors.FromFlatDataAndDimensions(positions, f.lanes, chunk)
}

func (f *field) scalar(v float64) *tensors.Tensor { return floatTensor([]float64{v}, f.dtype) }

// logits are the log-ratios at the samples of idx [lanes][N·d], all of one N:
// [lanes][N].
func (f *field) logits(data []*tensors.Tensor, idx [][]int32) ([][]float64, error) {
	n := len(idx[0]) / f.d
	chunk := min(n, chunkWindow)
	logits := make([][]float64, f.lanes)
	for lane := range logits {
		logits[lane] = make([]float64, n)
	}
	for first := 0; first < n; first += chunk {
		from := min(first, n-chunk)
		flat := make([]int32, 0, f.lanes*chunk*f.d)
		for lane := range f.lanes {
			flat = append(flat, idx[lane][from*f.d:(from+chunk)*f.d]...)
		}
		args := []any{}
		for _, x := range data {
			args = append(args, x)
		}
		outputs, err := f.logit.Call(append(args, tensors.FromFlatDataAndDimensions(flat, f.lanes, chunk, f.d))...)
		if err != nil {
			return nil, fmt.Errorf("sica: evaluating the log-ratio: %w", err)
		}
		values, err := toFloat64(outputs[0])
		if err != nil {
			return nil, err
		}
		for lane := range logits {
			copy(logits[lane][from:from+chunk], values[lane*chunk:(lane+1)*chunk])
		}
	}
	return logits, nil
}

// optimizer is the optimizer that the config names, with PyTorch's constants.
func (c Config) optimizer() optimizer.Interface {
	if c.Optimizer == Adagrad {
		return flows.Adagrad().LearningRate(c.LearningRate).Done()
	}
	return optimizer.Adam().LearningRate(c.LearningRate).Epsilon(1e-8).Done()
}
