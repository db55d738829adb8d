package density

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for range 100000 {
		x := -50 * rng.Float64()
		if want := math.Exp(x); math.Abs(exp(x)-want) > 2e-14*want {
			t.Fatalf("exp(%g) is %g, want %g", x, exp(x), want)
		}
	}
	if exp(0) != 1 || exp(-51) != 0 || exp(math.Inf(-1)) != 0 || !math.IsNaN(exp(math.NaN())) {
		t.Errorf("of 0 %g, of −51 %g, of −∞ %g, of NaN %g",
			exp(0), exp(-51), exp(math.Inf(-1)), exp(math.NaN()))
	}
}

// A histogram is that of the places of its values.
func TestHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	u := make([]float64, 200000)
	var want histogram
	for k := range u {
		u[k] = math.Pow(rng.NormFloat64(), 7)
		near, far, share := Place(u[k])
		want[near] += (1 - share) / float64(len(u))
		want[far] += share / float64(len(u))
	}
	var h histogram
	h.count(u, 1)
	for g := range h {
		if math.Abs(h[g]-want[g]) > 1e-9 {
			t.Errorf("point %d: %g, want %g", g, h[g], want[g])
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 0))
	u := make([]float64, 1024)
	for k := range u {
		u[k] = rng.ExpFloat64()
	}
	var d Fitter
	for b.Loop() {
		d.Begin(u, 1)
		d.Choose()
		d.Finish(Fine)
	}
}

func BenchmarkHistogram(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 0))
	u := make([]float64, 20000)
	for k := range u {
		u[k] = rng.NormFloat64()
	}
	var h histogram
	for b.Loop() {
		h.count(u, 1)
	}
}
