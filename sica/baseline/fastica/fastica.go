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

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica/baseline"
)

const name = "fastica"

// Name is "fastica".
func (Config) Name() string { return name }

// Fit separates the mixed signals x, d×T, and returns a *baseline.LinearModel. They
// are centred, whitened by principal components and rotated by the iterations. An
// iteration costs O(d²·T), shared out over the processors; the result doesn't
// depend on how many there are.
//
// It is an error if a setting is out of range, if x can't be whitened, if the
// contrast can't tell directions apart, or if ctx ends. Iterations that don't
// converge are no error: the model's Convergence says so. By deflation its
// iterations are those of the signal that took most.
func (c Config) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	m, err := c.fit(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("fastica: %w", err)
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

	iterate := symmetric
	if c.Algorithm == byDeflation {
		iterate = deflation
	}
	rotation := c.start(d)
	iterations, converged, err := iterate(ctx, newPasser(white.White, contrast(c.Contrast)), rotation, c)
	if err != nil {
		return nil, err
	}
	end := baseline.Convergence{Converged: converged, Iterations: iterations}
	if !converged {
		end.Warning = fmt.Sprintf("FastICA did not converge to the tolerance %g in %d iterations: "+
			"allow more, raise the tolerance, or try another contrast; signals that are nearly Gaussian never converge", c.Tolerance, c.MaxIterations)
	}
	return baseline.Demixed(white, rotation, rotation.T(), end), nil
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
