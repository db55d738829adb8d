package invertible

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func drawNormal(n int) []float64 {
	rng := rand.New(rand.NewPCG(3, 9))
	values := make([]float64, n)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	return values
}

// Product returns the matrix that Factor was applied to, and gonum's log|det|.
func TestProductOfFactors(t *testing.T) {
	for d := 1; d <= 6; d++ {
		w := mat.NewDense(d, d, drawNormal(d*d))
		factors, permutation, err := Factor(w)
		if err != nil {
			t.Fatal(err)
		}
		product, logDet := Product(factors, permutation, d)
		if !mat.EqualApprox(product, w, 1e-12) {
			t.Errorf("d = %d: P·L·U = %v, want %v", d, mat.Formatted(product), mat.Formatted(w))
		}
		if want, _ := mat.LogDet(w); math.Abs(logDet-want) > 1e-12 {
			t.Errorf("d = %d: log|det| %g, want %g", d, logDet, want)
		}
	}
	if _, _, err := Factor(mat.NewDense(2, 2, []float64{1, 2, 2, 4})); err == nil {
		t.Error("a singular matrix gave no error")
	}
	if _, _, err := Factor(mat.NewDense(2, 3, drawNormal(6))); err == nil {
		t.Error("a matrix that isn't square gave no error")
	}
	tiny := mat.NewDense(2, 2, []float64{0, 1e-170, 1e-170, 0}) // whose determinant is 0 in float64
	factors, permutation, err := Factor(tiny)
	if err != nil {
		t.Fatal(err)
	}
	if w, logDet := Product(factors, permutation, 2); math.Abs(logDet+340*math.Ln10) > 1e-9 || math.Abs(w.At(0, 1)/1e-170-1) > 1e-12 {
		t.Errorf("%v came back as %v with log|det| %g", mat.Formatted(tiny), mat.Formatted(w), logDet)
	}
}
