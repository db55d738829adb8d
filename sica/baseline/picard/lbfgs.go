package picard

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A memory holds the last steps and by how much the gradient changed in each.
// They correct the approximate Hessian: J. Nocedal, "Updating quasi-Newton
// matrices with limited storage", Mathematics of Computation 35, 773–782, 1980.
type memory struct {
	size  int
	pairs []pair // oldest first
}

type pair struct {
	step, change *mat.Dense
	product      float64 // of the two
}

// add remembers a step, unless the gradient didn't increase along it, which no
// positive Hessian explains.
func (m *memory) add(step, change *mat.Dense) {
	product := dot(step, change)
	if !(product > 0) {
		return
	}
	if len(m.pairs) == m.size {
		m.pairs = m.pairs[1:]
	}
	m.pairs = append(m.pairs, pair{step, change, product})
}

func (m *memory) forget() { m.pairs = nil }

// direction returns the step that the corrected Hessian leads to from the
// gradient.
func (m *memory) direction(gradient *mat.Dense, h hessian) *mat.Dense {
	g := mat.DenseCopyOf(gradient)
	along := make([]float64, len(m.pairs))
	for k := len(m.pairs) - 1; k >= 0; k-- {
		p := m.pairs[k]
		along[k] = dot(p.step, g) / p.product
		addScaled(g, -along[k], p.change)
	}
	e := h.solve(g)
	for k, p := range m.pairs {
		addScaled(e, along[k]-dot(p.change, e)/p.product, p.step)
	}
	e.Scale(-1, e)
	return e
}

func dot(a, b *mat.Dense) float64 { return floats.Dot(a.RawMatrix().Data, b.RawMatrix().Data) }

func addScaled(to *mat.Dense, by float64, m *mat.Dense) {
	floats.AddScaled(to.RawMatrix().Data, by, m.RawMatrix().Data)
}
