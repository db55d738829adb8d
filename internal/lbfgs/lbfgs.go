// Package lbfgs minimises a function by L-BFGS, and has its two-loop recursion, which approximates
// the inverse Hessian from past steps.
//
// Reference: J. Nocedal, "Updating quasi-Newton matrices with limited storage", Mathematics of
// Computation 35, 773–782, 1980.
package lbfgs

import "gonum.org/v1/gonum/floats"

// A Memory holds the last steps, at most Size, with the change of the gradient in each step.
type Memory struct {
	Size  int
	pairs []pair // oldest first
}

type pair struct {
	step, change []float64
	product      float64 // step·change
}

// Add stores a step, unless step·change/|change|² is at most minimum.
func (m *Memory) Add(step, change []float64, minimum float64) {
	product := floats.Dot(step, change)
	if !(product > minimum*floats.Dot(change, change)) {
		return
	}
	if len(m.pairs) == m.Size {
		m.pairs = m.pairs[1:]
	}
	m.pairs = append(m.pairs, pair{step, change, product})
}

// Forget drops all steps.
func (m *Memory) Forget() { m.pairs = nil }

// Precondition multiplies the gradient g by the approximate inverse Hessian. first must multiply by
// the initial inverse Hessian; it gets step·change/|change|² of the last step, 0 without steps.
func (m *Memory) Precondition(g []float64, first func(g []float64, curvature float64)) {
	along, curvature := make([]float64, len(m.pairs)), 0.
	for k := len(m.pairs) - 1; k >= 0; k-- {
		p := m.pairs[k]
		along[k] = floats.Dot(p.step, g) / p.product
		floats.AddScaled(g, -along[k], p.change)
	}
	if last := len(m.pairs) - 1; last >= 0 {
		p := m.pairs[last]
		curvature = p.product / floats.Dot(p.change, p.change)
	}
	first(g, curvature)
	for k, p := range m.pairs {
		floats.AddScaled(g, along[k]-floats.Dot(p.change, g)/p.product, p.step)
	}
}
