package linear

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Another unit of all channels, a power of two, changes nothing but the code length, by its logarithm, to
// the last bit; the noise of the channels is in squares of their unit. Channels of different units
// are another matter: the models of noise have one variance for all, and the resolution's noise is
// drawn along the principal components, which their scales rotate.
func TestUnitOfAllChannels(t *testing.T) {
	const d, n, power = 3, 600, 17
	rng := rand.New(rand.NewPCG(4, 0))
	s := mat.NewDense(d, n, nil)
	for i := range d {
		last := 0.0
		for k := range n {
			last = 0.3*float64(i)*last + rng.NormFloat64()*rng.ExpFloat64()
			s.Set(i, k, last)
		}
	}
	var x mat.Dense
	x.Mul(mat.NewDense(d, d, []float64{2, 1, -1, 1, 3, 1, 0.5, -1, 2}), s)
	x.Apply(func(_, _ int, v float64) float64 { return v + 0.1*rng.NormFloat64() }, &x)
	scaled := mat.DenseCopyOf(&x)
	scaled.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, power) }, scaled)
	var all [2]*Solution
	for k, signals := range []*mat.Dense{&x, scaled} {
		checked, err := ica.New(signals)
		if err != nil {
			t.Fatal(err)
		}
		if all[k], err = Separate(t.Context(), checked, Config{Seed: 1}); err != nil {
			t.Fatal(err)
		}
	}
	a, b := all[0], all[1]
	if a.Reason != b.Reason || a.Start != b.Start || !reflect.DeepEqual(a.Pairs, b.Pairs) ||
		!reflect.DeepEqual(a.ExpectedError, b.ExpectedError) || !reflect.DeepEqual(a.Noise, b.Noise) {
		t.Errorf("%v %q %v\nbecame\n%v %q %v", a.Reason, a.Start, a.Pairs, b.Reason, b.Start, b.Pairs)
	}
	if want := d * power * math.Ln2; math.Abs(b.CodeLength-a.CodeLength-want) > 1e-9 {
		t.Errorf("the code became %g longer, want %g", b.CodeLength-a.CodeLength, want)
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
