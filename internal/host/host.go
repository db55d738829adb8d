// Package host moves float64 values between the host and tensors of float32 or float64.
package host

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
)

// Tensor returns a tensor of these dims, row-major, of dtype float64 or else float32. Without dims
// it is a scalar. The values are copied. It panics unless there is one for each entry.
func Tensor(values []float64, dtype dtypes.DType, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(single, dims...)
}

// Values copies a tensor to the host, row-major. It is an error if its dtype isn't float32 or
// float64.
func Values(x *tensors.Tensor) ([]float64, error) {
	switch x.DType() {
	case dtypes.Float64:
		return tensors.CopyFlatData[float64](x)
	case dtypes.Float32:
		single, err := tensors.CopyFlatData[float32](x)
		if err != nil {
			return nil, err
		}
		double := make([]float64, len(single))
		for i, v := range single {
			double[i] = float64(v)
		}
		return double, nil
	}
	return nil, fmt.Errorf("dtype is %s; must be float32 or float64", x.DType())
}
