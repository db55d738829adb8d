package picard

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/tanh"
)

// A point is a demixing w of the white signals, with the means that determine the criterion there:
// the mean of −log p(y) over the positions, minus log|det w|.
type point struct {
	ortho bool

	w *mat.Dense
	*means
	signs []float64 // 1 for a signal with heavy tails, −1 for one with light tails
}

// classify sets the signs by the stability condition of a demixing,
//
//	mean (1 − tanh² y) · mean y² > mean tanh(y)·y,
//
// and reports whether the signs differ from before, which may be nil.
func (p *point) classify(before []float64) (changed bool) {
	p.signs = make([]float64, len(p.slope))
	for i := range p.signs {
		p.signs[i] = 1
		if p.slope[i]*p.covariance(i, i) < p.score.At(i, i) {
			p.signs[i] = -1
		}
		changed = changed || before != nil && p.signs[i] != before[i]
	}
	return changed
}

// covariance returns the covariance of recovered signals i and j: an entry of w·wᵀ, since x is
// white.
func (p *point) covariance(i, j int) float64 {
	if !p.ortho {
		return mat.Dot(p.w.RowView(i), p.w.RowView(j))
	}
	if i == j {
		return 1
	}
	return 0
}

// loss returns the criterion for the signs, up to a constant:
//
//	Σ ½·mean yᵢ² + signᵢ·mean log cosh yᵢ − log|det w|.
func (p *point) loss(signs []float64) float64 {
	loss := 0.0
	for i, v := range p.logCosh {
		loss += signs[i]*v + p.covariance(i, i)/2
	}
	if !p.ortho {
		logDet, _ := mat.LogDet(p.w)
		loss -= logDet
	}
	return loss
}

// gradient returns the relative gradient G, d×d. To first order the criterion changes by
// Σ Gᵢⱼ·Eᵢⱼ when w becomes (I + E)·w. With Ortho both E and G are antisymmetric.
func (p *point) gradient() *mat.Dense {
	d := len(p.signs)
	g := mat.NewDense(d, d, nil)
	g.Apply(func(i, j int, _ float64) float64 {
		if p.ortho {
			return (p.signs[i]*p.score.At(i, j) - p.signs[j]*p.score.At(j, i)) / 2
		}
		v := p.signs[i]*p.score.At(i, j) + p.covariance(i, j)
		if i == j {
			v--
		}
		return v
	}, g)
	return g
}

// A hessian approximates the Hessian of the criterion by that for independent signals, which
// couples Eᵢⱼ with Eⱼᵢ only. Entry i, j is the second derivative with respect to Eᵢⱼ. Without Ortho
// the mixed derivative with respect to Eᵢⱼ and Eⱼᵢ is 1.
type hessian struct {
	ortho bool
	*mat.Dense
}

// minCurvature is the least eigenvalue of the Hessian, so that steps descend: λ_min of the article,
// with its value. A smaller value makes longer steps along flat directions, which are then halved;
// the result is the same.
const minCurvature = 0.01

// hessian returns H̃² of the article, or the approximation of Picard-O, with eigenvalues of at
// least minCurvature.
func (p *point) hessian() hessian {
	d := len(p.signs)
	h := mat.NewDense(d, d, nil)
	if p.ortho {
		h.Apply(func(i, j int, _ float64) float64 {
			a := p.signs[i] * (p.slope[i] - p.score.At(i, i))
			b := p.signs[j] * (p.slope[j] - p.score.At(j, j))
			return max((a+b)/2, minCurvature)
		}, h)
		return hessian{true, h}
	}
	h.Apply(func(i, j int, _ float64) float64 {
		return p.signs[i]*p.slopeSquare.At(i, j) + p.covariance(j, j)
	}, h)
	for i := range d {
		for j := range i {
			a, b := h.At(i, j), h.At(j, i)
			smallest := (a + b - math.Hypot(a-b, 2)) / 2 // eigenvalue of (a 1; 1 b)
			if raise := minCurvature - smallest; raise > 0 {
				h.Set(i, j, a+raise)
				h.Set(j, i, b+raise)
			}
		}
	}
	return hessian{false, h}
}

// solve returns the E whose product with the Hessian is g.
func (h hessian) solve(g *mat.Dense) *mat.Dense {
	var e mat.Dense
	e.Apply(func(i, j int, v float64) float64 {
		switch a := h.At(i, j); {
		case h.ortho:
			return v / a
		case i == j:
			return v / (a + 1)
		default:
			b := h.At(j, i)
			return (b*v - g.At(j, i)) / (a*b - 1)
		}
	}, g)
	return &e
}

// means are the means over the positions that determine the criterion, its gradient and its
// curvature for the signals y, with t = tanh y.
type means struct {
	logCosh     []float64  // log 2·cosh yᵢ
	slope       []float64  // 1 − tᵢ²
	score       *mat.Dense // tᵢ·yⱼ
	slopeSquare *mat.Dense // (1 − tᵢ²)·yⱼ²; nil with Ortho, which doesn't need it
}

// blockWidth is the number of positions that are processed at a time, so that the block stays
// in the fastest cache and the sum of log cosh needs only one logarithm. 2^blockWidth must be
// finite: below 1024. Half of it makes no difference to the result.
const blockWidth = 192

// A sampler computes means over the white signals x, d×n. It allocates its memory once.
type sampler struct {
	x           *mat.Dense
	slopeSquare bool // whether it is needed

	y, t, slope []float64 // a block of each, d×blockWidth
}

func newSampler(x *mat.Dense, slopeSquare bool) *sampler {
	d, _ := x.Dims()
	space := func() []float64 { return make([]float64, d*blockWidth) }
	return &sampler{x: x, slopeSquare: slopeSquare, y: space(), t: space(), slope: space()}
}

// means returns the means for y = w·x, or ctx.Err() once ctx has ended.
func (s *sampler) means(ctx context.Context, w *mat.Dense) (*means, error) {
	d, n := s.x.Dims()
	m := &means{
		logCosh: make([]float64, d), slope: make([]float64, d), score: mat.NewDense(d, d, nil),
	}
	if s.slopeSquare {
		m.slopeSquare = mat.NewDense(d, d, nil)
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
		if s.slopeSquare {
			y.MulElem(y, y)
			product.Mul(slope, y.T())
			m.slopeSquare.Add(m.slopeSquare, &product)
		}
	}
	floats.Scale(1/float64(n), m.logCosh)
	floats.Scale(1/float64(n), m.slope)
	m.score.Scale(1/float64(n), m.score)
	if s.slopeSquare {
		m.slopeSquare.Scale(1/float64(n), m.slopeSquare)
	}
	return m, nil
}

// logCosh returns the sum of log 2·cosh y over a block, and sets t to tanh y and slope to
// 1 − tanh² y. As cosh y = e^|y|/(1 + tanh |y|),
//
//	log 2·cosh y = |y| + log 2 − log(1 + tanh |y|),
//
// and the sum of the logarithms is the logarithm of the product.
func logCosh(y, t, slope []float64) float64 {
	copy(t, y)
	tanh.InPlace(t)
	sum, product := 0.0, 1.0
	for k, v := range t {
		slope[k] = 1 - v*v
		sum += math.Abs(y[k])
		product *= 1 + math.Abs(v)
	}
	return sum + float64(len(y))*math.Ln2 - math.Log(product)
}
