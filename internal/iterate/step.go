package iterate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/purego"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Step moves signals by Size times the velocity that one iteration learned,
// z ↦ z + Size·v(z), where v sees all positions. On makes it a Map of signals of one
// size.
type Step struct {
	Size     float64     // η, cut to the largest move
	Weights  []float64   // of the networks of each view
	Ridge    [][]float64 // of each signal's prediction, for the context Prediction
	Networks []Variable  // the networks of the run along the first axis
}

// Check returns an error unless s is a step of networks that cfg stands for, which saw
// d signals of an index of so many axes.
func (s *Step) Check(cfg Config, d, axes int) error {
	if kinds := cfg.Networks() / cfg.folds(); len(s.Weights) != kinds {
		return fmt.Errorf("%d weights for %d networks of a fold", len(s.Weights), kinds)
	}
	if cfg.predicts() {
		reaches := len(grid.Reaches(cfg.window(), axes))
		wrong := func(w []float64) bool { return w != nil && len(w) != reaches }
		if len(s.Ridge) != d || slices.ContainsFunc(s.Ridge, wrong) {
			return fmt.Errorf("the predictions aren't of %d signals from %d neighbours", d, reaches)
		}
	}
	return nil
}

// An Evaluator evaluates what networks have learned on signals of one size. Its
// methods aren't safe for concurrent use.
type Evaluator struct {
	backend compute.Backend // nil for pure Go
	cfg     Config
	shape   []int     // of the signals' positions, empty if it isn't known
	fitted  []int     // the shape that the networks were fitted on
	made    *networks // nil until the first step that needs it
}

// NewEvaluator evaluates networks of a config, fitted to signals of one shape, on
// signals of another. Without a backend that is done in pure Go.
func NewEvaluator(backend compute.Backend, cfg Config, fitted, shape []int) *Evaluator {
	return &Evaluator{backend: backend, cfg: cfg, shape: shape, fitted: fitted}
}

// Close frees the networks.
func (e *Evaluator) Close() {
	if e.made != nil {
		e.made.releaseNetworks()
	}
}

// orPureGo is backend, or the pure-Go one if it is nil.
func orPureGo(backend compute.Backend) (compute.Backend, error) {
	if backend != nil {
		return backend, nil
	}
	return purego.New()
}

// networks are those of a step for signals of z's size.
func (e *Evaluator) networks(z *mat.Dense, step *Step) (*networks, error) {
	if e.made == nil {
		d, n := z.Dims()
		g, err := e.index(n)
		if err != nil {
			return nil, err
		}
		backend, err := orPureGo(e.backend)
		if err != nil {
			return nil, err
		}
		e.made, err = acquire("learned", newLearned, backend, e.cfg, d, g, e.cfg.Networks())
		if err != nil {
			return nil, err
		}
	}
	e.made.ridge = step.Ridge
	return e.made, SetVariables(e.made.store, step.Networks)
}

// index is that of n positions, if the networks can see it.
func (e *Evaluator) index(n int) (*grid.Grid, error) {
	shape := e.shape
	if len(shape) == 0 {
		shape = []int{n}
	}
	switch {
	case e.cfg.Context == WholeSequence && !slices.Equal(shape, e.fitted):
		return nil, fmt.Errorf("networks over the whole sequence map positions of the fit's shape %v "+
			"only, not of %v", e.fitted, shape)
	case len(e.shape) == 0 && len(e.fitted) > 1:
		return nil, fmt.Errorf("%d positions: the fit's had the shape %v; give the shape of these",
			n, e.fitted)
	case len(shape) != len(e.fitted):
		return nil, fmt.Errorf("shape %v has %d axes, the fit's shape %v has %d",
			shape, len(shape), e.fitted, len(e.fitted))
	}
	g, err := grid.New(shape, n)
	if err != nil || e.cfg.Context == WholeSequence {
		return g, err
	}
	return g, e.cfg.ValidateWindows(shape)
}

// On is the step as a map of signals that the evaluator is for.
func (s *Step) On(e *Evaluator) mapping.Map { return &boundStep{s, e} }

// boundStep is a step with what evaluates its networks.
type boundStep struct {
	*Step
	on *Evaluator
}

func (s *boundStep) Apply(z *mat.Dense) (*mat.Dense, error) {
	move, err := s.move(z)
	if err != nil {
		return nil, err
	}
	move.Add(z, move)
	return move, nil
}

// move is Size·v(z).
func (s *boundStep) move(z *mat.Dense) (*mat.Dense, error) {
	f, err := s.on.networks(z, s.Step)
	if err != nil {
		return nil, err
	}
	d, n := z.Dims()
	flat := mat.DenseCopyOf(z).RawMatrix().Data
	values := slices.Repeat([][]float64{flat}, f.count)
	data := f.data(values)
	defer f.release(data)
	moves, err := f.moves(context.Background(), data, values)
	if err != nil {
		f.failed = true
		return nil, err
	}
	combined := f.cfg.combine(moves, s.Weights)
	floats.Scale(s.Size, combined)
	for _, v := range combined {
		if !signal.Finite(v) {
			return nil, fmt.Errorf("the velocity of these signals: %w", signal.ErrNotFinite)
		}
	}
	return mat.NewDense(d, n, combined), nil
}

// How a step is inverted.
const (
	inversionRounds = 200
	// minShare is the least share of a round that is tried.
	minShare = 1. / 16
)

// Invert finds the z with z + Size·v(z) = y by the fixed-point iteration
// z ← z + share·(y − z − Size·v(z)). The share is 1, which converges if Size·v
// contracts; where the remainder grows it is halved, which converges if z itself
// outweighs what Size·v takes away.
func (s *boundStep) Invert(y *mat.Dense) (*mat.Dense, error) {
	tolerance := 2e-6
	if s.on.cfg.Float64 {
		tolerance = 1e-12
	}
	tolerance *= max(1, signal.RMS(y))
	share, least := 1.0, math.Inf(1)
	best, rest := y, mat.NewDense(y.RawMatrix().Rows, y.RawMatrix().Cols, nil) // at best
	z := y
	for range inversionRounds {
		move, err := s.move(z)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", mapping.ErrNotInvertible, err)
		}
		move.Add(z, move)
		move.Sub(y, move)
		size := signal.MaxAbs(move)
		switch {
		case size <= tolerance:
			return z, nil
		case size < least:
			best, rest, least = z, move, size
		case share > minShare:
			share /= 2
		default:
			return nil, notContracting(least)
		}
		z = new(mat.Dense)
		z.Scale(share, rest)
		z.Add(best, z)
	}
	return nil, notContracting(least)
}

func notContracting(least float64) error {
	return fmt.Errorf("%w: its velocity doesn't contract on these signals: the fixed-point "+
		"iteration leaves a difference of %.2g", mapping.ErrNotInvertible, least)
}
