package linear

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The demixing of two channels of correlation r whose rows are the channels leaves them that correlation;
// without noise N in each it is r/(1−N).
func TestLargestCorrelation(t *testing.T) {
	const r = 0.3
	c := &channels{d: 2, covariance: mat.NewSymDense(2, []float64{1, r, r, 1})}
	for _, noise := range []float64{0, 0.25} {
		e := &explanation{
			b:     mat.NewDense(2, 2, []float64{1, 0, 0, 1}),
			model: &noiseModel{noise: []float64{noise, noise}},
		}
		if got, want := c.largestCorrelation(e), r/(1-noise); math.Abs(got-want) > 1e-12 {
			t.Errorf("noise %g: correlation %g, want %g", noise, got, want)
		}
	}
	whitened := &explanation{b: mat.NewDense(2, 2, []float64{1, 0, -r, 1}), model: &noiseModel{
		noise: []float64{0, 0},
	}}
	if got := c.largestCorrelation(whitened); got > 1e-12 {
		t.Errorf("correlation %g of uncorrelated signals", got)
	}
}
