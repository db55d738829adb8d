package inspect

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/dsp/window"
	"gonum.org/v1/gonum/floats"
)

const (
	// segments sets the length of a segment of the spectra: a block has this many half segments,
	// which overlap. More lower the resolution in frequency, fewer raise the variance of the
	// coherence.
	segments = 16
	// minSegment is the smallest length of a segment: a Hann window of 3 or fewer positions
	// leaves only one that isn't 0.
	minSegment = 4
	// spectrumSegment is the length of a segment of the spectrum that a Component has: bands of 1
	// Hz at 250 Hz. With less, rhythms of 8 and 10 Hz aren't separate; with more, the bands have
	// more noise.
	spectrumSegment = 256
)

// statistics are sums over a recovered signal and the reference, both of mean 0 and variance 1,
// at the positions of all blocks so far.
type statistics struct {
	n               int
	fourthPowers    float64
	products        float64 // with the reference
	hasReference    bool
	autocorrelation autocorrelation
	spectra         spectra // with the reference
	spectrum        spectra
}

// newStatistics returns empty statistics of blocks of at most length positions.
func newStatistics(length int) statistics {
	return statistics{
		autocorrelation: newAutocorrelation(length),
		spectra:         newSpectra(max(2*length/segments, minSegment)),
		spectrum:        newSpectra(max(min(spectrumSegment, 2*length/segments), minSegment)),
	}
}

// add adds a block of values. The reference is nil for none.
func (s *statistics) add(values, reference []float64) {
	s.n += len(values)
	for _, v := range values {
		s.fourthPowers += v * v * v * v
	}
	s.autocorrelation.add(values)
	s.spectrum.add(values, nil)
	if reference != nil {
		s.hasReference = true
		s.products += floats.Dot(values, reference)
		s.spectra.add(values, reference)
	}
}

// describe sets all of the component but its pattern and shares.
func (s *statistics) describe(c *Component) {
	c.Kurtosis = s.fourthPowers/float64(s.n) - 3
	c.Period, c.Rhythm = s.autocorrelation.rhythm()
	c.Spectrum = s.spectrum.shares()
	if s.hasReference {
		c.Correlation, c.Coherence = s.products/float64(s.n), s.spectra.coherence()
	}
}

// autocorrelation is that of values of mean 0 and variance 1, averaged over blocks.
type autocorrelation struct {
	maxLag int // exclusive: a quarter of the longest block
	fft    *fourier.FFT
	power  []float64 // the sum of the blocks' spectra
	blocks []int     // their lengths
}

func newAutocorrelation(length int) autocorrelation {
	size := 1
	for size < 2*length {
		size *= 2
	}
	return autocorrelation{maxLag: length / 4, fft: fourier.NewFFT(size),
		power: make([]float64, size/2+1)}
}

func (a *autocorrelation) add(values []float64) {
	padded := make([]float64, a.fft.Len())
	copy(padded, values)
	for i, v := range a.fft.Coefficients(nil, padded) {
		a.power[i] += real(v * cmplx.Conj(v))
	}
	a.blocks = append(a.blocks, len(values))
}

// correlations returns the autocorrelation at the lags from 0 to maxLag, and how many pairs of
// values each is the mean of.
func (a *autocorrelation) correlations() (r []float64, pairs []int) {
	spectrum := make([]complex128, len(a.power))
	for i, p := range a.power {
		spectrum[i] = complex(p, 0)
	}
	sums := a.fft.Sequence(nil, spectrum)
	r, pairs = make([]float64, a.maxLag+1), make([]int, a.maxLag+1)
	for lag := range r {
		for _, length := range a.blocks {
			pairs[lag] += max(length-lag, 0)
		}
		r[lag] = sums[lag] / float64(a.fft.Len()) / float64(pairs[lag])
	}
	return r, pairs
}

