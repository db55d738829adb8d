package linear

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// A part of a long sequence decides, and the demixing is that of all positions, unless an event is
// outside of the part only.
func TestPartDecidesForAllPositions(t *testing.T) {
	const n = 20000
	s, err := datasets.LaplaceAR(rand.New(rand.NewPCG(11, 0)), 2, n, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	separated := func(s *mat.Dense) *Solution {
		var x mat.Dense
		a := mat.NewDense(2, 2, []float64{1, 0.6, 0.4, 1})
		x.Mul(a, s)
		signals, err := ica.New(&x)
		if err != nil {
			t.Fatal(err)
		}
		sol, err := Separate(t.Context(), signals, Config{})
		if err != nil {
			t.Fatal(err)
		}
		var gain mat.Dense
		gain.Mul(sol.Demixing, a)
		for i := range 2 {
			p, q := math.Abs(gain.At(i, 0)), math.Abs(gain.At(i, 1))
			if leak := min(p, q) / max(p, q); leak > 4*max(sol.Leak.At(0, 1), sol.Leak.At(1, 0)) {
				t.Errorf("signal %d has %.4f of the other, said to be %.4f", i, leak, sol.Leak.At(i, 1-i))
			}
		}
		return sol
	}
	sol := separated(s)
	if sol.DecidedOn == 0 || sol.DecidedOn > partPositions {
		t.Errorf("%d positions decided, want some, at most %d", sol.DecidedOn, partPositions)
	}
	burst := s.RawRowView(0)[1100:2600] // between the first two blocks
	for k := range burst {
		burst[k] *= 40
	}
	if sol := separated(s); sol.DecidedOn != 0 {
		t.Errorf("%d positions decided on a burst outside of them", sol.DecidedOn)
	}
}

// The middle of a sequence shows that there is no noise, so that a part decides. If there is some, it is
// estimated from all positions. An estimate depends on the explanation that is chosen: the median of nine
// is right. With a nearly white source, such as AR(1) with 0.3, it misses noise of 0.5 in one of six.
func TestNoiseOfLongSequences(t *testing.T) {
	const n, mixtures = 20000, 9
	for _, deviation := range []float64{0, 0.5} {
		var estimates []float64
		for seed := range uint64(mixtures) {
			s := laplaceAR(15+100*seed, n, 0.95, 0.5)
			var x mat.Dense
			x.Mul(mat.NewDense(2, 2, []float64{1, 0.6, 0.4, 1}), s)
			x.Add(&x, scaled(deviation, gaussians(16+100*seed, 2, n)))
			signals, err := ica.New(&x)
			if err != nil {
				t.Fatal(err)
			}
			sol, err := Separate(t.Context(), signals, Config{})
			if err != nil {
				t.Fatal(err)
			}
			if isPart := sol.DecidedOn > 0; isPart != (deviation == 0) {
				t.Errorf("seed %d, noise of %g: %d positions decided", seed, deviation, sol.DecidedOn)
			}
			mean := 0.0 // variance of the channels' noise, which the models let differ
			for c, share := range sol.Noise {
				mean += share * stat.PopVariance(x.RawRowView(c), nil) / 2
			}
			estimates = append(estimates, math.Sqrt(mean))
		}
		slices.Sort(estimates)
		if got := estimates[mixtures/2]; math.Abs(got-deviation) > 0.05*deviation {
			t.Errorf("noise with a standard deviation of %.3f, want %g; all: %.3f", got, deviation, estimates)
		}
	}
}

// Of many signals some are hardly ever identified, so that a part can't decide alone. All positions
// then begin with its demixing, and find the same as without a part.
func TestPartOfManySignals(t *testing.T) {
	const d, n = fewSignals + 2, 16384
	rng := rand.New(rand.NewPCG(12, 0))
	s, err := datasets.LaplaceAR(rng, d, n, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 { // Gaussian, with the same spectrum
		row := s.RawRowView(i)
		for k := range row {
			row[k] = rng.NormFloat64()
		}
	}
	var x mat.Dense
	a := mat.NewDense(d, d, nil)
	a.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, a)
	x.Mul(a, s)
	signals, err := ica.New(&x)
	if err != nil {
		t.Fatal(err)
	}
	white, err := signals.Whitening()
	if err != nil {
		t.Fatal(err)
	}
	mixed := &mixture{white: white, shape: []int{n}}
	got, err := mixed.separateByPart(t.Context())
	if err != nil || got == nil {
		t.Fatalf("solution %v, error %v", got, err)
	}
	want, err := mixed.separateAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Groups) != d-2 || len(want.Groups) != d-2 {
		t.Errorf("groups %v and %v, want three signals in one", got.Groups, want.Groups)
	}
	if got.DecidedOn != 0 {
		t.Errorf("%d positions decided, want all", got.DecidedOn)
	}
	// Chance gains half a nat at each entry of the demixing.
	if difference := n * (got.CodeLength - want.CodeLength); difference > 0.01*d*d {
		t.Errorf("the code is longer by %g nats than without a part", difference)
	}
	var gain mat.Dense
	gain.Mul(got.Demixing, a)
	for _, g := range got.Groups {
		if len(g) > 1 {
			continue
		}
		row := gain.RawRowView(g[0])
		power := make([]float64, d)
		total := 0.0
		for j, v := range row { // of the sources
			power[j] = v * v * floats.Dot(s.RawRowView(j), s.RawRowView(j))
			total += power[j]
		}
		left := 1 - floats.Max(power)/total
		if said := got.ExpectedError[g[0]]; left > 8*said {
			t.Errorf("signal %d has %g of other sources, said to be %g", g[0]+1, left, 2*said)
		}
	}
}
