package network

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

// For Gaussian signals with a small correlation r it is −½·log(1 − r²), of which polynomials of
// ranks up to degree 4 have nearly all.
func TestInformationOfGaussians(t *testing.T) {
	const n = 1 << 17
	for _, r := range []float64{0, .2, .4} {
		rng := newRand(1)
		a, b := make([]float64, n), make([]float64, n)
		for k := range a {
			a[k] = rng.NormFloat64()
			b[k] = r*a[k] + math.Sqrt(1-r*r)*rng.NormFloat64()
		}
		both := setFeatures(setFeatures(nil, 0, 2, products(a, nil)), 1, 2, products(b, nil))
		got, want := information(both, both, 2, 0)[0], -math.Log(1-r*r) // once each way
		if math.Abs(got-want) > .008 {
			t.Errorf("r = %g: %.4f, want %.4f", r, got, want)
		}
	}
}

// A shift moves the second signal's states circularly against the first's innovations, and monotone
// changes of a signal don't matter.
func TestInformationIgnoresMonotoneChanges(t *testing.T) {
	rng := newRand(2)
	const n, shift = 300, 70
	draw := func() []float64 {
		v := make([]float64, n)
		for k := range v {
			v[k] = math.Round(10 * rng.NormFloat64()) // with ties
		}
		return v
	}
	e, p, f, q := draw(), draw(), draw(), draw()
	turned := func(v []float64) []float64 { return append(slices.Clone(v[shift:]), v[:shift]...) }
	cubed := func(v []float64) []float64 {
		w := slices.Clone(v)
		for k := range w {
			w[k] *= w[k] * w[k]
		}
		return w
	}
	both := func(a, b [][]float64) *mat.Dense { return setFeatures(setFeatures(nil, 0, 2, a), 1, 2, b) }
	// The innovations of one with the states of the other, and the other way round.
	want := information(both(products(e, nil), products(turned(f), nil)), both(products(e, p), products(turned(f), turned(q))), 2, 0)[0]
	oneWay := information(both(products(e, nil), products(f, nil)), both(products(e, p), products(f, q)), 2, shift)[0]
	back := information(both(products(cubed(e), nil), products(cubed(turned(f)), nil)), both(products(cubed(e), cubed(p)), products(turned(f), cubed(turned(q)))), 2, 0)[0]
	if math.Abs(back-want) > 1e-12 {
		t.Errorf("cubed: %v, want %v", back, want)
	}
	// Shifted by hand: the first's innovations meet the second's states so many later,
	// and the second's innovations the first's.
	sum := 0.
	for _, pair := range [][2][][]float64{{products(e, nil), products(f, q)}, {products(f, nil), products(e, p)}} {
		for _, a := range pair[0] {
			for _, b := range pair[1] {
				r := floats.Dot(a, turned(b)) / n
				sum += r * r / 2
			}
		}
	}
	if math.Abs(oneWay-sum) > 1e-12 {
		t.Errorf("shifted: %v, want %v", oneWay, sum)
	}
}

// Independent sources show no dependence. A mixture of two of three does, and so do innovations
// that share only their absolute values.
func TestDependencesOfMixtures(t *testing.T) {
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
	beats := mat.DenseCopyOf(sizes) // with a little of another in the pauses
	for k := range n {
		at := float64(k%200) - 90
		beats.Set(0, k, rng.NormFloat64())
		beats.Set(1, k, math.Exp(-at*at/18)+.0005*beats.At(0, k))
	}
	for name, test := range map[string]struct {
		z       *mat.Dense
		evident bool
		i, j    int
	}{"sources": {z: s}, "beats": {z: beats}, "mixed": {mixed, true, 0, 2}, "sizes": {sizes, true, 0, 1}} {
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

// The past is as long as that of the source model, and at least 2.
func TestPastIsThatOfSource(t *testing.T) {
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
