package sica

import (
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// SetBackend makes Transform and InverseTransform evaluate networks on a
// backend. A result of Fit has that of the fit, a loaded one pure Go.
func (r *Result) SetBackend(backend compute.Backend) { r.backend = backend }

// Transform maps other mixed signals x, d×n, as the fit mapped its own to Z, k×n: by the same
// transforms, method and iterations, with nothing fitted anew. The fit's mixed signals become Z, to
// 1e-5, or to the condition number of the mixed signals times float64's rounding if that is more.
// It doesn't change x.
//
// Every method and the family Linear take any n ≥ 1; so do networks that see a window, if it fits.
// They see the positions as an index of the given shape. It need not be given for sequences, or for
// as many positions as the fit had. Networks that see the whole sequence take no other number of
// positions than the fit's. Values beyond those of the fit get what its maps make of them: curves
// go on with the slopes of their ends, and a network may do anything.
//
// The signals must be in the order of the fit, which a matrix can't show: see Summary.Channels. It
// is an error if x has another number of signals or a value that isn't finite (ErrSignals), if the
// shape doesn't fit, or if x leads to a value that isn't finite.
func (r *Result) Transform(x *mat.Dense, shape ...int) (*mat.Dense, error) {
	maps, on, err := r.bound("x", x, r.channels, shape)
	if err != nil {
		return nil, inOperation("transform", err)
	}
	defer on.Close()
	z, err := mapping.ApplyAll(x, maps)
	return z, inOperation("transform", err)
}

// InverseTransform returns the mixed signals, d×n, that Transform takes to z, k×n, without what
// Config.Components left out of the fit's signals. RoundTrip measures how exact they are. Where the
// local standard deviation of preprocess.Conditional is no more than rounding, Transform takes
// several x to one z, and the inverse is one of them.
//
// Steps of the family Free are inverted by a fixed-point iteration. Where one
// doesn't contract the error wraps preprocess.ErrNotInvertible, as it does after a Config.Prepare
// without an inverse. The other errors are Transform's.
func (r *Result) InverseTransform(z *mat.Dense, shape ...int) (*mat.Dense, error) {
	maps, on, err := r.bound("z", z, r.components, shape)
	if err != nil {
		return nil, inOperation("inverse transform", err)
	}
	defer on.Close()
	x, err := mapping.Sequence(maps).Invert(z)
	return x, inOperation("inverse transform", err)
}

// RoundTrip returns how far from z Transform takes the InverseTransform of z, measured: the largest
// difference over all signals and positions. Its errors are theirs.
func (r *Result) RoundTrip(z *mat.Dense, shape ...int) (float64, error) {
	x, err := r.InverseTransform(z, shape...)
	if err != nil {
		return 0, err
	}
	again, err := r.Transform(x, shape...)
	if err != nil {
		return 0, err
	}
	again.Sub(again, z)
	return signal.MaxAbs(again), nil
}

// bound returns the maps that took the fit's signals to Z, for as many signals x, called name
// in an error, at positions of a shape; and what evaluates their networks, to be closed.
func (r *Result) bound(
	name string, x *mat.Dense, signals func() int, shape []int,
) ([]mapping.Map, *iterate.Evaluator, error) {
	if r.maps == nil {
		return nil, nil, fmt.Errorf("%s can't be mapped: %w", name, errNotFitted)
	}
	if err := checkNew(name, x, signals(), shape); err != nil {
		return nil, nil, err
	}
	if _, n := x.Dims(); len(shape) == 0 && grid.Product(r.Shape) == n {
		shape = r.Shape
	}
	var flow iterate.Config
	if r.Config.Flow != nil {
		flow = iterate.Config(*r.Config.Flow)
	}
	on := iterate.NewEvaluator(r.backend, flow, r.Shape, shape)
	return r.maps.Maps(on), on, nil
}

// checkNew returns an error unless x, called name, is as many signals at positions of the shape.
func checkNew(name string, x *mat.Dense, signals int, shape []int) error {
	if err := signal.AsErrSignals(signal.CheckNew(name, x, signals)); err != nil {
		return err
	}
	if len(shape) == 0 {
		return nil
	}
	_, n := x.Dims()
	if err := grid.Check(shape, n); err != nil {
		return fmt.Errorf("shape: %w", err)
	}
	return nil
}

var errNotFitted = errors.New("the result wasn't made by Fit or Load")

// ErrNotPointwise is wrapped by the error of CheckPointwise.
var ErrNotPointwise = iterate.ErrNotPointwise

// CheckPointwise returns an error unless Transform maps each position by itself, so that it may be
// given signals in blocks (package blockwise). Every Mode does so. The error for networks of the
// family Free, and for a custom transform without a method Pointwise that returns true, wraps
// ErrNotPointwise.
func (r *Result) CheckPointwise() error {
	if r.maps == nil {
		return fmt.Errorf("sica: %w", errNotFitted)
	}
	if err := r.maps.CheckPointwise(); err != nil {
		return fmt.Errorf("sica: %w", err)
	}
	return nil
}
