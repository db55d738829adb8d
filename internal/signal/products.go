package signal

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// productBlock is how many positions are multiplied at a time, so that they stay in the processor's
// cache. Up to this width gonum multiplies matrices of up to 64 signals without starting
// goroutines. With 256 a product of 16 signals at 20,000 positions takes half as long again.
const productBlock = 192

// Mix sets y, k×n, to the mixtures b·x of the signals x, d×n. b is k×d.
func Mix(y, b, x *mat.Dense) {
	forBlocks(y, x, func(y, x blas64.General) {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, b.RawMatrix(), x, 0, y)
	})
}

// Products sets c, k×d, to the sums over the positions of the products of signals y, k×n, with
// signals x, d×n: y·xᵀ.
func Products(c, y, x *mat.Dense) {
	c.Zero()
	forBlocks(y, x, func(y, x blas64.General) {
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, y, x, 1, c.RawMatrix())
	})
}

// forBlocks calls do for blocks of the positions of y and x.
func forBlocks(y, x *mat.Dense, do func(y, x blas64.General)) {
	_, n := x.Dims()
	for first := 0; first < n; first += productBlock {
		a, b := y.RawMatrix(), x.RawMatrix()
		a.Data, b.Data = a.Data[first:], b.Data[first:]
		a.Cols = min(productBlock, n-first)
		b.Cols = a.Cols
		do(a, b)
	}
}
