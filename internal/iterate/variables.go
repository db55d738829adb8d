package iterate

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/host"
)

// A Variable is a variable of a store, copied to the host.
type Variable struct {
	Path   string    `json:"path"`
	DType  string    `json:"dtype"`
	Dims   []int     `json:"dims"`
	Values []float64 `json:"-"` // row-major; exact for floats and for integers below 2⁵³
}

// storeVariables copies the variables of a store whose paths begin with prefix.
func storeVariables(store *model.Store, prefix string) ([]Variable, error) {
	var variables []Variable
	for v := range store.IterVariables() {
		if !strings.HasPrefix(v.Path(), prefix) {
			continue
		}
		value, err := v.Value()
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", v.Path(), err)
		}
		values, err := hostValues(value)
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", v.Path(), err)
		}
		variables = append(variables, Variable{
			Path: v.Path(), DType: v.DType().String(), Dims: v.Shape().Dimensions, Values: values,
		})
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

// setVariables sets the variables in a store, and adds those that are missing.
func setVariables(store *model.Store, variables []Variable) error {
	for _, from := range variables {
		value, err := from.tensor()
		if err != nil {
			return fmt.Errorf("variable %q: %w", from.Path, err)
		}
		if v := store.GetVariable(from.Path); v != nil {
			err = v.SetValue(value)
		} else {
			_, err = store.CreateVariable(from.Path, value)
		}
		if err != nil {
			return fmt.Errorf("variable %q: %w", from.Path, err)
		}
	}
	return nil
}

func (v Variable) tensor() (*tensors.Tensor, error) {
	switch v.DType {
	case dtypes.Float32.String():
		return host.Tensor(v.Values, dtypes.Float32, v.Dims...), nil
	case dtypes.Float64.String():
		return host.Tensor(v.Values, dtypes.Float64, v.Dims...), nil
	case dtypes.Int64.String():
		whole := make([]int64, len(v.Values))
		for i, value := range v.Values {
			whole[i] = int64(value)
		}
		return tensors.FromFlatDataAndDimensions(whole, v.Dims...), nil
	}
	return nil, fmt.Errorf("dtype is %q; must be float32, float64 or int64", v.DType)
}

// variablesOfRun returns the variables of one run's n networks, consecutive along the first axis.
func variablesOfRun(variables []Variable, run, n int) []Variable {
	selected := make([]Variable, len(variables))
	for k, v := range variables {
		size := len(v.Values) / v.Dims[0] * n
		dims := append([]int{n}, v.Dims[1:]...)
		values := v.Values[run*size : (run+1)*size : (run+1)*size]
		selected[k] = Variable{Path: v.Path, DType: v.DType, Dims: dims, Values: values}
	}
	return selected
}

// writeVariables writes the values of variables one after another, as little-endian float64.
func writeVariables(path string, variables []Variable) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		for _, v := range variables {
			if err := binary.Write(w, binary.LittleEndian, v.Values); err != nil {
				return err
			}
		}
		return nil
	})
}

// readVariables reads the values that writeVariables wrote, for variables with the given paths,
// dtypes and dimensions.
func readVariables(path string, headers []Variable) ([]Variable, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	left := info.Size() / 8
	r := bufio.NewReader(f)
	variables := make([]Variable, len(headers))
	for k, v := range headers {
		n := int64(1)
		for _, dim := range v.Dims {
			if dim < 1 {
				return nil, fmt.Errorf("variable %q of dimensions %v", v.Path, v.Dims)
			}
			if int64(dim) > left/n {
				return nil, fmt.Errorf("%s is too short for variable %q", path, v.Path)
			}
			n *= int64(dim)
		}
		left -= n
		v.Values = make([]float64, n)
		if err := binary.Read(r, binary.LittleEndian, v.Values); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		variables[k] = v
	}
	if left > 0 {
		return nil, fmt.Errorf("%s is too long for its variables", path)
	}
	return variables, nil
}
