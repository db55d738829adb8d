package network

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/signal"
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
		x, y := signal.Rows(products(a, nil)).Dense(), signal.Rows(products(b, nil)).Dense()
		got, _ := information(features{x, x}, features{y, y}, 0)
		if want := -math.Log(1 - r*r); math.Abs(got-want) > .008 { // once each way
			t.Errorf("r = %g: %.4f, want %.4f", r, got, want)
		}
	}
}

// A shift moves the second signal circularly against the first, and monotone changes of a signal don't
// matter.
func TestInformationOfShiftedSignals(t *testing.T) {
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
	moved := func(v []float64, by int) []float64 { return slices.Concat(v[by:], v[:by]) }
	cubed := func(v []float64) []float64 {
		w := slices.Clone(v)
		for k := range w {
			w[k] *= w[k] * w[k]
		}
		return w
	}
	of := func(e, p []float64) features {
		return features{signal.Rows(products(e, nil)).Dense(), signal.Rows(products(e, p)).Dense()}
	}
	// nats is the information of innovations e and f with predictions p and q.
	nats := func(e, p, f, q []float64, shift int) (forward, backward float64) {
		return information(of(e, p), of(f, q), shift)
	}
	forward, backward := nats(e, p, f, q, shift)
	for _, test := range []struct {
		name string
		by   int
		got  float64
	}{{"forward", shift, forward}, {"backward", n - shift, backward}} {
		f, q := moved(f, test.by), moved(q, test.by)
		want, _ := nats(e, p, f, q, 0)
		if math.Abs(test.got-want) > 1e-12 {
			t.Errorf("shifted %s: %v, want %v", test.name, test.got, want)
		}
		if got, _ := nats(cubed(e), cubed(p), f, cubed(q), 0); math.Abs(got-want) > 1e-12 {
			t.Errorf("cubed: %v, want %v", got, want)
		}
	}
}

// Two independent telegraphs depend on each other only by chance, at the rate falseAlarm: jumps are
// their innovations. By those of an autoregression 14 of these mixtures would depend.
func TestTelegraphsAreIndependent(t *testing.T) {
	const mixtures, most = 300, 6 // 3 on average
	alarms := 0
	for seed := range uint64(mixtures) {
		rng := rand.New(rand.NewPCG(seed, 77))
		z := mat.NewDense(2, 1024, nil)
		for i, rate := range []float64{0.05, 0.15} {
			level := 1.0
			for k := range z.RawRowView(i) {
				if rng.Float64() < rate {
					level = -level
				}
				z.Set(i, k, level+0.1*rng.NormFloat64())
			}
		}
		pairs, err := dependencesOf(t, z)
		if err != nil {
			t.Fatal(err)
		}
		if _, dependent := mostSignificant(pairs); dependent {
			alarms++
		}
	}
	if alarms > most {
		t.Errorf("%d of %d mixtures depend", alarms, mixtures)
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
		all, err := dependencesOf(t, test.z)
		if err != nil {
			t.Fatal(err)
		}
		most, evident := mostSignificant(all)
		if evident != test.evident || (evident && (most.i != test.i || most.j != test.j)) {
			t.Errorf("%s: evident %t, most %+v", name, evident, most)
		}
	}
	few, err := dependencesOf(t, s.Slice(0, 3, 0, 90).(*mat.Dense))
	if _, evident := mostSignificant(few); err != nil || few != nil || evident {
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
		{first, Options{Shape: []int{3000}, past: 5}, 5},
		{first, Options{Shape: []int{60, 50}}, 2},
		{first, Options{Shape: []int{20, 150}}, 1},
	} {
		x, err := test.o.index(t.Context(), []*mat.Dense{test.z})
		if err != nil {
			t.Fatal(err)
		}
		if x.reach != test.reaches {
			t.Errorf("%+v: a past of %d, want %d", test.o, x.reach, test.reaches)
		}
	}
}

// At a glance only pairs that are far from significant have fewer shifts.
func TestGlanceAtPairs(t *testing.T) {
	z, err := datasets.LaplaceAR(newRand(4), 4, 2000, .7)
	if err != nil {
		t.Fatal(err)
	}
	floats.Add(z.RawRowView(0), z.RawRowView(2))
	var all []features
	for i := range 4 {
		row := z.RawRowView(i)
		all = append(all, features{signal.Rows(products(row[1:], nil)).Dense(), signal.Rows(products(row[1:], row[:1999])).Dense()})
	}
	glance, err := measurePairs(t.Context(), all, true)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := measurePairs(t.Context(), all, false)
	if err != nil {
		t.Fatal(err)
	}
	few, limit := 0, errorsByChance(falseAlarm, len(pairs))
	for k, p := range pairs {
		if glance[k] != p {
			few++
		}
		dependent := p.i == 0 && p.j == 2
		if p.nats > limit*p.se != dependent || dependent && glance[k] != p {
			t.Errorf("at a glance %+v, by all shifts %+v", glance[k], p)
		}
	}
	if few == 0 {
		t.Error("all shifts were made for each pair")
	}
}

// dependencesOf returns the dependences of a sequence.
func dependencesOf(t *testing.T, z *mat.Dense) ([]dependence, error) {
	t.Helper()
	x, err := Options{}.checkedIndex(t.Context(), z)
	if err != nil {
		t.Fatal(err)
	}
	return dependences(t.Context(), z, x)
}

// The median deviation is that of sorted deviations.
func TestMedianDeviation(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	for n := 1; n < 60; n++ {
		values, deviations := make([]float64, n), make([]float64, n)
		for k := range values {
			values[k] = math.Round(3 * rng.ExpFloat64())
		}
		slices.Sort(values)
		for k, v := range values {
			deviations[k] = math.Abs(v - values[n/2])
		}
		slices.Sort(deviations)
		rng.Shuffle(n, func(i, j int) { values[i], values[j] = values[j], values[i] })
		if got, want := medianDeviation(values), deviations[n/2]; got != want {
			t.Errorf("%d values: %g, want %g", n, got, want)
		}
	}
}
