package baseline

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Centre returns the mean of each of the signals x, d×T, and the signals less
// their means. It doesn't change x.
func Centre(x *mat.Dense) (mean []float64, centred *mat.Dense) {
	d, _ := x.Dims()
	mean = make([]float64, d)
	for i := range mean {
		mean[i] = stat.Mean(x.RawRowView(i), nil)
	}
	return mean, less(x, mean)
}

// less returns the signals x less the mean of each.
func less(x *mat.Dense, mean []float64) *mat.Dense {
	centred := mat.DenseCopyOf(x)
	for i, m := range mean {
		floats.AddConst(-m, centred.RawRowView(i))
	}
	return centred
}
