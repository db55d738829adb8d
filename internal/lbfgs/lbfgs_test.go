package lbfgs

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize/functions"
)

// scale is the usual initial inverse Hessian, a multiple of the identity.
func scale(g []float64, curvature float64) {
	if curvature > 0 {
		floats.Scale(curvature, g)
	}
}

// descend makes steps along the preconditioned gradient, of the length that shorten chooses, and
// returns the number of steps until the gradient vanishes.
func descend(
	x []float64, size int, gradient func(g, x []float64), length func(x, step []float64) float64,
) int {
	memory := Memory{Size: size}
	g := make([]float64, len(x))
	gradient(g, x)
	for k := range 1000 {
		if floats.Norm(g, math.Inf(1)) < 1e-9 {
			return k
		}
		step := append([]float64(nil), g...)
		memory.Precondition(step, scale)
		floats.Scale(-1, step)
		floats.Scale(length(x, step), step)
		floats.Add(x, step)
		change := make([]float64, len(x))
		gradient(change, x)
		next := append([]float64(nil), change...)
		floats.Sub(change, g)
		memory.Add(step, change, 0)
		g = next
	}
	return 1000
}

// With exact line searches a quadratic function of n variables is at its minimum after n steps.
func TestQuadratic(t *testing.T) {
	curvature := []float64{1, 3, 10, 40, 0.5}
	gradient := func(g, x []float64) { floats.MulTo(g, curvature, x) }
	exact := func(x, step []float64) float64 {
		slope, along := 0., 0.
		for i, c := range curvature {
			slope += c * x[i] * step[i]
			along += c * step[i] * step[i]
		}
		return -slope / along
	}
	for _, size := range []int{1, 3, 10} {
		x := []float64{1, -2, 3, 1, 5}
		if steps := descend(x, size, gradient, exact); steps > len(x) || floats.Norm(x, 2) > 1e-9 {
			t.Errorf("memory of %d: %d steps to %g", size, steps, x)
		}
	}
}

// Rosenbrock's function is at its minimum, (1, …, 1), after some dozens of backtracked steps.
func TestRosenbrock(t *testing.T) {
	f := functions.ExtendedRosenbrock{}
	backtrack := func(x, step []float64) float64 {
		value, g, next := f.Func(x), make([]float64, len(x)), make([]float64, len(x))
		f.Grad(g, x)
		slope := floats.Dot(g, step)
		length := 1.
		for range 50 {
			floats.AddScaledTo(next, x, length, step)
			if f.Func(next) <= value+1e-4*length*slope {
				break
			}
			length /= 2
		}
		return length
	}
	x := []float64{-1.2, 1, -1.2, 1}
	steps := descend(x, 20, f.Grad, backtrack)
	if steps > 100 || !floats.EqualApprox(x, []float64{1, 1, 1, 1}, 1e-8) {
		t.Errorf("%d steps to %g", steps, x)
	}
}

// Steps without enough curvature aren't stored, old ones are forgotten, and Forget forgets all.
func TestMemory(t *testing.T) {
	m := Memory{Size: 1}
	m.Add([]float64{1, 0}, []float64{0, 1}, 0)
	m.Add([]float64{1, 0}, []float64{-1, 0}, 0)
	precondition := func() (g []float64, curvature float64) {
		g = []float64{1, 1}
		m.Precondition(g, func(g []float64, c float64) {
			curvature = c
			scale(g, c)
		})
		return g, curvature
	}
	if g, c := precondition(); c != 0 || g[0] != 1 || g[1] != 1 {
		t.Errorf("curvature %g and %g without a step", c, g)
	}
	m.Add([]float64{0, 1}, []float64{0, 4}, 0)
	m.Add([]float64{1, 0}, []float64{2, 0}, 0)
	if g, c := precondition(); c != 0.5 || g[0] != 0.5 || g[1] != 0.5 {
		t.Errorf("curvature %g and %g, want those of the last step, 0.5", c, g)
	}
	m.Forget()
	if g, c := precondition(); c != 0 || g[0] != 1 {
		t.Errorf("curvature %g and %g after Forget", c, g)
	}
}
