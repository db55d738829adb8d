package inspect

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/dsp/window"
)

// rhythm is the period at which the values, of mean 0 and variance 1, repeat themselves
// best, in positions, and their autocorrelation there: its highest peak beyond where it
// has first fallen below 0, up to a quarter of the positions. Both are 0 if it never
// does, or if no peak is above what white noise shows by chance.
func rhythm(values []float64) (period, height float64) {
	n := len(values)
	size := 1
	for size < 2*n {
		size *= 2
	}
	padded := make([]float64, size)
	copy(padded, values)
	fft := fourier.NewFFT(size)
	c := fft.Coefficients(nil, padded)
	for i, v := range c {
		c[i] = complex(real(v)*real(v)+imag(v)*imag(v), 0)
	}
	r := fft.Sequence(nil, c) // the autocorrelation, times size·n
	at := func(lag int) float64 { return r[lag] / float64(size) / float64(n-lag) }
	lag, last := 1, n/4
	for lag < last && at(lag) > 0 {
		lag++
	}
	best := 0
	error := 1 / math.Sqrt(float64(n))
	for ; lag < last; lag++ {
		peak := at(lag) >= at(lag-1) && at(lag) > at(lag+1)
		// A multiple of the period may be higher by chance.
		if peak && (best == 0 || at(lag) > at(best)+2*error) {
			best = lag
		}
	}
	// The largest of n/4 normal values with deviation 1/√n, at 1 of 100.
	if best == 0 || at(best) < error*math.Sqrt(2*math.Log(25*float64(n))) {
		return 0, 0
	}
	// The peak lies between the lags, on the parabola through three.
	a, b, d := at(best-1), at(best), at(best+1)
	shift := (a - d) / (2 * (a - 2*b + d))
	return float64(best) + shift, b - (a-d)*shift/4
}

// segments is into how many halves of segments a spectrum is averaged over at least.
const segments = 16

// coherence is the share of the variance of b that a filter of a gives: the coherence
// |S_ab|²/(S_aa·S_bb) at each frequency, weighted by b's spectrum S_bb, from overlapping
// segments with a Hann window (P. D. Welch, IEEE Trans. Audio and Electroacoustics
// 15(2), 1967). Its mean by chance is taken off.
func coherence(a, b []float64) float64 {
	length := 2 * len(a) / segments
	fft := fourier.NewFFT(length)
	half := length/2 + 1
	saa, sbb := make([]float64, half), make([]float64, half)
	sab := make([]complex128, half)
	count := 0.0
	part := make([]float64, length)
	transform := func(values []float64, from int) []complex128 {
		copy(part, values[from:from+length])
		return fft.Coefficients(nil, window.Hann(part))
	}
	for from := 0; from+length <= len(a); from += max(length/2, 1) {
		fa, fb := transform(a, from), transform(b, from)
		for i := range half {
			saa[i] += real(fa[i] * cmplx.Conj(fa[i]))
			sbb[i] += real(fb[i] * cmplx.Conj(fb[i]))
			sab[i] += fa[i] * cmplx.Conj(fb[i])
		}
		count++
	}
	explained, power := 0.0, 0.0
	for i := range half {
		if saa[i] > 0 {
			explained += real(sab[i]*cmplx.Conj(sab[i])) / saa[i]
		}
		power += sbb[i]
	}
	chance := 1 / (0.55 * count) // segments that overlap by half count for about so many
	return max(0, (explained/power-chance)/(1-chance))
}
