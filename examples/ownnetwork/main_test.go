package main

import (
	"testing"

	"github.com/seed-47b1e431/gosica/sica/klflow"
)

func TestOwnNetwork(t *testing.T) {
	x, sources := mixture()
	result := separate(t.Context(), x)
	if m := mcc(result.Z, sources); m < .97 {
		t.Errorf("MCC %.3f, want .97 or more", m)
	}
	if result.Stopped != klflow.StoppedAsked {
		t.Errorf("stopped %q after %d iterations", result.Stopped, result.Iterations)
	}
	t.Logf("%d iterations: %s", result.Iterations, result.Why)
}
