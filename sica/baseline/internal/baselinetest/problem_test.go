package baselinetest_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline/internal/baselinetest"
)

func TestDistance(t *testing.T) {
	b := mat.NewDense(2, 2, []float64{1, 2, 4, -3})
	for _, test := range []struct {
		a    []float64
		want float64
	}{
		{[]float64{1, 2, 4, -3}, 0},
		{[]float64{-4, 3, 1, 2}, 0},
		{[]float64{-4, 3.5, 1, 2.25}, 0.125},
		{[]float64{1, 2, 1, 2}, math.Inf(1)},
		{[]float64{math.NaN(), 2, 1, 2}, math.Inf(1)},
	} {
		if got := baselinetest.Distance(mat.NewDense(2, 2, test.a), b); got != test.want {
			t.Errorf("distance of %v is %g, want %g", test.a, got, test.want)
		}
	}
}
