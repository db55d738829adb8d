package main

import (
	"math"
	"testing"
)

func TestInformation(t *testing.T) {
	for _, rho := range []float64{0, 0.8} {
		x, y := normal(4000, rho)
		held, _ := information(t.Context(), x, y, 1)
		if want := -math.Log(1-rho*rho) / 2; math.Abs(held-want) > 0.08 {
			t.Errorf("correlation %g: %.3f nats, want %.3f", rho, held, want)
		}
	}
}