// rhythm returns the period of the strongest rhythm, in positions, and the autocorrelation there:
// the highest peak after the autocorrelation has first fallen to 0. Both are 0 if it never does,
// or if no peak is significantly above that of a signal without rhythm.
func (a *autocorrelation) rhythm() (period, height float64) {
	r, pairs := a.correlations()
	lag := 1
	squares := 1.0
	for lag < a.maxLag && r[lag] > 0 {
		squares += 2 * r[lag] * r[lag]
		lag++
	}
	// The standard error of a correlation that is 0, for values that are correlated at smaller
	// lags (M. S. Bartlett, J. Royal Statistical Society Supplement 8(1), 1946).
	se := func(lag int) float64 { return math.Sqrt(squares / float64(pairs[lag])) }
	best := 0
	for ; lag < a.maxLag; lag++ {
		isPeak := r[lag] >= r[lag-1] && r[lag] > r[lag+1]
		// A multiple of the period may be higher by chance.
		if isPeak && (best == 0 || r[lag] > r[best]+2*se(lag)) {
			best = lag
		}
	}
	// The largest of maxLag normal values exceeds this in 1 of 100 signals.
	if best == 0 || r[best] < se(best)*math.Sqrt(2*math.Log(100*float64(a.maxLag))) {
		return 0, 0
	}
	// The peak lies between the lags, on the parabola through three of them.
	before, top, after := r[best-1], r[best], r[best+1]
	shift := (before - after) / (2 * (before - 2*top + after))
	period = max(2, float64(best)+shift) // no rhythm is faster than half of the rate
	return period, top - (before-after)*shift/4
}

// spectra are the power spectra and the cross spectrum of two signals a and b, or the spectrum of a
// alone, from overlapping segments with a Hann window (P. D. Welch, IEEE Trans. Audio and
// Electroacoustics 15(2), 1967).
type spectra struct {
	fft    *fourier.FFT
	aa, bb []float64
	ab     []complex128
	count  float64 // of segments
}

func newSpectra(length int) spectra {
	half := length/2 + 1
	return spectra{
		fft: fourier.NewFFT(length),
		aa:  make([]float64, half), bb: make([]float64, half), ab: make([]complex128, half),
	}
}

func (s *spectra) add(a, b []float64) {
	length := s.fft.Len()
	segment := make([]float64, length)
	transform := func(values []float64, begin int) []complex128 {
		copy(segment, values[begin:begin+length])
		return s.fft.Coefficients(nil, window.Hann(segment))
	}
	for begin := 0; begin+length <= len(a); begin += max(length/2, 1) {
		fa := transform(a, begin)
		for i := range fa {
			s.aa[i] += real(fa[i] * cmplx.Conj(fa[i]))
		}
		s.count++
		if b == nil {
			continue
		}
		fb := transform(b, begin)
		for i := range fa {
			s.bb[i] += real(fb[i] * cmplx.Conj(fb[i]))
			s.ab[i] += fa[i] * cmplx.Conj(fb[i])
		}
	}
}

// shares returns the power of a in each band as a share of all. The first band and, for an even
// length, the last are half as wide.
func (s *spectra) shares() []float64 {
	power := make([]float64, len(s.aa))
	for i, v := range s.aa {
		power[i] = 2 * v
	}
	power[0] /= 2
	if s.fft.Len()%2 == 0 {
		power[len(power)-1] /= 2
	}
	if sum := floats.Sum(power); sum > 0 {
		floats.Scale(1/sum, power)
	}
	return power
}

// independentShare is the number of independent segments, as a share of all. Under a Hann window,
// the values of neighbours that overlap by half correlate by 1/6, and their powers by 1/36. So the
// mean over many segments varies by 1 + 2/36 times as much as that over as many independent ones
// (P. D. Welch, 1967).
const independentShare = 18.0 / 19

// coherence returns the share of the variance of b that a filter of a explains: the mean over
// frequencies of |S_ab|²/(S_aa·S_bb), weighted by S_bb, minus its mean by chance; 0 if there are
// too few segments to tell.
func (s *spectra) coherence() float64 {
	chance := 1 / (independentShare * s.count)
	if chance >= 1 {
		return 0
	}
	explained, power := 0.0, 0.0
	for i := range s.aa {
		if s.aa[i] > 0 {
			explained += real(s.ab[i]*cmplx.Conj(s.ab[i])) / s.aa[i]
		}
		power += s.bb[i]
	}
	return max(0, (explained/power-chance)/(1-chance))
}
