package sica

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// SetBackend makes Transform and InverseTransform evaluate networks on a
// backend. A result of Fit has that of the fit, a loaded one pure Go.
func (r *Result) SetBackend(backend compute.Backend) { r.backend = backend }

// Transform takes mixed signals x, d×n, the way that the fit's own took to Z: the
// start as it was fitted, then every iteration's step, with nothing fitted anew.
// The fit's mixed signals become Z, to 1e-5, and to the condition number of the
// mixed signals times float64's rounding if that is more. It doesn't change x.
//
// A flow of the family Linear and the starts take any n ≥ 1; so do networks that
// see a window, if it fits. They see the positions as an index of the given
// shape, which need not be given for sequences and for as many positions as the
// fit had. Networks that see the whole sequence take none other than the fit's.
//
// It is an error if x doesn't fit, has a value that isn't finite, or leads to
// one.
func (r *Result) Transform(x *mat.Dense, shape ...int) (*mat.Dense, error) {
	maps, on, err := r.maps("x", x, r.channels, shape)
	if err != nil {
		return nil, fmt.Errorf("sica: transform: %w", err)
	}
	defer on.Close()
	z, err := preprocess.ApplyAll(x, maps)
	if err != nil {
		return nil, fmt.Errorf("sica: transform: %w", err)
	}
	return z, nil
}

// InverseTransform returns the mixed signals that Transform takes to z, and how
// far from z it takes them, measured: the largest difference over all signals and
// positions. What comes to the same in Transform, such as a local deviation
// below rounding, can't be told apart.
//
// Steps of the family Free are inverted by a fixed-point iteration. Where one
// doesn't contract the error wraps preprocess.ErrNotInvertible. The other errors are
// Transform's.
func (r *Result) InverseTransform(z *mat.Dense, shape ...int) (x *mat.Dense, roundTrip float64, err error) {
	maps, on, err := r.maps("z", z, r.components, shape)
	if err != nil {
		return nil, 0, fmt.Errorf("sica: inverse transform: %w", err)
	}
	defer on.Close()
	x = mat.DenseCopyOf(z)
	for k, m := range slices.Backward(maps) {
		if x, err = m.Invert(x); err == nil {
			err = signal.CheckFinite(x)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("sica: inverse transform: stage %d of %d: %w", k+1, len(maps), err)
		}
	}
	again, err := preprocess.ApplyAll(x, maps)
	if err != nil {
		return nil, 0, fmt.Errorf("sica: inverse transform: measuring the round trip: %w", err)
	}
	again.Sub(again, z)
	return x, signal.LargestOf(again), nil
}

// maps are what took the fit's signals to Z, for as many signals x, called name in an
// error, at positions of a shape; and what evaluates their networks, to be closed.
func (r *Result) maps(name string, x *mat.Dense, signals func() int, shape []int) ([]preprocess.Map, *iterate.Evaluator, error) {
	if r.flow == nil {
		return nil, nil, fmt.Errorf("%s can't be mapped by this result: %w", name, errNotFitted)
	}
	if err := signal.CheckNew(name, x, signals()); err != nil {
		return nil, nil, err
	}
	_, n := x.Dims()
	if len(shape) > 0 {
		if _, err := grid.New(shape, n); err != nil {
			return nil, nil, err
		}
	} else if grid.Product(r.Shape) == n {
		shape = r.Shape
	}
	on := r.evaluator(shape)
	return r.flow.On(on), on, nil
}

var errNotFitted = errors.New("it wasn't made by Fit or Load")

// evaluator evaluates what the fit's networks learned on signals of a shape.
func (r *Result) evaluator(shape []int) *iterate.Evaluator {
	return iterate.NewEvaluator(r.backend, r.Config.networks(), r.Shape, shape)
}

// ErrNotPointwise is wrapped by the error of Pointwise.
var ErrNotPointwise = iterate.ErrNotPointwise

// Pointwise returns nil if Transform maps each position by itself, so that it may be given
// signals in blocks (package blockwise): as by Default and every start. The error for
// networks of the family Free, and for a transform of a caller's own, which may look
// elsewhere, wraps ErrNotPointwise.
func (r *Result) Pointwise() error {
	if r.flow == nil {
		return fmt.Errorf("sica: %w", errNotFitted)
	}
	if err := r.flow.Pointwise(); err != nil {
		return fmt.Errorf("sica: %w", err)
	}
	return nil
}
