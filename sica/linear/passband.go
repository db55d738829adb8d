package linear

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/dsp/window"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/parallel"
)

const (
	// powerBands is the number of frequency bands in which the end of the power is searched for,
	// and minBandWidth the least number of coefficients in each. Fewer bands show the end less
	// sharply.
	powerBands, minBandWidth = 256, 4
	// powerBlock is the length of a block of Welch's method. All signals together have
	// maxPowerBlocks blocks, and each at least minPowerBlocks, unless these would overlap by more
	// than half. More costs time only.
	powerBlock, maxPowerBlocks, minPowerBlocks = 4096, 32, 2
	// maxOccupied is the share of occupied frequencies below which a recording is reduced to a
	// lower rate. A low-pass filter, too, counts only if its edge is below this share, since a
	// higher edge affects few bands.
	maxOccupied = 0.75
	// minLowered is the least number of positions at the lower rate. It is a choice.
	minLowered = 512
	// filterSlope is the least factor by which the power falls in half an octave beyond the edge of
	// a filter: 15 dB per octave, less than with a filter of order 4 and more than in most sources.
	// filterLevel is the share of the power at the edge down to which noise counts as white.
	filterSlope, filterLevel = 5.6, 0.25
	// A high-pass filter is detected if the power of the weakest direction at the lowest
	// frequencies is at most blockedPower of the power at any higher frequency. Below the edge of
	// the filter the power is less than passedPower of the power above, or rises by more than
	// risingPower per octave; the simplest filter has a factor of 4.
	blockedPower, passedPower, risingPower = 0.5, 0.2, 2
)

// A bandPower is the power of whitened sequences, summed over the signals, in equal frequency bands
// from 0 to half the sampling rate. White noise in d signals has the power d in each band.
type bandPower []float64

// newBandPower returns the power of the whitened sequences z, d×n, by Welch's method: the mean over
// blocks under a Hann window, which limits leakage between bands (P. D. Welch, IEEE Trans. Audio
// and Electroacoustics 15(2), 1967). The blocks of different signals are at different positions.
// The result is empty if there are too few positions.
func newBandPower(z *mat.Dense) bandPower {
	d, n := z.Dims()
	length := min(powerBlock, smoothLength(n))
	power := make(bandPower, min(powerBands, length/2/minBandWidth))
	if len(power) == 0 {
		return nil
	}
	width := length / 2 / len(power)
	blocks := min(max(minPowerBlocks, maxPowerBlocks/d), 2*n/length-1) // of each signal
	hann := window.Hann(slices.Repeat([]float64{1}, length))
	powers := make([]bandPower, d) // of each signal
	ffts := make([]*fourier.FFT, parallel.Workers(d))
	windowed, coefficients := make([][]float64, len(ffts)), make([][]complex128, len(ffts))
	parallel.Do(context.Background(), len(ffts), d, func(worker, i int) {
		if ffts[worker] == nil {
			ffts[worker] = fourier.NewFFT(length)
			windowed[worker] = make([]float64, length)
			coefficients[worker] = make([]complex128, length/2+1)
		}
		windowed, coefficients := windowed[worker], coefficients[worker]
		powers[i] = make(bandPower, len(power))
		for b := range blocks {
			begin := (b*d + i) * (n - length) / max(blocks*d-1, 1)
			floats.MulTo(windowed, z.RawRowView(i)[begin:begin+length], hann)
			ffts[worker].Coefficients(coefficients, windowed)
			for k := range power {
				for _, c := range coefficients[k*width : (k+1)*width] {
					powers[i][k] += real(c)*real(c) + imag(c)*imag(c)
				}
			}
		}
	})
	for _, own := range powers {
		floats.Add(power, own)
	}
	floats.Scale(1/(float64(blocks*width)*floats.Dot(hann, hann)), power)
	return power
}

// occupiedShare returns the share of the frequencies, from 0 on, at which the signals have more
// power than the noise of the resolution, which hides them at higher frequencies.
func (p bandPower) occupiedShare() float64 {
	k := len(p)
	for k > 0 && p[k-1] < resolution*resolution {
		k--
	}
	if k == len(p) {
		return 1
	}
	return float64(max(k-1, 1)) / float64(len(p)) // the power falls within the last of these bands
}

