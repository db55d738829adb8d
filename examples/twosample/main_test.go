package main

import "testing"

func TestTwoSample(t *testing.T) {
	p := pValues(t.Context(), .6)
	if p[0] < .01 || p[1] > 1e-4 {
		t.Errorf("p-values %g and %g, want more than .01 and less than 1e-4", p[0], p[1])
	}
}
