// Package quantile maps values of a signal to normal quantiles and back.
package quantile

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Curve is the monotone map from the values of a signal to normal quantiles. It is linear between
// neighbouring values of the fit. Beyond the smallest and the largest value its slope is 1/SD, as
// for a Gaussian signal.
type Curve struct {
	// SD is the signal's standard deviation.
	SD float64

	values, quantiles []float64 // both rise
}

// NewCurve returns the curve through the values of a signal, which isn't constant, and their
// normal quantiles; equal values have equal quantiles. It changes neither.
func NewCurve(signal, quantiles []float64) Curve {
	_, sd := stat.PopMeanStdDev(signal, nil)
	// Quantiles increase with the values, so sorting both keeps the pairs.
	return Curve{
		SD:        sd,
		values:    slices.Compact(slices.Sorted(slices.Values(signal))),
		quantiles: slices.Compact(slices.Sorted(slices.Values(quantiles))),
	}
}

// Quantile returns the normal quantile of the value v.
func (c Curve) Quantile(v float64) float64 { return interpolate(v, c.values, c.quantiles, 1/c.SD) }

// Value returns the value with the normal quantile q, the inverse of Quantile.
func (c Curve) Value(q float64) float64 { return interpolate(q, c.quantiles, c.values, c.SD) }

// interpolate returns the value at v of the function that is linear between the points (x[k],
// y[k]), at least two with increasing x, and has the given slope beyond.
func interpolate(v float64, x, y []float64, slope float64) float64 {
	k, exact := slices.BinarySearch(x, v)
	last := len(x) - 1
	switch {
	case exact:
		return y[k]
	case k == 0:
		return y[0] + (v-x[0])*slope
	case k > last:
		return y[last] + (v-x[last])*slope
	}
	part := (v - x[k-1]) / (x[k] - x[k-1])
	return y[k-1] + part*(y[k]-y[k-1])
}

// LogSlope returns an estimate of the logarithm of the derivative of Quantile at the value v. That
// is log p(v) − log φ(Quantile(v)), with φ the standard normal density. The density p comes from
// the spread of the √n values nearest to v (O. Vasicek, "A Test for Normality Based on Sample
// Entropy", J. Royal Statistical Society B 38(1), 1976). The digamma functions remove the bias of
// the logarithm for few values.
func (c Curve) LogSlope(v float64) float64 {
	last := len(c.values) - 1
	m := max(1, int(math.Sqrt(float64(last))/2)) // on each side
	k, _ := slices.BinarySearch(c.values, v)
	low := min(max(k-m, 0), max(last-2*m, 0))
	high := min(low+2*m, last)
	logDensity := mathext.Digamma(float64(high-low)) - mathext.Digamma(float64(last+2)) -
		math.Log(c.values[high]-c.values[low])
	return logDensity - distuv.UnitNormal.LogProb(c.Quantile(v))
}
