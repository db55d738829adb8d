package experiment

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/filter"
)

// At a higher rate a wave is the same wave, and a filter keeps what is below its frequency.
func TestRecording(t *testing.T) {
	const n, periods = 200, 7
	wave := func(n int) *mat.Dense {
		z := mat.NewDense(1, n, nil)
		for t := range n {
			z.Set(0, t, math.Cos(math.Pi*periods*(float64(t)+0.5)/float64(n)))
		}
		return z
	}
	if got := (recording{times: 4}).record(wave(n)); !mat.EqualApprox(got, wave(4*n), 1e-12) {
		t.Error("a wave at four times the rate is another wave")
	}
	slow := recording{times: 1, filter: filter.Filter{Lowpass: 40}}.record(wave(n))
	if ratio := mat.Norm(slow, 2) / mat.Norm(wave(n), 2); math.Abs(ratio-1) > 0.02 {
		t.Errorf("a wave of 4 Hz has %.3f of its amplitude after a low-pass filter at 40 Hz", ratio)
	}
}

// Filtered mixtures are linear: their mixed signals are of the recorded sources and noise.
func TestFilteredMixtures(t *testing.T) {
	for _, m := range filteredMixtures() {
		sources, x, err := m.draw(1, 500)
		if err != nil {
			t.Fatalf("%s: %v", m.name, err)
		}
		checkSizes(t, Problem{Mixture: m.name}, sources, x.X(), 500)
	}
}
