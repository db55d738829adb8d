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

// SetBackend sets the backend on which Transform and InverseTransform evaluate networks. The
// default is the backend of the fit, and pure Go for a loaded result.
func (r *Result) SetBackend(backend compute.Backend) { r.backend = backend }

// Transform maps other mixed signals x, d×n, to recovered signals, k×n, by the transforms, method
// and iterations of the fit, with nothing fitted anew. It doesn't change x. The mixed signals of
// the fit become Z to 1e-5, or to the condition number of the mixed signals times float64's
// rounding if that is more.
//
// Every method and the family Linear take any n ≥ 1; so do networks over a window, if it fits. The
// positions are an index of the given shape, which may be omitted for sequences, and for as many
// positions as the fit had. Networks over the whole sequence require the number of positions of the
// fit. Values outside the range of the fit are extrapolated: curves continue with the slopes of
// their ends, but a network may return anything.
//
// The signals must be in the order of the fit, which Transform can't check: see Summary.Channels.
// It is an error, which wraps ErrSignals, if x has a different number of signals or a value that
// isn't finite, or if the shape doesn't fit. It is also one if x leads to a value that isn't finite.
func (r *Result) Transform(x *mat.Dense, shape ...int) (*mat.Dense, error) {
	maps, on, err := r.bound("x", x, r.channels, shape)
	if err != nil {
		return nil, inOperation("transform", err)
	}
	defer on.Close()
	z, err := mapping.ApplyAll(x, maps)
	return z, inOperation("transform", err)
}

// InverseTransform returns the mixed signals, d×n, that Transform maps to z, k×n, without the
// components that Config.Components left out. RoundTrip measures how exact they are. Where the
// local standard deviation of preprocess.Conditional is no more than rounding, Transform maps
// several x to one z, and the inverse is one of these.
//
// Steps of the family Free are inverted by a fixed-point iteration. If a step doesn't contract, the
// error wraps preprocess.ErrNotInvertible. The other errors are those of Transform.
func (r *Result) InverseTransform(z *mat.Dense, shape ...int) (*mat.Dense, error) {
	maps, on, err := r.bound("z", z, r.components, shape)
	if err != nil {
		return nil, inOperation("inverse transform", err)
	}
	defer on.Close()
	x, err := mapping.Sequence(maps).Invert(z)
	return x, inOperation("inverse transform", err)
}

// RoundTrip returns the largest difference, over all signals and positions, between z and the
// Transform of the InverseTransform of z. The errors are those of both.
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
		return signal.AsErrSignals(fmt.Errorf("shape: %w", err))
	}
	return nil
}

var errNotFitted = errors.New("the result wasn't made by Fit or Load")

// ErrNotPointwise is wrapped by the error of CheckPointwise.
var ErrNotPointwise = iterate.ErrNotPointwise

// CheckPointwise returns an error unless Transform maps each position independently, as every
// Mode does, so that signals may be passed in blocks (package blockwise). The error wraps
// ErrNotPointwise for networks of the family Free, and for a custom transform without a method
// Pointwise that returns true.
func (r *Result) CheckPointwise() error {
	if r.maps == nil {
		return fmt.Errorf("sica: %w", errNotFitted)
	}
	if err := r.maps.CheckPointwise(); err != nil {
		return fmt.Errorf("sica: %w", err)
	}
	return nil
}
