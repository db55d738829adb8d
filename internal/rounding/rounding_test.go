package rounding

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A glance at some values rules out no step that all values have.
func TestGridStepOfRoundedValues(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 0))
		n := 1 << (1 + rng.IntN(14))
		levels := math.Exp2(1 + 26*rng.Float64()) // in a standard deviation
		unit, offset := math.Exp(3*rng.NormFloat64()), math.Round(10*levels*rng.NormFloat64())
		values := make([]float64, n)
		for k := range values {
			values[k] = (math.Round(levels*rng.NormFloat64()) + offset) * unit
		}
		got, want := gridStep(values), stepOfAll(sortedValues(values))
		if got != want {
			t.Errorf("seed %d: %d values of step %g: step %g, of all %g", seed, n, unit, got, want)
		}
		if got > 0 {
			found++
		}
	}
	if found < 200 {
		t.Errorf("%d steps were found, want most of 400", found)
	}
}

func TestGridStepOfContinuousValues(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 1))
		values := make([]float64, 3+rng.IntN(1<<13))
		for k := range values {
			values[k] = rng.ExpFloat64() * rng.NormFloat64()
		}
		if got := gridStep(values); got != 0 {
			t.Errorf("seed %d: %d values: step %g", seed, len(values), got)
		}
	}
}

// All but the last value have a step, after the values that are glanced at, too.
func TestGridStepOfAllValues(t *testing.T) {
	for _, n := range []int{10, 2 * glancedValues} {
		values := make([]float64, n)
		for k := range values {
			values[k] = float64(k * k % 101)
		}
		if got := gridStep(values); got != 1 {
			t.Errorf("%d values: step %g, want 1", n, got)
		}
		values[n-1] = math.Pi
		if got := gridStep(values); got != 0 {
			t.Errorf("%d values, one of them π: step %g", n, got)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 0))
	values := make([]float64, 1<<15)
	for k := range values {
		values[k] = rng.NormFloat64()
	}
	for b.Loop() {
		Step(values)
	}
}
