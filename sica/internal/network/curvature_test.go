package network

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// linearlyDemixed are the signals that the linear rule makes of x.
func linearlyDemixed(t *testing.T, x *mat.Dense) *mat.Dense {
	t.Helper()
	mixed, err := ica.New(x)
	if err != nil {
		t.Fatal(err)
	}
	found, err := linear.Separate(t.Context(), mixed, linear.Config{})
	if err != nil {
		t.Fatal(err)
	}
	d, n := x.Dims()
	z := mat.NewDense(d, n, nil)
	z.Mul(found.Demixing, x)
	return z
}

// autoregressions are k of Laplace innovations, n positions, of unlike coefficients; of bursts the
// strength varies as the size of a slow Gaussian autoregression.
func autoregressions(rng *rand.Rand, k, n int, bursts bool) *mat.Dense {
	s := mat.NewDense(k, n, nil)
	for i := range k {
		a, slow, v := 0.9-0.6*float64(i)/float64(k), 0.0, 0.0
		for t := -500; t < n; t++ {
			v = a*v + datasets.Laplace(rng)
			slow = 0.98*slow + rng.NormFloat64()
			if t < 0 {
				continue
			}
			if s.Set(i, t, v); bursts {
				s.Set(i, t, v*math.Abs(slow))
			}
		}
	}
	return s
}

// Linear mixtures with noise or surplus sources depend on each other after demixing, and ask for no
// network. One of 24 does, of bursts.
func TestLinearMixturesAskForNoNetwork(t *testing.T) {
	dependent, called := 0, 0
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 3))
		k, d, noise := 3, 3, 0.1
		if seed%2 == 1 {
			k, d, noise = 5, 3, 0.01
		}
		bursts := seed%4 > 1
		s := autoregressions(rng, k, 2500, bursts)
		matrix := mat.NewDense(d, k, nil)
		matrix.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, matrix)
		var x mat.Dense
		x.Mul(matrix, s)
		x.Apply(func(_, _ int, v float64) float64 { return v + noise*rng.NormFloat64() }, &x)
		screening, err := Screen(t.Context(), linearlyDemixed(t, &x), false, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if screening.Dependent {
			dependent++
		}
		if screening.Network {
			called++
			t.Logf("seed %d, %d sources in %d channels, bursts %v: deviation %.1f",
				seed, k, d, bursts, screening.deviation)
		}
	}
	if dependent < 6 || called > 1 {
		t.Errorf("%d of 24 depend on each other, want 6 at least; %d call for a network, want 1 "+
			"at most", dependent, called)
	}
}

// Nonlinear mixings look curved, with noise of 3 % too.
func TestCurvatureOfNonlinearMixtures(t *testing.T) {
	mixings := map[string]func(rng *rand.Rand) (*mat.Dense, error){
		"leaky": func(rng *rand.Rand) (*mat.Dense, error) {
			return datasets.LayeredMix(rng, autoregressions(rng, 2, 1024, false), 2, datasets.LeakyReLU(0.2))
		},
		"tanh": func(rng *rand.Rand) (*mat.Dense, error) {
			s, err := datasets.LaplaceAR(rng, 2, 1024, 0.7)
			if err != nil {
				return nil, err
			}
			return datasets.PostNonlinearMix(rng, s, math.Tanh)
		},
		"gelu": func(rng *rand.Rand) (*mat.Dense, error) {
			s, err := datasets.AR7(rng, 2, 1024)
			if err != nil {
				return nil, err
			}
			return datasets.Mix(s, datasets.MixOptions{Steps: 5, H: datasets.GELU})
		},
	}
	for name, mix := range mixings {
		evident := 0
		for seed := range uint64(8) {
			x, err := mix(rand.New(rand.NewPCG(seed, 4)))
			if err != nil {
				t.Fatal(err)
			}
			deviation, _, err := curvature(t.Context(), linearlyDemixed(t, x))
			if err != nil {
				t.Fatal(err)
			}
			if deviation > evidentSigmas {
				evident++
			}
		}
		if t.Logf("%s: %d of 8", name, evident); evident < 7 {
			t.Errorf("%s: evident of %d of 8", name, evident)
		}
	}
}

// Of independent signals the deviation is as likely large for many of them at few positions, where
// what is left out has a seventh of the dimensions, as for few: not evident in two of three.
func TestCurvatureOfManySignals(t *testing.T) {
	const d, n = 8, 1024
	evident := 0
	for seed := range uint64(3) {
		s, err := datasets.LaplaceAR(rand.New(rand.NewPCG(seed, 1)), d, n, 0.7)
		if err != nil {
			t.Fatal(err)
		}
		deviation, _, err := curvature(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if deviation > evidentSigmas {
			evident++
		}
		t.Logf("seed %d: deviation %.1f", seed, deviation)
	}
	if evident > 1 {
		t.Errorf("evident in %d of 3", evident)
	}
}
