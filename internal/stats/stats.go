// Package stats has summary statistics for several packages: a mean with its standard error,
// quantiles, and moments of values that come in blocks.
package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// MeanSE returns the mean of independent values and its standard error, the sample standard
// deviation over √n. The error of a single value is NaN.
func MeanSE(values []float64) (mean, se float64) {
	mean, sd := stat.MeanStdDev(values, nil)
	return mean, sd / math.Sqrt(float64(len(values)))
}

// Quantile returns the p-quantile of the values, 0 ≤ p ≤ 1, with linear interpolation as by gonum's
// stat.LinInterp; NaN for no values. It doesn't change values.
func Quantile(p float64, values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return QuantileOfSorted(p, slices.Sorted(slices.Values(values)))
}

// QuantileOfSorted is Quantile for one or more sorted values. Unlike stat.Quantile it doesn't visit
// all of them.
func QuantileOfSorted(p float64, sorted []float64) float64 {
	place := p * float64(len(sorted))
	k := max(int(math.Ceil(place))-1, 0)
	if k == 0 {
		return sorted[0]
	}
	below := float64(k+1) - place
	return below*sorted[k-1] + (1-below)*sorted[k]
}

// Moments are the mean and the variance of values that come in blocks, combined as in
// T. F. Chan, G. H. Golub and R. J. LeVeque, The American Statistician 37(3), 1983.
type Moments struct{ n, mean, squares float64 }

// Add adds a block of values, at least one.
func (m *Moments) Add(values []float64) {
	mean, variance := stat.PopMeanVariance(values, nil)
	n := float64(len(values))
	m.Merge(Moments{n, mean, variance * n})
}

// Merge adds the values of other moments, which have at least one.
func (m *Moments) Merge(other Moments) {
	delta, n := other.mean-m.mean, m.n+other.n
	m.squares += other.squares + delta*delta*m.n*other.n/n
	m.mean += delta * other.n / n
	m.n = n
}

// MeanSquare returns the mean square of the deviations from a centre.
func (m Moments) MeanSquare(centre float64) float64 {
	return m.Variance() + (m.mean-centre)*(m.mean-centre)
}

// Mean returns the mean.
func (m Moments) Mean() float64 { return m.mean }

// Variance returns the mean square of the deviations from the mean.
func (m Moments) Variance() float64 { return m.squares / m.n }

// Deviation returns the standard deviation, the root of Variance.
func (m Moments) Deviation() float64 { return math.Sqrt(m.Variance()) }

// Standardised returns values minus the mean, divided by the standard deviation.
func (m Moments) Standardised(values []float64) []float64 {
	standardised := make([]float64, len(values))
	for i, v := range values {
		standardised[i] = (v - m.mean) / m.Deviation()
	}
	return standardised
}
