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
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// A Step moves signals by Size times the velocity learned in one iteration, z ↦ z + Size·v(z). The
// velocity at a position also depends on the signals at other positions.
type Step struct {
	Size     float64     // the step size η, limited by MaxMove
	Weights  []float64   // weight of the networks with each view
	Ridge    [][]float64 // weights of each signal's prediction, for the context Prediction
	Networks []Variable  // with the networks of the run along the first axis
}

// Check returns an error unless s can be a step of the networks of cfg, for d signals of an index
// with the given number of axes.
func (s *Step) Check(cfg Config, d, axes int) error {
	if kinds := cfg.Networks() / cfg.folds(); len(s.Weights) != kinds {
		return fmt.Errorf("a step has %d weights; must have %d, one for each network of a fold",
			len(s.Weights), kinds)
	}
	if cfg.predicts() {
		reaches := len(grid.Reaches(cfg.window(), axes))
		wrong := func(w []float64) bool { return w != nil && len(w) != reaches }
		if len(s.Ridge) != d || slices.ContainsFunc(s.Ridge, wrong) {
			return fmt.Errorf("a step has predictions of other signals; must be of %d signals "+
				"from %d neighbours", d, reaches)
		}
	}
	return nil
}

// An Evaluator evaluates trained networks on signals of one size. Its methods aren't safe for
// concurrent use.
type Evaluator struct {
	backend  compute.Backend // nil for pure Go
	cfg      Config
	shape    []int     // shape of the signals' positions; empty if unknown
	fitted   []int     // shape of the positions of the fit
	compiled *networks // nil until the first step that needs it
}

// NewEvaluator returns an Evaluator of networks with the settings cfg, fitted to signals with the
// shape fitted, for signals with another shape. A nil backend means backend.Open(backend.Go).
func NewEvaluator(backend compute.Backend, cfg Config, fitted, shape []int) *Evaluator {
	return &Evaluator{backend: backend, cfg: cfg, shape: shape, fitted: fitted}
}

// Close frees the networks.
func (e *Evaluator) Close() {
	if e.compiled != nil {
		e.compiled.releaseNetworks()
	}
}

// networks returns the compiled networks for signals of z's size, with the variables of the step.
func (e *Evaluator) networks(z *mat.Dense, step *Step) (*networks, error) {
	if e.compiled == nil {
		d, n := z.Dims()
		g, err := e.index(n)
		if err != nil {
			return nil, err
		}
		backend, err := purego.Or(e.backend)
		if err != nil {
			return nil, err
		}
		e.compiled, err = acquire(context.Background(), false, backend, e.cfg, d, g,
			e.cfg.Networks())
		if err != nil {
			return nil, err
		}
	}
	e.compiled.ridge = step.Ridge
	return e.compiled, setVariables(e.compiled.store, step.Networks)
}

// index returns the index of n positions, or an error if the networks can't be evaluated on it.
func (e *Evaluator) index(n int) (*grid.Grid, error) {
	shape := e.shape
	if len(shape) == 0 {
		shape = []int{n}
	}
	switch {
	case e.cfg.Context == klflow.WholeSequence && !slices.Equal(shape, e.fitted):
		return nil, fmt.Errorf("the positions have the shape %v; must have %v as in the fit, for "+
			"networks over the whole sequence", shape, e.fitted)
	case len(e.shape) == 0 && len(e.fitted) > 1:
		return nil, fmt.Errorf("the shape of %d positions is missing; must be given, as those of "+
			"the fit had the shape %v", n, e.fitted)
	case len(shape) != len(e.fitted):
		return nil, fmt.Errorf("the shape %v has %d axes; must have %d, as the fit's shape %v",
			shape, len(shape), len(e.fitted), e.fitted)
	}
	g, err := grid.New(shape, n)
	if err != nil {
		return nil, fmt.Errorf("shape: %w", err)
	}
	if e.cfg.Context == klflow.WholeSequence {
		return g, nil
	}
	return g, e.cfg.validateWindows(shape)
}

// boundStep is a step as a map of signals of one size, with the evaluator of its networks.
type boundStep struct {
	*Step
	evaluator *Evaluator
}

func (s *boundStep) Apply(z *mat.Dense) (*mat.Dense, error) {
	move, err := s.move(z)
	if err != nil {
		return nil, err
	}
	move.Add(z, move)
	return move, nil
}

// move returns Size·v(z), d×n.
func (s *boundStep) move(z *mat.Dense) (*mat.Dense, error) {
	f, err := s.evaluator.networks(z, s.Step)
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

// Settings of the inversion of a step. Both are choices: with half, fewer steps can be inverted;
// with twice, errors for the others come later.
const (
	inversionRounds = 200 // the maximum number of rounds
	minShare        = 1. / 16
)

// Invert returns the z with z + Size·v(z) = y. It iterates z ← z + share·r(z), with the remainder
// r(z) = y − z − Size·v(z). The share begins at 1, with which the iteration converges if Size·v is
// a contraction. If a round doesn't reduce the largest absolute value of r, the next round starts
// from the best z with half the share, down to minShare.
func (s *boundStep) Invert(y *mat.Dense) (*mat.Dense, error) {
	tolerance := 2e-6
	if s.evaluator.cfg.Float64 {
		tolerance = 1e-12
	}
	tolerance *= max(1, signal.RMS(y))
	share, smallest := 1.0, math.Inf(1)
	best, remainder := y, mat.NewDense(y.RawMatrix().Rows, y.RawMatrix().Cols, nil) // of best
	z := y
	for range inversionRounds {
		r, err := s.move(z)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", mapping.ErrNotInvertible, err)
		}
		r.Add(z, r)
		r.Sub(y, r)
		size := signal.MaxAbs(r)
		switch {
		case size <= tolerance:
			return z, nil
		case size < smallest:
			best, remainder, smallest = z, r, size
		case share > minShare:
			share /= 2
		default:
			return nil, notContracting(smallest)
		}
		z = new(mat.Dense)
		z.Scale(share, remainder)
		z.Add(best, z)
	}
	return nil, notContracting(smallest)
}

// notContracting returns the error of Invert for the given smallest remainder.
func notContracting(remainder float64) error {
	return fmt.Errorf("%w: its velocity doesn't contract on these signals: the fixed-point "+
		"iteration leaves a difference of %.2g", mapping.ErrNotInvertible, remainder)
}
