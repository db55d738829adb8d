package inspect

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/dsp/window"
)

// autocorrelation is that of values of mean 0 and variance 1, averaged over blocks.
type autocorrelation struct {
	length int // of a block
	fft    *fourier.FFT
	power  []float64 // the sum of the blocks' spectra
	blocks []int     // their lengths
}

func newAutocorrelation(length int) autocorrelation {
	size := 1
	for size < 2*length {
		size *= 2
	}
	return autocorrelation{length: length, fft: fourier.NewFFT(size), power: make([]float64, size/2+1)}
}

func (a *autocorrelation) add(values []float64) {
	padded := make([]float64, a.fft.Len())
	copy(padded, values)
	for i, v := range a.fft.Coefficients(nil, padded) {
		a.power[i] += real(v * cmplx.Conj(v))
	}
	a.blocks = append(a.blocks, len(values))
}

// rhythm is the period at which the values repeat themselves best, in positions, and their
// autocorrelation there: its highest peak beyond where it has first fallen below 0, up to a
// quarter of a block. Both are 0 if it never does, or if no peak is above what a signal
// without rhythm shows by chance.
func (a *autocorrelation) rhythm() (period, height float64) {
	c := make([]complex128, len(a.power))
	for i, p := range a.power {
		c[i] = complex(p, 0)
	}
	sums := a.fft.Sequence(nil, c)
	n := 0
	for _, length := range a.blocks {
		n += length
	}
	at := func(lag int) float64 {
		pairs := 0
		for _, length := range a.blocks {
			pairs += max(length-lag, 0)
		}
		return sums[lag] / float64(a.fft.Len()) / float64(pairs)
	}
	lag, last := 1, a.length/4
	squares := 1.
	for lag < last && at(lag) > 0 {
		squares += 2 * at(lag) * at(lag)
		lag++
	}
	best := 0
	// The standard error of a correlation that is 0, of values that are correlated over less
	// (M. S. Bartlett, J. Royal Statistical Society Supplement 8(1), 1946).
	error := math.Sqrt(squares / float64(n))
	for ; lag < last; lag++ {
		peak := at(lag) >= at(lag-1) && at(lag) > at(lag+1)
		// A multiple of the period may be higher by chance.
		if peak && (best == 0 || at(lag) > at(best)+2*error) {
			best = lag
		}
	}
	// The largest of so many normal values, at 1 of 100.
	if best == 0 || at(best) < error*math.Sqrt(2*math.Log(100*float64(last))) {
		return 0, 0
	}
	// The peak lies between the lags, on the parabola through three.
	before, top, after := at(best-1), at(best), at(best+1)
	shift := (before - after) / (2 * (before - 2*top + after))
	return float64(best) + shift, top - (before-after)*shift/4
}

// segments is into how many halves of segments a block's spectrum is averaged over.
const segments = 16

// shortestSegment is the fewest positions that a Hann window leaves something of at more than
// one.
const shortestSegment = 4

// spectra are those of two signals a and b, from overlapping segments with a Hann window
// (P. D. Welch, IEEE Trans. Audio and Electroacoustics 15(2), 1967).
type spectra struct {
	fft    *fourier.FFT
	aa, bb []float64
	ab     []complex128
	count  float64 // of segments
}

func newSpectra(length int) spectra {
	half := length/2 + 1
	return spectra{fourier.NewFFT(length), make([]float64, half), make([]float64, half), make([]complex128, half), 0}
}

func (s *spectra) add(a, b []float64) {
	length := s.fft.Len()
	part := make([]float64, length)
	transform := func(values []float64, from int) []complex128 {
		copy(part, values[from:from+length])
		return s.fft.Coefficients(nil, window.Hann(part))
	}
	for from := 0; from+length <= len(a); from += max(length/2, 1) {
		fa, fb := transform(a, from), transform(b, from)
		for i := range fa {
			s.aa[i] += real(fa[i] * cmplx.Conj(fa[i]))
			s.bb[i] += real(fb[i] * cmplx.Conj(fb[i]))
			s.ab[i] += fa[i] * cmplx.Conj(fb[i])
		}
		s.count++
	}
}

// coherence is the share of the variance of b that a filter of a gives: the coherence
// |S_ab|²/(S_aa·S_bb) at each frequency, weighted by b's spectrum S_bb. Its mean by chance
// is taken off.
func (s *spectra) coherence() float64 {
	explained, power := 0.0, 0.0
	for i := range s.aa {
		if s.aa[i] > 0 {
			explained += real(s.ab[i]*cmplx.Conj(s.ab[i])) / s.aa[i]
		}
		power += s.bb[i]
	}
	chance := 1 / (0.55 * s.count) // segments that overlap by half count for about so many
	return max(0, (explained/power-chance)/(1-chance))
}
