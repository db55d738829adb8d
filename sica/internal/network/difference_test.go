package network

import (
	"math"
	"testing"

	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// The standard error of a difference is that of the means of blocks of 16 positions.
func TestDifferenceHasErrorOfBlockMeans(t *testing.T) {
	a, b := make([]float64, 160), make([]float64, 160)
	for i := range a {
		a[i] = 1 + float64(i/16%2) // blocks of 1 and 2
	}
	d := newDifference(a, b)
	if want := math.Sqrt(10*0.25/9) / math.Sqrt(10); d.Mean != 1.5 || math.Abs(d.SE-want) > 1e-12 {
		t.Errorf("%+v, want 1.5 with %g", d, want)
	}
	if !d.Significant() || (nonlinear.Difference{Mean: 0.2, SE: 0.1}).Significant() {
		t.Error("only what is more than three standard errors is significant")
	}
}
