package inspect

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-47b1e431/gosica/internal/stats"
)

// The coherence is the share of the variance that the other signal explains, on average over
// recordings: what is there by chance is taken off, neither more nor less.
func TestCoherenceIsUnbiased(t *testing.T) {
	const share, n, length, recordings = 0.3, 2000, 250, 300
	rng := rand.New(rand.NewPCG(1, 0))
	var estimates []float64
	for range recordings {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = rng.NormFloat64()
			b[i] = math.Sqrt(share)*a[i] + math.Sqrt(1-share)*rng.NormFloat64()
		}
		s := newSpectra(length)
		s.add(a, b)
		estimates = append(estimates, s.coherence())
	}
	if mean, se := stats.MeanSE(estimates); math.Abs(mean-share) > 0.01 {
		t.Errorf("mean %.4f (SE %.4f), want %g", mean, se, share)
	}
}

// No rhythm is above half of the rate, however fast the wave and whatever its noise.
func TestRhythmIsBelowHalfOfTheRate(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	for seed := range 50 {
		period := 2 + 0.02*float64(seed)
		values := make([]float64, 2000)
		for k := range values {
			values[k] = math.Sqrt2*math.Sin(2*math.Pi*(float64(k)+0.3)/period) + 0.1*rng.NormFloat64()
		}
		a := newAutocorrelation(len(values))
		a.add(values)
		if got, height := a.rhythm(); got < 2 || height == 0 {
			t.Errorf("period %g: found %g, height %g", period, got, height)
		}
	}
}
