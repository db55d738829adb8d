// Package joint finds demixings that make several covariances diagonal at once, and tells how
// far a demixing does.
package joint

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/jointdiag"
)

const (
	mostSweeps = 30
	tolerance  = 1e-4 // radians
)

// varianceBlocks are into how many blocks varying variances cut the positions.
var varianceBlocks = []int{8, 32}

// Covariance is the mean of z_t·z_{t+lag}ᵀ, made symmetric, from first on.
func Covariance(z *mat.Dense, first, lag, n int) *mat.SymDense {
	d, _ := z.Dims()
	a := z.RawMatrix()
	b := a
	a.Cols, b.Cols = n, n
	a.Data, b.Data = a.Data[first:], b.Data[first+lag:]
	c := mat.NewDense(d, d, nil)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1/float64(n), a, b, 0, c.RawMatrix())
	sym := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			sym.SetSym(i, j, (c.At(i, j)+c.At(j, i))/2)
		}
	}
	return sym
}

// Diagonalise returns the rotation that makes all of the covariances as diagonal as one can,
// nil if there are none.
func Diagonalise(ctx context.Context, all []*mat.SymDense) (*mat.Dense, error) {
	if len(all) == 0 {
		return nil, nil
	}
	r, err := jointdiag.Orthogonal(ctx, all, jointdiag.Options{Tolerance: tolerance, MaxSweeps: mostSweeps})
	if err != nil {
		return nil, err
	}
	return mat.DenseCopyOf(r.V.T()), nil
}

// VariancesDiagonal returns the demixing that makes the covariances of blocks of positions as
// diagonal as one can (D.-T. Pham, J.-F. Cardoso, IEEE Trans. Signal Processing 49(9), 2001),
// nil for too few positions.
func VariancesDiagonal(ctx context.Context, innovations *mat.Dense) (*mat.Dense, error) {
	d, n := innovations.Dims()
	whole := Covariance(innovations, 0, 0, n)
	var eigen mat.EigenSym
	if !eigen.Factorize(whole, true) {
		return nil, nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	white := mat.NewDense(d, d, nil)
	for i, v := range eigen.Values(nil) {
		if v <= 0 {
			return nil, nil
		}
		for j := range d {
			white.Set(i, j, vectors.At(j, i)/math.Sqrt(v))
		}
	}
	var all []*mat.SymDense
	for _, blocks := range varianceBlocks {
		length := n / blocks
		if length < 4*d {
			continue
		}
		for b := range blocks {
			var c mat.Dense
			c.Product(white, Covariance(innovations, b*length, 0, length), white.T())
			trace := mat.Trace(&c) / float64(d)
			sym := mat.NewSymDense(d, nil)
			for i := range d {
				for j := range i + 1 {
					sym.SetSym(i, j, (c.At(i, j)+c.At(j, i))/2/trace)
				}
			}
			all = append(all, sym)
		}
	}
	v, err := Diagonalise(ctx, all)
	if v == nil || err != nil {
		return nil, err
	}
	var b mat.Dense
	b.Mul(v, white)
	return &b, nil
}

// window is how many positions are a window, a resolution: of 32 mixtures of voices
// (TestChannelNoise of package linear) windows of 16, 32 and 64 gave the same means to .0001.
// Of fewer than fewest less could be said than of the sixteenths of the positions.
const window, fewest = 32, 16

// PowerLengths returns the description lengths, in nats but for a constant, of windows of 32
// positions, if the signals b·x are Gaussian and each has a power of its own in each window, of
// no less than least: the criterion of Pham and Cardoso, which is least where b makes the
// covariances of all windows diagonal. It is nil if there are fewer than 16 windows.
func PowerLengths(b, x *mat.Dense, least float64) []float64 {
	d, n := x.Dims()
	if n < fewest*window {
		return nil
	}
	var y mat.Dense
	y.Mul(b, x)
	logDet, _ := mat.LogDet(b)
	lengths := make([]float64, n/window)
	for w := range lengths {
		lengths[w] = -window * logDet
		for i := range d {
			part := y.RawRowView(i)[w*window : (w+1)*window]
			lengths[w] += window / 2 * math.Log(floats.Dot(part, part)/window+least)
		}
	}
	return lengths
}
