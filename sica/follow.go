package sica

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"gonum.org/v1/gonum/mat"
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
	on, err := r.follower(x, shape)
	if err != nil {
		return nil, fmt.Errorf("sica: transform: x %w", err)
	}
	defer on.close()
	z, err := r.follow(x, on)
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
// doesn't contract the error wraps ErrNotInvertible. The other errors are
// Transform's.
func (r *Result) InverseTransform(z *mat.Dense, shape ...int) (x *mat.Dense, roundTrip float64, err error) {
	on, err := r.follower(z, shape)
	if err != nil {
		return nil, 0, fmt.Errorf("sica: inverse transform: z %w", err)
	}
	defer on.close()
	x = mat.DenseCopyOf(z)
	for k, s := range slices.Backward(r.flow) {
		if x, err = s.invert(x, on); err == nil {
			err = checkFinite(x)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("sica: inverse transform: stage %d of %d: %w", k+1, len(r.flow), err)
		}
	}
	again, err := r.follow(x, on)
	if err != nil {
		return nil, 0, fmt.Errorf("sica: inverse transform: measuring the round trip: %w", err)
	}
	again.Sub(again, z)
	return x, max(mat.Max(again), -mat.Min(again)), nil
}

// follow applies every stage.
func (r *Result) follow(x *mat.Dense, on *follower) (*mat.Dense, error) {
	z := mat.DenseCopyOf(x)
	for k, s := range r.flow {
		var err error
		if z, err = s.apply(z, on); err == nil {
			err = checkFinite(z)
		}
		if err != nil {
			return nil, fmt.Errorf("stage %d of %d: %w", k+1, len(r.flow), err)
		}
	}
	return z, nil
}

// follower evaluates what networks have learned, for signals of one size.
type follower struct {
	cfg     Config
	fitted  []int // the shape that the networks were fitted on
	backend compute.Backend
	made    *field // nil until the first step that needs it
}

// follower checks that x fits the result and returns what follows its steps.
func (r *Result) follower(x *mat.Dense, shape []int) (*follower, error) {
	if r.flow == nil {
		return nil, errors.New("can't be mapped by this result, which wasn't made by Fit or Load")
	}
	if x == nil || x.IsEmpty() {
		return nil, errors.New("is empty: want a row for each signal and a column for each position")
	}
	d, n := x.Dims()
	if fitted, _ := r.Z.Dims(); d != fitted {
		return nil, fmt.Errorf("has %d signals, the fit had %d", d, fitted)
	}
	if err := checkFinite(x); err != nil {
		return nil, err
	}
	cfg := r.Config
	cfg.Shape = shape
	if product(r.shape) == n && len(shape) == 0 {
		cfg.Shape = r.shape
	}
	return &follower{cfg: cfg, fitted: r.shape, backend: r.backend}, nil
}

// field is the field of a step's networks for signals of z's size.
func (o *follower) field(z *mat.Dense, step *flowStep) (*field, error) {
	if o.made == nil {
		if err := o.check(z); err != nil {
			return nil, err
		}
		if o.backend == nil {
			var err error
			// One operation at a time: see the package backend.
			if o.backend, err = gobackend.New("ops_sequential"); err != nil {
				return nil, err
			}
		}
		d, n := z.Dims()
		var err error
		if o.made, err = newLearnedField(o.backend, o.cfg, d, n, o.cfg.networks()); err != nil {
			return nil, err
		}
	}
	o.made.ridge = step.ridge
	return o.made, setVariables(o.made.store, step.networks)
}

// check returns an error unless the networks can see signals of z's size.
func (o *follower) check(z *mat.Dense) error {
	d, n := z.Dims()
	if o.cfg.Context == WholeSequence && !slices.Equal(o.cfg.indexShape(n), o.fitted) {
		return fmt.Errorf("networks over the whole sequence map positions of the fit's shape %v only, not of %v", o.fitted, o.cfg.indexShape(n))
	}
	if len(o.cfg.Shape) == 0 && len(o.fitted) > 1 {
		return fmt.Errorf("%d positions: the fit's had the shape %v; give the shape of these", n, o.fitted)
	}
	if len(o.cfg.indexShape(n)) != len(o.fitted) {
		return fmt.Errorf("shape %v has %d axes, the fit's shape %v has %d", o.cfg.Shape, len(o.cfg.Shape), o.fitted, len(o.fitted))
	}
	cfg := o.cfg
	cfg.Settled, cfg.Rotations, cfg.Alternatives, cfg.KeepBest = 0, 0, nil, false
	if err := cfg.validateSignals(d, n); err != nil {
		return err
	}
	if cfg.Context == WholeSequence {
		return nil
	}
	return cfg.validateWindows(n)
}

func (o *follower) close() {
	if o.made != nil {
		o.made.close()
	}
}

// checkFinite returns an error unless all values are finite.
func checkFinite(x *mat.Dense) error {
	d, _ := x.Dims()
	for i := range d {
		for t, v := range x.RawRowView(i) {
			if !finite(v) {
				return fmt.Errorf("signal %d (counted from 0) has the value %g at position %d (counted from 0): %w", i, v, t, ErrNotFinite)
			}
		}
	}
	return nil
}

func product(dims []int) int {
	p := 1
	for _, n := range dims {
		p *= n
	}
	return p
}
