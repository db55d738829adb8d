package baseline

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// A Whitening is whitening by principal components: the signals
// Matrix·(x − Mean) are uncorrelated with variance 1, the first being along
// the direction in which x varies most. The variance is the mean square
// 1/T·Σ(x−mean)².
type Whitening struct {
	Mean    []float64  // of each mixed signal
	Matrix  *mat.Dense // d×d; row i is the i-th principal axis over its standard deviation
	Inverse *mat.Dense // d×d, of Matrix
	Signals *mat.Dense // d×T, white
}

// Whiten whitens the mixed signals x, d×T, and leaves them as they are. With the
// singular value decomposition x − mean = U·S·Vᵀ, the matrix is √T·S⁻¹·Uᵀ. The
// first entry of each axis, a column of U, is positive or zero, as in
// scikit-learn.
//
// The errors are those of CheckSignals, and one if the signals are linearly
// dependent to float64's precision.
func Whiten(x *mat.Dense) (*Whitening, error) {
	if err := CheckSignals(x); err != nil {
		return nil, err
	}
	d, n := x.Dims()
	mean, centred := Centre(x)
	space := mat.NewDense(d, n, nil)
	axes, sd, err := principal(centred, mean, space)
	if err != nil {
		return nil, err
	}
	w := &Whitening{
		Mean:    mean,
		Matrix:  mat.NewDense(d, d, nil),
		Inverse: mat.NewDense(d, d, nil),
		Signals: space,
	}
	for j := range d {
		sign := 1.0
		if axes.At(0, j) < 0 {
			sign = -1
		}
		for i := range d {
			w.Matrix.Set(j, i, sign*axes.At(i, j)/sd[j])
			w.Inverse.Set(i, j, sign*axes.At(i, j)*sd[j])
		}
	}
	w.Signals.Mul(w.Matrix, centred)
	return w, nil
}

// Apply returns Matrix·(x − Mean) for mixed signals x, d×n. It is an error if x
// isn't d signals at one position or more or has a value that isn't finite.
func (w *Whitening) Apply(x *mat.Dense) (*mat.Dense, error) {
	if err := CheckNew("mixed", x, len(w.Mean)); err != nil {
		return nil, err
	}
	var white mat.Dense
	white.Mul(w.Matrix, less(x, w.Mean))
	return &white, nil
}

// Linear returns the demixing whose recovered signals are rotation·Signals. The
// rotation is orthogonal, d×d.
func (w *Whitening) Linear(rotation *mat.Dense) Linear {
	var mixing, unmixing mat.Dense
	unmixing.Mul(rotation, w.Matrix)
	mixing.Mul(w.Inverse, rotation.T())
	return Linear{Mean: w.Mean, Whitening: w.Matrix, Mixing: &mixing, Unmixing: &unmixing}
}

// principal returns the principal axes of the centred signals as the columns of
// a d×d matrix, by decreasing standard deviation, and those. It writes over
// space, d×T.
func principal(centred *mat.Dense, mean []float64, space *mat.Dense) (axes *mat.Dense, sd []float64, err error) {
	d, n := centred.Dims()
	space.Copy(centred)
	var svd mat.SVD
	if !svd.Factorize(lower(space), mat.SVDThinU) {
		return nil, nil, errors.New("the singular value decomposition of the mixed signals did not converge: standardise them first")
	}
	s := svd.Values(nil)

	// Below this a singular value is no more than the rounding of the signals
	// and of their means.
	const eps = 0x1p-52
	offset := 0.0
	for _, m := range mean {
		offset = max(offset, math.Abs(m))
	}
	rounding := 4 * eps * max(s[0], offset*math.Sqrt(float64(n)))
	if smallest := s[d-1]; !(smallest > rounding) {
		return nil, nil, fmt.Errorf("the %d mixed signals are linearly dependent to float64's precision "+
			"(their smallest singular value is %.1e of the largest): leave out a signal that others determine, "+
			"or standardise first if their scales or offsets differ much", d, smallest/s[0])
	}
	axes = new(mat.Dense)
	svd.UTo(axes)
	for i := range s {
		s[i] /= math.Sqrt(float64(n))
	}
	return axes, s, nil
}

// lower returns the factor L of x = L·Q with orthonormal rows of Q, d×T. L is
// lower triangular, d×d, and has the singular values of x and their left
// vectors. It writes over x.
func lower(x *mat.Dense) *mat.Dense {
	d, _ := x.Dims()
	tau, best := make([]float64, d), make([]float64, 1)
	lapack64.Gelqf(x.RawMatrix(), tau, best, -1)
	work := make([]float64, int(best[0]))
	lapack64.Gelqf(x.RawMatrix(), tau, work, len(work))
	l := mat.NewDense(d, d, nil)
	for i := range d {
		copy(l.RawRowView(i)[:i+1], x.RawRowView(i))
	}
	return l
}
