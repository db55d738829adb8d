package main

import (
	"slices"
	"testing"
)

func TestRuns(t *testing.T) {
	x, _ := mixture()
	best, divergences := separate(t.Context(), x, 2)
	least := slices.Index(divergences, slices.Min(divergences))
	if best == nil || best.Seed != uint64(least+1) {
		t.Errorf("chose %v of divergences %v", best, divergences)
	}
}
