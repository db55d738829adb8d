package signal

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// A Whitening is the map of mixed signals x to white ones by their principal
// components: the signals Matrix·(x − Mean) are uncorrelated with mean square 1, the
// first along the direction in which x varies most.
type Whitening struct {
	Mean    []float64  // of each mixed signal
	Matrix  *mat.Dense // [d, d]; row i is principal axis i divided by its standard deviation
	Inverse *mat.Dense // [d, d], of Matrix
	White   *mat.Dense // [d, n], the white signals of x
	Spread  []float64  // [d], the standard deviation along each principal axis, largest first

	axes *mat.Dense // [d, d], orthonormal rows
}

// Whiten returns the whitening of the mixed signals x, d×n, which it doesn't change.
// With the singular value decomposition x − mean = U·S·Vᵀ, the matrix is √n·S⁻¹·Uᵀ.
// The first entry of each axis, a column of U, is positive or zero, as in scikit-learn.
//
// It is an error if CheckMixed finds one in x, or if the signals are linearly dependent
// to the precision of float64.
func Whiten(x *mat.Dense) (*Whitening, error) {
	if err := CheckMixed(x); err != nil {
		return nil, err
	}
	d, n := x.Dims()
	centred, mean := Centred(x)
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
	Mix(w.White, w.Matrix, centred)
	return w, nil
}

// Axes returns the principal axes of x as the orthonormal rows of a d×d matrix a. The
// symmetric whitening Σ^(−1/2) is aᵀ·Matrix, and its white signals are aᵀ·White.
func (w *Whitening) Axes() *mat.Dense { return mat.DenseCopyOf(w.axes) }

// Symmetric returns the white signals of x by symmetric whitening, Σ^(−1/2)·(x − Mean), d×n.
func (w *Whitening) Symmetric() *mat.Dense {
	d, n := w.White.Dims()
	z := mat.NewDense(d, n, nil)
	Mix(z, mat.DenseCopyOf(w.axes.T()), w.White)
	return z
}

// Apply returns Matrix·(x − Mean) for mixed signals x, d×m. It is an error if x isn't d
// signals at one position or more, or has a value that isn't finite.
func (w *Whitening) Apply(x *mat.Dense) (*mat.Dense, error) {
	if err := CheckNew("x", x, len(w.Mean)); err != nil {
		return nil, err
	}
	var white mat.Dense
	white.Mul(w.Matrix, Added(x, w.Mean, -1))
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
	if !svd.Factorize(Lower(space), mat.SVDThinU) {
		return nil, nil, errors.New("the singular value decomposition of the mixed signals did " +
			"not converge: standardise them first")
	}
	s := svd.Values(nil)

	if err := CheckRank(s, mean, n); err != nil {
		return nil, nil, err
	}
	axes = new(mat.Dense)
	svd.UTo(axes)
	for i := range s {
		s[i] /= math.Sqrt(float64(n))
	}
	return axes, s, nil
}

// Lower returns the factor L of x = L·Q, where the rows of Q, d×n, are orthonormal. L is lower
// triangular, d×d. It has the singular values of x and their left singular vectors, and zeros if
// there are fewer positions than signals. Lower overwrites x.
func Lower(x *mat.Dense) *mat.Dense {
	d, n := x.Dims()
	tau, best := make([]float64, min(d, n)), make([]float64, 1)
	lapack64.Gelqf(x.RawMatrix(), tau, best, -1)
	work := make([]float64, int(best[0]))
	lapack64.Gelqf(x.RawMatrix(), tau, work, len(work))
	l := mat.NewDense(d, d, nil)
	for i := range d {
		copy(l.RawRowView(i)[:min(i+1, n)], x.RawRowView(i))
	}
	return l
}

// CheckRank returns an error if d signals at n positions with these means, and these
// singular values of the signals less their means, largest first, are linearly
// dependent to float64's precision: if the smallest singular value is no more than
// the rounding of the signals.
func CheckRank(values, means []float64, n int) error {
	d := len(values)
	rounding := 4 * 0x1p-52 * max(values[0], floats.Norm(means, math.Inf(1))*math.Sqrt(float64(n)))
	if smallest := values[d-1]; !(smallest > rounding) {
		return fmt.Errorf("the %d signals are linearly dependent to float64's precision "+
			"(their smallest singular value is %.1e of the largest): leave out a signal that "+
			"others determine, or standardise first if their scales or offsets differ much",
			d, smallest/values[0])
	}
	return nil
}
