package host_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// Values that were copied into a tensor are read back, rounded to its dtype.
func TestRoundTrip(t *testing.T) {
	values := []float64{0, -1.5, 0.1, 1e30, 3, 4}
	for dtype, round := range map[dtypes.DType]func(float64) float64{
		dtypes.Float64: func(v float64) float64 { return v },
		dtypes.Float32: func(v float64) float64 { return float64(float32(v)) },
		// 0.1 has the nearest neighbours 1638/2¹⁴ and 205/2¹¹; 1e30 is beyond float16.
		dtypes.Float16: func(v float64) float64 {
			return map[float64]float64{0.1: 1638. / (1 << 14), 1e30: math.Inf(1)}[v] + exact(v)
		},
		dtypes.BFloat16: func(v float64) float64 {
			return map[float64]float64{0.1: 205. / (1 << 11), 1e30: 0x1.94p99}[v] + exact(v)
		},
	} {
		x := host.Tensor(slices.Clone(values), dtype, 3, 2)
		if dims := x.Shape().Dimensions; x.DType() != dtype || !slices.Equal(dims, []int{3, 2}) {
			t.Errorf("a tensor %s, want %s of 3×2", x.Shape(), dtype)
		}
		back, err := host.Values(x)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if back[i] != round(v) {
				t.Errorf("%s: %g came back as %g", dtype, v, back[i])
			}
		}
	}
}

// exact returns v if it is exact in every dtype, else 0.
func exact(v float64) float64 {
	if v == 0.1 || v == 1e30 {
		return 0
	}
	return v
}

func TestTensorOfIntegers(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a tensor of int32 doesn't panic")
		}
	}()
	host.Tensor([]float64{1}, dtypes.Int32, 1)
}

func TestValuesOfIntegers(t *testing.T) {
	if values, err := host.Values(tensors.FromValue([]int32{1})); err == nil {
		t.Errorf("int32 gave %v and no error", values)
	}
}

func ExampleTensor() {
	x := host.Tensor([]float64{1, 2, 3, 4}, dtypes.Float32, 2, 2)
	fmt.Println(x.Value())
	// Output: [[1 2] [3 4]]
}
