// Package fastica separates linearly mixed signals by making them as far from
// Gaussian as possible: FastICA, A. Hyvärinen, "Fast and robust fixed-point
// algorithms for independent component analysis", IEEE Transactions on Neural
// Networks 10(3), 626–634, 1999. It takes no notice of the order of the
// positions.
//
// With the same signals, settings and Start it finds the unmixing matrix of
// scikit-learn's FastICA to rounding. The recovered signals have mean 0 and
// variance 1; their order and signs are those that the iterations ended with.
package fastica

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

const name = "fastica"

// A Model is a fitted linear demixing. It is a baseline.Model.
type Model struct {
	baseline.Linear
	signals     *mat.Dense
	convergence baseline.Convergence
}

// Signals returns the signals recovered from those that Fit was given, d×T, with
// mean 0 and variance 1. It isn't a copy.
func (m *Model) Signals() *mat.Dense { return m.signals }

// Convergence says how the iterations ended. With Deflation its iterations are
// those of the signal that took most.
func (m *Model) Convergence() baseline.Convergence { return m.convergence }

// Fit separates the mixed signals x, d×T. They are centred and whitened by
// principal components as in baseline.Whiten, and rotated by the iterations. An
// iteration costs O(d²·T), shared out over the processors; the result doesn't
// depend on how many there are.
//
// It is an error if a setting is out of range, if x can't be whitened, if the
// contrast can't tell directions apart, or if ctx ends. Iterations that don't
// converge are no error: see Model.Convergence.
func Fit(ctx context.Context, x *mat.Dense, cfg Config) (*Model, error) {
	m, err := fit(ctx, x, cfg)
	if err != nil {
		return nil, fmt.Errorf("fastica: %w", err)
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

	iterate := symmetric
	if cfg.Algorithm == Deflation {
		iterate = deflation
	}
	rotation := cfg.start(d)
	iterations, converged, err := iterate(ctx, newPasser(white.Signals, cfg.Contrast), rotation, cfg)
	if err != nil {
		return nil, err
	}
	m := &Model{
		Linear:      white.Linear(rotation),
		signals:     mat.NewDense(d, n, nil),
		convergence: baseline.Convergence{Converged: converged, Iterations: iterations},
	}
	m.signals.Mul(rotation, white.Signals)
	if !converged {
		m.convergence.Warning = fmt.Sprintf("FastICA did not converge to the tolerance %g in %d iterations: "+
			"allow more, raise the tolerance, or try another contrast; signals that are nearly Gaussian never converge", cfg.Tolerance, cfg.MaxIterations)
	}
	return m, nil
}

// start returns the directions to begin with, as a new matrix.
func (c Config) start(d int) *mat.Dense {
	if c.Start != nil {
		return mat.DenseCopyOf(c.Start)
	}
	rng := stream.Named(c.Seed, name)
	w := mat.NewDense(d, d, nil)
	w.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, w)
	return w
}

// Method is FastICA with its settings as a baseline.Method.
type Method struct{ Config }

// Name is "fastica".
func (Method) Name() string { return name }

// Fit is the function Fit with the method's settings.
func (m Method) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	model, err := Fit(ctx, x, m.Config)
	if err != nil {
		return nil, err
	}
	return model, nil
}
