package filter

import (
	"math"
	"slices"
	"testing"
)

// applied returns the signal after the filter, in pieces of a length.
func applied(signal []float64, hz, rate float64, length int) (filtered []float64) {
	z := NewZeroPhase(hz, rate)
	for piece := range slices.Chunk(signal, length) {
		filtered = append(filtered, z.Add(piece)...)
	}
	return append(filtered, z.Rest()...)
}

// Of each frequency the gain is left, and it keeps its phase.
func TestZeroPhaseHasGainAndNoPhase(t *testing.T) {
	const n, rate = 5000, 250
	for hz, want := range map[float64]float64{0.1: 0.0006, 1: 0.5, 2: 0.82, 10: 0.99, 100: 1} {
		signal, phase := make([]float64, n), 0.3
		for k := range signal {
			signal[k] = 7 + math.Sin(2*math.Pi*hz*float64(k)/rate+phase)
		}
		var same, shifted float64 // in phase with it, and a quarter of a period later
		for k, v := range applied(signal, 1, rate, n) {
			if k >= n/5 && k < 4*n/5 {
				sin, cos := math.Sincos(2*math.Pi*hz*float64(k)/rate + phase)
				same, shifted = same+v*sin, shifted+v*cos
			}
		}
		same, shifted = same*2/(0.6*n), shifted*2/(0.6*n)
		if math.Abs(same-want) > 0.01 || math.Abs(shifted) > 0.001 {
			t.Errorf("of %g Hz %.4f is left in phase, and %.4f shifted; want %g and 0", hz, same, shifted, want)
		}
	}
}

// Pieces are filtered as the whole signal is, backwards as forwards, and as many values come out.
func TestZeroPhaseInPieces(t *testing.T) {
	const n, rate = 6000, 250
	signal := make([]float64, n)
	for k := range signal {
		signal[k] = 100*math.Sin(float64(k)/900) + float64(k*k%97)
	}
	whole := applied(signal, 1, rate, n)
	slices.Reverse(signal)
	reversed := applied(signal, 1, rate, n)
	slices.Reverse(reversed)
	slices.Reverse(signal)
	for _, length := range []int{1, 700, 1300} {
		pieces := applied(signal, 1, rate, length)
		if len(pieces) != n {
			t.Fatalf("%d values; want %d", len(pieces), n)
		}
		for k, v := range pieces {
			if math.Abs(v-whole[k]) > 1e-4 {
				t.Fatalf("position %d: %g in pieces of %d, %g as a whole", k, v, length, whole[k])
			}
			if k > n/5 && k < 4*n/5 && math.Abs(whole[k]-reversed[k]) > 1e-4 {
				t.Fatalf("position %d: %g, and %g of the reversed signal", k, whole[k], reversed[k])
			}
		}
	}
	for length := range 4 {
		if got := applied(make([]float64, length), 1, rate, 2); len(got) != length {
			t.Errorf("%d of %d values", len(got), length)
		}
	}
}
