package lbfgs

import (
	"slices"
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

// With an exact line search a quadratic function of n variables is at its minimum after n steps,
// with any memory.
func TestQuadratic(t *testing.T) {
	curvature := []float64{1, 3, 10, 40, 0.5}
	for _, size := range []int{1, 3, 10} {
		m := Memory{Size: size}
		x, g := []float64{1, -2, 3, 1, 5}, make([]float64, len(curvature))
		floats.MulTo(g, curvature, x)
		for range x {
			step, change := slices.Clone(g), make([]float64, len(x))
			m.Precondition(step, scale)
			floats.MulTo(change, curvature, step)
			length := -floats.Dot(g, step) / floats.Dot(step, change)
			floats.Scale(length, step)
			floats.Scale(length, change)
			floats.Add(x, step)
			floats.Add(g, change)
			m.Add(step, change, 0)
		}
		if floats.Norm(x, 2) > 1e-9 {
			t.Errorf("memory of %d: ended at %g", size, x)
		}
	}
}

// Rosenbrock's function is at its minimum, (1, …, 1), after some dozens of steps.
func TestMinimiseRosenbrock(t *testing.T) {
	f := functions.ExtendedRosenbrock{}
	loss := func(x, g []float64) float64 {
		f.Grad(g, x)
		return f.Func(x)
	}
	begin := []float64{-1.2, 1, -1.2, 1}
	x := Minimise(loss, begin, 100, 1e-20)
	if !floats.EqualApprox(x, []float64{1, 1, 1, 1}, 1e-8) {
		t.Errorf("ended at %g", x)
	}
	if begin[0] != -1.2 || !slices.Equal(Minimise(loss, begin, 0, 0), begin) {
		t.Error("the beginning moved")
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
