package mapping

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// The values 1, 3, 5 of the signal 1, 3, 3, 5, of standard deviation √2, are mapped to −1, 0 and 1;
// values between them linearly; beyond them √2 is one unit.
func TestCurveByHand(t *testing.T) {
	c := newQuantileCurve([]float64{3, 1, 5, 3}, []float64{0, -1, 1, 0})
	for value, want := range map[float64]float64{
		1: -1, 3: 0, 5: 1, 2: -0.5, 4.5: 0.75, 5 + 2*math.Sqrt2: 3, 1 - math.Sqrt2: -2,
	} {
		if got := c.quantile(value); math.Abs(got-want) > 1e-15 {
			t.Errorf("the value %g goes to %g, want %g", value, got, want)
		}
		if back := c.value(want); math.Abs(back-value) > 1e-14 {
			t.Errorf("the quantile %g comes from %g, want %g", want, back, value)
		}
	}
	if !slices.Equal(c.values, []float64{1, 3, 5}) || !slices.Equal(c.quantiles, []float64{-1, 0, 1}) {
		t.Errorf("the points are %v and %v, want one for each value", c.values, c.quantiles)
	}
}

// A normal signal of standard deviation σ is mapped by v/σ: the slope is 1/σ, and its logarithm is
// unbiased.
func TestLogSlopeOfNormalSignal(t *testing.T) {
	const n, sd = 4000, 2.5
	rng := rand.New(rand.NewPCG(1, 0))
	signal := make([]float64, n)
	for k := range signal {
		signal[k] = sd * rng.NormFloat64()
	}
	quantiles := make([]float64, n)
	order := make([]int, n)
	sorted := slices.Clone(signal)
	floats.Argsort(sorted, order)
	for rank, k := range order {
		quantiles[k] = distuv.UnitNormal.Quantile((float64(rank) + .5) / n)
	}
	c := newQuantileCurve(signal, quantiles)
	mean := 0.0
	for _, v := range signal {
		mean += c.logSlope(v) / n
	}
	if want := -math.Log(sd); math.Abs(mean-want) > .02 { // ends, and the curvature between
		t.Errorf("the mean of the slope's logarithm is %.4f, want %.4f", mean, want)
	}
	if got, want := c.logSlope(0), -math.Log(sd); math.Abs(got-want) > 4/math.Sqrt(math.Sqrt(n)) {
		t.Errorf("in the middle %.4f, want %.4f", got, want)
	}
}
