package linear

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	// curvatureMemory is how many steps say how the loss is curved, as in Nocedal's article.
	curvatureMemory = 20
	// maxLogStep bounds the change of a logarithm in a step: e³ is 13 dB.
	maxLogStep = 3
	// sufficientDecrease is the share of the expected gain that a step must have: the usual
	// constant of Armijo's rule.
	sufficientDecrease = 1e-4
)

// minimise returns the minimum of f that at most the given number of steps of L-BFGS reach from x
// (J. Nocedal, Mathematics of Computation 35(151), 1980). f sets the gradient g unless g is nil.
// The steps end if five together lower f by less than the tolerance.
//
// It isn't gonum's optimize.LBFGS: with Backtracking that misses minima where two tests of noise look,
// with MoreThuente or Bisection it takes many times as long.
func minimise(f func(x, g []float64) float64, x []float64, steps int, tolerance float64) []float64 {
	n := len(x)
	x = slices.Clone(x)
	gradient := make([]float64, n)
	value := f(x, gradient)
	next, nextGradient, direction := make([]float64, n), make([]float64, n), make([]float64, n)
	var curvature curvaturePairs
	before := value
	for step := range steps {
		if step%5 == 4 {
			if before-value < tolerance {
				break
			}
			before = value
		}
		copy(direction, gradient)
		curvature.precondition(direction)
		floats.Scale(-1, direction)
		slope := floats.Dot(direction, gradient)
		if slope >= 0 {
			break
		}
		length := min(1, maxLogStep/floats.Norm(direction, math.Inf(1)))
		lower := false
		for range 20 {
			copy(next, x)
			floats.AddScaled(next, length, direction)
			v := f(next, nextGradient)
			if lower = v <= value+sufficientDecrease*length*slope; lower {
				value = v
				break
			}
			length *= shrink
		}
		if !lower {
			break
		}
		curvature.add(next, x, nextGradient, gradient)
		copy(x, next)
		copy(gradient, nextGradient)
	}
	return x
}

// curvaturePairs are the last steps of a minimisation and the changes of the gradient there.
type curvaturePairs struct {
	moves, changes [][]float64
	products       []float64
}

// add appends the step from x to next, unless the curvature along it isn't positive.
func (c *curvaturePairs) add(next, x, nextGradient, gradient []float64) {
	move, change := make([]float64, len(x)), make([]float64, len(x))
	floats.SubTo(move, next, x)
	floats.SubTo(change, nextGradient, gradient)
	p := floats.Dot(move, change)
	if p <= 1e-12*floats.Dot(change, change) {
		return
	}
	if len(c.moves) == curvatureMemory {
		c.moves, c.changes, c.products = c.moves[1:], c.changes[1:], c.products[1:]
	}
	c.moves = append(c.moves, move)
	c.changes = append(c.changes, change)
	c.products = append(c.products, p)
}

// precondition multiplies g by the approximate inverse of the curvature, and scales it to
// length 1 if there are no pairs.
func (c *curvaturePairs) precondition(g []float64) {
	last := len(c.moves) - 1
	if last < 0 {
		floats.Scale(1/(1e-300+floats.Norm(g, 2)), g)
		return
	}
	coefficients := make([]float64, len(c.moves))
	for k := last; k >= 0; k-- {
		coefficients[k] = floats.Dot(c.moves[k], g) / c.products[k]
		floats.AddScaled(g, -coefficients[k], c.changes[k])
	}
	floats.Scale(c.products[last]/floats.Dot(c.changes[last], c.changes[last]), g)
	for k := range c.moves {
		floats.AddScaled(g, coefficients[k]-floats.Dot(c.changes[k], g)/c.products[k], c.moves[k])
	}
}
