// Package rotation makes orthogonal matrices.
package rotation

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Random returns a random d×d orthogonal matrix, a rotation or a reflection: the factor Q of a
// matrix of d² standard normal draws from rng, row-major. Up to the signs of its columns, which the
// decomposition chooses, it is uniform under the Haar measure (F. Mezzadri, Notices of the AMS
// 54(5), 2007).
func Random(rng *rand.Rand, d int) *mat.Dense {
	normal := mat.NewDense(d, d, nil)
	normal.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, normal)
	var qr mat.QR
	qr.Factorize(normal)
	var q mat.Dense
	qr.QTo(&q)
	return &q
}

// Identity returns the d×d identity.
func Identity(d int) *mat.Dense {
	m := mat.NewDense(d, d, nil)
	for i := range d {
		m.Set(i, i, 1)
	}
	return m
}

// Plane returns the rotation of two signals by an angle in radians, 2×2.
func Plane(angle float64) *mat.Dense {
	sin, cos := math.Sincos(angle)
	return mat.NewDense(2, 2, []float64{cos, -sin, sin, cos})
}

// Nearest returns the orthogonal matrix nearest to m, d×d: U·Vᵀ of its singular value decomposition
// (the orthogonal Procrustes problem: P. H. Schönemann, Psychometrika 31(1), 1966). The second
// result is false if the decomposition doesn't converge.
func Nearest(m mat.Matrix) (*mat.Dense, bool) {
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDFull) {
		return nil, false
	}
	var u, v, q mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	q.Mul(&u, v.T())
	return &q, true
}
