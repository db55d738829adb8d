package sica

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gomlx/gomlx/ml/model"
	gomlx "github.com/gomlx/gomlx/ml/model/checkpoint"
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
//     η, and /stage_k/shares, the weights that they are averaged with. What they see beside
//     z_t is made as Config says; the weights of a Prediction aren't here, so that only
//     Transform applies those.
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
	if err := r.flow.Export(store); err != nil {
		return err
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
