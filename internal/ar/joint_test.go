package ar

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// The residuals of two signals that predict each other are their innovations, with the order of the
// process.
func TestJointResidualsAreInnovations(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(5, 0))
	z, innovations := mat.NewDense(2, n, nil), mat.NewDense(2, n, nil)
	innovations.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, innovations)
	for k := 2; k < n; k++ {
		z.Set(0, k, 0.5*z.At(0, k-1)+0.3*z.At(1, k-2)+innovations.At(0, k))
		z.Set(1, k, 0.3*z.At(1, k-1)+innovations.At(1, k))
	}
	got, order := JointResiduals(z, []int{1, 2, 3, 4})
	if order != 2 {
		t.Fatalf("order %d, want 2", order)
	}
	if r, c := got.Dims(); r != 2 || c != n-2 {
		t.Fatalf("%d×%d residuals, want 2×%d", r, c, n-2)
	}
	for i := range 2 {
		// Six coefficients, each with an error of about 1/√n.
		difference := floats.Distance(got.RawRowView(i), innovations.RawRowView(i)[2:], 2)
		if difference/math.Sqrt(n) > 0.1 {
			t.Errorf("signal %d: the residuals differ from the innovations by %g", i, difference)
		}
	}
}

// With too few positions there are no residuals.
func TestNoJointResidualsOfFewPositions(t *testing.T) {
	if r, order := JointResiduals(mat.NewDense(3, 20, nil), []int{1, 4}); r != nil || order != 0 {
		t.Errorf("residuals %v of order %d, want none", r, order)
	}
}
