// Package picard separates linearly mixed signals by maximum likelihood, in few
// iterations: Picard, P. Ablin, J.-F. Cardoso and A. Gramfort, "Faster
// independent component analysis by preconditioning with Hessian
// approximations", IEEE Transactions on Signal Processing 66(15), 4040–4049,
// 2018; and Picard-O, by the same, "Faster ICA under orthogonal constraint",
// ICASSP 2018. It takes no notice of the order of the positions.
//
// With the same signals, settings and Start it finds the unmixing matrix of the
// authors' program in Python.
package picard

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

const name = "picard"

// A Model is a fitted linear demixing. It is a baseline.Model.
type Model struct {
	baseline.Linear
	signals     *mat.Dense
	convergence baseline.Convergence
}

// Signals returns the signals recovered from those that Fit was given, d×T, with
// mean 0 and, with Ortho, variance 1. It isn't a copy.
func (m *Model) Signals() *mat.Dense { return m.signals }

// Convergence says how the iterations ended.
func (m *Model) Convergence() baseline.Convergence { return m.convergence }

// Fit separates the mixed signals x, d×T. They are centred and whitened by
// principal components as in baseline.Whiten, and demixed by the W that makes the
// signals y = W·x likeliest, each having a density p and
//
//	−log p(y) = log cosh y + const               ψ(y) = tanh y
//	−log p(y) = ½y² ± log cosh y + const         ψ(y) = y ± tanh y,  with Extended
//
// where + is for a signal with heavier tails than a Gaussian, − for one with
// lighter, and ψ is the score −(log p)′. With Ortho W is orthogonal, and what y²
// adds is the same for all.
//
// An iteration costs O(d²·T), on one processor.
//
// It is an error if a setting is out of range, if x can't be whitened, or if ctx
// ends. Iterations that don't converge are no error: see Model.Convergence.
func Fit(ctx context.Context, x *mat.Dense, cfg Config) (*Model, error) {
	m, err := fit(ctx, x, cfg)
	if err != nil {
		return nil, fmt.Errorf("picard: %w", err)
	}
	return m, nil
}

func fit(ctx context.Context, x *mat.Dense, cfg Config) (*Model, error) {
	if err := baseline.CheckSignals(x); err != nil {
		return nil, err
	}
	d, n := x.Dims()
	if err := cfg.validate(d); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	white, err := baseline.Whiten(x)
	if err != nil {
		return nil, err
	}
	w, convergence, err := minimise(ctx, white.Signals, cfg.start(d), cfg)
	if err != nil {
		return nil, err
	}
	var inverse, mixing, unmixing mat.Dense
	if err := inverse.Inverse(w); err != nil {
		return nil, fmt.Errorf("the demixing of the whitened signals became singular (%w): try another start or Ortho", err)
	}
	mixing.Mul(white.Inverse, &inverse)
	unmixing.Mul(w, white.Matrix)
	m := &Model{
		Linear:      baseline.Linear{Mean: white.Mean, Whitening: white.Matrix, Mixing: &mixing, Unmixing: &unmixing},
		signals:     mat.NewDense(d, n, nil),
		convergence: convergence,
	}
	m.signals.Mul(w, white.Signals)
	return m, nil
}

// start returns the demixing to begin with, as a new matrix.
func (c Config) start(d int) *mat.Dense {
	switch {
	case c.Start == nil:
		return rotation.Random(baseline.Rand(c.Seed, name), d)
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

// Method is Picard with its settings as a baseline.Method.
type Method struct{ Config }

// Name is "picard".
func (Method) Name() string { return name }

// Fit is the function Fit with the method's settings.
func (m Method) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	model, err := Fit(ctx, x, m.Config)
	if err != nil {
		return nil, err
	}
	return model, nil
}
