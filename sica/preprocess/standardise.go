package preprocess

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Standardised returns x with each signal at mean 0 and variance 1.
func Standardised(x *mat.Dense) (*mat.Dense, error) {
	z := mat.DenseCopyOf(x)
	d, _ := z.Dims()
	for i := range d {
		if err := standardiseSignal(z.RawRowView(i)); err != nil {
			return nil, fmt.Errorf("signal %d: %w", i+1, err)
		}
	}
	return z, nil
}

// standardiseSignal brings row to mean 0 and variance 1 in place.
func standardiseSignal(row []float64) error {
	mean, sd := stat.PopMeanStdDev(row, nil)
	if !(sd > 0) || math.IsInf(sd, 0) {
		return fmt.Errorf("has the standard deviation %g; it must be positive and finite in float64, so rescale the signal", sd)
	}
	for t, v := range row {
		row[t] = (v - mean) / sd
	}
	return nil
}
