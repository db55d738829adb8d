// Package zca holds the baselines that train nothing: symmetric whitening, alone
// and after each signal was made Gaussian. A method that learns should be better
// than these.
//
// SICA's paper leaves them out, but its linear mixing is a symmetric positive
// definite matrix and its autoregressive sources have equal scales, and such a
// mixing is just what symmetric whitening undoes.
package zca

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Whitening is symmetric whitening z = Σ^{-1/2}·(x − mean), Σ being the covariance of
// the mixed signals. It is a baseline.Method without settings.
type Whitening struct{}

// Name is "zca".
func (Whitening) Name() string { return "zca" }

// Fit whitens the mixed signals x, d×T, by preprocess.ZCA, and returns a
// *baseline.LinearModel, whose Mixing is Σ^{1/2}. The errors are those of
// baseline.CheckSignals and of preprocess.Apply, and ctx.Err() if ctx has ended.
func (Whitening) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	if err := check(ctx, x); err != nil {
		return nil, fmt.Errorf("zca: %w", err)
	}
	m, err := whiten(x)
	if err != nil {
		return nil, fmt.Errorf("zca: %w", err)
	}
	return m, nil
}

func check(ctx context.Context, x *mat.Dense) error {
	if err := baseline.CheckSignals(x); err != nil {
		return err
	}
	return ctx.Err()
}

// whiten fits the model to x, which must have passed check.
func whiten(x *mat.Dense) (*baseline.LinearModel, error) {
	z, err := preprocess.Apply(x, preprocess.ZCA)
	if err != nil {
		return nil, err
	}
	d, n := x.Dims()
	centred, mean := signal.Centred(x)

	// As z is white, x = Σ^{1/2}·z + mean makes Σ^{1/2} = (x − mean)·zᵀ/T.
	var product mat.Dense
	product.Mul(centred, z.T())
	root := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			root.SetSym(i, j, (product.At(i, j)+product.At(j, i))/2/float64(n))
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(root) {
		return nil, errors.New("the mixed signals are nearly linearly dependent: leave out a signal that others determine")
	}
	var inverse mat.SymDense
	if err := factor.InverseTo(&inverse); err != nil {
		return nil, fmt.Errorf("the mixed signals are nearly linearly dependent: leave out a signal that others determine (%w)", err)
	}
	return baseline.NewLinearModel(mean, mat.DenseCopyOf(&inverse), mat.DenseCopyOf(root), z, baseline.Convergence{Converged: true}), nil
}
