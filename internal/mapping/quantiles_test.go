package mapping

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A curve goes through the normal quantiles of its values, and continues linearly beyond them, one
// standard deviation (√5) per quantile unit. The quantiles of 1/8, 3/8, 5/8 and 7/8 are those of
// R's qnorm.
func TestCurveInterpolatesQuantiles(t *testing.T) {
	const q58, q78 = 0.3186393639643752, 1.1503493803760079
	newCurve := func(values ...float64) quantileCurve {
		_, n := newNormalised(mat.NewDense(1, len(values), values))
		return n.curves[0]
	}
	c := newCurve(1, -3, 3, -1)
	for v, want := range map[float64]float64{1: q58, 2: (q58 + q78) / 2, -2: -(q58 + q78) / 2, 3: q78, 3 + math.Sqrt(5): q78 + 1, -3 - 2*math.Sqrt(5): -q78 - 2} {
		if got := c.quantile(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("quantile(%g) = %g, want %g", v, got, want)
		}
		if got := c.value(want); math.Abs(got-v) > 1e-12 {
			t.Errorf("value(%g) = %g, want %g", want, got, v)
		}
	}
	if tied := newCurve(2, 1, 2, 3); tied.quantile(2) != 0 || tied.value(0) != 2 {
		t.Errorf("with ties: %v", tied)
	}
}
