package sica

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
)

// floatTensor puts values into a tensor of the given float dtype.
func floatTensor(values []float64, dtype dtypes.DType, dims ...int) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(values, dims...)
	}
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(single, dims...)
}

// toFloat64 copies a float tensor to the host.
func toFloat64(x *tensors.Tensor) ([]float64, error) {
	if x.DType() == dtypes.Float64 {
		return tensors.CopyFlatData[float64](x)
	}
	single, err := tensors.CopyFlatData[float32](x)
	if err != nil {
		return nil, fmt.Errorf("sica: reading a tensor: %w", err)
	}
	values := make([]float64, len(single))
	for i, v := range single {
		values[i] = float64(v)
	}
	return values, nil
}

// finalize frees tensors at once: the garbage collector doesn't see how much
// memory they hold on the device.
func finalize(ts []*tensors.Tensor) {
	for _, t := range ts {
		t.FinalizeAll()
	}
}
