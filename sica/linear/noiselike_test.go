package linear_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// If a matrix nearly cancels a source, noise is what its channels have in that direction, and the
// other signals are mixtures. The same sources through the first columns only have the same weakest
// signal and are separated, but look the same. Not all are identified then, for the noise's reason
// or, by chance, for another one.
func TestSourceUnderNoise(t *testing.T) {
	const deviation = 0.15
	mixtures, found := 0, 0
	for _, d := range []int{2, 3, 5} {
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, uint64(d)))
			s := laplaceProcesses(seed, 3000, []float64{0.3, 0.5, 0.7, 0.8, 0.9}[:d]...)
			s = standard(s)
			// Singular values of 1.5, 1.4, … and one far below the noise, or none.
			scale := mat.NewDiagDense(d, nil)
			for i := range d - 1 {
				scale.SetDiag(i, 1.5-0.1*float64(i))
			}
			scale.SetDiag(d-1, deviation/15)
			left := rotation.Random(rng, d)
			var all, fewer mat.Dense
			all.Product(left, scale, rotation.Random(rng, d))
			fewer.Product(left.Slice(0, d, 0, d-1), mat.NewDiagDense(d-1, scale.RawBand().Data[:d-1]),
				rotation.Random(rng, d-1))
			for name, x := range map[string]*mat.Dense{
				"hidden": noisy(rng, &all, s, deviation),
				"absent": noisy(rng, &fewer, s.Slice(0, d-1, 0, 3000).(*mat.Dense), deviation),
			} {
				sol := separate(t, x, linear.Config{Seed: 1})
				mixtures++
				if len(sol.Groups) == d {
					t.Errorf("%s source of %d, seed %d: all signals are identified", name, d, seed)
				}
				if sol.NoiseLike == nil {
					continue
				}
				found++
				if len(sol.Groups) != 1 || sol.Reason != linear.LikeNoise {
					t.Errorf("%s source of %d, seed %d: groups %v, %v; want one group, like noise",
						name, d, seed, sol.Groups, sol.Reason)
				}
				mean := 0.0 // the models let the channels' noise differ
				for c, share := range sol.Noise {
					_, sd := stat.PopMeanStdDev(x.RawRowView(c), nil)
					mean += math.Sqrt(share) * sd / float64(d)
				}
				if math.Abs(mean/deviation-1) > 0.1 {
					t.Errorf("%s source of %d, seed %d: noise of %.3f in a channel on average, want %g",
						name, d, seed, mean, deviation)
				}
			}
		}
	}
	if found < mixtures*3/4 {
		t.Errorf("a signal is like noise in %d of %d mixtures, want three quarters or more", found, mixtures)
	}
}

// With two channels more than sources two signals can't be told from noise. The others are identified,
// and the noise in each channel is known.
func TestMoreChannelsThanSources(t *testing.T) {
	const deviation, k = 0.15, 3
	for _, d := range []int{5, 7} {
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, uint64(d)))
			s := standard(laplaceProcesses(seed, 3000, 0.3, 0.6, 0.9))
			var a mat.Dense
			a.Product(rotation.Random(rng, d).Slice(0, d, 0, k), mat.NewDiagDense(k, []float64{1.5, 1.2, 1}),
				rotation.Random(rng, k))
			x := noisy(rng, &a, s, deviation)
			sol := separate(t, x, linear.Config{Seed: 1})
			if len(sol.NoiseLike) != d-k || len(sol.Groups) < k+1 {
				t.Errorf("d = %d, seed %d: like noise %v, groups %v, %v; want %d like noise, %d identified",
					d, seed, sol.NoiseLike, sol.Groups, sol.Reason, d-k, k)
			}
			for c, share := range sol.Noise {
				_, sd := stat.PopMeanStdDev(x.RawRowView(c), nil)
				if got := math.Sqrt(share) * sd; math.Abs(got/deviation-1) > 0.1 {
					t.Errorf("d = %d, seed %d: noise of %.3f in channel %d, want %g", d, seed, got, c, deviation)
				}
			}
			z := recovered(sol, x)
			for i := range d {
				if slices.Contains(sol.NoiseLike, i) {
					continue
				}
				largest := 0.0
				for j := range k {
					largest = max(largest, math.Abs(stat.Correlation(z.RawRowView(i), s.RawRowView(j), nil)))
				}
				if ratio := sol.ExpectedError[i] / (1 - largest); ratio < 0.7 || ratio > 1.5 {
					t.Errorf("d = %d, seed %d: signal %d has an error of %.4f, %.4f expected", d, seed, i, 1-largest,
						sol.ExpectedError[i])
				}
			}
		}
	}
}

// Known noise hides a weak signal, and the signal with the most noise of the others then isn't identified
// either. Without noise both are. The signals are the same bits.
func TestKnownNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := standard(laplaceProcesses(1, 3000, 0.3, 0.6, 0.9))
	var x mat.Dense
	x.Product(rotation.Random(rng, 3), mat.NewDiagDense(3, []float64{1, 0.7, 0.3}), s)
	unknown := separate(t, &x, linear.Config{Seed: 1})
	for noise, want := range map[float64]int{0: 3, 0.005: 3, 0.02: 2} { // of 0.09 of the weakest
		sol := separate(t, &x, linear.Config{Seed: 1, Noise: noise})
		if !mat.Equal(sol.Demixing, unknown.Demixing) {
			t.Errorf("noise %g: another demixing", noise)
		}
		if len(sol.Groups) != want || (sol.Reason == linear.Noise) != (want < 3) {
			t.Errorf("noise %g: groups %v, %v; want %d groups", noise, sol.Groups, sol.Reason, want)
		}
	}
}

// White Gaussian noise that is a source, with a pattern of its own, is not that of the channels. White
// signals beside it are identified where they exclude noise of the channels that would hide one, as in
// most of these mixtures.
func TestWhiteGaussianSource(t *testing.T) {
	mixtures, identified := 0, 0
	for _, d := range []int{2, 3, 5} {
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, uint64(d)))
			s := laplace(seed, d, 3000)
			white := s.RawRowView(0)
			for k := range white {
				white[k] = rng.NormFloat64()
			}
			sol := separate(t, mixed(seed+10*uint64(d), s), linear.Config{Seed: 1})
			mixtures++
			if len(sol.Groups) == d {
				identified++
			} else if sol.Reason != linear.HiddenNoise && sol.Reason != linear.Noise {
				t.Errorf("d = %d, seed %d: %v, want noise", d, seed, sol.Reason)
			}
			if sol.NoiseLike != nil || slices.Max(sol.Noise) > 0.01 {
				t.Errorf("d = %d, seed %d: like noise %v, noise %.3f; want none", d, seed, sol.NoiseLike, sol.Noise)
			}
		}
	}
	if 4*identified < 3*mixtures {
		t.Errorf("all signals of %d of %d mixtures are identified, want three quarters", identified, mixtures)
	}
}
