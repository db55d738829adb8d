package network

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// whiten is the symmetric whitening of x, and the logarithm of its determinant.
func whiten(x *mat.Dense) (whitening *preprocess.Affine, logDet float64, err error) {
	symmetric, err := preprocess.SymmetricOf(x)
	if err != nil {
		return nil, 0, err
	}
	for _, spread := range symmetric.Spread {
		logDet -= math.Log(spread)
	}
	return symmetric.Affine(), logDet, nil
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

// Resolved is whitened signals z with the noise of their resolution, if some of them need
// it: where half of a signal's values are foretold by its own past to within that share of
// their spread, as those of an image's background or of a square wave, its code is as
// short as one likes; and so it is where positions repeat, as in silence or of few bits.
// Starts are compared by what they make of signals with the same noise.
func Resolved(z *mat.Dense, o Options) (*mat.Dense, error) {
	o, x, err := o.indexed(z)
	if err != nil {
		return nil, err
	}
	blurred := func() *mat.Dense {
		noisy := mat.DenseCopyOf(z)
		blur(noisy, rand.New(rand.NewPCG(o.Seed, blurDraws<<32)))
		return noisy
	}
	if repeats(z) {
		return blurred(), nil
	}
	d, _ := z.Dims()
	for i := range d {
		row := z.RawRowView(i)
		coefficients, _ := ar.Regress(row, x.lags, x.scored)
		var values, errors []float64
		for _, t := range x.scored {
			values, errors = append(values, row[t]), append(errors, ar.Residual(coefficients, row, x.lags, t))
		}
		if deviation(errors) <= blurStd*deviation(values) {
			return blurred(), nil
		}
	}
	return z, nil
}

// deviation is the median distance of values from their median.
func deviation(values []float64) float64 {
	middle := func() float64 {
		slices.Sort(values)
		return values[len(values)/2]
	}
	m := middle()
	for k, v := range values {
		values[k] = math.Abs(v - m)
	}
	return middle()
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
