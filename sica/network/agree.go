package network

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/assign"
)

// MeanCorrelation is the MCC of a and b, both d×T: the mean absolute correlation
// under the one-to-one assignment that makes it largest.
func MeanCorrelation(a, b *mat.Dense) float64 {
	value := correlations(a, b)
	sum := 0.
	columns := assign.Largest(value)
	for i, j := range columns {
		sum += value.At(i, j)
	}
	return sum / float64(len(columns))
}

// correlations are the absolute correlations of each signal of a with each of b.
func correlations(a, b *mat.Dense) *mat.Dense {
	d, _ := a.Dims()
	values := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			values.Set(i, j, math.Abs(stat.Correlation(a.RawRowView(i), b.RawRowView(j), nil)))
		}
	}
	return values
}
