package sica

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
)

func onePair(t *testing.T, z *mat.Dense, shape ...int) PairReport {
	t.Helper()
	pairs, err := reportPairs(t.Context(), z, shape, 1)
	if err != nil {
		t.Fatal(err)
	}
	return pairs[0]
}

// Gaussian signals with equal spectra can be rotated as one likes. Laplace ones,
// and Gaussian ones with different spectra, can't: rotated by 30°, they fit
// better where they came from.
func TestPairs(t *testing.T) {
	ar := func(coefficients ...float64) datasets.ARProcess {
		return datasets.ARProcess{Coefficients: coefficients, Scale: 1, Innovation: datasets.Normal, BurnIn: 100}
	}
	signals := func(seed uint64, of ...datasets.ARProcess) *mat.Dense {
		s, err := datasets.AR(rng(seed), 1024, of...)
		if err != nil {
			t.Fatal(err)
		}
		white, err := whiten(s)
		if err != nil {
			t.Fatal(err)
		}
		return white
	}
	laplace := datasets.ARProcess{Scale: 1, Innovation: datasets.Laplace}
	for _, test := range []struct {
		name string
		z    *mat.Dense
		open bool
	}{
		{"white", signals(1, ar(), ar()), true},
		{"equal spectra", signals(2, ar(1.6, -0.8), ar(1.6, -0.8)), true},
		{"two spectra", signals(3, ar(1.6, -0.8), ar(-0.5, 0.2)), false},
		{"Laplace", signals(4, laplace, laplace), false},
	} {
		p := onePair(t, test.z, 1024)
		if p.IsOpen() != test.open || p.Flat() != test.open {
			t.Errorf("%s: open within %.0f°, range %.3f, chance %.3f", test.name, p.Open, p.Range, p.Chance)
		}
		if test.open {
			continue
		}
		if math.Abs(p.Angle) > 6 || p.Excess > p.Chance {
			t.Errorf("%s: best at %.0f° with an excess of %.3f, chance %.3f", test.name, p.Angle, p.Excess, p.Chance)
		}
		turned := onePair(t, rotated2(test.z, math.Pi/6), 1024) // what rows by −30° undo
		if math.Abs(math.Abs(turned.Angle)-30) > 6 || turned.Excess < turned.Chance || turned.Open < 24 {
			t.Errorf("%s turned: best at %.0f°, open within %.0f°, excess %.3f, chance %.3f", test.name, turned.Angle, turned.Open, turned.Excess, turned.Chance)
		}
	}
}

// Gaussian pairs are called flat in all but few cases.
func TestPairsLevel(t *testing.T) {
	if testing.Short() {
		t.Skip("looks at many pairs")
	}
	const signals = 8
	pairs, err := reportPairs(t.Context(), noise(rng(9), signals, 256, datasets.Normal), []int{256}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(pairs) != signals*(signals-1)/2 {
		t.Fatalf("%d pairs", len(pairs))
	}
	found := 0
	for _, p := range pairs {
		if !p.Flat() {
			found++
		}
	}
	if found > 2 { // of 28 at a level of 1 %
		t.Errorf("%d of %d Gaussian pairs aren't flat", found, len(pairs))
	}
}

// Surrogates have, on average, the spectrum of the pair.
func TestSurrogate(t *testing.T) {
	shape := []int{6, 5}
	z := noise(rng(1), 2, 30, datasets.Normal)
	for k := range 29 { // some spectrum
		z.Set(0, k+1, z.At(0, k+1)+z.At(0, k))
	}
	amplitude := pooledAmplitude(z, shape)
	const draws = 4000
	r := rng(2)
	power := make([]float64, 30)
	for range draws {
		s := surrogate(amplitude, 2, shape, r)
		for k, a := range pooledAmplitude(s, shape) {
			power[k] += a * a / draws
		}
	}
	// fourier.Sequence doesn't divide by the 30 positions, whose noise has a
	// spectrum of 30 itself.
	for k, p := range power {
		if want := 30 * 30 * 30 * amplitude[k] * amplitude[k]; math.Abs(p/want-1) > 0.1 {
			t.Errorf("frequency %d: power %.4g, want %.4g", k, p, want)
		}
	}
}

// Along all axes, the transform is the sum over all positions.
func TestTransformAxes(t *testing.T) {
	shape := []int{2, 3, 4}
	values := make([]complex128, 24)
	r := rng(5)
	for k := range values {
		values[k] = complex(r.NormFloat64(), 0)
	}
	got := slices.Clone(values)
	transformAxes(got, shape, (*fourier.CmplxFFT).Coefficients)
	at := func(k int) [3]int { return [3]int{k / 12, k / 4 % 3, k % 4} }
	for k := range got {
		want := 0i
		for m, v := range values {
			phase := 0.0
			for a, n := range shape {
				phase += float64(at(k)[a]*at(m)[a]) / float64(n)
			}
			want += v * cmplx.Rect(1, -2*math.Pi*phase)
		}
		if cmplx.Abs(got[k]-want) > 1e-12 {
			t.Errorf("coefficient %v is %v, want %v", at(k), got[k], want)
		}
	}
}

// Of long signals whole slices about the middle are looked at.
func TestMiddle(t *testing.T) {
	z := mat.NewDense(1, 60, nil)
	for k := range 60 {
		z.Set(0, k, float64(k))
	}
	for _, test := range []struct {
		shape, cut []int
		limit      int
		first      float64
	}{
		{[]int{60}, []int{60}, 60, 0},
		{[]int{60}, []int{20}, 20, 20},
		{[]int{6, 10}, []int{2, 10}, 25, 20},
		{[]int{3, 4, 5}, []int{1, 4, 5}, 3, 20},
	} {
		cut, shape := middle(z, test.shape, test.limit)
		if _, n := cut.Dims(); !slices.Equal(shape, test.cut) || cut.At(0, 0) != test.first || n != product(test.cut) {
			t.Errorf("shape %v cut to %v from %g", test.shape, shape, cut.At(0, 0))
		}
	}
}
