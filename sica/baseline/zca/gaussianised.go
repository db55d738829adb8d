package zca

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A GaussianisedModel maps each mixed signal to normal quantiles and whitens
// those symmetrically. It is a baseline.Model.
type GaussianisedModel struct {
	// Quantiles is the whitening of the normal quantiles.
	Quantiles *Model

	curves []curve // of each mixed signal
}

// FitGaussianised makes each of the mixed signals x, d×T, Gaussian and whitens
// them, by sica.Gaussianise and sica.ZCA. The errors are those of
// baseline.CheckSignals and of sica.Preprocess, and ctx.Err() if ctx has ended.
func FitGaussianised(ctx context.Context, x *mat.Dense) (*GaussianisedModel, error) {
	m, err := fitGaussianised(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("zca: gaussianised: %w", err)
	}
	return m, nil
}

func fitGaussianised(ctx context.Context, x *mat.Dense) (*GaussianisedModel, error) {
	if err := check(ctx, x); err != nil {
		return nil, err
	}
	quantiles, err := sica.Preprocess(x, sica.Gaussianise)
	if err != nil {
		return nil, err
	}
	m := new(GaussianisedModel)
	d, _ := x.Dims()
	for i := range d {
		c, err := newCurve(x.RawRowView(i), quantiles.RawRowView(i))
		if err != nil {
			return nil, fmt.Errorf("mixed signal %d (counted from 0): %w", i, err)
		}
		m.curves = append(m.curves, c)
	}
	if m.Quantiles, err = whiten(quantiles); err != nil {
		return nil, err
	}
	return m, nil
}

// Signals returns the recovered signals, d×T. It isn't a copy.
func (m *GaussianisedModel) Signals() *mat.Dense { return m.Quantiles.signals }

// Convergence is that of a method that doesn't iterate.
func (m *GaussianisedModel) Convergence() baseline.Convergence { return m.Quantiles.Convergence() }

// Transform returns the recovered signals of mixed signals x, d×n. A value that
// was there in the fit goes to the same normal quantile as then, and one between
// two of those to what is between their quantiles, in proportion. Beyond the
// smallest and the largest, the quantile goes on in proportion to the signal's
// standard deviation, as if it was Gaussian there.
//
// It is an error if x isn't d signals at one position or more or has a value
// that isn't finite.
func (m *GaussianisedModel) Transform(x *mat.Dense) (*mat.Dense, error) {
	if err := baseline.CheckNew("mixed", x, len(m.curves)); err != nil {
		return nil, fmt.Errorf("zca: gaussianised: transform: %w", err)
	}
	quantiles := mat.DenseCopyOf(x)
	for i, c := range m.curves {
		row := quantiles.RawRowView(i)
		for t, v := range row {
			row[t] = interpolate(v, c.values, c.quantiles, 1/c.sd)
		}
	}
	z, err := m.Quantiles.Transform(quantiles)
	if err != nil {
		return nil, fmt.Errorf("zca: gaussianised: %w", err)
	}
	return z, nil
}

// InverseTransform returns the mixed signals whose recovered signals are z, d×n:
// it undoes Transform to rounding.
//
// It is an error if z isn't d signals at one position or more or has a value
// that isn't finite.
func (m *GaussianisedModel) InverseTransform(z *mat.Dense) (*mat.Dense, error) {
	x, err := m.Quantiles.InverseTransform(z)
	if err != nil {
		return nil, fmt.Errorf("zca: gaussianised: %w", err)
	}
	for i, c := range m.curves {
		row := x.RawRowView(i)
		for t, q := range row {
			row[t] = interpolate(q, c.quantiles, c.values, c.sd)
			if math.IsInf(row[t], 0) {
				return nil, fmt.Errorf("zca: gaussianised: inverse transform: recovered signals at position %d (counted from 0) are mixed to a value beyond float64", t)
			}
		}
	}
	return x, nil
}

// A curve says what normal quantile each value of a signal goes to. Both rise.
type curve struct {
	values, quantiles []float64
	sd                float64 // of the signal
}

// newCurve returns the curve of a signal and its normal quantiles.
func newCurve(signal, quantiles []float64) (curve, error) {
	_, sd := stat.PopMeanStdDev(signal, nil)
	if !(sd > 0) || math.IsInf(sd, 0) {
		return curve{}, fmt.Errorf("has the standard deviation %g; it must be positive and finite in float64, so rescale the signal", sd)
	}
	// Equal values have equal quantiles, so that sorting each by itself keeps
	// them together.
	return curve{
		values:    slices.Compact(slices.Sorted(slices.Values(signal))),
		quantiles: slices.Compact(slices.Sorted(slices.Values(quantiles))),
		sd:        sd,
	}, nil
}

// interpolate returns the value at v of the function that is linear between the
// points (from[k], to[k]), of which there are at least two and from rises; and
// has the given slope beyond them.
func interpolate(v float64, from, to []float64, slope float64) float64 {
	k, found := slices.BinarySearch(from, v)
	last := len(from) - 1
	switch {
	case found:
		return to[k]
	case k == 0:
		return to[0] + (v-from[0])*slope
	case k > last:
		return to[last] + (v-from[last])*slope
	}
	part := (v - from[k-1]) / (from[k] - from[k-1])
	return to[k-1] + part*(to[k]-to[k-1])
}

// Gaussianised is FitGaussianised as a baseline.Method.
type Gaussianised struct{}

// Name is "gaussianise+zca".
func (Gaussianised) Name() string { return "gaussianise+zca" }

// Fit is the function FitGaussianised.
func (Gaussianised) Fit(ctx context.Context, x *mat.Dense) (baseline.Model, error) {
	m, err := FitGaussianised(ctx, x)
	if err != nil {
		return nil, err
	}
	return m, nil
}
