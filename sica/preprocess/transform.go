package preprocess

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Transform names a transform that is fitted to the signals alone, without training.
type Transform string

const (
	// Standardise brings each signal to mean 0 and variance 1, the variance
	// being the mean square 1/T·Σ(x−mean)².
	Standardise Transform = "standardise"

	// ZCA is symmetric whitening, z = Σ^{-1/2}·(x − mean): the signals become
	// uncorrelated with variance 1 and stay as near to x as that allows. It
	// is computed from a singular value decomposition of the signals, because
	// the covariance Σ squares their condition number.
	ZCA Transform = "zca"

	// Gaussianise replaces each value by the standard normal quantile of
	// (rank + ½)/T, the rank within its signal counted from 0. Equal values
	// share their mean rank.
	Gaussianise Transform = "gaussianise"

	// Conditional makes the signals uncorrelated and nearly Gaussian
	// together, which undoes many monotone nonlinear mixings of signals with
	// nearly Gaussian marginals. In the principal axes, the first component
	// goes to normal quantiles as in Gaussianise; each further component
	// first loses its local mean and is divided by its local standard
	// deviation, both among the positions where the components before it are
	// nearest: 200 of them, or T/5 if that is fewer. The components are then
	// rotated back and whitened as in ZCA.
	Conditional Transform = "conditional"
)

var transforms = []Transform{Standardise, ZCA, Gaussianise, Conditional}

// Parse returns the transform called name. The error for another name
// lists those that there are.
func Parse(name string) (Transform, error) {
	if t := Transform(name); slices.Contains(transforms, t) {
		return t, nil
	}
	return "", fmt.Errorf("unknown transform %q; valid are %q", name, transforms)
}

// Apply applies the steps to the d×T signals x in order and returns the
// result as a new matrix; without steps, a copy. It never changes x, and the
// same x gives the same result bit for bit.
//
// It is an error if a step is unknown, if there are fewer than two positions,
// if a value isn't finite or if a signal is constant; and, for ZCA and
// Conditional, if the signals are linearly dependent to float64's precision.
func Apply(x *mat.Dense, steps ...Transform) (*mat.Dense, error) {
	z, _, err := Fit(context.Background(), x, steps)
	return z, err
}

// Fit applies the steps to the d×T signals x in order, and returns the maps that they are
// when they are fitted to x, too. It stops with ctx's error when ctx ends.
func Fit(ctx context.Context, x *mat.Dense, steps []Transform) (*mat.Dense, []Map, error) {
	for _, step := range steps {
		if _, err := Parse(string(step)); err != nil {
			return nil, nil, fmt.Errorf("preprocess: %w", err)
		}
	}
	if err := signal.Check("x", x); err != nil {
		return nil, nil, fmt.Errorf("preprocess: %w", err)
	}
	z := mat.DenseCopyOf(x)
	maps := []Map{}
	for _, step := range steps {
		next, fitted, err := step.fit(ctx, z)
		if err != nil {
			return nil, nil, fmt.Errorf("preprocess: %s: %w", step, err)
		}
		z, maps = next, append(maps, fitted)
	}
	return z, maps, nil
}

// Begin is Fit and its steps, with Standardise before them where the
// signals' scales or offsets differ too much for float64 otherwise.
func Begin(ctx context.Context, x *mat.Dense, steps []Transform) (z *mat.Dense, maps []Map, taken []Transform, err error) {
	if z, maps, err = Fit(ctx, x, steps); err == nil || len(steps) == 0 || steps[0] == Standardise {
		return z, maps, steps, err
	}
	taken = append([]Transform{Standardise}, steps...)
	if z, maps, failed := Fit(ctx, x, taken); failed == nil {
		return z, maps, taken, nil
	}
	return nil, nil, steps, err
}

// fit returns the transform of x, which must have passed signal.Check, and what
// it does to other signals.
func (t Transform) fit(ctx context.Context, x *mat.Dense) (*mat.Dense, Map, error) {
	switch t {
	case Standardise:
		z, err := Standardised(x)
		if err != nil {
			return nil, nil, err
		}
		return z, Standardisation(x), nil
	case ZCA:
		w, err := signal.Whiten(x)
		if err != nil {
			return nil, nil, err
		}
		return w.Symmetric(), NewSymmetric(w), nil
	case Gaussianise:
		z, err := gaussianise(x)
		return z, newNormalised(x), err
	case Conditional:
		z, c, err := conditional(ctx, x)
		return z, c, err
	}
	_, err := Parse(string(t))
	return nil, nil, err
}
