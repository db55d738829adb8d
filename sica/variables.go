package sica

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/host"
)

// variable is a variable of a store, copied to the host.
type variable struct {
	Path   string    `json:"path"`
	DType  string    `json:"dtype"`
	Dims   []int     `json:"dims"`
	values []float64 // row-major; exact for floats and for integers below 2⁵³
}

// storeVariables copies the variables of a store whose path begins with prefix.
func storeVariables(store *model.Store, prefix string) ([]variable, error) {
	var variables []variable
	for v := range store.IterVariables() {
		if !strings.HasPrefix(v.Path(), prefix) {
			continue
		}
		value, err := v.Value()
		if err != nil {
			return nil, fmt.Errorf("sica: reading %q: %w", v.Path(), err)
		}
		values, err := hostValues(value)
		if err != nil {
			return nil, fmt.Errorf("sica: reading %q: %w", v.Path(), err)
		}
		variables = append(variables, variable{Path: v.Path(), DType: v.DType().String(), Dims: v.Shape().Dimensions, values: values})
	}
	return variables, nil
}

func hostValues(x *tensors.Tensor) ([]float64, error) {
	if x.DType() != dtypes.Int64 {
		return host.Values(x)
	}
	whole, err := tensors.CopyFlatData[int64](x)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(whole))
	for i, v := range whole {
		values[i] = float64(v)
	}
	return values, nil
}

// setVariables sets or makes the variables in a store.
func setVariables(store *model.Store, variables []variable) error {
	for _, from := range variables {
		value, err := from.tensor()
		if err != nil {
			return fmt.Errorf("sica: variable %q: %w", from.Path, err)
		}
		if v := store.GetVariable(from.Path); v != nil {
			err = v.SetValue(value)
		} else {
			_, err = store.CreateVariable(from.Path, value)
		}
		if err != nil {
			return fmt.Errorf("sica: variable %q: %w", from.Path, err)
		}
	}
	return nil
}

func (v variable) tensor() (*tensors.Tensor, error) {
	switch v.DType {
	case dtypes.Float32.String():
		return host.Tensor(v.values, dtypes.Float32, v.Dims...), nil
	case dtypes.Float64.String():
		return host.Tensor(v.values, dtypes.Float64, v.Dims...), nil
	case dtypes.Int64.String():
		whole := make([]int64, len(v.values))
		for i, value := range v.values {
			whole[i] = int64(value)
		}
		return tensors.FromFlatDataAndDimensions(whole, v.Dims...), nil
	}
	return nil, fmt.Errorf("dtype %q: want float32, float64 or int64", v.DType)
}

// ofRun are the variables of one run's n lanes, which lie along the first axis.
func ofRun(variables []variable, run, n int) []variable {
	own := make([]variable, len(variables))
	for k, v := range variables {
		size := len(v.values) / v.Dims[0] * n
		dims := append([]int{n}, v.Dims[1:]...)
		own[k] = variable{Path: v.Path, DType: v.DType, Dims: dims, values: v.values[run*size : (run+1)*size : (run+1)*size]}
	}
	return own
}
