package fastica

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// The values of Config.Algorithm.
const (
	bySymmetry  = "symmetric"
	byDeflation = "deflation"
)

// symmetric iterates all directions together from those in w, d×d, and leaves
// the last in w. It returns how many iterations it took and whether they
// converged.
func symmetric(ctx context.Context, p *passer, w *mat.Dense, cfg Config) (iterations int, converged bool, err error) {
	d, _ := w.Dims()
	now, next := w.RawMatrix(), newGeneral(d, d)
	o := newOrthogonaliser(d)
	if err := o.apply(now); err != nil {
		return 0, false, err
	}
	for iterations < cfg.MaxIterations {
		if err := ctx.Err(); err != nil {
			return iterations, false, err
		}
		p.step(next, now)
		if err := o.apply(next); err != nil {
			return iterations, false, err
		}
		iterations++
		change := 0.0
		for i := range d {
			change = max(change, turned(row(next, i), row(now, i)))
		}
		copy(now.Data, next.Data)
		if change < cfg.Tolerance {
			return iterations, true, nil
		}
	}
	return iterations, false, nil
}

// deflation iterates one direction after another from those in w, d×d, and
// leaves the last in w. It returns the most iterations that a direction took and
// whether all converged.
func deflation(ctx context.Context, p *passer, w *mat.Dense, cfg Config) (iterations int, converged bool, err error) {
	d, _ := w.Dims()
	all, next := w.RawMatrix(), newGeneral(1, d)
	converged = true
	for i := range d {
		found := all
		found.Rows = i
		now := blas64.General{Rows: 1, Cols: d, Stride: d, Data: row(all, i)}
		floats.Scale(1/floats.Norm(now.Data, 2), now.Data)
		settled := false
		for k := 1; k <= cfg.MaxIterations && !settled; k++ {
			if err := ctx.Err(); err != nil {
				return iterations, false, err
			}
			p.step(next, now)
			project(next.Data, found)
			length := floats.Norm(next.Data, 2)
			if !(length > 0) || math.IsInf(length, 0) {
				return iterations, false, fmt.Errorf("no direction is left for recovered signal %d: %w", i+1, errVanishes)
			}
			floats.Scale(1/length, next.Data)
			settled = turned(next.Data, now.Data) < cfg.Tolerance
			copy(now.Data, next.Data)
			iterations = max(iterations, k)
		}
		converged = converged && settled
	}
	return iterations, converged, nil
}

var errVanishes = errors.New("the contrast is the same in all directions; try another contrast, another seed or the symmetric algorithm")

func row(m blas64.General, i int) []float64 { return m.Data[i*m.Stride:][:m.Cols] }

// turned returns how far the unit vector w is from ±v: the amount by which
// |wᵀv| is off 1.
func turned(w, v []float64) float64 { return math.Abs(math.Abs(floats.Dot(w, v)) - 1) }

// project takes from w its component in the span of the orthonormal rows of
// found.
func project(w []float64, found blas64.General) {
	// Twice, as the first time may leave its rounding.
	for range 2 {
		for i := range found.Rows {
			floats.AddScaled(w, -floats.Dot(w, row(found, i)), row(found, i))
		}
	}
}

// An orthogonaliser makes matrices orthogonal. What it allocates, it allocates
// once.
type orthogonaliser struct {
	gram        blas64.Symmetric
	values      []float64
	root, space blas64.General
	work        []float64
}

func newOrthogonaliser(d int) *orthogonaliser {
	o := &orthogonaliser{
		gram:   blas64.Symmetric{N: d, Stride: d, Uplo: blas.Upper, Data: make([]float64, d*d)},
		values: make([]float64, d),
		root:   newGeneral(d, d),
		space:  newGeneral(d, d),
	}
	best := make([]float64, 1)
	lapack64.Syev(lapack.EVCompute, o.gram, o.values, best, -1)
	o.work = make([]float64, int(best[0]))
	return o
}

// apply replaces w by (w·wᵀ)^{-1/2}·w, the orthogonal matrix nearest to it.
func (o *orthogonaliser) apply(w blas64.General) error {
	blas64.Syrk(blas.NoTrans, 1, w, 0, o.gram)
	if !lapack64.Syev(lapack.EVCompute, o.gram, o.values, o.work, len(o.work)) {
		return errors.New("the directions have no eigenvalues; try another contrast or another seed")
	}
	vectors := blas64.General{Rows: o.gram.N, Cols: o.gram.N, Stride: o.gram.Stride, Data: o.gram.Data} // columns
	if least, most := o.values[0], o.values[len(o.values)-1]; !(least > 0x1p-52*most) || math.IsInf(most, 0) {
		return fmt.Errorf("the directions coincide: %w", errVanishes)
	}
	copy(o.space.Data, vectors.Data)
	for i := range vectors.Rows {
		for j, value := range o.values {
			o.space.Data[i*o.space.Stride+j] /= math.Sqrt(value)
		}
	}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, o.space, vectors, 0, o.root)
	copy(o.space.Data, w.Data)
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, o.root, o.space, 0, w)
	return nil
}
