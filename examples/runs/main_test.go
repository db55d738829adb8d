package main

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestRuns(t *testing.T) {
	x, _ := mixture()
	half := x.Slice(0, 2, 0, 128).(*mat.Dense) // for half of the time
	best, divergences := separate(t.Context(), half, 2)
	least := slices.Index(divergences, slices.Min(divergences))
	if best == nil || best.Config.Seed != uint64(least+1) {
		t.Errorf("chose %v of divergences %v", best, divergences)
	}
}
