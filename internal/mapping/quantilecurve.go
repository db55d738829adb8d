package mapping

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A quantileCurve is the monotone map from the values of a signal to normal quantiles. It is linear
// between neighbouring values of the fit. Beyond the smallest and the largest value its slope is
// 1/sd, as for a Gaussian signal.
type quantileCurve struct {
	sd                float64   // the signal's standard deviation
	values, quantiles []float64 // both rise
}

// newQuantileCurve returns the curve through the values of a signal, which isn't constant, and their
// normal quantiles; equal values have equal quantiles. It changes neither.
func newQuantileCurve(signal, quantiles []float64) quantileCurve {
	_, sd := stat.PopMeanStdDev(signal, nil)
	// Quantiles increase with the values, so sorting both keeps the pairs.
	return quantileCurve{
		sd:        sd,
		values:    slices.Compact(slices.Sorted(slices.Values(signal))),
		quantiles: slices.Compact(slices.Sorted(slices.Values(quantiles))),
	}
}

// quantile returns the normal quantile of the value v.
func (c quantileCurve) quantile(v float64) float64 {
	return interpolate(v, c.values, c.quantiles, 1/c.sd)
}

// value returns the value with the normal quantile q, the inverse of quantile.
func (c quantileCurve) value(q float64) float64 {
	return interpolate(q, c.quantiles, c.values, c.sd)
}

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

// logSlope returns an estimate of the logarithm of the derivative of quantile at the value v. That
// is log p(v) − log φ(quantile(v)), with φ the standard normal density. The density p comes from
// the spread of the √n values nearest to v (O. Vasicek, "A Test for Normality Based on Sample
// Entropy", J. Royal Statistical Society B 38(1), 1976). The digamma functions remove the bias of
// the logarithm for few values.
func (c quantileCurve) logSlope(v float64) float64 {
	last := len(c.values) - 1
	m := max(1, int(math.Sqrt(float64(last))/2)) // on each side
	k, _ := slices.BinarySearch(c.values, v)
	low := min(max(k-m, 0), max(last-2*m, 0))
	high := min(low+2*m, last)
	logDensity := mathext.Digamma(float64(high-low)) - mathext.Digamma(float64(last+2)) -
		math.Log(c.values[high]-c.values[low])
	return logDensity - distuv.UnitNormal.LogProb(c.quantile(v))
}
