package sica

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	gomlx "github.com/gomlx/gomlx/ml/model/checkpoint"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/sica/internal/field"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// ExportCheckpoint writes what takes mixed signals to Z into the folder dir, which must
// not exist yet, as a checkpoint of GoMLX's package ml/model/checkpoint, for other programs
// of GoMLX; Load doesn't read it. checkpoint.Load(store).Dir(dir).Immediate().Done() puts
// these variables, float64, into a store, a scope for each stage k = 1, 2, … in order:
//
//   - of a linear stage, z = W·x + b: /stage_k/weights [outputs, inputs] and
//     /stage_k/biases [outputs];
//   - of an invertible network of n layers, z = W·x + b and then
//     z + c·(√(z² + 1) − 1) in each but the last: /stage_k/weights [n+1, d, d],
//     /stage_k/biases [n+1, d] and /stage_k/bends [n, d], as of layers.Invertible with its
//     factors multiplied;
//   - of a step that networks of the family Free learned, their own variables, in their
//     own precision, as VectorField.Network or this package's named them, below
//     /stage_k/field, the networks of the step along the first axis; with /stage_k/step,
//     η, and /stage_k/shares, the weights that they are averaged with.
//
// It is an error if a stage isn't one of these: Gaussianise and Conditional, which keep the
// signals that they were fitted to, and a transform of a caller's own.
func (r *Result) ExportCheckpoint(dir string) error {
	if err := r.export(dir); err != nil {
		return fmt.Errorf("sica: export: %w", err)
	}
	return nil
}

func (r *Result) export(dir string) error {
	if r.flow == nil {
		return errNotFitted
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s is there already: want a new folder", dir)
		}
		return err
	}
	store := model.NewStore()
	defer store.Finalize()
	for k, s := range r.flow {
		if err := s.export(store, fmt.Sprintf("/stage_%d", k+1)); err != nil {
			return fmt.Errorf("stage %d of %d: %w", k+1, len(r.flow), err)
		}
	}
	dir = filepath.Clean(dir)
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".sica-*.tmp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	whole := filepath.Join(temp, "checkpoint") // with a new folder's permissions
	handler, err := gomlx.Build(store).Dir(whole).Done()
	if err != nil {
		return err
	}
	if err := handler.Save(); err != nil {
		return err
	}
	return os.Rename(whole, dir)
}

// export puts the stage's variables into a scope of the store.
func (s stage) export(store *model.Store, scope string) error {
	set := func(name string, values []float64, dims ...int) error {
		_, err := store.CreateVariable(scope+"/"+name, host.Tensor(values, dtypes.Float64, dims...))
		return err
	}
	if s.learned != nil {
		for _, v := range s.learned.Networks {
			v.Path = scope + v.Path
			if err := field.SetVariables(store, []field.Variable{v}); err != nil {
				return err
			}
		}
		if _, err := store.CreateVariable(scope+"/step", tensors.FromScalar(s.learned.Size)); err != nil {
			return err
		}
		return set("shares", s.learned.Weights, len(s.learned.Weights))
	}
	if m, ok := s.fixed.(*preprocess.Invertible); ok {
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
		return fmt.Errorf("a map %T has no variables: its values are those of the signals that it was fitted to, or a caller's", s.fixed)
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
