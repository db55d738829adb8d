package direct

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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

// blurStd is the resolution of whitened signals of which several positions are
// the same, such as an image's background: without one, the density of that
// point, and with it the likelihood, has no bound, and a map gains by squeezing
// its surroundings into it. (A prior, that of the linear rule.)
const blurStd = .03

// blur adds noise of deviation blurStd to z.
func blur(z *mat.Dense, rng *rand.Rand) {
	z.Apply(func(_, _ int, v float64) float64 { return v + blurStd*rng.NormFloat64() }, z)
}

// repeats tells whether x has the same values in all signals at more than one of
// a hundred positions that another has.
func repeats(x *mat.Dense) bool {
	d, T := x.Dims()
	compare := func(a, b int) int {
		for i := range d {
			if c := cmp.Compare(x.At(i, a), x.At(i, b)); c != 0 {
				return c
			}
		}
		return 0
	}
	order := make([]int, T)
	for t := range order {
		order[t] = t
	}
	slices.SortFunc(order, compare)
	same := 0
	for k := 1; k < T; k++ {
		if compare(order[k-1], order[k]) == 0 {
			same++
		}
	}
	return 100*same > T
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
