package chain

import (
	"fmt"
	"path/filepath"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/internal/field"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Record is a stage in JSON, with the names of the files, in the same
// folder, of what is large in it.
type Record struct {
	preprocess.Record // whose Kind is kindLearned for a step

	Step     float64          `json:"step,omitempty"`
	Weights  []float64        `json:"weights,omitempty"`
	Ridge    [][]float64      `json:"ridge,omitempty"`
	Networks []field.Variable `json:"networks,omitempty"`
	Values   string           `json:"values,omitempty"` // of the networks
}

// kindLearned is the kind of a step that networks learned.
const kindLearned = "flow"

// Write writes what is large in the stages into files of dir whose names begin with
// prefix.
func (c Chain) Write(dir, prefix string) ([]Record, error) {
	records := []Record{}
	for k, s := range c {
		r, err := s.write(dir, fmt.Sprintf("%sstage-%03d", prefix, k+1))
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

func (s Stage) write(dir, name string) (Record, error) {
	if s.Learned == nil {
		r, err := preprocess.Write(dir, name, s.Fixed)
		return Record{Record: r}, err
	}
	r := Record{
		Record: preprocess.Record{Kind: kindLearned},
		Step:   s.Learned.Size, Weights: s.Learned.Weights, Ridge: s.Learned.Ridge,
		Networks: s.Learned.Networks, Values: name + ".f64",
	}
	return r, field.WriteVariables(filepath.Join(dir, r.Values), s.Learned.Networks)
}

// Read reads the stages of a fit of d signals whose positions have a shape and whose
// networks are those of cfg.
func Read(dir string, records []Record, cfg field.Config, d int, shape []int) (Chain, error) {
	c := Chain{}
	for k, r := range records {
		takes := d
		if k == 0 && len(records) > 1 && records[1].Reduction != nil {
			takes = len(records[1].Reduction.Mean) // what prepared the signals, before they were reduced
		}
		s, err := r.read(dir, cfg, takes, shape)
		if err != nil {
			return nil, fmt.Errorf("stage %d of %d: %w", k+1, len(records), err)
		}
		c = append(c, s)
	}
	return c, nil
}

func (r Record) read(dir string, cfg field.Config, d int, shape []int) (Stage, error) {
	if r.Kind != kindLearned {
		m, err := r.Record.Read(dir, d, grid.Product(shape))
		return Stage{Fixed: m}, err
	}
	networks, err := field.ReadVariables(filepath.Join(dir, filepath.Base(r.Values)), r.Networks)
	if err != nil {
		return Stage{}, err
	}
	step := &field.Step{Size: r.Step, Weights: r.Weights, Ridge: r.Ridge, Networks: networks}
	return Stage{Learned: step}, step.Check(cfg, d, len(shape))
}
