// Package sobi separates linearly mixed signals by their spectra: second-order
// blind identification, A. Belouchrani, K. Abed-Meraim, J.-F. Cardoso and E.
// Moulines, "A blind source separation technique using second-order statistics",
// IEEE Transactions on Signal Processing 45(2), 434–444, 1997. The covariances of
// sources with each other are 0 at every lag, so it looks for the rotation of the
// whitened signals that makes them so.
//
// Gaussian sources are separated too, but none with equal spectra, such as two
// without any dependence between positions.
package sobi

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/jointdiag"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

const name = "sobi"

// Name is "sobi".
func (Config) Name() string { return name }

// Fit separates the mixed signals x, d×T, and returns a *baseline.LinearModel. They
// are centred, whitened by principal components, and rotated so that their
// covariances at all lags together are as near to diagonal as possible. It costs
// O(d²·T) for each lag, and O(d³) for each in a sweep.
//
// The positions are taken as a sequence; an image's are, row after row.
//
// It is an error if a setting is out of range, if x can't be whitened, or if ctx
// ends. Sweeps that don't converge are no error: the model's Convergence says so.
// Its iterations are sweeps over all pairs of signals. The recovered signals have
// variance 1.
func (c Config) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("sobi: %w", err)
	}
	return m, nil
}

func (c Config) fit(ctx context.Context, x *mat.Dense) (*baseline.LinearModel, error) {
	if err := baseline.CheckSignals(x); err != nil {
		return nil, err
	}
	_, n := x.Dims()
	if err := c.validate(n); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	white, err := signal.Whiten(x)
	if err != nil {
		return nil, err
	}
	covariances, err := lagged(ctx, white.White, c.lags(n))
	if err != nil {
		return nil, err
	}
	tolerance := c.tolerance(n)
	found, err := jointdiag.Orthogonal(ctx, covariances, jointdiag.Options{Tolerance: tolerance, MaxSweeps: c.MaxSweeps})
	if err != nil {
		return nil, err
	}
	rotation := mat.DenseCopyOf(found.V.T())
	end := baseline.Convergence{Converged: found.Converged, Iterations: found.Sweeps}
	if !found.Converged {
		end.Warning = fmt.Sprintf("SOBI did not converge to the tolerance %.2g in %d sweeps: allow more or raise the tolerance", tolerance, c.MaxSweeps)
	}
	return baseline.Demixed(white, rotation, rotation.T(), end), nil
}
