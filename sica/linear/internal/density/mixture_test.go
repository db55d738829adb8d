package density

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// A mixture has no longer a code than the likeliest Gaussian density, and with a floor no shorter
// one than without.
func TestMixtureLength(t *testing.T) {
	const n = 2000
	laplace := func(rng *rand.Rand) float64 { return (rng.ExpFloat64() - rng.ExpFloat64()) / math.Sqrt2 }
	uniform := func(rng *rand.Rand) float64 { return math.Sqrt(12) * (rng.Float64() - 0.5) }
	for seed := range uint64(10) {
		for name, draw := range map[string]func(rng *rand.Rand) float64{
			"Laplace": laplace, "uniform": uniform, "Gaussian": (*rand.Rand).NormFloat64,
		} {
			rng := rand.New(rand.NewPCG(seed, 1))
			clean, noisy := make([]float64, n), make([]float64, n)
			const share = 0.3 // of the noise
			for k := range clean {
				clean[k] = draw(rng)
				noisy[k] = math.Sqrt(1-share)*clean[k] + math.Sqrt(share)*rng.NormFloat64()
			}
			cost := func(u []float64) float64 {
				free, smooth := MixtureLength(u, 1, 1e-4), MixtureLength(u, 1, share)
				_, sd := stat.PopMeanStdDev(u, nil)
				if gaussian := math.Log(sd) + math.Log(2*math.Pi*math.E)/2; free > gaussian+0.001 {
					t.Errorf("%s, seed %d: %.4f nats, a Gaussian has %.4f", name, seed, free, gaussian)
				}
				if free > smooth+1e-3 {
					t.Errorf("%s, seed %d: %.4f nats, %.4f with a floor", name, seed, free, smooth)
				}
				return n * (smooth - free)
			}
			if got := cost(noisy); got > 6 {
				t.Errorf("%s, seed %d: the floor costs noisy values %.1f nats", name, seed, got)
			}
			if got := cost(clean); name != "Gaussian" && got < 8 {
				t.Errorf("%s, seed %d: the floor costs clean values %.1f nats", name, seed, got)
			}
		}
	}
}

// Scale changes the length by its logarithm.
func TestMixtureScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	u := make([]float64, 1000)
	for k := range u {
		u[k] = rng.ExpFloat64()
	}
	one, two := MixtureLength(u, 1, 0.1), MixtureLength(u, 2, 0.4)
	if got := two - one; math.Abs(got-math.Log(2)) > 0.01 {
		t.Errorf("twice the values have a code longer by %.4f, want %.4f", got, math.Log(2))
	}
}
