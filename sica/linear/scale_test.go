package linear

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Another unit of all channels, a power of two, changes nothing but the unit of the results, to the
// last bit, and the code length by its logarithm. Channels of different units are another matter:
// the models of noise have one variance for all, and the resolution's noise is drawn along the
// principal components, which their scales rotate.
func TestUnitOfAllChannels(t *testing.T) {
	const d = 3
	separateIn := func(x *mat.Dense, power int, cfg Config) *Solution {
		t.Helper()
		scaled := mat.DenseCopyOf(x)
		scaled.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, power) }, scaled)
		signals, err := ica.New(scaled)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Noise = math.Ldexp(cfg.Noise, 2*power)
		sol, err := Separate(t.Context(), signals, cfg)
		if err != nil {
			t.Fatal(err)
		}
		for i := range sol.Mean {
			sol.Mean[i] = math.Ldexp(sol.Mean[i], -power)
		}
		for _, m := range []*mat.Dense{sol.Demixing, sol.Symmetric} {
			m.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, power) }, m)
		}
		return sol
	}
	for _, deviation := range []float64{0.1, 1.5} { // identified; hidden by noise
		rng := rand.New(rand.NewPCG(4, 1))
		s := processes(rng, "Laplace", 600, 0.8, 0.3, 0)
		x := withNoiseOf(rng, mat.NewDense(d, d, []float64{2, 1, -1, 1, 3, 1, 0.5, -1, 2}), s, deviation)
		for _, cfg := range []Config{
			{Seed: 1}, {Seed: 1, Noise: 0.01}, {Seed: 1, Noise: 0.3, PrincipalComponents: true},
		} {
			want := separateIn(x, 0, cfg)
			for _, power := range []int{-400, -200, 17, 200, 400} {
				got := separateIn(x, power, cfg)
				longer := got.CodeLength - want.CodeLength
				if math.Abs(longer-d*float64(power)*math.Ln2) > 1e-9 {
					t.Errorf("2^%d: the code became %g longer", power, longer)
				}
				got.CodeLength, got.Whitening = want.CodeLength, want.Whitening
				if !reflect.DeepEqual(got, want) {
					t.Errorf("2^%d, %+v:\n%+v\nwant\n%+v", power, cfg, got, want)
				}
			}
		}
	}
}

// Signals as small as 1e-160 are separated like others: the reference routine for eigenvalues
// can't scale matrices that are so small.
func TestTinySignals(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	s := processes(rng, "Laplace", 600, 0.8, 0.3, 0)
	x := withNoiseOf(rng, mat.NewDense(3, 3, []float64{2, 1, -1, 1, 3, 1, 0.5, -1, 2}), s, 0.1)
	var want *Solution
	for _, scale := range []float64{1, 1e-61, 1e-100, 1e-150, 1e-160, 1e100} {
		var scaled mat.Dense
		scaled.Scale(scale, x)
		checked, err := ica.New(&scaled)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Separate(t.Context(), checked, Config{Seed: 1})
		if err != nil {
			t.Errorf("scale %g: %v", scale, err)
			continue
		}
		if want == nil {
			want = got
		}
		if got.Reason != want.Reason || !reflect.DeepEqual(got.Groups, want.Groups) {
			t.Errorf("scale %g: %v, groups %v; want %v, %v", scale, got.Reason, got.Groups,
				want.Reason, want.Groups)
		}
	}
}
