// Package dct computes orthonormal discrete cosine transforms of any length, two lines at a time, on
// gonum's Fourier transforms.
//
// Reference: J. Makhoul, "A fast cosine transform in one and two dimensions", IEEE Transactions on
// Acoustics, Speech, and Signal Processing 28(1), 27–34, 1980.
package dct

import (
	"math"
	"math/bits"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
)

// A Transform is the orthonormal DCT-II of lines of one length n, and its inverse,
//
//	X_k = s_k·Σ_t x_t·cos(π·k·(2t+1)/(2n)),  s_0 = √(1/n), s_k = √(2/n).
//
// It isn't safe for concurrent use.
type Transform struct {
	n int
	// quarter is set for lengths that aren't powers of two.
	quarter *fourier.QuarterWaveFFT
	// twiddles are exp(−iπk/(2n)) for k up to n/2, and both has the two lines as one complex line,
	// whose Fourier transform takes half of the time of two real ones.
	twiddles, both []complex128
	// coefficients and sequence are the in-place Fourier transform, and its inverse times n.
	coefficients, sequence func([]complex128) []complex128
}

// New returns the transform of lines of n > 0 values.
func New(n int) *Transform {
	if bits.OnesCount(uint(n)) > 1 {
		return &Transform{n: n, quarter: fourier.NewQuarterWaveFFT(n)}
	}
	t := &Transform{n: n, twiddles: make([]complex128, n/2+1), both: make([]complex128, n)}
	if bits.TrailingZeros(uint(n))%2 == 0 {
		t.coefficients, t.sequence = fourier.CoefficientsRadix4, fourier.SequenceRadix4
	} else {
		t.coefficients, t.sequence = fourier.CoefficientsRadix2, fourier.SequenceRadix2
	}
	for k := range t.twiddles {
		t.twiddles[k] = cmplx.Rect(1, -math.Pi*float64(k)/float64(2*n))
	}
	return t
}

// Forward replaces two lines by their transforms. If a and b are the same slice, it is transformed
// once.
func (t *Transform) Forward(a, b []float64) {
	if t.quarter != nil {
		t.forwardQuarter(a)
		if &a[0] != &b[0] {
			t.forwardQuarter(b)
		}
		return
	}
	// The values at even indices in order, then those at odd indices in reverse.
	for k := 0; k < t.n; k += 2 {
		t.both[k/2] = complex(a[k], b[k])
	}
	for k := 1; k < t.n; k += 2 {
		t.both[t.n-1-k/2] = complex(a[k], b[k])
	}
	t.coefficients(t.both)
	scale := complex(math.Sqrt(2/float64(t.n)), 0)
	for k := 1; k < len(t.twiddles); k++ {
		c, mirrored := t.both[k], cmplx.Conj(t.both[t.n-k])
		w := scale * t.twiddles[k] / 2
		u, v := w*(c+mirrored), w*(c-mirrored) // v is i times the transform of the second line
		a[k], a[t.n-k] = real(u), -imag(u)
		b[k], b[t.n-k] = imag(v), real(v)
	}
	mean := t.both[0] / complex(math.Sqrt(float64(t.n)), 0)
	a[0], b[0] = real(mean), imag(mean)
}

// Inverse replaces the transforms of two lines by the lines. If a and b are the same slice, it is
// transformed once.
func (t *Transform) Inverse(a, b []float64) {
	if t.quarter != nil {
		t.inverseQuarter(a)
		if &a[0] != &b[0] {
			t.inverseQuarter(b)
		}
		return
	}
	scale := complex(math.Sqrt(1/float64(2*t.n)), 0)
	for k := 1; k < len(t.twiddles); k++ {
		w := scale * cmplx.Conj(t.twiddles[k])
		u, v := w*complex(a[k], -a[t.n-k]), w*complex(b[k], -b[t.n-k])
		t.both[k] = u + complex(-imag(v), real(v))
		t.both[t.n-k] = cmplx.Conj(u) + complex(imag(v), real(v))
	}
	t.both[0] = complex(a[0], b[0]) / complex(math.Sqrt(float64(t.n)), 0)
	t.sequence(t.both)
	for k := 0; k < t.n; k += 2 {
		a[k], b[k] = real(t.both[k/2]), imag(t.both[k/2])
	}
	for k := 1; k < t.n; k += 2 {
		c := t.both[t.n-1-k/2]
		a[k], b[k] = real(c), imag(c)
	}
}

// forwardQuarter is Forward of one line of any length.
func (t *Transform) forwardQuarter(line []float64) {
	t.quarter.CosSequence(line, line)
	floats.Scale(math.Sqrt(1/(8*float64(t.n))), line)
	line[0] /= math.Sqrt2
}

// inverseQuarter is the inverse of forwardQuarter.
func (t *Transform) inverseQuarter(line []float64) {
	line[0] *= math.Sqrt2
	t.quarter.CosCoefficients(line, line)
	floats.Scale(math.Sqrt(1/(2*float64(t.n))), line)
}
