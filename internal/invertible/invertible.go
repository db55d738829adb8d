// Package invertible has the arithmetic of layers.Invertible on the host: the factors of its
// matrices, P·L·U, and the limit of its nonlinearities.
package invertible

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// MaxBend is the maximum of |c| in x + c·(√(x² + 1) − 1): the largest float32 below 1. tanh rounds
// to 1 from 9 on.
const MaxBend = 1 - 0x1p-24

// MaxLogSlope limits the logarithms of the slopes and the sharpness of nonlinearities with full
// matrices: slopes from 0.08 to 12. It is a choice; a leaky ReLU of 0.2 needs a ratio of 5.
const MaxLogSlope = 2.5

// Sharpness is k of LeakyOf for the variable sharpness = 0. It is a choice.
const Sharpness = 3

// LeakyOf converts the variables of a nonlinearity with full matrices to its parameters: y =
// gain/k·(v + c·(√(v² + 1) − 1)), v = k·u.
func LeakyOf(lower, upper, sharpness float64) (c, gain, k float64) {
	log := func(v float64) float64 { return MaxLogSlope * math.Tanh(v/MaxLogSlope) }
	p, q := math.Exp(log(lower)), math.Exp(log(upper))
	return (q - p) / (q + p), (p + q) / 2, Sharpness * math.Exp(log(sharpness))
}

// Factor returns the factors and the signed permutation P, d×d row-major, of the invertible
// matrix w = P·L·U. The factors hold L below the diagonal, the logarithms of U's diagonal on
// it, and U above it.
func Factor(w *mat.Dense) (factors, permutation []float64, err error) {
	if w == nil || w.IsEmpty() {
		return nil, nil, errors.New("an empty matrix; must have an inverse")
	}
	d, columns := w.Dims()
	if d != columns {
		return nil, nil, fmt.Errorf("a matrix of %d rows and %d columns; must be square", d, columns)
	}
	var lu mat.LU
	lu.Factorize(w)
	var l, u mat.TriDense
	lu.LTo(&l)
	lu.UTo(&u)
	for k := range d { // their product, the determinant, may overflow
		if pivot := u.At(k, k); pivot == 0 || math.IsNaN(pivot) || math.IsInf(pivot, 0) {
			return nil, nil, fmt.Errorf("a matrix with a pivot of %g; must have an inverse", pivot)
		}
	}
	factors, permutation = make([]float64, d*d), make([]float64, d*d)
	// Row i of w is row pivots[i] of L·U. The signs S of U's diagonal move to the
	// left: P·L·U = (P·S)·(S·L·S)·(S·U).
	sign := func(k int) float64 { return math.Copysign(1, u.At(k, k)) }
	for i, pivot := range lu.RowPivots(nil) {
		permutation[i*d+pivot] = sign(pivot)
		for j := range d {
			switch {
			case j < i:
				factors[i*d+j] = sign(i) * l.At(i, j) * sign(j)
			case j == i:
				factors[i*d+j] = math.Log(math.Abs(u.At(i, i)))
			default:
				factors[i*d+j] = sign(i) * u.At(i, j)
			}
		}
	}
	return factors, permutation, nil
}

// Product returns the matrix P·L·U, d×d, of the factors that [Factor] returns, and its log|det|.
func Product(factors, permutation []float64, d int) (w *mat.Dense, logDet float64) {
	l, u := rotation.Identity(d), mat.NewDense(d, d, nil)
	for i := range d {
		for j, f := range factors[i*d : (i+1)*d] {
			switch {
			case j < i:
				l.Set(i, j, f)
			case j == i:
				u.Set(i, i, math.Exp(f))
				logDet += f
			default:
				u.Set(i, j, f)
			}
		}
	}
	w = mat.NewDense(d, d, nil)
	w.Product(mat.NewDense(d, d, permutation), l, u)
	return w, logDet
}
