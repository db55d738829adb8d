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
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

const name = "jade"

// Name is "jade".
func (Config) Name() string { return name }

// Fit separates the mixed signals x, d×T, and returns a *baseline.LinearModel. They
// are centred, whitened by principal components, and rotated so that their
// d(d+1)/2 cumulant matrices together are as near to diagonal as possible. It
// costs O(d⁴·T), and O(d⁵) for each sweep, in a space of 10·d⁴ bytes: it is for up
// to some fifty signals.
//
// It is an error if a setting is out of range, if x can't be whitened, or if ctx
// ends. Sweeps that don't converge are no error: the model's Convergence says so.
// Its iterations are sweeps over all pairs of signals. The recovered signals have
// variance 1.
func (c Config) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("jade: %w", err)
	}
	return m, nil
}

func (c Config) fit(ctx context.Context, x *mat.Dense) (*baseline.LinearModel, error) {
	if err := baseline.CheckSignals(x); err != nil {
		return nil, err
	}
	_, n := x.Dims()
	if err := c.validate(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	white, err := signal.Whiten(x)
	if err != nil {
		return nil, err
	}
	matrices, err := cumulants(ctx, white.White)
	if err != nil {
		return nil, err
	}
	tolerance := c.tolerance(n)
	found, err := jointdiag.Orthogonal(ctx, matrices, jointdiag.Options{Tolerance: tolerance, MaxSweeps: c.MaxSweeps})
	if err != nil {
		return nil, err
	}
	rotation := mat.DenseCopyOf(found.V.T())
	end := baseline.Convergence{Converged: found.Converged, Iterations: found.Sweeps}
	if !found.Converged {
		end.Warning = fmt.Sprintf("JADE did not converge to the tolerance %.2g in %d sweeps: allow more or raise the tolerance", tolerance, c.MaxSweeps)
	}
	return baseline.Demixed(white, rotation, rotation.T(), end), nil
}
