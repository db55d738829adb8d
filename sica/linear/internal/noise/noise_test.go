package noise

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The covariance of what is added is shape·shapeᵀ, and the same seed adds the same.
func TestAdd(t *testing.T) {
	const n = 100000
	shape := mat.NewDense(2, 2, []float64{.3, .1, 0, .2})
	z := mat.NewDense(2, n, nil)
	Add(z, shape, 1)
	var got, want mat.Dense
	got.Mul(z, z.T())
	got.Scale(1./n, &got)
	want.Mul(shape, shape.T())
	for i := range 2 {
		for j := range 2 {
			// Four standard errors, √((C_ii·C_jj + C_ij²)/n), of at most .1·√(2/n).
			if g, w := got.At(i, j), want.At(i, j); math.Abs(g-w) > 4*.1*math.Sqrt(2./n) {
				t.Errorf("covariance (%d, %d) is %.5f, want %.5f", i, j, g, w)
			}
		}
	}
	again := mat.NewDense(2, n, nil)
	Add(again, shape, 1)
	if !mat.Equal(z, again) {
		t.Error("the same seed adds other noise")
	}
	if s := Spherical(3, .5); !mat.Equal(s, mat.NewDiagDense(3, []float64{.5, .5, .5})) {
		t.Errorf("spherical noise is made by %v", s)
	}
}
