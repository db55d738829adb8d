package linear

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
)

// innovationKinds are white processes of variance 1.
var innovationKinds = map[string]func(rng *rand.Rand) float64{
	"Laplace": func(rng *rand.Rand) float64 {
		return (rng.ExpFloat64() - rng.ExpFloat64()) / math.Sqrt2
	},
	"uniform":     func(rng *rand.Rand) float64 { return math.Sqrt(12) * (rng.Float64() - 0.5) },
	"exponential": func(rng *rand.Rand) float64 { return rng.ExpFloat64() - 1 },
}

// processes returns AR(1) processes of variance 1 with the given weights and kind of innovations.
func processes(rng *rand.Rand, kind string, n int, weights ...float64) *mat.Dense {
	s := mat.NewDense(len(weights), n, nil)
	for i, w := range weights {
		v := 0.
		for t := -50; t < n; t++ {
			if v = w*v + math.Sqrt(1-w*w)*innovationKinds[kind](rng); t >= 0 {
				s.Set(i, t, v)
			}
		}
	}
	return s
}

// withNoiseOf returns a·s with white noise of the given standard deviation.
func withNoiseOf(rng *rand.Rand, a mat.Matrix, s *mat.Dense, deviation float64) *mat.Dense {
	var x mat.Dense
	x.Mul(a, s)
	x.Apply(func(_, _ int, v float64) float64 { return v + deviation*rng.NormFloat64() }, &x)
	return &x
}

// Without noise the estimate over its standard error is standard normal, of white sources and of others:
// its mean square is 1. A score whose variance lacked what angles explain would have 0.4 for white
// Laplace sources.
func TestNoNoise(t *testing.T) {
	a := mat.NewDense(2, 2, []float64{1, 0.6, 0.3, 1})
	for kind := range innovationKinds {
		for _, weights := range [][]float64{{0, 0}, {0.8, 0.5}} {
			const runs = 120
			mean, square := 0., 0.
			for seed := range uint64(runs) {
				rng := rand.New(rand.NewPCG(seed, 5))
				x, err := ica.New(withNoiseOf(rng, a, processes(rng, kind, 1000, weights...), 0))
				if err != nil {
					t.Fatal(err)
				}
				white, err := x.Whitening()
				if err != nil {
					t.Fatal(err)
				}
				mixed := &mixture{white: white, shape: x.Shape(), cfg: Config{Seed: 1}}
				sol, err := mixed.withoutNoise(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				z := sol.unseen.variance / sol.unseen.standardError
				mean += z / runs
				square += z * z / runs
			}
			// Standard errors of 0.09 and 0.13.
			t.Logf("%s, weights %g: mean %.2f, mean square %.2f", kind, weights, mean, square)
			if math.Abs(mean) > 0.35 || math.Abs(square-1) > 0.5 {
				t.Errorf("%s, weights %g: mean %.2f, mean square %.2f; want 0 and 1", kind, weights, mean,
					square)
			}
		}
	}
}