// passedShare returns the share of the frequencies, from 0 on, that a low-pass filter has passed; 1
// if there was no filter. Beyond the edge of a filter the power falls more steeply than in usual
// sources, and up to the highest frequency, unlike the power of sources in white noise.
func (p bandPower) passedShare() float64 {
	if len(p) == 0 {
		return 1
	}
	last := len(p) - 1
	largest := slices.Clone(p) // the largest power of each band and those above it
	for k := last - 1; k >= 0; k-- {
		largest[k] = max(largest[k], largest[k+1])
	}
	// The search begins half an octave below the highest frequency and continues downwards as long
	// as the power falls steeply.
	highest := int(float64(last) / math.Sqrt2)
	k := highest
	for k > 0 && largest[k] > filterSlope*largest[int(math.Sqrt2*float64(k))] {
		k--
	}
	if k == highest || k == 0 { // it doesn't fall at the end, or falls everywhere
		return 1
	}
	for level := largest[k]; k < last && largest[k+1] > filterLevel*level; {
		k++
	}
	return float64(k+1) / float64(len(p))
}

// highPassEdge returns the number of lowest coefficients of sequences that a high-pass filter has
// weakened; c.first if there was no filter. whitening whitens the channels. The weakened noise at
// these frequencies would bound the estimate of white noise at all frequencies.
//
// The edge is where the power stops rising. Since the power of sources can rise as well, the
// weakest direction decides whether there is a filter: with white noise alone its power at the
// lowest frequencies is no less than elsewhere, and after a filter it is less than at any other
// frequency.
func (c *cosine) highPassEdge(whitening *mat.Dense) int {
	d, n := c.coefficients.Dims()
	var z mat.Dense
	z.Mul(whitening, c.coefficients)
	edge := risingEdge(&z, c.first)
	if edge == c.first {
		return edge
	}
	width := 4 * d // of the bands of weakest
	// weakest returns the smallest power of a direction in the band that begins at from, less the
	// contribution of the noise of the resolution. Of this noise the weakest of d directions of 4·d
	// coefficients has a quarter of the mean power (V. A. Marchenko, L. A. Pastur, Mathematics of
	// the USSR-Sbornik 1(4), 1967).
	weakest := func(from int) float64 {
		powers := directionPowers(z.Slice(0, d, from, from+width))
		return max(0, powers[0]-resolution*resolution/4)
	}
	minPassed := math.Inf(1) // of the weakest direction, above the edge
	for b := range maxBands {
		minPassed = min(minPassed, weakest(edge+b*(n-width-edge)/maxBands))
	}
	if weakest(c.first) > blockedPower*minPassed {
		return c.first
	}
	return edge
}

// risingEdge returns the coefficient of the whitened sequences z, from first on, at which their
// power in bands of half an octave stops rising; first if it doesn't rise there.
func risingEdge(z *mat.Dense, first int) int {
	d, n := z.Dims()
	var edges []int // of the bands
	for e := float64(first); e <= float64(n)/2; e *= math.Sqrt2 {
		edges = append(edges, int(e))
	}
	var largest []float64 // the largest power of each band and those below it
	for k := range len(edges) - 1 {
		norm := mat.Norm(z.Slice(0, d, edges[k], edges[k+1]), 2)
		power := norm * norm / float64(edges[k+1]-edges[k])
		if k > 0 {
			power = max(power, largest[k-1])
		}
		largest = append(largest, power)
	}
	k, last := 0, len(largest)-3 // a band an octave higher is needed
	for k < last &&
		(largest[k] < passedPower*largest[last+2] || largest[k+2] > risingPower*largest[k]) {
		k++
	}
	if k == 0 {
		return first
	}
	return edges[k+1]
}

// directionPowers returns the powers of the coefficients c, d×n, along their d principal
// directions, the smallest first; zeros if the eigenvalues don't converge.
func directionPowers(c mat.Matrix) []float64 {
	d, n := c.Dims()
	var cov mat.SymDense
	cov.SymOuterK(1/float64(n), c)
	if e := newEigen(&cov); e != nil {
		return e.values
	}
	return make([]float64, d)
}

// lowpassed returns the white sequences z, d×n, with the given share of the frequencies, from 0 on,
// at a proportionally lower sampling rate. Up to a tenth of the positions, at the end, are dropped.
func lowpassed(z *mat.Dense, share float64) *mat.Dense {
	d, n := z.Dims()
	n = smoothLength(n)
	m := smoothLength(int(math.Ceil(share * float64(n))))
	low := newCosine(z.Slice(0, d, 0, n).(*mat.Dense), []int{n}).scaled([]int{m})
	low.Scale(math.Sqrt(float64(m)/float64(n)), low)
	return low
}
