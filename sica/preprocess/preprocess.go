// Package preprocess transforms mixed signals before they are separated, without training:
// standardising, symmetric whitening, normal quantiles and conditional normalisation. It also
// has the interfaces of custom transforms.
//
// The names to know are Apply, Transform and Fitter:
//
//	z, err := preprocess.Apply(x, preprocess.Standardise, preprocess.ZCA) // d×n as x
//	z, m, err := preprocess.Fit(ctx, x, preprocess.ZCA)
//	other, err := m.Apply(y) // signals y, d×m, by the transform as fitted to x
//
// A custom transform is a Fitter, for sica.Config.Prepare.
//
// Signals are matrices of d rows × n columns: a row is a signal, a column a position.
// Variances are mean squares 1/n·Σ(x − mean)².
//
// References: A. J. Bell and T. J. Sejnowski, "The 'independent components' of natural scenes
// are edge filters", Vision Research 37(23), 3327–3338, 1997 (symmetric whitening); M. Rosenblatt,
// "Remarks on a multivariate transformation", Annals of Mathematical Statistics 23(3), 470–472,
// 1952 (the conditional normalisation).
package preprocess

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
)

// Transform names a transform that is fitted to the signals alone, without training.
type Transform string

// The transforms.
const (
	// Standardise brings each signal to mean 0 and variance 1, the mean square
	// 1/n·Σ(x − mean)².
	Standardise Transform = mapping.Standardise

	// ZCA is symmetric whitening z = Σ^{-1/2}·(x − mean), where Σ is the covariance. Of all
	// uncorrelated signals of variance 1, these are the nearest to the centred x. It is computed
	// from a singular value decomposition of x, since Σ squares the condition number.
	ZCA Transform = mapping.ZCA

	// Gaussianise replaces each value by the standard normal quantile of (rank + ½)/n, where
	// the rank within its signal counts from 0. Equal values share their mean rank.
	Gaussianise Transform = mapping.Gaussianise

	// Conditional makes the signals uncorrelated and nearly jointly Gaussian. That undoes many
	// monotone nonlinear mixings of signals with nearly Gaussian marginals. It takes the principal
	// components in order of their variance. The first is mapped to normal quantiles, as by
	// Gaussianise. From each other component the local mean is subtracted, and the result is
	// divided by the local standard deviation, before it is mapped likewise. Both are taken over
	// the 200 positions, or n/5 if that is fewer, at which the components before it are nearest.
	// The result is rotated back and whitened as by ZCA.
	Conditional Transform = mapping.Conditional
)

// Apply returns the signals x, d×n, after the transforms in order; a copy without transforms.
// It doesn't change x. The same x gives the same result bit for bit.
//
// It is an error if a transform is unknown, if there are fewer than two positions, if a value
// isn't finite or if a signal is constant. For ZCA and Conditional it is an error if the
// signals are linearly dependent to float64's precision.
func Apply(x *mat.Dense, steps ...Transform) (*mat.Dense, error) {
	z, _, err := mapping.Fit(context.Background(), x, steps)
	return z, err
}

// Fit returns the result of Apply, and the map of the transforms fitted to x, which is Smooth. The
// errors are those of Apply, and ctx.Err() if ctx has ended.
func Fit(ctx context.Context, x *mat.Dense, steps ...Transform) (*mat.Dense, Map, error) {
	z, maps, err := mapping.Fit(ctx, x, steps)
	if err != nil {
		return nil, nil, err
	}
	if len(maps) == 1 {
		return z, maps[0], nil
	}
	return z, mapping.Sequence(maps), nil
}

// LinearMap returns the map z = matrix·(x − mean), where the matrix is d×d and mean has d
// values; it panics on other sizes. It is Smooth. Its Invert returns an error that wraps
// ErrNotInvertible if the matrix is singular.
func LinearMap(matrix *mat.Dense, mean []float64) Map {
	if rows, columns := matrix.Dims(); rows != columns || len(mean) != rows {
		panic(fmt.Sprintf("preprocess: LinearMap: matrix is %d×%d and mean has %d values; must be d×d "+
			"and d", rows, columns, len(mean)))
	}
	return mapping.LinearMap(matrix, mean)
}

// ErrNotInvertible is wrapped by the error of a Map that can't be inverted.
var ErrNotInvertible = mapping.ErrNotInvertible

// An Applier maps signals x, d×n with finite values, to signals of the same size. It doesn't change
// x. It may also implement Map, if it can be inverted, and Smooth, if code lengths are to be
// computed. A method Pointwise() bool that returns true declares that each position is mapped
// independently, so that package blockwise may pass signals in blocks. See Register for saving.
type Applier interface {
	Apply(x *mat.Dense) (*mat.Dense, error)
}

// A Map is an Applier that can be inverted. Neither method changes its argument.
type Map interface {
	Apply(x *mat.Dense) (*mat.Dense, error)
	// Invert returns the signals that Apply maps to z, d×n. The error wraps ErrNotInvertible if
	// there are none, or if they can't be found.
	Invert(z *mat.Dense) (*mat.Dense, error)
}

// A Smooth map has a Jacobian determinant.
type Smooth interface {
	Map
	// LogDet returns log|det ∂z/∂x| at each of the n positions of x, d×n.
	LogDet(x *mat.Dense) ([]float64, error)
}

// A Fitter is a custom transform, for sica.Config.Prepare.
type Fitter interface {
	// Fit returns the transform fitted to the signals x, d×n with finite values, without changing
	// x. The same x gives the same transform.
	Fit(ctx context.Context, x *mat.Dense) (Applier, error)
}

// Register lets sica.Result.Save and sica.Load store custom transforms of a type, as JSON of the
// exported fields or from MarshalJSON. kind is a unique name, such as "example.com/audio.Logs".
// empty returns a pointer to a new value, to decode into.
//
// The program that saves and the program that loads must both call Register, usually in init. It
// panics if the kind or the type is registered already, or if empty doesn't return a pointer.
func Register(kind string, empty func() Applier) {
	mapping.Register(kind, func() mapping.Applier { return empty() })
}
