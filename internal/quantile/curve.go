// Package quantile maps values of a signal to normal quantiles and back.
package quantile

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Curve says what normal quantile each value of a signal goes to: values that
// were there to their own, and one between two of them to what is between their
// quantiles, in proportion. Beyond the smallest and the largest it goes on in
// proportion to the signal's standard deviation, as if the signal was Gaussian
// there.
type Curve struct {
	// SD is the signal's standard deviation.
	SD float64

	values, quantiles []float64 // both rise
}

// NewCurve is the curve of a signal that isn't constant and the normal quantiles
// of its values, equal ones for equal values. It changes neither.
func NewCurve(signal, quantiles []float64) Curve {
	_, sd := stat.PopMeanStdDev(signal, nil)
	// Equal values have equal quantiles, so that sorting each by itself keeps
	// them together.
	return Curve{
		SD:        sd,
		values:    slices.Compact(slices.Sorted(slices.Values(signal))),
		quantiles: slices.Compact(slices.Sorted(slices.Values(quantiles))),
	}
}

// Quantile is where the value v goes.
func (c Curve) Quantile(v float64) float64 { return interpolate(v, c.values, c.quantiles, 1/c.SD) }

// Value is the value that goes to the quantile q.
func (c Curve) Value(q float64) float64 { return interpolate(q, c.quantiles, c.values, c.SD) }

// interpolate is the value at v of the function that is linear between the
// points (from[k], to[k]), of which there are at least two and from rises, and
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

// LogSlope is the logarithm of the derivative of Quantile at the value v, from the
// spread of the √n values nearest to it (O. Vasicek, J. Royal Statistical Society B
// 38(1), 1976), without the bias that the logarithm of few of them has.
func (c Curve) LogSlope(v float64) float64 {
	last := len(c.values) - 1
	m := max(1, int(math.Sqrt(float64(last))/2)) // on each side
	k, _ := slices.BinarySearch(c.values, v)
	low := min(max(k-m, 0), max(last-2*m, 0))
	high := min(low+2*m, last)
	density := mathext.Digamma(float64(high-low)) - mathext.Digamma(float64(last+2)) - math.Log(c.values[high]-c.values[low])
	return density - distuv.UnitNormal.LogProb(c.Quantile(v))
}
