package sica

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/field"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// stage is one map on the way from the mixed to the recovered signals: one that is
// fixed, or a step that networks learned. One of the two is set.
type stage struct {
	fixed   preprocess.Map
	learned *field.Step
}

// learnedStage is a step of size η of what networks have learned.
func learnedStage(step *field.Step, size float64) stage {
	step.Size = size
	return stage{learned: step}
}

// asStages are fixed maps as stages.
func asStages(maps []preprocess.Map) []stage {
	stages := []stage{}
	for _, m := range maps {
		stages = append(stages, stage{fixed: m})
	}
	return stages
}

// on is the stage as a map of the signals that e is for.
func (s stage) on(e *field.Evaluator) preprocess.Map {
	if s.learned != nil {
		return s.learned.On(e)
	}
	return s.fixed
}

// stageRecord is a stage in JSON, with the names of the files, in the same
// folder, of what is large in it.
type stageRecord struct {
	preprocess.Record // whose Kind is kindLearned for a step

	Step     float64          `json:"step,omitempty"`
	Weights  []float64        `json:"weights,omitempty"`
	Ridge    [][]float64      `json:"ridge,omitempty"`
	Networks []field.Variable `json:"networks,omitempty"`
	Values   string           `json:"values,omitempty"` // of the networks
}

// kindLearned is the kind of a step that networks learned.
const kindLearned = "flow"

// writeStages writes what is large in stages into files of dir whose names begin
// with prefix.
func writeStages(dir, prefix string, stages []stage) ([]stageRecord, error) {
	records := []stageRecord{}
	for k, s := range stages {
		r, err := s.write(dir, fmt.Sprintf("%sstage-%03d", prefix, k+1))
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

func (s stage) write(dir, name string) (stageRecord, error) {
	if s.learned == nil {
		r, err := preprocess.Write(dir, name, s.fixed)
		return stageRecord{Record: r}, err
	}
	r := stageRecord{
		Record: preprocess.Record{Kind: kindLearned},
		Step:   s.learned.Size, Weights: s.learned.Weights, Ridge: s.learned.Ridge,
		Networks: s.learned.Networks, Values: name + ".f64",
	}
	return r, writeVariables(filepath.Join(dir, r.Values), s.learned.Networks)
}

// readStages reads stages of a fit of d signals whose positions have a shape.
func readStages(dir string, records []stageRecord, cfg Config, d int, shape []int) ([]stage, error) {
	stages := []stage{}
	for k, r := range records {
		takes := d
		if k == 0 && len(records) > 1 && records[1].Reduction != nil {
			takes = len(records[1].Reduction.Mean) // what prepared the signals, before they were reduced
		}
		s, err := r.read(dir, cfg, takes, shape)
		if err != nil {
			return nil, fmt.Errorf("stage %d of %d: %w", k+1, len(records), err)
		}
		stages = append(stages, s)
	}
	return stages, nil
}

func (r stageRecord) read(dir string, cfg Config, d int, shape []int) (stage, error) {
	if r.Kind != kindLearned {
		m, err := r.Record.Read(dir, d, grid.Product(shape))
		return stage{fixed: m}, err
	}
	networks, err := readVariables(filepath.Join(dir, filepath.Base(r.Values)), r.Networks)
	if err != nil {
		return stage{}, err
	}
	step := &field.Step{Size: r.Step, Weights: r.Weights, Ridge: r.Ridge, Networks: networks}
	return stage{learned: step}, step.Check(cfg.networks(), d, len(shape))
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

// readSound is readSignals, and an error unless the signals can be separated.
func readSound(dir, name string, d, n int) (*mat.Dense, error) {
	z, err := readSignals(dir, name, d, n)
	if err != nil {
		return nil, err
	}
	return z, signal.Check(name, z)
}

// writeVariables writes the values of variables one after another, as float64,
// little end first.
func writeVariables(path string, variables []field.Variable) error {
	return datasets.WriteAtomic(path, func(w io.Writer) error {
		for _, v := range variables {
			if err := binary.Write(w, binary.LittleEndian, v.Values); err != nil {
				return err
			}
		}
		return nil
	})
}

// readVariables reads what writeVariables wrote for variables like the given
// ones.
func readVariables(path string, like []field.Variable) ([]field.Variable, error) {
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
	variables := make([]field.Variable, len(like))
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
