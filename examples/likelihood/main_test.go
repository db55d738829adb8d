package main

import (
	"math"
	"testing"
)

func TestLikelihood(t *testing.T) {
	coefficients, before, after := fit(t.Context(), sources())
	if !(after < before) {
		t.Errorf("%g nats per position before, %g after", before, after)
	}
	for i, want := range [][]float64{{0.9, -0.5}, {-0.5, 0.2}} { // at lags 1 and 2
		got := coefficients[i]
		if math.Abs(float64(got[0])-want[1]) > .12 || math.Abs(float64(got[1])-want[0]) > .12 {
			t.Errorf("signal %d: coefficients %v, want about %v, the other way round", i, got, want)
		}
	}
}
