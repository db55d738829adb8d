package signal

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/parallel"
)

// ProductBlock is the best number of positions for MixBlock and AddProducts, which then stay in the
// cache: 96 KiB for 64 signals. With a third of it they take up to twice as long, with 512 equally
// long for 8 to 300 signals (one core of an Intel Xeon).
const ProductBlock = 192

// MixBlock sets y, k×n, to the mixtures b·x of the signals x, d×n. b is k×d. Row by row it takes
// half of the time of blas64.Gemm from 32 signals on, and three quarters for 8 and 16, since
// gonum's matrix-vector products use four rows of the matrix at once.
func MixBlock(y, b, x blas64.General) {
	for i := range y.Rows {
		blas64.Gemv(blas.Trans, 1, x, row(b, i), 0, row(y, i))
	}
}

// AddProducts adds factor times the sums over the positions of the products of signals y, k×n, with
// signals x, d×n, to c, k×d: factor·y·xᵀ. It works row by row, as MixBlock does.
func AddProducts(c blas64.General, factor float64, y, x blas64.General) {
	for i := range y.Rows {
		blas64.Gemv(blas.NoTrans, factor, x, row(y, i), 1, row(c, i))
	}
}

func row(m blas64.General, i int) blas64.Vector {
	return blas64.Vector{N: m.Cols, Inc: 1, Data: m.Data[i*m.Stride:]}
}

// Mix sets y, k×n, to the mixtures b·x of the signals x, d×n, on all processors. b is k×d.
func Mix(y, b, x *mat.Dense) {
	_, n := x.Dims()
	blocks := (n + ProductBlock - 1) / ProductBlock
	parallel.Do(context.Background(), parallel.Workers(blocks), blocks, func(_, k int) {
		y, x := productPart(y, k), productPart(x, k)
		MixBlock(y, b.RawMatrix(), x)
	})
}

// Mixed returns the mixtures b·x of the signals x, as Mix sets them.
func Mixed(b, x *mat.Dense) *mat.Dense {
	k, _ := b.Dims()
	_, n := x.Dims()
	y := mat.NewDense(k, n, nil)
	Mix(y, b, x)
	return y
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
		for k := range (n + ProductBlock - 1) / ProductBlock {
			y, x := productPart(y, k), productPart(x, k)
			AddProducts(c.RawMatrix(), 1, y, x)
		}
	})
}

// productPart returns the k-th block of the positions of x.
func productPart(x *mat.Dense, k int) blas64.General {
	part, first := x.RawMatrix(), k*ProductBlock
	part.Cols = min(ProductBlock, part.Cols-first)
	part.Data = part.Data[first:]
	return part
}
