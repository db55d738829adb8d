package direct

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// whiten returns the symmetric whitening x → Σ^{-1/2}·(x − mean), from the
// singular values of the data, which keeps twice the digits of its covariance,
// and the logarithm of its determinant.
func whiten(x *mat.Dense) (whitening Affine, logDet float64, err error) {
	d, T := x.Dims()
	mean := make([]float64, d)
	centred := mat.NewDense(d, T, nil)
	for i := range d {
		mean[i] = stat.Mean(x.RawRowView(i), nil)
		for t, v := range x.RawRowView(i) {
			centred.Set(i, t, v-mean[i])
		}
	}
	var svd mat.SVD
	if !svd.Factorize(centred, mat.SVDThin) {
		return Affine{}, 0, errors.New("direct: the signals have no singular value decomposition")
	}
	values := svd.Values(nil)
	if !(values[d-1] > 1e-12*values[0]) { // of float64's 16 digits
		return Affine{}, 0, fmt.Errorf("direct: the %d signals are linearly dependent: drop those that follow from others", d)
	}
	var u, w mat.Dense
	svd.UTo(&u)
	scaled := mat.DenseCopyOf(&u)
	for j, v := range values {
		scale := math.Sqrt(float64(T)) / v
		logDet += math.Log(scale)
		for i := range d {
			scaled.Set(i, j, u.At(i, j)*scale)
		}
	}
	w.Mul(scaled, u.T())
	offset := mat.NewVecDense(d, nil)
	offset.MulVec(&w, mat.NewVecDense(d, mean))
	offset.ScaleVec(-1, offset)
	return newAffine(&w, offset.RawVector().Data), logDet, nil
}

// Whitened is x, d×T, after the symmetric whitening that Fit begins with.
func Whitened(x *mat.Dense) (*mat.Dense, error) {
	if err := checkSignals(x); err != nil {
		return nil, err
	}
	w, _, err := whiten(x)
	if err != nil {
		return nil, err
	}
	return w.apply(x), nil
}
