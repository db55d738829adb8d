// Package jade separates linearly mixed signals by their fourth-order cumulants:
// joint approximate diagonalisation of eigenmatrices, J.-F. Cardoso and A.
// Souloumiac, "Blind beamforming for non-Gaussian signals", IEE Proceedings F
// 140(6), 362–370, 1993. The cumulants of independent sources with each other are
// 0, so it looks for the rotation of the whitened signals that makes them so. It
// has no start to choose, and takes no notice of the order of the positions.
//
// As the authors' program for real signals does (J.-F. Cardoso, "High-order
// contrasts for independent component analysis", Neural Computation 11(1),
// 157–192, 1999), it takes all cumulant matrices. That is the same criterion as
// with all eigenmatrices, of which the article takes the d largest to save work.
package jade

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/jointdiag"
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

const name = "jade"

// A Model is a fitted linear demixing. It is a baseline.Model.
type Model struct {
	baseline.Linear
	signals     *mat.Dense
	convergence baseline.Convergence
}

// Signals returns the signals recovered from those that Fit was given, d×T, with
// mean 0 and variance 1. It isn't a copy.
func (m *Model) Signals() *mat.Dense { return m.signals }

// Convergence says how the rotations ended. Its iterations are sweeps over all
// pairs of signals.
func (m *Model) Convergence() baseline.Convergence { return m.convergence }

// Fit separates the mixed signals x, d×T. They are centred and whitened by
// principal components as in baseline.Whiten, and rotated so that their
// d(d+1)/2 cumulant matrices together are as near to diagonal as possible. It
// costs O(d⁴·T), and O(d⁵) for each sweep, in a space of 12·d⁴ bytes: it is for up
// to some fifty signals.
//
// It is an error if a setting is out of range, if x can't be whitened, or if ctx
// ends. Sweeps that don't converge are no error: see Model.Convergence.
func Fit(ctx context.Context, x *mat.Dense, cfg Config) (*Model, error) {
	m, err := fit(ctx, x, cfg)
	if err != nil {
		return nil, fmt.Errorf("jade: %w", err)
	}
	return m, nil
}

func fit(ctx context.Context, x *mat.Dense, cfg Config) (*Model, error) {
	if err := baseline.CheckSignals(x); err != nil {
		return nil, err
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	white, err := baseline.Whiten(x)
	if err != nil {
		return nil, err
	}
	matrices, err := cumulants(ctx, white.Signals)
	if err != nil {
		return nil, err
	}
	found, err := jointdiag.Orthogonal(ctx, matrices, jointdiag.Options{Tolerance: cfg.Tolerance, MaxSweeps: cfg.MaxSweeps})
	if err != nil {
		return nil, err
	}
	rotation := mat.DenseCopyOf(found.V.T())
	m := &Model{
		Linear:      white.Linear(rotation),
		signals:     new(mat.Dense),
		convergence: baseline.Convergence{Converged: found.Converged, Iterations: found.Sweeps},
	}
	m.signals.Mul(rotation, white.Signals)
	if !found.Converged {
		m.convergence.Warning = fmt.Sprintf("JADE did not converge to the tolerance %g in %d sweeps: allow more or raise the tolerance", cfg.Tolerance, cfg.MaxSweeps)
	}
	return m, nil
}

// Method is JADE with its settings as a baseline.Method.
type Method struct{ Config }

// Name is "jade".
func (Method) Name() string { return name }

// Fit is the function Fit with the method's settings.
func (m Method) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	model, err := Fit(ctx, x, m.Config)
	if err != nil {
		return nil, err
	}
	return model, nil
}
