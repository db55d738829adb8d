package main

import (
	"slices"
	"testing"
)

func TestRestarts(t *testing.T) {
	learnt, truth := learn(t.Context())
	best := float64(slices.Max(learnt))
	if !(best > truth-.2) || best > truth+.05 {
		t.Errorf("%.2f nats per point by the runs, want nearly the truth's %.2f", learnt, truth)
	}
}
