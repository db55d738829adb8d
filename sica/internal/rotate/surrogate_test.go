package rotate

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/seed-47b1e431/gosica/datasets"
)

// Surrogates have, on average, the spectrum of the pair.
func TestSurrogate(t *testing.T) {
	shape := []int{6, 5}
	z := noise(rng(1), 2, 30, datasets.Normal)
	for k := range 29 { // some spectrum
		z.Set(0, k+1, z.At(0, k+1)+z.At(0, k))
	}
	amplitude := PooledAmplitude(z, shape)
	const draws = 4000
	r := rng(2)
	power := make([]float64, 30)
	for range draws {
		s := surrogate(amplitude, 2, shape, r)
		for k, a := range PooledAmplitude(s, shape) {
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
