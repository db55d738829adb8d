// Package pca whitens mixed signals by principal components, for the methods that
// then look for a demixing of the white signals.
package pca

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/internal/mapping"
)

// Components are the principal components of mixed signals x, each divided by its
// standard deviation: the signals Matrix·(x − Mean) are uncorrelated with variance
// 1, the first being along the direction in which x varies most. The variance is
// the mean square 1/T·Σ(x−mean)².
type Components struct {
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
// The errors are those of baseline.CheckSignals, and one if the signals are linearly
// dependent to float64's precision.
func Whiten(x *mat.Dense) (*Components, error) {
	if err := baseline.CheckSignals(x); err != nil {
		return nil, err
	}
	d, n := x.Dims()
	centred, mean := signal.Centred(x)
	space := mat.NewDense(d, n, nil)
	axes, sd, err := principal(centred, mean, space)
	if err != nil {
		return nil, err
	}
	c := &Components{
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
			c.Matrix.Set(j, i, sign*axes.At(i, j)/sd[j])
			c.Inverse.Set(i, j, sign*axes.At(i, j)*sd[j])
		}
	}
	c.Signals.Mul(c.Matrix, centred)
	return c, nil
}

// Apply returns Matrix·(x − Mean) for mixed signals x, d×n. It is an error if x
// isn't d signals at one position or more or has a value that isn't finite.
func (c *Components) Apply(x *mat.Dense) (*mat.Dense, error) {
	if err := signal.CheckNew("x", x, len(c.Mean)); err != nil {
		return nil, err
	}
	var white mat.Dense
	white.Mul(c.Matrix, signal.Added(x, c.Mean, -1))
	return &white, nil
}

// Model returns the demixing of the mixed signals whose recovered signals are
// w·Signals, in a fit that ended so. The inverse is that of w, d×d.
func (c *Components) Model(w, inverse mat.Matrix, end baseline.Convergence) *baseline.LinearModel {
	var unmixing, mixing, signals mat.Dense
	unmixing.Mul(w, c.Matrix)
	mixing.Mul(c.Inverse, inverse)
	signals.Mul(w, c.Signals)
	return baseline.NewLinearModel(c.Mean, &unmixing, &mixing, &signals, end)
}

// principal returns the principal axes of the centred signals as the columns of
// a d×d matrix, by decreasing standard deviation, and those. It writes over
// space, d×T.
func principal(centred *mat.Dense, mean []float64, space *mat.Dense) (axes *mat.Dense, sd []float64, err error) {
	_, n := centred.Dims()
	space.Copy(centred)
	var svd mat.SVD
	if !svd.Factorize(lower(space), mat.SVDThinU) {
		return nil, nil, errors.New("the singular value decomposition of the mixed signals did not converge: standardise them first")
	}
	s := svd.Values(nil)

	if err := mapping.CheckRank(s, mean, n); err != nil {
		return nil, nil, err
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
