package experiment

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

func TestRoundDigits(t *testing.T) {
	for _, test := range []struct{ v, want float64 }{
		{1885.265227775, 1885}, {56824.9, 56820}, {3.46549e-6, 3.465e-6}, {-0.12346, -0.1235},
		{0, 0}, {math.Inf(1), math.Inf(1)},
	} {
		if got := roundDigits(test.v, 4); got != test.want {
			t.Errorf("%g rounded to four digits is %g; must be %g", test.v, got, test.want)
		}
	}
	if !math.IsNaN(roundDigits(math.NaN(), 4)) {
		t.Error("NaN rounded is a number")
	}
}

// All signals are identified if each is alone in its group, also behind curves, or by a network.
func TestAllIdentified(t *testing.T) {
	for _, test := range []struct {
		summary sica.Summary
		want    float64
	}{
		{sica.Summary{Linear: &linear.Findings{Groups: [][]int{{0}, {1}}}}, 1},
		{sica.Summary{Linear: &linear.Findings{Groups: [][]int{{0, 1}}}}, 0},
		{sica.Summary{Network: &nonlinear.Findings{Identified: true}}, 1},
		{sica.Summary{Network: &nonlinear.Findings{}}, 0},
		{sica.Summary{}, 0}, // conditional normalisation
	} {
		r := &sica.Result{Z: mat.NewDense(2, 3, nil), Summary: test.summary}
		if got := resultNumbers(r)[allIdentified]; got != test.want {
			t.Errorf("%v: all identified %g, want %g", r, got, test.want)
		}
	}
}
