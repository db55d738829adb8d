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

// A Model is symmetric whitening z = Σ^{-1/2}·(x − Mean), Σ being the covariance
// of the mixed signals. Its Whitening and Unmixing are Σ^{-1/2}, its Mixing is
// Σ^{1/2}. It is a baseline.Model.
type Model struct {
	baseline.Linear
	signals *mat.Dense
}

// Signals returns the whitened signals, d×T. It isn't a copy.
func (m *Model) Signals() *mat.Dense { return m.signals }

// Convergence is that of a method that doesn't iterate.
func (m *Model) Convergence() baseline.Convergence { return baseline.Convergence{Converged: true} }

// Fit whitens the mixed signals x, d×T, by preprocess.ZCA. The errors are those of
// baseline.CheckSignals and of preprocess.Apply, and ctx.Err() if ctx has ended.
func Fit(ctx context.Context, x *mat.Dense) (*Model, error) {
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
func whiten(x *mat.Dense) (*Model, error) {
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
	unmixing := mat.DenseCopyOf(&inverse)
	return &Model{
		Linear:  baseline.Linear{Mean: mean, Whitening: unmixing, Mixing: mat.DenseCopyOf(root), Unmixing: unmixing},
		signals: z,
	}, nil
}

// Method is Fit as a baseline.Method.
type Method struct{}

// Name is "zca".
func (Method) Name() string { return "zca" }

// Fit is the function Fit.
func (Method) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	m, err := Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	return m, nil
}
