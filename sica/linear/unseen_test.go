package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

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
				sol, err := withoutNoise(t.Context(), white, x.Shape(), Options{Seed: 1})
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

// Noise that spectra don't show is estimated from the dependence of white signals, and the expected
// error contains it: what it takes of the correlations with the sources. Signals that it hides, with
// correlations of about 0.83, aren't identified.
func TestUnseenNoise(t *testing.T) {
	const n, deviation = 8000, 0.1
	measured := 0
	for kind := range innovationKinds {
		for angle, want := range map[float64]bool{0.9: true, 0.15: false} { // between the columns
			a := mat.NewDense(2, 2, []float64{1, math.Cos(angle), 0, math.Sin(angle)})
			for seed := range uint64(3) {
				rng := rand.New(rand.NewPCG(seed, 6))
				s := processes(rng, kind, n, 0, 0)
				mixed := withNoiseOf(rng, a, s, deviation)
				x, err := ica.New(mixed)
				if err != nil {
					t.Fatal(err)
				}
				sol, err := Separate(t.Context(), x, Options{Seed: 1})
				if err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s sources at an angle of %g, seed %d", kind, angle, seed)
				if got := len(sol.Groups) == 2; got != want || sol.Unconfirmed == want {
					t.Errorf("%s: groups %v, unconfirmed %v, %q; want identified: %v", name, sol.Groups,
						sol.Unconfirmed, sol.Why, want)
				}
				if sol.missed == 0 { // the models have the noise, or it isn't significant
					continue
				}
				measured++
				if got := math.Sqrt(sol.missed); got < 0.9*deviation || got > 1.4*deviation {
					t.Errorf("%s: noise of %.3f, want %g", name, got, deviation)
				}
				var y mat.Dense
				y.Mul(sol.Demixing, mixed)
				for i := range sol.Groups {
					if len(sol.Groups) < 2 {
						break
					}
					r := max(math.Abs(stat.Correlation(y.RawRowView(i), s.RawRowView(0), nil)),
						math.Abs(stat.Correlation(y.RawRowView(i), s.RawRowView(1), nil)))
					if ratio := sol.ExpectedError[i] / (1 - r); ratio < 0.7 || ratio > 1.5 {
						t.Errorf("%s: error of %.4f, %.4f expected", name, 1-r, sol.ExpectedError[i])
					}
				}
			}
		}
	}
	if measured < 6 {
		t.Errorf("noise was estimated in %d of 18 mixtures, want 6 or more", measured)
	}
}
