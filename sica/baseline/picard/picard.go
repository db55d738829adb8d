// Package picard separates linearly mixed signals by maximum likelihood, in few
// iterations: Picard, P. Ablin, J.-F. Cardoso and A. Gramfort, "Faster
// independent component analysis by preconditioning with Hessian
// approximations", IEEE Transactions on Signal Processing 66(15), 4040–4049,
// 2018; and Picard-O, by the same, "Faster ICA under orthogonal constraint",
// ICASSP 2018. It takes no notice of the order of the positions.
//
// With the same signals, settings and Start it finds the unmixing matrix that the
// authors' program in Python does, but for the order and the signs of its rows.
package picard

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

const name = "picard"

// Name is "picard".
func (Config) Name() string { return name }

// Fit separates the mixed signals x, d×T, and returns a *baseline.LinearModel. They
// are centred, whitened by principal components, and demixed by the W that makes
// the signals y = W·x likeliest, each having a density p and
//
//	−log p(y) = log cosh y + const               ψ(y) = tanh y
//	−log p(y) = ½y² ± log cosh y + const         ψ(y) = y ± tanh y,  with Extended
//
// where + is for a signal with heavier tails than a Gaussian, − for one with
// lighter, and ψ is the score −(log p)′. With Ortho W is orthogonal, and what y²
// adds is the same for all: the recovered signals have variance 1.
//
// An iteration costs O(d²·T), on one processor.
//
// It is an error if a setting is out of range, if x can't be whitened, or if ctx
// ends. Iterations that don't converge are no error: the model's Convergence says
// so.
func (c Config) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("picard: %w", err)
	}
	return m, nil
}

func (c Config) fit(ctx context.Context, x *mat.Dense) (*baseline.LinearModel, error) {
	if err := baseline.CheckSignals(x); err != nil {
		return nil, err
	}
	d, _ := x.Dims()
	if err := c.validate(d); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	white, err := signal.Whiten(x)
	if err != nil {
		return nil, err
	}
	w, end, err := minimise(ctx, white.White, c.start(d), c)
	if err != nil {
		return nil, err
	}
	var inverse mat.Dense
	if err := inverse.Inverse(w); err != nil {
		return nil, fmt.Errorf("the demixing of the whitened signals became singular (%w): try another start or Ortho", err)
	}
	return baseline.Demixed(white, w, &inverse, end), nil
}

// start returns the demixing to begin with, as a new matrix.
func (c Config) start(d int) *mat.Dense {
	switch {
	case c.Start == nil:
		return rotation.Random(stream.Named(c.Seed, name), d)
	case c.Ortho:
		return nearestOrthogonal(c.Start)
	}
	return mat.DenseCopyOf(c.Start)
}

// nearestOrthogonal returns U·Vᵀ of the singular value decomposition w = U·S·Vᵀ.
func nearestOrthogonal(w *mat.Dense) *mat.Dense {
	var svd mat.SVD
	svd.Factorize(w, mat.SVDFull)
	var u, v, q mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	q.Mul(&u, v.T())
	return &q
}
