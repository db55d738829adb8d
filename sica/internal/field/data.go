package field

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/predict"
)

// data is what all training steps and evaluations share: the signals z
// [networks][d·T] as a tensor [networks, d, T] and, where the networks see a context,
// what it is made of and the mask of what each of them sees. Release frees it.
func (f *networks) data(z [][]float64) []*tensors.Tensor {
	var flat []float64
	for _, v := range z {
		flat = append(flat, v...)
	}
	data := []*tensors.Tensor{host.Tensor(flat, f.dtype, f.count, f.d, f.t)}
	if f.cfg.Context == Prediction {
		data = append(data, f.predictions(z))
	}
	return append(data, f.constants...)
}

// release frees what data made, all but the field's constants.
func (f *networks) release(data []*tensors.Tensor) {
	finalize(data[:len(data)-len(f.constants)])
}

// dataShapes are the shapes of data.
func (f *networks) dataShapes() []shapes.Shape {
	data := []shapes.Shape{shapes.Make(f.dtype, f.count, f.d, f.t)}
	if f.cfg.Context == Prediction {
		data = append(data, data[0])
	}
	for _, c := range f.constants {
		data = append(data, c.Shape())
	}
	return data
}

// neighbourTensor is the table of grid.Neighbours, int32 [T, K].
func (f *networks) neighbourTensor() *tensors.Tensor {
	var flat []int32
	for _, row := range f.neighbours {
		flat = append(flat, row...)
	}
	return tensors.FromFlatDataAndDimensions(flat, f.t, len(f.neighbours[0]))
}

// predictions are every network's signals as their own neighbours predict them,
// [networks, d, T]. The networks of a run share the signals.
func (f *networks) predictions(z [][]float64) *tensors.Tensor {
	var flat []float64
	for network, v := range z {
		if network%f.cfg.Networks() > 0 {
			flat = append(flat, flat[len(flat)-f.d*f.t:]...)
			continue
		}
		for i := range f.d {
			signal := v[i*f.t : (i+1)*f.t]
			flat = append(flat, predict.With(f.predictionWeights(i, signal), signal, f.neighbours)...)
		}
	}
	return host.Tensor(flat, f.dtype, f.count, f.d, f.t)
}

// predictionWeights are those of signal i.
func (f *networks) predictionWeights(i int, signal []float64) []float64 {
	if f.ridge != nil {
		return f.ridge[i]
	}
	return predict.Weights(signal, f.neighbours)
}

// maskTensor tells what each network's network sees of the inputs, one or zero,
// [networks, 1, inputs].
func (f *networks) maskTensor() *tensors.Tensor {
	views := f.cfg.views(len(f.shape))
	var mask []float64
	for network := range f.count {
		view := views[network%f.cfg.Networks()/f.cfg.folds()]
		for range f.d {
			mask = append(mask, view[0])
		}
		for range f.d {
			mask = append(mask, view[1:]...)
		}
	}
	return host.Tensor(mask, f.dtype, f.count, 1, f.inputs())
}

// batchShapes are the shapes of batchTensors.
func (f *networks) batchShapes() []shapes.Shape {
	steps, b := f.cfg.Chunk(f.t, f.count), f.cfg.batch(f.t)
	batch := []shapes.Shape{
		shapes.Make(dtypes.Int32, steps, f.count, b),      // joint positions
		shapes.Make(dtypes.Int32, steps, f.count, b, f.d), // product positions
		shapes.Make(f.dtype, steps, f.count, b),           // weights
	}
	switch {
	case f.cfg.Flow == RF:
		batch = append(batch, shapes.Make(f.dtype, steps, f.count, b)) // τ
	case f.cfg.Noise > 0:
		batch = append(batch, shapes.Make(f.dtype, steps, f.count, 2*b, f.noisy()))
	}
	return batch
}

// inputs is the width of a window network's input for the ratio.
func (f *networks) inputs() int { return f.d * len(f.cfg.views(len(f.shape))[0]) }

// noisy is the number of inputs that noise is added to. Where contexts are weighed
// alone they get none: blurred, they would explain less than they do.
func (f *networks) noisy() int {
	if f.cfg.contextsAlone {
		return f.d
	}
	return f.inputs()
}
