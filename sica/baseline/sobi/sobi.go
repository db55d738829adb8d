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
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

const name = "sobi"

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
// covariances at all lags together are as near to diagonal as possible. It costs
// O(d²·T) for each lag, and O(d³) for each in a sweep.
//
// The positions are taken as a sequence; an image's are, row after row.
//
// It is an error if a setting is out of range, if x can't be whitened, or if ctx
// ends. Sweeps that don't converge are no error: see Model.Convergence.
func Fit(ctx context.Context, x *mat.Dense, cfg Config) (*Model, error) {
	m, err := fit(ctx, x, cfg)
	if err != nil {
		return nil, fmt.Errorf("sobi: %w", err)
	}
	return m, nil
}

func fit(ctx context.Context, x *mat.Dense, cfg Config) (*Model, error) {
	if err := baseline.CheckSignals(x); err != nil {
		return nil, err
	}
	d, n := x.Dims()
	if err := cfg.validate(n); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	white, err := baseline.Whiten(x)
	if err != nil {
		return nil, err
	}
	covariances, err := lagged(ctx, white.Signals, cfg.lags(n))
	if err != nil {
		return nil, err
	}
	found, err := jointdiag.Orthogonal(ctx, covariances, jointdiag.Options{Tolerance: cfg.Tolerance, MaxSweeps: cfg.MaxSweeps})
	if err != nil {
		return nil, err
	}
	rotation := mat.DenseCopyOf(found.V.T())
	m := &Model{
		Linear:      white.Linear(rotation),
		signals:     mat.NewDense(d, n, nil),
		convergence: baseline.Convergence{Converged: found.Converged, Iterations: found.Sweeps},
	}
	m.signals.Mul(rotation, white.Signals)
	if !found.Converged {
		m.convergence.Warning = fmt.Sprintf("SOBI did not converge to the tolerance %g in %d sweeps: allow more or raise the tolerance", cfg.Tolerance, cfg.MaxSweeps)
	}
	return m, nil
}

// Method is SOBI with its settings as a baseline.Method.
type Method struct{ Config }

// Name is "sobi".
func (Method) Name() string { return name }

// Fit is the function Fit with the method's settings.
func (m Method) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	model, err := Fit(ctx, x, m.Config)
	if err != nil {
		return nil, err
	}
	return model, nil
}
