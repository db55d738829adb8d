// Package fastica has the iterations of FastICA with the symmetric algorithm and the contrast log
// cosh. They serve package sica/baseline/fastica, the method, and the candidates of the linear
// rule.
//
// Reference: A. Hyvärinen, "Fast and robust fixed-point algorithms for independent component
// analysis", IEEE Transactions on Neural Networks 10(3), 626–634, 1999.
package fastica

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/internal/tanh"
)

// Start returns an initial demixing, d×d, of standard normal draws.
func Start(seed uint64, d int) *mat.Dense {
	rng := stream.Named(seed, "fastica")
	w := mat.NewDense(d, d, nil)
	w.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, w)
	return w
}

// Iterate replaces the demixing w of the white signals, d×n, by the last of the iterations from it.
// They converge if | |wᵀw′| − 1 | is below the tolerance for each row w and the same row w′ an
// iteration before. An iteration takes O(d²·n) operations on all processors, whose number doesn't
// affect the result.
//
// It is an error if the contrast is the same in all directions, or if ctx ends.
func Iterate(
	ctx context.Context, white, w *mat.Dense, tolerance float64, maxIterations int,
) (iterations int, converged bool, err error) {
	d, _ := w.Dims()
	p, o := newPass(white), newOrthogonaliser(d)
	current, next := w.RawMatrix(), newGeneral(d, d)
	if err := o.apply(current); err != nil {
		return 0, false, err
	}
	for iterations < maxIterations && !converged {
		if err := p.step(ctx, next, current); err != nil {
			return iterations, false, err
		}
		if err := o.apply(next); err != nil {
			return iterations, false, err
		}
		iterations++
		change := 0.0
		for i := range d {
			change = max(change, math.Abs(math.Abs(floats.Dot(row(next, i), row(current, i)))-1))
		}
		copy(current.Data, next.Data)
		converged = change < tolerance
	}
	return iterations, converged, nil
}

const (
	// blockWidth is the number of positions that are processed at a time.
	blockWidth = signal.ProductBlock

	// maxParts is the maximum number of parts of the positions, and so of busy processors. It is
	// constant so that the rounding of the sums doesn't depend on the number of processors.
	maxParts = 64
)

// A pass computes the means that an iteration needs over the white signals x, d×n. It allocates its
// memory once.
type pass struct {
	x      blas64.General
	parts  []part
	space  []blas64.General // of each worker, d×blockWidth
	w      blas64.General   // the demixing of this step
	worker func(worker, i int)
}

// A part holds the sums over the positions [first, end).
type part struct {
	first, end int
	cross      blas64.General // Σ tanh(y)·xᵀ, d×d
	slope      []float64      // Σ 1 − tanh²(y), d
}

func newPass(x *mat.Dense) *pass {
	d, n := x.Dims()
	blocks := (n + blockWidth - 1) / blockWidth
	p := &pass{x: x.RawMatrix(), parts: make([]part, min(blocks, maxParts))}
	for i := range p.parts {
		p.parts[i] = part{
			first: i * blocks / len(p.parts) * blockWidth,
			end:   min((i+1)*blocks/len(p.parts)*blockWidth, n),
			cross: newGeneral(d, d),
			slope: make([]float64, d),
		}
	}
	p.space = make([]blas64.General, parallel.Workers(len(p.parts)))
	for i := range p.space {
		p.space[i] = newGeneral(d, blockWidth)
	}
	p.worker = func(worker, i int) { p.sum(&p.parts[i], p.space[worker]) }
	return p
}

// step sets next to the Newton step from the demixing w, both d×d:
//
//	next = mean tanh(y)·xᵀ − mean (1 − tanh²(y)) · w,  y = w·x,
//
// where the second mean is one number for each row (Hyvärinen 1999, equation 20).
func (p *pass) step(ctx context.Context, next, w blas64.General) error {
	p.w = w
	if err := parallel.Do(ctx, len(p.space), len(p.parts), p.worker); err != nil {
		return err
	}
	n := float64(p.x.Cols)
	for i := range next.Rows {
		to, slope := row(next, i), 0.0
		clear(to)
		for k := range p.parts {
			for j, v := range row(p.parts[k].cross, i) {
				to[j] += v
			}
			slope += p.parts[k].slope[i]
		}
		for j := range to {
			to[j] = to[j]/n - slope/n*row(w, i)[j]
		}
	}
	return nil
}

// sum sets the sums of a part, with space for the signals of a block.
func (p *pass) sum(to *part, space blas64.General) {
	clear(to.cross.Data)
	clear(to.slope)
	for first := to.first; first < to.end; first += blockWidth {
		x, y := p.x, space // [d, block]
		x.Cols = min(blockWidth, to.end-first)
		x.Data = x.Data[first:]
		y.Cols = x.Cols
		signal.MixBlock(y, p.w, x)
		for i := range to.slope {
			t := row(y, i)
			tanh.InPlace(t)
			to.slope[i] += float64(len(t)) - floats.Dot(t, t)
		}
		signal.AddProducts(to.cross, 1, y, x)
	}
}

func newGeneral(rows, columns int) blas64.General {
	return blas64.General{
		Rows: rows, Cols: columns, Stride: columns, Data: make([]float64, rows*columns),
	}
}

func row(m blas64.General, i int) []float64 { return m.Data[i*m.Stride:][:m.Cols] }

// An orthogonaliser replaces matrices by the nearest orthogonal matrices, like rotation.Nearest. It
// uses an eigendecomposition instead of a singular value decomposition, and allocates nothing,
// since every iteration needs it.
type orthogonaliser struct {
	gram        blas64.Symmetric
	values      []float64
	root, space blas64.General
	work        []float64
}

func newOrthogonaliser(d int) *orthogonaliser {
	o := &orthogonaliser{
		gram: blas64.Symmetric{
			N: d, Stride: d, Uplo: blas.Upper, Data: make([]float64, d*d),
		},
		values: make([]float64, d),
		root:   newGeneral(d, d),
		space:  newGeneral(d, d),
	}
	size := make([]float64, 1)
	lapack64.Syev(lapack.EVCompute, o.gram, o.values, size, -1)
	o.work = make([]float64, int(size[0]))
	return o
}

// apply replaces w by (w·wᵀ)^{-1/2}·w = V·diag(λ^{-1/2})·Vᵀ·w, where λ and V are the
// eigenvalues and eigenvectors of w·wᵀ.
func (o *orthogonaliser) apply(w blas64.General) error {
	blas64.Syrk(blas.NoTrans, 1, w, 0, o.gram)
	if !lapack64.Syev(lapack.EVCompute, o.gram, o.values, o.work, len(o.work)) {
		return errors.New("the rows of the demixing have no eigenvalues; try another seed")
	}
	smallest, largest := o.values[0], o.values[len(o.values)-1]
	if !(smallest > 0x1p-52*largest) || math.IsInf(largest, 0) {
		return errors.New("two rows of the demixing coincide, as the contrast is the same in " +
			"all directions; try another seed or method")
	}
	vectors := blas64.General{ // as columns
		Rows: o.gram.N, Cols: o.gram.N, Stride: o.gram.Stride, Data: o.gram.Data,
	}
	for i := range vectors.Rows {
		scaled := row(o.space, i)
		copy(scaled, row(vectors, i))
		for j, value := range o.values {
			scaled[j] /= math.Sqrt(value)
		}
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, o.space, vectors, 0, o.root)
	copy(o.space.Data, w.Data)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, o.root, o.space, 0, w)
	return nil
}
