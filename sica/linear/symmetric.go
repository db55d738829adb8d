package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// symmetric returns the symmetric part of the square matrix a, divided by divisor.
func symmetric(a mat.Matrix, divisor float64) *mat.SymDense {
	d, _ := a.Dims()
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			sym.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2/divisor)
		}
	}
	return sym
}

// correlations returns the correlations of signals with the given covariance, up to a factor. It
// uses the entries on and below the diagonal.
func correlations(covariance mat.Matrix) *mat.SymDense {
	d, _ := covariance.Dims()
	r := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			r.SetSym(i, j,
				covariance.At(i, j)/math.Sqrt(covariance.At(i, i)*covariance.At(j, j)))
		}
	}
	return r
}

// An eigen is the eigendecomposition of a symmetric matrix: eigenvalues, smallest first, and
// eigenvectors in columns.
type eigen struct {
	values  []float64
	vectors mat.Dense
}

// newEigen decomposes the symmetric part of a; nil if the eigenvalues don't converge.
func newEigen(a mat.Matrix) *eigen {
	var factor mat.EigenSym
	if !factor.Factorize(symmetric(a, 1), true) {
		return nil
	}
	e := &eigen{values: factor.Values(nil)}
	factor.VectorsTo(&e.vectors)
	return e
}

// mapped returns the matrix with the same eigenvectors and f of the eigenvalues.
func (e *eigen) mapped(f func(float64) float64) *mat.Dense {
	values := make([]float64, len(e.values))
	for i, l := range e.values {
		values[i] = f(l)
	}
	m := new(mat.Dense)
	m.Product(&e.vectors, diagonal(values), e.vectors.T())
	return m
}

// roots returns the symmetric roots of a and of its inverse; ok is false if a isn't positive
// definite.
func roots(a mat.Matrix) (root, inverse *mat.Dense, ok bool) {
	e := newEigen(a)
	if e == nil || !(e.values[0] > 0) {
		return nil, nil, false
	}
	return e.mapped(math.Sqrt), e.mapped(func(l float64) float64 { return 1 / math.Sqrt(l) }), true
}

// inverseRoot returns the symmetric root of the inverse of a; nil if a isn't positive definite.
func inverseRoot(a mat.Matrix) *mat.Dense {
	_, inverse, _ := roots(a)
	return inverse
}

// diagonal returns the diagonal matrix of a copy of the values.
func diagonal(values []float64) *mat.DiagDense {
	return mat.NewDiagDense(len(values), slices.Clone(values))
}

// diagonalOf returns the diagonal of the square matrix m.
func diagonalOf(m mat.Matrix) []float64 {
	d, _ := m.Dims()
	values := make([]float64, d)
	for i := range values {
		values[i] = m.At(i, i)
	}
	return values
}

// invertSymmetric sets inv to the inverse of the positive definite a, d×d, by its Cholesky factor,
// and returns the log-determinant of a. It allocates nothing, which matters for small d. ok is
// false if a isn't positive definite.
func invertSymmetric(inv, a []float64, d int) (logDet float64, ok bool) {
	copy(inv, a)
	if logDet, ok = factorise(inv, d); !ok {
		return 0, false
	}
	invertFactor(inv, d)
	squareFactor(inv, d)
	return logDet, true
}

// factorise replaces the lower triangle of a, d×d, by its Cholesky factor L. It returns the
// log-determinant of a; ok is false if a isn't positive definite.
func factorise(a []float64, d int) (logDet float64, ok bool) {
	for j := range d {
		for i := j; i < d; i++ {
			v := a[i*d+j]
			for l := range j {
				v -= a[i*d+l] * a[j*d+l]
			}
			if i > j {
				a[i*d+j] = v / a[j*d+j]
				continue
			}
			if !(v > 0) {
				return 0, false
			}
			a[j*d+j] = math.Sqrt(v)
			logDet += math.Log(v)
		}
	}
	return logDet, true
}

// invertFactor replaces L in the lower triangle of a by L⁻¹.
func invertFactor(a []float64, d int) {
	for j := range d {
		a[j*d+j] = 1 / a[j*d+j]
		for i := j + 1; i < d; i++ {
			v := 0.0
			for l := j; l < i; l++ {
				v -= a[i*d+l] * a[l*d+j]
			}
			a[i*d+j] = v / a[i*d+i]
		}
	}
}

// squareFactor sets a, whose lower triangle is L⁻¹, to L⁻ᵀ·L⁻¹.
func squareFactor(a []float64, d int) {
	for i := range d { // entry (i, j), i ≤ j, needs rows from j on only
		for j := i; j < d; j++ {
			v := 0.0
			for l := j; l < d; l++ {
				v += a[l*d+i] * a[l*d+j]
			}
			a[i*d+j] = v
		}
	}
	for i := range d {
		for j := range i {
			a[i*d+j] = a[j*d+i]
		}
	}
}

// multiply sets c to a·b, all d×d.
func multiply(c, a, b []float64, d int) {
	for i := range d {
		row := c[i*d : (i+1)*d]
		clear(row)
		for l := range d {
			v := a[i*d+l]
			for j, w := range b[l*d : (l+1)*d] {
				row[j] += v * w
			}
		}
	}
}
