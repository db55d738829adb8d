package zca

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/quantile"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Gaussianised maps each mixed signal to normal quantiles and whitens those
// symmetrically. It is a baseline.Method without settings.
type Gaussianised struct{}

// Name is "gaussianise+zca".
func (Gaussianised) Name() string { return "gaussianise+zca" }

// Fit makes each of the mixed signals x, d×T, Gaussian and whitens them, by
// preprocess.Gaussianise and preprocess.ZCA. The errors are those of
// baseline.CheckSignals and of preprocess.Apply, and ctx.Err() if ctx has ended.
//
// By the model's Transform a value that was there in the fit goes to the same
// normal quantile as then, and one between two of those to what is between their
// quantiles, in proportion. Beyond the smallest and the largest, the quantile goes
// on in proportion to the signal's standard deviation, as if it was Gaussian there.
// InverseTransform undoes Transform to rounding.
func (Gaussianised) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	m, err := fitGaussianised(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("zca: gaussianised: %w", err)
	}
	return m, nil
}

func fitGaussianised(ctx context.Context, x *mat.Dense) (*gaussianised, error) {
	if err := check(ctx, x); err != nil {
		return nil, err
	}
	quantiles, err := preprocess.Apply(x, preprocess.Gaussianise)
	if err != nil {
		return nil, err
	}
	m := new(gaussianised)
	d, _ := x.Dims()
	for i := range d {
		c := quantile.NewCurve(x.RawRowView(i), quantiles.RawRowView(i))
		if !(c.SD > 0) || math.IsInf(c.SD, 0) {
			return nil, fmt.Errorf("mixed signal %d: has the standard deviation %g; it must be positive and finite in float64, so rescale the signal", i+1, c.SD)
		}
		m.curves = append(m.curves, c)
	}
	if m.whitening, err = whiten(quantiles); err != nil {
		return nil, err
	}
	return m, nil
}

// gaussianised is the baseline.Model.
type gaussianised struct {
	curves    []quantile.Curve      // of each mixed signal
	whitening *baseline.LinearModel // of the normal quantiles
}

func (m *gaussianised) Signals() *mat.Dense { return m.whitening.Signals() }

func (m *gaussianised) Convergence() baseline.Convergence { return m.whitening.Convergence() }

func (m *gaussianised) Transform(x *mat.Dense) (*mat.Dense, error) {
	if err := signal.CheckNew("x", x, len(m.curves)); err != nil {
		return nil, fmt.Errorf("zca: gaussianised: transform: %w", err)
	}
	quantiles := mat.DenseCopyOf(x)
	for i, c := range m.curves {
		row := quantiles.RawRowView(i)
		for t, v := range row {
			row[t] = c.Quantile(v)
		}
	}
	z, err := m.whitening.Transform(quantiles)
	if err != nil {
		return nil, fmt.Errorf("zca: gaussianised: %w", err)
	}
	return z, nil
}

func (m *gaussianised) InverseTransform(z *mat.Dense) (*mat.Dense, error) {
	x, err := m.whitening.InverseTransform(z)
	if err != nil {
		return nil, fmt.Errorf("zca: gaussianised: %w", err)
	}
	for i, c := range m.curves {
		row := x.RawRowView(i)
		for t, q := range row {
			row[t] = c.Value(q)
			if math.IsInf(row[t], 0) {
				return nil, fmt.Errorf("zca: gaussianised: inverse transform: recovered signals at position %d are mixed to a value beyond float64", t+1)
			}
		}
	}
	return x, nil
}
