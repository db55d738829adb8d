package mapping

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestStandardise(t *testing.T) {
	// Mean 2.5 and variance 1/4·(1.5² + .5² + .5² + 1.5²) = 1.25.
	sd := math.Sqrt(1.25)
	want := mat.NewDense(2, 4, []float64{
		-1.5 / sd, -.5 / sd, .5 / sd, 1.5 / sd,
		1, -1, 1, -1,
	})
	got, err := apply(mat.NewDense(2, 4, []float64{1, 2, 3, 4, 1e6 + .5, 1e6, 1e6 + .5, 1e6}), Standardise)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got, want, 1e-14) {
		t.Errorf("got %v, want %v", mat.Formatted(got), mat.Formatted(want))
	}
}
