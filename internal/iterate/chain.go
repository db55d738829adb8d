package iterate

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// A Stage is one map of a Chain: a fixed map, or a step that networks learned.
type Stage struct {
	Fixed   mapping.Map
	Learned *Step
}

// A Chain is a list of stages in the order in which they are applied.
type Chain []Stage

// NewChain returns a chain of fixed maps.
func NewChain(maps []mapping.Map) Chain {
	c := Chain{}
	for _, m := range maps {
		c = append(c, Stage{Fixed: m})
	}
	return c
}

// Stage returns a copy of the step with the size η as a stage.
func (s *Step) Stage(size float64) Stage {
	sized := *s
	sized.Size = size
	return Stage{Learned: &sized}
}

// Maps returns the stages as maps for signals of the evaluator's size.
func (c Chain) Maps(e *Evaluator) []mapping.Map {
	maps := make([]mapping.Map, len(c))
	for k, s := range c {
		if maps[k] = s.Fixed; s.Learned != nil {
			maps[k] = &boundStep{s.Learned, e}
		}
	}
	return maps
}

// ErrNotPointwise is wrapped by the error of CheckPointwise.
var ErrNotPointwise = errors.New("it may see other positions than the one that it maps")

// CheckPointwise returns an error unless each stage maps each position independently of the others.
func (c Chain) CheckPointwise() error {
	for k, s := range c {
		if s.Learned != nil {
			return fmt.Errorf("map %d of %d is a step that networks learned: %w",
				k+1, len(c), ErrNotPointwise)
		}
		if !mapping.IsPointwise(s.Fixed) {
			return fmt.Errorf("map %d of %d is a custom transform without a method Pointwise that "+
				"returns true: %w", k+1, len(c), ErrNotPointwise)
		}
	}
	return nil
}

// Matrices returns the matrices of a linear chain for n signals: z = w·(x − mean), and the inverse
// x = mean + a·z, without the components that a reduction or a singular map removes. For other
// chains the error wraps ica.ErrNotLinear. It wraps mapping.ErrNotInvertible unless w·a = 1.
func (c Chain) Matrices(n int) (w, a *mat.Dense, mean []float64, err error) {
	if w, a, mean, err = c.matrices(n); err != nil {
		return nil, nil, nil, err
	}
	var product mat.Dense
	product.Mul(w, a)
	if k, _ := product.Dims(); !mat.EqualApprox(&product, rotation.Identity(k), maxInverseError) {
		return nil, nil, nil, fmt.Errorf("the maps are singular; use Transform, which needs no "+
			"inverse: %w", mapping.ErrNotInvertible)
	}
	return w, a, mean, nil
}

// matrices is Matrices without the check that w·a = 1.
func (c Chain) matrices(n int) (w, a *mat.Dense, mean []float64, err error) {
	w, a, mean = rotation.Identity(n), rotation.Identity(n), make([]float64, n)
	for k, s := range c {
		signals, _ := w.Dims()
		stageW, stageA, centre, offset, err := s.linear(signals)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("map %d of %d: %w", k+1, len(c), err)
		}
		// z = w·(x − mean) becomes stageW·(z − centre) + offset = stageW·(z − shift).
		shift := mat.NewVecDense(len(centre), slices.Clone(centre))
		if floats.Norm(offset, 1) > 0 {
			var before mat.VecDense
			before.MulVec(stageA, mat.NewVecDense(len(offset), offset))
			shift.SubVec(shift, &before)
		}
		var moved mat.VecDense
		moved.MulVec(a, shift)
		floats.Add(mean, moved.RawVector().Data)
		var nextW, nextA mat.Dense
		nextW.Mul(stageW, w)
		nextA.Mul(a, stageA)
		w, a = &nextW, &nextA
	}
	return w, a, mean, nil
}

// maxInverseError is the largest error of an entry of w·a. It is a choice, far above rounding and
// below 1, the error for a signal that a singular map removes.
const maxInverseError = 1e-3

// linear returns the Matrices of the stage for n signals; see mapping.Linear. The error is
// ica.ErrNotLinear if it has none.
func (s Stage) linear(n int) (w, a *mat.Dense, centre, offset []float64, err error) {
	switch m := s.Fixed.(type) {
	case mapping.Linear:
		return m.Matrices()
	case mapping.Sequence:
		if w, a, centre, err = NewChain(m).matrices(n); err != nil {
			return nil, nil, nil, nil, err
		}
		outputs, _ := w.Dims()
		return w, a, centre, make([]float64, outputs), nil
	}
	return nil, nil, nil, nil, ica.ErrNotLinear
}

// Record is a stage in JSON, with the names of the files in the same folder that hold its large
// arrays.
type Record struct {
	mapping.Record // whose Kind is kindLearned for a step

	Step     float64     `json:"step,omitempty"`
	Weights  []float64   `json:"weights,omitempty"`
	Ridge    [][]float64 `json:"ridge,omitempty"`
	Networks []Variable  `json:"networks,omitempty"`
	Values   string      `json:"values,omitempty"` // of the networks
}

// kindLearned is the kind of a step that networks learned.
const kindLearned = "flow"

// Write writes the large arrays of the stages to files in dir whose names begin with prefix, and
// returns the records of the stages.
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
		r, err := mapping.Write(dir, name, s.Fixed)
		return Record{Record: r}, err
	}
	r := Record{
		Record: mapping.Record{Kind: kindLearned},
		Step:   s.Learned.Size, Weights: s.Learned.Weights, Ridge: s.Learned.Ridge,
		Networks: s.Learned.Networks, Values: name + ".f64",
	}
	return r, writeVariables(filepath.Join(dir, r.Values), s.Learned.Networks)
}

// ReadChain reads the stages of a fit of d signals at positions of the given shape, with the
// networks of cfg; nil for a fit without iterations.
func ReadChain(dir string, records []Record, cfg *Config, d int, shape []int) (Chain, error) {
	c := Chain{}
	for k, r := range records {
		inputs := d
		if k == 0 && len(records) > 1 && records[1].Reduction != nil {
			inputs = len(records[1].Reduction.Mean) // of Config.Prepare, before the reduction
		}
		s, err := r.read(dir, cfg, inputs, shape)
		if err != nil {
			return nil, fmt.Errorf("map %d of %d: %w", k+1, len(records), err)
		}
		c = append(c, s)
	}
	return c, nil
}

func (r Record) read(dir string, cfg *Config, d int, shape []int) (Stage, error) {
	if r.Kind != kindLearned {
		m, err := r.Record.Read(dir, d, grid.Product(shape))
		return Stage{Fixed: m}, err
	}
	if cfg == nil {
		return Stage{}, errors.New("a step that networks learned, in a fit without iterations")
	}
	networks, err := readVariables(filepath.Join(dir, filepath.Base(r.Values)), r.Networks)
	if err != nil {
		return Stage{}, err
	}
	step := &Step{Size: r.Step, Weights: r.Weights, Ridge: r.Ridge, Networks: networks}
	return Stage{Learned: step}, step.Check(*cfg, d, len(shape))
}
