// Package jointdiag finds the rotation that makes several symmetric matrices jointly as diagonal as
// possible, by Jacobi angles.
//
// Reference: J.-F. Cardoso, A. Souloumiac, "Jacobi angles for simultaneous diagonalization", SIAM
// Journal on Matrix Analysis and Applications 17(1), 161–164, 1996.
package jointdiag

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// Lags returns the lags of the covariances that SOBI diagonalises for n positions: 1 to 100, as in
// EEGLAB, or to ⌈n/3⌉ if that is less.
func Lags(n int) []int {
	lags := make([]int, min(100, (n+2)/3))
	for i := range lags {
		lags[i] = i + 1
	}
	return lags
}

// A Result is the rotation that Orthogonal returns.
type Result struct {
	V         *mat.Dense // d×d, orthogonal: Vᵀ·C·V is nearly diagonal for each C
	Sweeps    int
	Converged bool // whether the last sweep rotated every pair by less than the tolerance
}

// Orthogonal returns the orthogonal V that minimises the sum of the squared off-diagonal entries of
// Vᵀ·C·V over all the symmetric matrices C, d×d, which it doesn't change. It starts from the
// identity and rotates two axes at a time, so the minimum may be local. With one matrix the columns
// of V are its eigenvectors. A sweep over all pairs of axes costs O(d³) for each matrix. It ends
// with the first sweep in which every rotation is smaller than the tolerance, an angle in radians,
// or after maxSweeps sweeps.
//
// It is an error if there is no matrix, if their sizes differ, if a value isn't
// finite, or if ctx ends.
func Orthogonal(
	ctx context.Context, matrices []*mat.SymDense, tolerance float64, maxSweeps int,
) (Result, error) {
	if len(matrices) == 0 {
		return Result{}, errors.New("jointdiag: matrices: are none; must be at least one")
	}
	s, err := newStack(matrices)
	if err != nil {
		return Result{}, err
	}
	result := Result{V: rotation.Identity(s.d)}
	v := result.V.RawMatrix()
	column := func(j int) blas64.Vector {
		return blas64.Vector{N: s.d, Inc: v.Stride, Data: v.Data[j:]}
	}
	for result.Sweeps < maxSweeps && !result.Converged {
		result.Converged = true
		result.Sweeps++
		for p := range s.d {
			if err := ctx.Err(); err != nil {
				return Result{}, fmt.Errorf("jointdiag: %w", err)
			}
			for q := p + 1; q < s.d; q++ {
				angle := s.angle(p, q)
				if math.Abs(angle) < tolerance {
					continue
				}
				result.Converged = false
				sin, cos := math.Sincos(angle)
				s.rotateAxes(p, q, cos, sin)
				blas64.Rot(column(p), column(q), cos, sin)
			}
		}
	}
	return result, nil
}

// A stack holds the lower triangles of K symmetric d×d matrices. The entries of all matrices in the
// same row and column are contiguous.
type stack struct {
	d, k int
	data []float64 // [d, d, K]; entries above the diagonals aren't used
}

func newStack(matrices []*mat.SymDense) (*stack, error) {
	s := &stack{d: matrices[0].SymmetricDim(), k: len(matrices)}
	s.data = make([]float64, s.d*s.d*s.k)
	for k, m := range matrices {
		if n := m.SymmetricDim(); n != s.d {
			return nil, fmt.Errorf("jointdiag: matrix %d is %d×%d; must be %d×%d, the size of the first",
				k+1, n, n, s.d, s.d)
		}
		for i := range s.d {
			for j := range i + 1 {
				v := m.At(i, j)
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return nil, fmt.Errorf("jointdiag: matrix %d has the value %g in row %d, "+
						"column %d; must be finite", k+1, v, i+1, j+1)
				}
				s.data[(i*s.d+j)*s.k+k] = v
			}
		}
	}
	return s, nil
}

// entries returns the entries in row i and column j ≤ i of all the matrices.
func (s *stack) entries(i, j int) []float64 {
	return s.data[(i*s.d+j)*s.k:][:s.k]
}

// angle returns the rotation of axes p and q > p, in radians, that minimises the sum of the squared
// entries (p, q). With g = (a_pp − a_qq, 2·a_pq) it is half the angle of the first eigenvector of
// G = Σ g·gᵀ.
func (s *stack) angle(p, q int) float64 {
	pp, qq, pq := s.entries(p, p), s.entries(q, q), s.entries(q, p)
	var diagonal, off float64 // G₁₁ − G₂₂ and 2·G₁₂
	for k, c := range pq {
		difference := pp[k] - qq[k]
		diagonal += difference*difference - 4*c*c
		off += 4 * difference * c
	}
	return 0.25 * math.Atan2(off, diagonal)
}

// rotateAxes replaces each matrix C by Rᵀ·C·R, where R rotates axes p and q > p.
func (s *stack) rotateAxes(p, q int, cos, sin float64) {
	rotate(s.data[p*s.d*s.k:][:p*s.k], s.data[q*s.d*s.k:][:p*s.k], cos, sin) // columns below p
	for i := p + 1; i < q; i++ {
		rotate(s.entries(i, p), s.entries(q, i), cos, sin)
	}
	for i := q + 1; i < s.d; i++ {
		rotate(s.entries(i, p), s.entries(i, q), cos, sin)
	}
	pp, qq, pq := s.entries(p, p), s.entries(q, q), s.entries(q, p)
	for k, v := range pq {
		// The columns, then the rows.
		a, b := cos*pp[k]+sin*v, cos*v-sin*pp[k]
		c, d := cos*v+sin*qq[k], cos*qq[k]-sin*v
		pp[k], qq[k], pq[k] = cos*a+sin*c, cos*d-sin*b, cos*b+sin*d
	}
}

// rotate replaces a and b by cos·a + sin·b and cos·b − sin·a.
func rotate(a, b []float64, cos, sin float64) {
	b = b[:len(a)]
	for k, v := range a {
		w := b[k]
		a[k], b[k] = cos*v+sin*w, cos*w-sin*v
	}
}
