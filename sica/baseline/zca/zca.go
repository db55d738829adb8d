// Package zca has baselines without training: symmetric whitening, alone or after making each
// signal Gaussian. A trained method should do better.
//
// The names to know are Whitening and Gaussianised, each of which is an ica.Method without
// settings:
//
//	model, err := ica.Separate(ctx, zca.Whitening{}, x)
//
// The SICA paper doesn't compare with these, but its linear mixing is a symmetric positive definite
// matrix, and its autoregressive sources have equal scales. Symmetric whitening undoes exactly such
// a mixing.
//
// Reference: A. J. Bell and T. J. Sejnowski, "The 'independent components' of natural scenes
// are edge filters", Vision Research 37(23), 3327–3338, 1997, who call it zero-phase whitening.
package zca

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica/baseline/internal/rival"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/pca"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Whitening is symmetric whitening z = Σ^{-1/2}·(x − mean), where Σ is the covariance of the
// mixed signals.
type Whitening struct{}

// Name returns "zca".
func (Whitening) Name() string { return "zca" }

// Fit whitens the mixed signals. It is an error if they are linearly dependent or if ctx ends.
// The model is linear.
func (w Whitening) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	return rival.Fit(ctx, w.Name(), nil, x, func() (*ica.Model, error) {
		white, err := x.Whitening()
		if err != nil {
			return nil, err
		}
		return ica.Demix(x, white.Axes().T(), ica.Convergence{Converged: true})
	})
}

// Gaussianised maps each mixed signal to normal quantiles and whitens the quantiles symmetrically.
type Gaussianised struct{}

// Name returns "gaussianise+zca".
func (Gaussianised) Name() string { return "gaussianise+zca" }

// Fit makes each mixed signal Gaussian and whitens the result, by preprocess.Gaussianise and
// preprocess.ZCA. It is an error if the quantiles are linearly dependent or if ctx ends.
//
// The model's map takes a value of the fit to its normal quantile in the fit, and interpolates
// linearly in between. Beyond the smallest and the largest value the slope of the quantile is 1
// over the signal's standard deviation. The inverse is exact up to rounding.
func (g Gaussianised) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	return rival.Fit(ctx, g.Name(), nil, x, func() (*ica.Model, error) {
		gaussianise := []preprocess.Transform{preprocess.Gaussianise}
		quantiles, maps, err := mapping.Fit(ctx, x.X(), gaussianise)
		if err != nil {
			return nil, err
		}
		white, err := pca.Whiten(quantiles)
		if err != nil {
			return nil, err
		}
		whiten := mapping.NewSymmetric(white)
		if slices.Min(whiten.Spread) < minSpread*slices.Max(whiten.Spread) {
			return nil, errors.New("x: its quantiles are linearly dependent; " +
				"must be signals with different ranks")
		}
		z, err := whiten.Apply(quantiles)
		if err != nil {
			return nil, err
		}
		end := ica.Convergence{Converged: true}
		return &ica.Model{Signals: z, Map: mapping.Sequence{maps[0], whiten}, Convergence: end}, nil
	})
}

// minSpread is the minimum standard deviation of normal quantiles along a principal axis, as a
// share of the maximum. Signals of equal ranks have 1e-15 by rounding. A single pair of different
// ranks makes about n^{-3/2}, 1e-9 at a million positions. Any value in between gives the same
// results.
const minSpread = 1e-12
