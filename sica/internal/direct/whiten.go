package direct

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// whiten returns the means of x and its symmetric whitening Σ^{-1/2}, from the
// singular values of the data, which keeps twice the digits of its covariance.
func whiten(x *mat.Dense) (mean []float64, whitening *mat.Dense, err error) {
	d, T := x.Dims()
	mean = make([]float64, d)
	centred := mat.NewDense(d, T, nil)
	for i := range d {
		mean[i] = stat.Mean(x.RawRowView(i), nil)
		for t, v := range x.RawRowView(i) {
			centred.Set(i, t, v-mean[i])
		}
	}
	var svd mat.SVD
	if !svd.Factorize(centred, mat.SVDThin) {
		return nil, nil, fmt.Errorf("direct: x has no singular value decomposition")
	}
	values := svd.Values(nil)
	if !(values[d-1] > 1e-12*values[0]) { // float64's digits
		return nil, nil, fmt.Errorf("direct: the %d signals are linearly dependent: drop those that follow from others", d)
	}
	var u mat.Dense
	svd.UTo(&u)
	scaled := mat.DenseCopyOf(&u)
	for j, v := range values {
		for i := range d {
			scaled.Set(i, j, u.At(i, j)*math.Sqrt(float64(T))/v)
		}
	}
	whitening = mat.NewDense(d, d, nil)
	whitening.Mul(scaled, u.T())
	return mean, whitening, nil
}

// affineMap is w·x + b at every position.
func affineMap(w *mat.Dense, b []float64, x *mat.Dense) *mat.Dense {
	d, T := x.Dims()
	y := mat.NewDense(d, T, nil)
	y.Mul(w, x)
	for i, v := range b {
		row := y.RawRowView(i)
		for t := range row {
			row[t] += v
		}
	}
	return y
}
