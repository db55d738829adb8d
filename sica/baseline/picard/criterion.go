package picard

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// minCurvature is the least that an eigenvalue of the Hessian is taken to be, so
// that steps go down: λ_min of the article, whose value it is.
const minCurvature = 0.01

// A point is a demixing w of the white signals and what is known there of the
// criterion, the mean of −log p(y) over the positions less log|det w|.
type point struct {
	ortho, extended bool

	w *mat.Dense
	*means
	// signs hold 1 for a signal with heavy tails, −1 for one with light ones.
	signs []float64
}

// classify sets the signs by the condition that a demixing is stable, mean t′ ·
// mean y² > mean t·y, and says whether that changed any. Without Extended all
// stay 1.
func (p *point) classify(before []float64) (changed bool) {
	p.signs = make([]float64, len(p.slope))
	for i := range p.signs {
		p.signs[i] = 1
		if p.extended && p.slope[i]*p.covariance(i, i) < p.score.At(i, i) {
			p.signs[i] = -1
		}
		changed = changed || before != nil && p.signs[i] != before[i]
	}
	return changed
}

// covariance returns that of recovered signals i and j. As x is white, it is
// w·wᵀ.
func (p *point) covariance(i, j int) float64 {
	if p.ortho {
		if i == j {
			return 1
		}
		return 0
	}
	return mat.Dot(p.w.RowView(i), p.w.RowView(j))
}

// loss is the criterion less what is constant, with the signs given.
func (p *point) loss(signs []float64) float64 {
	loss := 0.0
	for i, v := range p.logCosh {
		loss += signs[i] * v
		if p.extended {
			loss += p.covariance(i, i) / 2
		}
	}
	if !p.ortho {
		logDet, _ := mat.LogDet(p.w)
		loss -= logDet
	}
	return loss
}

// gradient returns the relative gradient G: to first order the criterion changes
// by Σ Gᵢⱼ·Eᵢⱼ if w becomes (I + E)·w, with E antisymmetric under Ortho, and so
// is G.
func (p *point) gradient() *mat.Dense {
	d := len(p.signs)
	g := mat.NewDense(d, d, nil)
	g.Apply(func(i, j int, _ float64) float64 {
		if p.ortho {
			return (p.signs[i]*p.score.At(i, j) - p.signs[j]*p.score.At(j, i)) / 2
		}
		v := p.signs[i] * p.score.At(i, j)
		if p.extended {
			v += p.covariance(i, j)
		}
		if i == j {
			v--
		}
		return v
	}, g)
	return g
}

// A hessian approximates that of the criterion, as if the signals were
// independent: it joins no entries of E but Eᵢⱼ and Eⱼᵢ. Entry i, j is the second
// derivative in Eᵢⱼ; without Ortho the mixed one in Eᵢⱼ and Eⱼᵢ is 1.
type hessian struct {
	ortho bool
	*mat.Dense
}

// hessian returns the approximation H̃² of the article, or that of Picard-O, with
// eigenvalues of at least minCurvature.
func (p *point) hessian() hessian {
	d := len(p.signs)
	h := mat.NewDense(d, d, nil)
	if p.ortho {
		h.Apply(func(i, j int, _ float64) float64 {
			of := func(k int) float64 { return p.signs[k] * (p.slope[k] - p.score.At(k, k)) }
			return max((of(i)+of(j))/2, minCurvature)
		}, h)
		return hessian{true, h}
	}
	h.Apply(func(i, j int, _ float64) float64 {
		v := p.signs[i] * p.bend.At(i, j)
		if p.extended {
			v += p.covariance(j, j)
		}
		return v
	}, h)
	for i := range d {
		for j := range i {
			a, b := h.At(i, j), h.At(j, i)
			least := (a + b - math.Hypot(a-b, 2)) / 2 // eigenvalue of (a 1; 1 b)
			if raise := minCurvature - least; raise > 0 {
				h.Set(i, j, a+raise)
				h.Set(j, i, b+raise)
			}
		}
	}
	return hessian{false, h}
}

// solve returns the E that the Hessian takes to g.
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
