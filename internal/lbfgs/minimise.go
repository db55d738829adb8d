package lbfgs

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

const (
	// curvatureMemory is the number of past steps that approximate the curvature.
	curvatureMemory = 20
	// minCurvature is the least curvature of a step that the memory keeps: less is rounding.
	minCurvature = 1e-12
	// maxStep bounds the change of an argument in a step. The callers' are logarithms, of which 3 is
	// 13 dB. It is a choice.
	maxStep = 3
	// shrink is the factor by which a step that lowers f too little is shortened. It is a choice.
	shrink = 0.4
	// sufficientDecrease is the share of the linearly predicted gain that a step must achieve: the
	// usual constant of Armijo's rule.
	sufficientDecrease = 1e-4
)

// Minimise returns the point that at most the given number of L-BFGS steps from x reach in
// minimising f (J. Nocedal, Mathematics of Computation 35(151), 1980). f must set the gradient g.
// The steps end if five together lower f by less than the tolerance.
//
// gonum's optimize.LBFGS isn't used: with Backtracking it misses the minima of two noise tests, and
// with MoreThuente or Bisection it takes many times as long.
func Minimise(
	f func(x, g []float64) float64, x []float64, steps int, tolerance float64,
) []float64 {
	n := len(x)
	x = slices.Clone(x)
	gradient := make([]float64, n)
	value := f(x, gradient)
	next, nextGradient, direction := make([]float64, n), make([]float64, n), make([]float64, n)
	memory := Memory{Size: curvatureMemory}
	before := value
	for step := range steps {
		if step%5 == 4 {
			if before-value < tolerance {
				break
			}
			before = value
		}
		copy(direction, gradient)
		memory.Precondition(direction, func(g []float64, curvature float64) {
			if curvature == 0 {
				curvature = 1 / (1e-300 + floats.Norm(g, 2))
			}
			floats.Scale(curvature, g)
		})
		floats.Scale(-1, direction)
		slope := floats.Dot(direction, gradient)
		if slope >= 0 {
			break
		}
		length := min(1, maxStep/floats.Norm(direction, math.Inf(1)))
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
		move, change := make([]float64, n), make([]float64, n)
		floats.SubTo(move, next, x)
		floats.SubTo(change, nextGradient, gradient)
		memory.Add(move, change, minCurvature)
		copy(x, next)
		copy(gradient, nextGradient)
	}
	return x
}
