package main

import (
	"slices"
	"testing"
)

func TestRestarts(t *testing.T) {
	learnt, kept, truth := learn(t.Context())
	best := float64(slices.Max(learnt))
	if float64(kept) != best {
		t.Errorf("the run kept has %g nats per point, want %g", kept, best)
	}
	if !(best > truth-.2) || best > truth+.05 {
		t.Errorf("%.2f nats per point by the runs, want nearly the truth's %.2f", learnt, truth)
	}
}
