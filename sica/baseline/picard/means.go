package picard

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// means are those over the positions that the criterion, its gradient and its
// curvature are made of, for the signals y, with t = tanh y.
type means struct {
	logCosh []float64  // log 2·cosh yᵢ
	slope   []float64  // 1 − tᵢ²
	score   *mat.Dense // tᵢ·yⱼ
	bend    *mat.Dense // (1 − tᵢ²)·yⱼ²; nil with Ortho, which does without
}

// blockWidth is how many positions are worked on at a time, as in fastica: what
// is read and written stays in the fastest cache, and the sum of log cosh needs
// only one logarithm. A power 2^blockWidth must be finite.
const blockWidth = 192

// A sampler takes the means over the white signals x, d×T. What it allocates, it
// allocates once.
type sampler struct {
	x    *mat.Dense
	bend bool // whether it is asked for

	y, t, slope []float64 // a block of each, d×blockWidth
}

func newSampler(x *mat.Dense, bend bool) *sampler {
	d, _ := x.Dims()
	space := func() []float64 { return make([]float64, d*blockWidth) }
	return &sampler{x: x, bend: bend, y: space(), t: space(), slope: space()}
}

// means returns those of y = w·x, or ctx.Err() once ctx has ended.
func (s *sampler) means(ctx context.Context, w *mat.Dense) (*means, error) {
	d, n := s.x.Dims()
	m := &means{logCosh: make([]float64, d), slope: make([]float64, d), score: mat.NewDense(d, d, nil)}
	if s.bend {
		m.bend = mat.NewDense(d, d, nil)
	}
	var product mat.Dense
	for first := 0; first < n; first += blockWidth {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		width := min(blockWidth, n-first)
		y := mat.NewDense(d, width, s.y[:d*width])
		t := mat.NewDense(d, width, s.t[:d*width])
		slope := mat.NewDense(d, width, s.slope[:d*width])
		y.Mul(w, s.x.Slice(0, d, first, first+width))
		for i := range d {
			m.logCosh[i] += logCosh(y.RawRowView(i), t.RawRowView(i), slope.RawRowView(i))
			m.slope[i] += floats.Sum(slope.RawRowView(i))
		}
		product.Mul(t, y.T())
		m.score.Add(m.score, &product)
		if s.bend {
			y.MulElem(y, y)
			product.Mul(slope, y.T())
			m.bend.Add(m.bend, &product)
		}
	}
	floats.Scale(1/float64(n), m.logCosh)
	floats.Scale(1/float64(n), m.slope)
	m.score.Scale(1/float64(n), m.score)
	if s.bend {
		m.bend.Scale(1/float64(n), m.bend)
	}
	return m, nil
}

// logCosh returns the sum of log 2·cosh y over a block, and sets t to tanh y and
// slope to 1 − tanh² y. With e = exp(−2|y|)
//
//	log 2·cosh y = |y| + log(1 + e),  tanh |y| = (1 − e)/(1 + e),
//
// and the sum of the logarithms is that of the product.
func logCosh(y, t, slope []float64) float64 {
	sum, product := 0.0, 1.0
	for k, v := range y {
		size := math.Abs(v)
		e := math.Exp(-2 * size)
		sum += size
		product *= 1 + e
		t[k] = math.Copysign((1-e)/(1+e), v)
		slope[k] = 1 - t[k]*t[k]
	}
	return sum + math.Log(product)
}
