package pcl

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"gonum.org/v1/gonum/mat"
)

// positionsFirst is the signals x, d×T, as a tensor [1, T, d].
func positionsFirst(x *mat.Dense, dtype dtypes.DType) *tensors.Tensor {
	d, n := x.Dims()
	return tensor(mat.DenseCopyOf(x.T()).RawMatrix().Data, dtype, 1, n, d)
}

// tensor puts values into a tensor of a float dtype.
func tensor(values []float64, dtype dtypes.DType, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(single, dims...)
}

// floats copies a float tensor to the host.
func floats(x *tensors.Tensor) ([]float64, error) {
	if x.DType() == dtypes.Float64 {
		return tensors.CopyFlatData[float64](x)
	}
	single, err := tensors.CopyFlatData[float32](x)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(single))
	for i, v := range single {
		values[i] = float64(v)
	}
	return values, nil
}
