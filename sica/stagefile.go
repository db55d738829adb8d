package sica

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/layers"
)

// stageRecord is a stage in JSON, with the names of the files, in the same
// folder, of what is large in it.
type stageRecord struct {
	Kind string `json:"kind"`

	Affine    *affine    `json:"affine,omitempty"` // of affine, and what ends conditioned
	Symmetric *symmetric `json:"symmetric,omitempty"`

	Signals string    `json:"signals,omitempty"` // that normalised or conditioned was fitted to
	Axes    []float64 `json:"axes,omitempty"`    // of conditioned, row-major
	Means   []float64 `json:"means,omitempty"`

	Step     float64     `json:"step,omitempty"` // of flowStep
	Weights  []float64   `json:"weights,omitempty"`
	Ridge    [][]float64 `json:"ridge,omitempty"`
	Networks []variable  `json:"networks,omitempty"`
	Values   string      `json:"values,omitempty"` // of the networks
}

// The kinds of stages.
const (
	kindAffine      = "affine"
	kindSymmetric   = "zca"
	kindNormalised  = "quantiles"
	kindConditioned = "conditional"
	kindFlowStep    = "flow"
)

// writeStages writes what is large in stages into files of dir whose names begin
// with prefix.
func writeStages(dir, prefix string, stages []stage) ([]stageRecord, error) {
	records := []stageRecord{}
	for k, s := range stages {
		r, err := writeStage(dir, fmt.Sprintf("%sstage-%03d", prefix, k+1), s)
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

func writeStage(dir, name string, s stage) (stageRecord, error) {
	switch s := s.(type) {
	case *affine:
		return stageRecord{Kind: kindAffine, Affine: s}, nil
	case *symmetric:
		return stageRecord{Kind: kindSymmetric, Symmetric: s}, nil
	case *normalised:
		r := stageRecord{Kind: kindNormalised, Signals: name + ".npy"}
		return r, datasets.WriteFile(filepath.Join(dir, r.Signals), s.signals)
	case *conditioned:
		r := stageRecord{
			Kind: kindConditioned, Affine: s.whitened, Signals: name + ".npy",
			Axes: mat.DenseCopyOf(s.axes).RawMatrix().Data, Means: s.means,
		}
		return r, datasets.WriteFile(filepath.Join(dir, r.Signals), s.fitted)
	case *flowStep:
		r := stageRecord{
			Kind: kindFlowStep, Step: s.step, Weights: s.weights, Ridge: s.ridge,
			Networks: s.networks, Values: name + ".f64",
		}
		return r, writeVariables(filepath.Join(dir, r.Values), s.networks)
	}
	return stageRecord{}, fmt.Errorf("a stage %T can't be saved", s)
}

// readStages reads stages of a fit of d signals whose positions have a shape.
func readStages(dir string, records []stageRecord, cfg Config, d int, shape []int) ([]stage, error) {
	stages := []stage{}
	for k, r := range records {
		s, err := readStage(dir, r, cfg, d, shape)
		if err != nil {
			return nil, fmt.Errorf("stage %d of %d: %w", k+1, len(records), err)
		}
		stages = append(stages, s)
	}
	return stages, nil
}

func readStage(dir string, r stageRecord, cfg Config, d int, shape []int) (stage, error) {
	switch r.Kind {
	case kindAffine:
		return r.Affine, r.Affine.check(d)
	case kindSymmetric:
		return r.Symmetric, r.Symmetric.check(d)
	case kindNormalised:
		signals, err := readFitted(dir, r.Signals, d, product(shape))
		if err != nil {
			return nil, err
		}
		return newNormalised(signals), nil
	case kindConditioned:
		fitted, err := readFitted(dir, r.Signals, d, product(shape))
		if err != nil {
			return nil, err
		}
		if len(r.Axes) != d*d || len(r.Means) != d {
			return nil, fmt.Errorf("%d axes and %d means of %d signals", len(r.Axes), len(r.Means), d)
		}
		c := &conditioned{axes: mat.NewDense(d, d, r.Axes), means: r.Means, fitted: fitted, whitened: r.Affine}
		c.fit()
		return c, r.Affine.check(d)
	case kindFlowStep:
		networks, err := readVariables(filepath.Join(dir, filepath.Base(r.Values)), r.Networks)
		if err != nil {
			return nil, err
		}
		f := &flowStep{step: r.Step, weights: r.Weights, ridge: r.Ridge, networks: networks}
		return f, f.check(cfg, d, shape)
	}
	return nil, fmt.Errorf("unknown kind %q", r.Kind)
}

// check returns an error unless a is a map of d signals.
func (a *affine) check(d int) error {
	if a == nil || len(a.Centre) != d || len(a.Offset) != d || len(a.Matrix) != d*d {
		return fmt.Errorf("a linear map isn't one of %d signals", d)
	}
	return nil
}

func (s *symmetric) check(d int) error {
	if s == nil || len(s.Centre) != d || len(s.Spread) != d || len(s.Axes) != d*d {
		return fmt.Errorf("a whitening isn't one of %d signals", d)
	}
	return nil
}

// check returns an error unless f is a step of networks that cfg stands for.
func (f *flowStep) check(cfg Config, d int, shape []int) error {
	if kinds := cfg.networks() / cfg.folds(); len(f.weights) != kinds {
		return fmt.Errorf("%d weights for %d networks of a fold", len(f.weights), kinds)
	}
	if cfg.Context == Prediction {
		reaches := len(layers.Reaches(cfg.window(), len(shape)))
		if len(f.ridge) != d || slices.ContainsFunc(f.ridge, func(w []float64) bool { return w != nil && len(w) != reaches }) {
			return fmt.Errorf("the predictions aren't of %d signals from %d neighbours", d, reaches)
		}
	}
	return nil
}

// readSignals reads a file of d signals at n positions in dir.
func readSignals(dir, name string, d, n int) (*mat.Dense, error) {
	z, err := datasets.ReadFile(filepath.Join(dir, filepath.Base(name)))
	if err != nil {
		return nil, err
	}
	if rows, columns := z.Dims(); rows != d || columns != n {
		return nil, fmt.Errorf("%s has %d signals at %d positions, want %d at %d", name, rows, columns, d, n)
	}
	return z, nil
}

// readFitted reads signals that a stage was fitted to.
func readFitted(dir, name string, d, n int) (*mat.Dense, error) {
	z, err := readSignals(dir, name, d, n)
	if err != nil {
		return nil, err
	}
	return z, checkSignals(name, z)
}

// writeVariables writes the values of variables one after another, as float64,
// little end first.
func writeVariables(path string, variables []variable) error {
	return datasets.WriteAtomic(path, func(w io.Writer) error {
		for _, v := range variables {
			if err := binary.Write(w, binary.LittleEndian, v.values); err != nil {
				return err
			}
		}
		return nil
	})
}

// readVariables reads what writeVariables wrote for variables like the given
// ones.
func readVariables(path string, like []variable) ([]variable, error) {
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
	variables := make([]variable, len(like))
	for k, v := range like {
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
		v.values = make([]float64, n)
		if err := binary.Read(r, binary.LittleEndian, v.values); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		variables[k] = v
	}
	if left > 0 {
		return nil, fmt.Errorf("%s is too long for its variables", path)
	}
	return variables, nil
}
