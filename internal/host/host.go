// Package host moves float64 values between the host and tensors of a float dtype.
package host

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/dtypes/bfloat16"
	"github.com/gomlx/compute/dtypes/float16"
	"github.com/gomlx/compute/dtypes/gotype"
	"github.com/gomlx/gomlx/core/tensors"
)

// Tensor returns a tensor with the given dims, row-major, and a float dtype; a scalar without dims.
// It copies the values. It panics unless there is one value for each entry, and for other dtypes.
func Tensor(values []float64, dtype dtypes.DType, dims ...int) *tensors.Tensor {
	switch dtype {
	case dtypes.Float64:
		return tensors.FromFlatDataAndDimensions(values, dims...)
	case dtypes.Float32:
		return convert(values, func(v float64) float32 { return float32(v) }, dims)
	case dtypes.Float16:
		return convert(values, float16.FromFloat64, dims)
	case dtypes.BFloat16:
		return convert(values, bfloat16.FromFloat64, dims)
	}
	panic(fmt.Errorf("dtype is %s; must be a float", dtype))
}

// convert returns the tensor of the converted values.
func convert[T gotype.Supported](
	values []float64, to func(float64) T, dims []int,
) *tensors.Tensor {
	converted := make([]T, len(values))
	for i, v := range values {
		converted[i] = to(v)
	}
	return tensors.FromFlatDataAndDimensions(converted, dims...)
}

// Values copies a tensor to the host, row-major. It is an error if its dtype isn't a float.
func Values(x *tensors.Tensor) ([]float64, error) {
	switch x.DType() {
	case dtypes.Float64:
		return tensors.CopyFlatData[float64](x)
	case dtypes.Float32:
		return copied(x, func(v float32) float64 { return float64(v) })
	case dtypes.Float16:
		return copied(x, float16.Float16.Float64)
	case dtypes.BFloat16:
		return copied(x, bfloat16.BFloat16.Float64)
	}
	return nil, fmt.Errorf("dtype is %s; must be a float", x.DType())
}

// copied returns the converted values of a tensor.
func copied[T gotype.Supported](x *tensors.Tensor, from func(T) float64) ([]float64, error) {
	values, err := tensors.CopyFlatData[T](x)
	if err != nil {
		return nil, err
	}
	double := make([]float64, len(values))
	for i, v := range values {
		double[i] = from(v)
	}
	return double, nil
}
