package main

import "testing"

func TestPenalty(t *testing.T) {
	if m, _ := train(t.Context(), 0.5, 0); m < 0.95 {
		t.Errorf("MCC %.3f, want more than 0.95", m)
	}
}
