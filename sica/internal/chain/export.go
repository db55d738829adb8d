package chain

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/sica/internal/field"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Export puts the variables of stage k = 1, 2, … into the scope /stage_k of the store, as
// sica.Result.ExportCheckpoint describes them.
func (c Chain) Export(store *model.Store) error {
	for k, s := range c {
		if err := s.export(store, fmt.Sprintf("/stage_%d", k+1)); err != nil {
			return fmt.Errorf("stage %d of %d: %w", k+1, len(c), err)
		}
	}
	return nil
}

// export puts the stage's variables into a scope of the store.
func (s Stage) export(store *model.Store, scope string) error {
	set := func(name string, values []float64, dims ...int) error {
		_, err := store.CreateVariable(scope+"/"+name, host.Tensor(values, dtypes.Float64, dims...))
		return err
	}
	if s.Learned != nil {
		for _, v := range s.Learned.Networks {
			v.Path = scope + v.Path
			if err := field.SetVariables(store, []field.Variable{v}); err != nil {
				return err
			}
		}
		if _, err := store.CreateVariable(scope+"/step", tensors.FromScalar(s.Learned.Size)); err != nil {
			return err
		}
		return set("shares", s.Learned.Weights, len(s.Learned.Weights))
	}
	if m, ok := s.Fixed.(*preprocess.Invertible); ok {
		var weights, biases, bends []float64
		for _, a := range m.Linear {
			weights, biases = append(weights, a.Matrix...), append(biases, biasesOf(a.Dense(), a.Centre, a.Offset)...)
		}
		for _, b := range m.Bends {
			bends = append(bends, b...)
		}
		n, d := len(m.Bends), len(m.Linear[0].Offset)
		if err := errors.Join(set("weights", weights, n+1, d, d), set("biases", biases, n+1, d)); err != nil || n == 0 {
			return err
		}
		return set("bends", bends, n, d)
	}
	w, _, centre, offset, err := s.linear()
	if errors.Is(err, ErrNotLinear) {
		return fmt.Errorf("a map %T has no variables: its values are those of the signals that it was fitted to, or a caller's", s.Fixed)
	}
	if err != nil {
		return err
	}
	k, d := w.Dims()
	return errors.Join(set("weights", mat.DenseCopyOf(w).RawMatrix().Data, k, d), set("biases", biasesOf(w, centre, offset), k))
}

// biasesOf are b in w·x + b = w·(x − centre) + offset.
func biasesOf(w mat.Matrix, centre, offset []float64) []float64 {
	var b mat.VecDense
	b.MulVec(w, mat.NewVecDense(len(centre), centre))
	b.SubVec(mat.NewVecDense(len(offset), offset), &b)
	return b.RawVector().Data
}
