// Package pca whitens signals by their principal components:
//
//	w, err := pca.Whiten(x) // x: d signals × n positions
//	white := w.White        // uncorrelated, mean square 1, most variance first
//	more, err := w.Apply(y) // other positions of the same signals
//
// ica.Signals.Whitening is the same, computed once for all methods that fit the same signals.
//
// Signals are matrices of d rows × n columns: a row is a signal, a column a position. Variances are
// mean squares 1/n·Σ(x − mean)².
//
// Reference: G. H. Golub and C. F. Van Loan, Matrix Computations, 4th edition, 2013, section 2.4.
package pca

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Whitening maps mixed signals x to white signals by principal components: the signals Matrix·(x
// − Mean) are uncorrelated with mean square 1, the first along the direction in which x varies
// most.
type Whitening struct {
	Mean    []float64  // of each mixed signal
	Matrix  *mat.Dense // [d, d]; row i is principal axis i divided by its standard deviation
	Inverse *mat.Dense // [d, d], of Matrix
	White   *mat.Dense // [d, n], the white signals of x
	Spread  []float64  // [d], standard deviation along each principal axis, largest first

	axes *mat.Dense // [d, d], orthonormal rows
}

// Whiten returns the whitening of the mixed signals x, d×n, which it doesn't change.
// With the singular value decomposition x − mean = U·S·Vᵀ, the matrix is √n·S⁻¹·Uᵀ.
// The first entry of each axis, a column of U, is positive or zero, as in scikit-learn.
//
// It is an error if x has no more positions than signals, a value that isn't finite or is beyond
// ±1e150, or a constant signal, or if the signals are linearly dependent to the precision of
// float64.
func Whiten(x *mat.Dense) (*Whitening, error) {
	if err := signal.CheckMixed(x); err != nil {
		return nil, err
	}
	d, n := x.Dims()
	centred, mean := signal.Centred(x)
	white := mat.NewDense(d, n, nil)
	axes, sd, err := principal(centred, mean, white)
	if err != nil {
		return nil, err
	}
	w := &Whitening{
		Mean:    mean,
		Matrix:  mat.NewDense(d, d, nil),
		Inverse: mat.NewDense(d, d, nil),
		White:   white,
		Spread:  sd,
		axes:    mat.NewDense(d, d, nil),
	}
	for j := range d {
		sign := 1.0
		if axes.At(0, j) < 0 {
			sign = -1
		}
		for i := range d {
			w.axes.Set(j, i, sign*axes.At(i, j))
			w.Matrix.Set(j, i, sign*axes.At(i, j)/sd[j])
			w.Inverse.Set(i, j, sign*axes.At(i, j)*sd[j])
		}
	}
	signal.Mix(w.White, w.Matrix, centred)
	return w, nil
}

// Axes returns the principal axes of x as the orthonormal rows of a d×d matrix a. The
// symmetric whitening Σ^(−1/2) is aᵀ·Matrix, and its white signals are aᵀ·White.
func (w *Whitening) Axes() *mat.Dense { return mat.DenseCopyOf(w.axes) }

// Symmetric returns the white signals of x by symmetric whitening, Σ^(−1/2)·(x − Mean), d×n.
func (w *Whitening) Symmetric() *mat.Dense {
	return signal.Mixed(mat.DenseCopyOf(w.axes.T()), w.White)
}

// Apply returns Matrix·(x − Mean) for mixed signals x, d×m. It is an error if x isn't d
// signals at one position or more, or has a value that isn't finite.
func (w *Whitening) Apply(x *mat.Dense) (*mat.Dense, error) {
	if err := signal.CheckNew("x", x, len(w.Mean)); err != nil {
		return nil, err
	}
	var white mat.Dense
	white.Mul(w.Matrix, signal.Added(x, w.Mean, -1))
	return &white, nil
}

// principal returns the principal axes of the centred signals, as the columns of a d×d matrix,
// and the standard deviations along them, largest first. It overwrites space, d×n.
func principal(
	centred *mat.Dense, mean []float64, space *mat.Dense,
) (axes *mat.Dense, sd []float64, err error) {
	_, n := centred.Dims()
	space.Copy(centred)
	var svd mat.SVD
	if !svd.Factorize(signal.Lower(space), mat.SVDThinU) {
		return nil, nil, errors.New("the singular value decomposition of the mixed signals did " +
			"not converge: standardise them first")
	}
	s := svd.Values(nil)
	if err := signal.CheckRank(s, mean, n); err != nil {
		return nil, nil, err
	}
	axes = new(mat.Dense)
	svd.UTo(axes)
	for i := range s {
		s[i] /= math.Sqrt(float64(n))
	}
	return axes, s, nil
}
