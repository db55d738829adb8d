package rotate

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The scores of normal, logistic and skewed values of variance 1 against their
// closed forms. E φ′ is the density's Fisher information: 1, π²/9, and k/(k−2)
// for a sum of k exponential values.
func TestScore(t *testing.T) {
	const n = 50000
	logisticScale := math.Sqrt(3) / math.Pi
	const k = 8
	for _, test := range []struct {
		name  string
		value func(u float64) float64
		phi   func(y float64) float64
		slope float64
		miss  float64 // root mean square
	}{
		{"normal", distuv.UnitNormal.Quantile, func(y float64) float64 { return y }, 1, 0.02},
		{"logistic",
			func(u float64) float64 { return logisticScale * math.Log(u/(1-u)) },
			func(y float64) float64 { return math.Tanh(y/(2*logisticScale)) / logisticScale }, math.Pi * math.Pi / 9, 0.1},
	} {
		values := make([]float64, n)
		for t := range values {
			values[t] = test.value((float64(t) + 0.5) / n)
		}
		phi, slope := score(values)
		miss := 0.0
		for t, y := range values {
			miss += (phi[t] - test.phi(y)) * (phi[t] - test.phi(y)) / n
		}
		if math.Sqrt(miss) > test.miss || math.Abs(slope-test.slope) > 0.02 {
			t.Errorf("%s: off by %.3f with a slope of %.4f, want %.4f", test.name, math.Sqrt(miss), slope, test.slope)
		}
	}

	// The score of a gamma density of variance 1 that begins at −√k is
	// √k − (k−1)/(y+√k), which no sum of the terms is, only near it.
	r := rng(3)
	values := make([]float64, n)
	for t := range values {
		for range k {
			values[t] += r.ExpFloat64()
		}
		values[t] = (values[t] - k) / math.Sqrt(k)
	}
	phi, slope := score(values)
	agree := 0.0
	for t, y := range values {
		want := math.Sqrt(k) - (k-1)/(y+math.Sqrt(k))
		agree += phi[t] * want / n
	}
	// By score matching the fit is a projection, E φφ* = E φ². The draws leave an
	// error of some hundredths in each.
	if math.Abs(agree-slope) > 0.05 || slope < 1.2 || slope > float64(k)/(k-2)+0.05 {
		t.Errorf("gamma: E φφ* = %.4f, E φ′ = %.4f; want both the same and near %.4f", agree, slope, float64(k)/(k-2))
	}
}

// Values that are all the same have a finite score.
func TestScoreOfConstant(t *testing.T) {
	if phi, slope := score(make([]float64, 10)); math.IsNaN(slope) || math.IsNaN(phi[0]) {
		t.Errorf("score %v, slope %g", phi, slope)
	}
}
