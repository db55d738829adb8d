package signal

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/parallel"
)

// productBlock is how many positions are multiplied at a time, so that they stay in the processor's
// cache. Up to this width gonum multiplies matrices of up to 64 signals without starting
// goroutines. With 256 a product of 16 signals at 20,000 positions takes half as long again.
const productBlock = 192

// Mix sets y, k×n, to the mixtures b·x of the signals x, d×n, on all processors. b is k×d.
func Mix(y, b, x *mat.Dense) {
	_, n := x.Dims()
	blocks := (n + productBlock - 1) / productBlock
	parallel.Do(context.Background(), parallel.Workers(blocks), blocks, func(_, k int) {
		y, x := productPart(y, k), productPart(x, k)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, b.RawMatrix(), x, 0, y)
	})
}

// Products sets c, k×d, to the sums over the positions of the products of signals y, k×n, with
// signals x, d×n, on all processors: y·xᵀ.
func Products(c, y, x *mat.Dense) {
	rows, n := y.Dims()
	d, _ := x.Dims()
	c.Zero()
	workers := parallel.Workers(rows)
	parallel.Do(context.Background(), workers, workers, func(_, w int) {
		first, end := w*rows/workers, (w+1)*rows/workers
		y, c := y.Slice(first, end, 0, n).(*mat.Dense), c.Slice(first, end, 0, d).(*mat.Dense)
		for k := range (n + productBlock - 1) / productBlock {
			y, x := productPart(y, k), productPart(x, k)
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, y, x, 1, c.RawMatrix())
		}
	})
}

// productPart returns the k-th block of the positions of x.
func productPart(x *mat.Dense, k int) blas64.General {
	part, first := x.RawMatrix(), k*productBlock
	part.Cols = min(productBlock, part.Cols-first)
	part.Data = part.Data[first:]
	return part
}
