package direct

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// Of Gaussians with correlation r it is −½·log(1 − r²), less the little that so many
// neighbours miss; whatever else comes with them doesn't matter much.
func TestInformation(t *testing.T) {
	for _, r := range []float64{0, .5, .8} {
		rng := newRand(1)
		a, b := make(states, 3000), make(states, 3000)
		for k := range a {
			u := rng.NormFloat64()
			a[k] = [2]float64{u, 0}
			b[k] = [2]float64{r*u + math.Sqrt(1-r*r)*rng.NormFloat64(), 0}
		}
		want := -.5 * math.Log(1-r*r)
		if got := information(a, b); math.Abs(got-want) > .03 {
			t.Errorf("r = %g: %.3f, want %.3f", r, got, want)
		}
		if got := information(b, a); math.Abs(got-want) > .03 {
			t.Errorf("r = %g, the other way round: %.3f, want %.3f", r, got, want)
		}
	}
}

// The search in order finds the same neighbours as a comparison with all.
func TestSortedReach(t *testing.T) {
	rng := newRand(2)
	draw := func() states {
		s := make(states, 200)
		for k := range s {
			s[k] = [2]float64{math.Round(10 * rng.NormFloat64()), rng.NormFloat64()} // with ties
		}
		return s
	}
	a, b := draw(), draw()
	inA := newSorted(a)
	for k := range a {
		reach := inA.reach(k, b)
		within, nearer, around := 0, 0, 0
		for l := range a {
			joint := max(distance(a[k], a[l]), distance(b[k], b[l]))
			if l != k && joint <= reach {
				within++
			}
			if l != k && joint < reach {
				nearer++
			}
			if distance(a[k], a[l]) < reach {
				around++
			}
		}
		if within < neighbours || nearer >= neighbours {
			t.Fatalf("position %d: %d within the reach and %d nearer, want %d", k, within, nearer, neighbours)
		}
		if got := inA.around(k, reach); got != around {
			t.Fatalf("position %d: %d around it, want %d", k, got, around)
		}
	}
}

// Independent sources show no dependence, a mixture of two among three does, and
// so does one whose innovations only share their size.
func TestDependences(t *testing.T) {
	const n = 2000
	s, err := datasets.LaplaceAR(newRand(4), 3, n, .7)
	if err != nil {
		t.Fatal(err)
	}
	mixed := mat.DenseCopyOf(s)
	for k := range n {
		mixed.Set(0, k, s.At(0, k)+.8*s.At(2, k))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := mat.NewDense(2, n, nil)
	for k := range n {
		size := math.Exp(.7 * rng.NormFloat64())
		sizes.Set(0, k, size*rng.NormFloat64())
		sizes.Set(1, k, size*rng.NormFloat64())
	}
	for name, test := range map[string]struct {
		z       *mat.Dense
		evident bool
		i, j    int
	}{"sources": {z: s}, "mixed": {mixed, true, 0, 2}, "sizes": {sizes, true, 0, 1}} {
		all, err := Dependences(t.Context(), test.z, Options{})
		if err != nil {
			t.Fatal(err)
		}
		most, evident := Worst(all)
		if evident != test.evident || (evident && (most.I != test.i || most.J != test.j)) {
			t.Errorf("%s: evident %t, most %+v", name, evident, most)
		}
	}
	few, err := Dependences(t.Context(), s.Slice(0, 3, 0, 90).(*mat.Dense), Options{})
	if _, evident := Worst(few); err != nil || few != nil || evident {
		t.Errorf("90 positions: %v, %v", few, err)
	}
}

// The past is as far as the source's, and at least 2.
func TestPast(t *testing.T) {
	seventh, err := datasets.AR(newRand(6), 3000, datasets.ARProcess{Coefficients: []float64{.3, 0, 0, 0, 0, 0, .4}, Scale: 1, BurnIn: 100})
	if err != nil {
		t.Fatal(err)
	}
	first, err := datasets.LaplaceAR(newRand(6), 2, 3000, .7)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		z       *mat.Dense
		o       Options
		reaches int
	}{
		{seventh, Options{Shape: []int{3000}}, 7},
		{first, Options{Shape: []int{3000}}, 2},
		{first, Options{Shape: []int{3000}, Past: 5}, 5},
		{first, Options{Shape: []int{3000}, Past: -1}, 0},
		{first, Options{Shape: []int{60, 50}}, 2},
		{first, Options{Shape: []int{20, 150}}, 1},
	} {
		x, err := test.o.index([]*mat.Dense{test.z})
		if err != nil {
			t.Fatal(err)
		}
		if x.reach != test.reaches {
			t.Errorf("%+v: a past of %d, want %d", test.o, x.reach, test.reaches)
		}
	}
}
