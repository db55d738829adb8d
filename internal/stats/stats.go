// Package stats has the summary statistics that several packages give: a mean with its
// standard error, and quantiles.
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

// Quantile returns the p-quantile of the values, 0 ≤ p ≤ 1, interpolated linearly between
// them as gonum's stat.LinInterp. It doesn't change them; it is NaN for no values.
func Quantile(p float64, values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	return stat.Quantile(p, stat.LinInterp, slices.Sorted(slices.Values(values)), nil)
}
