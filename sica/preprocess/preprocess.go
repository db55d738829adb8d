// Package preprocess holds what is done to mixed signals before anything is trained:
// standardising, symmetric whitening, normal quantiles and the conditional
// normalisation, each as a Map that takes other signals the way that it took those
// that it was fitted to, and back. Transforms of a program's own are a Fitter each.
//
// Signals are matrices of d rows × T columns, float64. Variances are mean squares
// 1/T·Σ(x−mean)².
package preprocess

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/internal/mapping"
)

// Transform names a transform of the signals that needs no training. See
// Apply, which applies it, and sica.Preparation.
type Transform = mapping.Transform

const (
	// Standardise brings each signal to mean 0 and variance 1, the variance
	// being the mean square 1/T·Σ(x−mean)².
	Standardise = mapping.Standardise

	// ZCA is symmetric whitening, z = Σ^{-1/2}·(x − mean): the signals become
	// uncorrelated with variance 1 and stay as near to x as that allows. It
	// is computed from a singular value decomposition of the signals, because
	// the covariance Σ squares their condition number.
	ZCA = mapping.ZCA

	// Gaussianise replaces each value by the standard normal quantile of
	// (rank + ½)/T, the rank within its signal counted from 0. Equal values
	// share their mean rank.
	Gaussianise = mapping.Gaussianise

	// Conditional makes the signals uncorrelated and nearly Gaussian
	// together, which undoes many monotone nonlinear mixings of signals with
	// nearly Gaussian marginals. In the principal axes, the first component
	// goes to normal quantiles as in Gaussianise; each further component
	// first loses its local mean and is divided by its local standard
	// deviation, both among the positions where the components before it are
	// nearest: 200 of them, or T/5 if that is fewer. The components are then
	// rotated back and whitened as in ZCA.
	Conditional = mapping.Conditional
)

// Parse returns the transform called name. The error for another name
// lists those that there are.
func Parse(name string) (Transform, error) { return mapping.Parse(name) }

// Apply applies the steps to the d×T signals x in order and returns the
// result as a new matrix; without steps, a copy. It never changes x, and the
// same x gives the same result bit for bit.
//
// It is an error if a step is unknown, if there are fewer than two positions,
// if a value isn't finite or if a signal is constant; and, for ZCA and
// Conditional, if the signals are linearly dependent to float64's precision.
func Apply(x *mat.Dense, steps ...Transform) (*mat.Dense, error) { return mapping.Apply(x, steps...) }

// Fit is Apply, and the maps that the steps are when they are fitted to x, for other
// signals. It stops with ctx's error when ctx ends.
func Fit(ctx context.Context, x *mat.Dense, steps []Transform) (*mat.Dense, []Map, error) {
	return mapping.Fit(ctx, x, steps)
}

// A Map takes signals, d×n with finite values, to others of their size, position by
// position, with all that it needs to map others than those that it was fitted to. Its
// methods, of which neither changes its argument, are
//
//	Apply(x *mat.Dense) (*mat.Dense, error)
//	Invert(z *mat.Dense) (*mat.Dense, error)
//
// Invert returns the signals that Apply takes to z. Its error wraps ErrNotInvertible if
// there are none, or if they can't be found.
type Map = mapping.Map

// ErrNotInvertible is wrapped by the error for a map that can't be undone.
var ErrNotInvertible = mapping.ErrNotInvertible

// A Fitter is a transform of a caller's own, for sica.Preparation. Its method
//
//	Fit(ctx context.Context, x *mat.Dense) (Applier, error)
//
// returns the transform as fitted to the signals x, d×T with finite values, which it
// doesn't change: the same for the same x.
type Fitter = mapping.Fitter

// An Applier is a transform of a caller's own that has been fitted. Its method
//
//	Apply(x *mat.Dense) (*mat.Dense, error)
//
// takes signals, d×n with finite values, to others of their size, and doesn't change its
// argument. With Invert it is a Map, which can be undone. As one of sica's Starts it
// needs
//
//	LogDet(x *mat.Dense) ([]float64, error)
//
// too, log|det ∂z/∂x| at each position of x. See Register for how it is saved.
type Applier = mapping.Applier

// Register lets transforms of a caller's own type be saved and loaded: as JSON, with
// their exported fields or by methods of their own, under a kind that no other type has,
// such as "example.com/audio.Logs". Empty returns a pointer to a new one, to read into.
// Both the program that saves and the one that loads call it, as a rule in init. It
// panics if the kind or the type is registered already, or if Empty returns no pointer.
func Register(kind string, empty func() Applier) { mapping.Register(kind, empty) }
