package linear

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/dsp/window"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/internal/parallel"
)

const (
	// powerBands is into how many bands the frequencies are divided to see where the power ends,
	// and minBandWidth how many coefficients each has at least. Fewer bands show the end less
	// sharply.
	powerBands, minBandWidth = 256, 4
	// powerBlock is the length of a block of Welch's method. All signals together have
	// maxPowerBlocks, and each has minPowerBlocks or more, as far as they overlap by a half at
	// most. More costs time only.
	powerBlock, maxPowerBlocks, minPowerBlocks = 4096, 32, 2
	// maxOccupied is the share of the frequencies with power below which a recording is taken at a
	// lower rate. The edge of a low-pass filter counts below it, too, as edges near the highest
	// frequency touch few bands.
	maxOccupied = 0.75
	// minLowered is how many positions are left at the lower rate, at least. It is a choice.
	minLowered = 512
	// filterSlope is by which factor the power falls in half an octave, at least, from the edge of
	// a filter on: 15 dB an octave, less than a filter of order 4 has and more than most sources.
	// filterLevel is the share of the power at its edge down to which noise counts as white.
	filterSlope, filterLevel = 5.6, 0.25
	// A high-pass filter is seen if the weakest direction has at the lowest frequencies at most the
	// share blockedPower of its power at any other. Up to the filter's edge less than the share
	// passedPower of the power is left, or it rises by the factor risingPower in an octave; that of
	// the simplest filter is 4.
	blockedPower, passedPower, risingPower = 0.5, 0.2, 2
)

// A bandPower is the power of whitened sequences, summed over the signals, in equal frequency bands
// from 0 to half the sampling rate. For d signals of white noise it is d in each band.
type bandPower []float64

// newBandPower returns the power of the whitened sequences z, d×n, by Welch's method: the mean over
// blocks, which Hann's window keeps from leaking into other bands (P. D. Welch, IEEE Trans. Audio
// and Electroacoustics 15(2), 1967). The blocks of different signals are at different positions. It is
// empty if there are too few positions.
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

// occupiedShare returns the share of the frequencies, from 0 on, in which the signals have more power
// than the noise of the resolution. At higher frequencies that noise hides them.
func (p bandPower) occupiedShare() float64 {
	if ablation.Off(ablation.Occupied) {
		return 1
	}
	k := len(p)
	for k > 0 && p[k-1] < resolution*resolution {
		k--
	}
	if k == len(p) {
		return 1
	}
	return float64(max(k-1, 1)) / float64(len(p)) // in the last of these bands the power falls
}

// passedShare returns the share of the frequencies, from 0 on, that a low-pass filter left; 1 if the
// recording wasn't filtered. After a filter the power falls more steeply than that of usual
// sources. It goes on falling to the highest frequency, unlike that of sources in white noise.
func (p bandPower) passedShare() float64 {
	if len(p) == 0 {
		return 1
	}
	last := len(p) - 1
	largest := slices.Clone(p) // the largest power of each band and those above it
	for k := last - 1; k >= 0; k-- {
		largest[k] = max(largest[k], largest[k+1])
	}
	// The search begins half an octave below the highest frequency, and goes down to where the power
	// falls steeply.
	highest := int(float64(last) / math.Sqrt2)
	k := highest
	for k > 0 && largest[k] > filterSlope*largest[int(math.Sqrt2*float64(k))] {
		k--
	}
	if k == highest || k == 0 { // it falls to the end, or nowhere
		return 1
	}
	for level := largest[k]; k < last && largest[k+1] > filterLevel*level; {
		k++
	}
	return float64(k+1) / float64(len(p))
}

// highPassEdge returns how many of the lowest coefficients of sequences a high-pass filter weakened;
// c.first if there was none. Whitening is that of the signals. What such a filter leaves of white noise
// would bound the noise at all frequencies.
//
// The edge is where the power stops rising. Sources can rise as well. So the power in the weakest
// direction counts: white noise leaves as much of it at the lowest frequencies as elsewhere, or more,
// and after a filter it is less there than at any other frequency.
func (c *cosine) highPassEdge(whitening *mat.Dense) int {
	d, n := c.coefficients.Dims()
	width := 4 * d // of the bands for the weakest direction
	whitened := func(from, to int) *mat.Dense {
		z := new(mat.Dense)
		z.Mul(whitening, c.coefficients.Slice(0, d, from, to))
		return z
	}
	// weakest returns the smallest power of a direction in the band that begins there, less that of the
	// noise of the resolution. A quarter of this noise's power is in the weakest of d directions of 4·d
	// coefficients (V. A. Marchenko, L. A. Pastur, Mathematics of the USSR-Sbornik 1(4), 1967).
	weakest := func(from int) float64 {
		var cov mat.SymDense
		cov.SymOuterK(1/float64(width), whitened(from, from+width))
		if e := newEigen(&cov); e != nil {
			return max(0, e.values[0]-resolution*resolution/4)
		}
		return 0
	}
	var edges []int // of bands of half an octave
	for e := float64(c.first); e <= float64(n)/2; e *= math.Sqrt2 {
		edges = append(edges, int(e))
	}
	var largest []float64 // the largest power of each band and those below it
	for k := range len(edges) - 1 {
		norm := mat.Norm(whitened(edges[k], edges[k+1]), 2)
		power := norm * norm / float64(edges[k+1]-edges[k])
		if k > 0 {
			power = max(power, largest[k-1])
		}
		largest = append(largest, power)
	}
	k, last := 0, len(largest)-3 // a band an octave higher is needed
	for k < last && (largest[k] < passedPower*largest[last+2] || largest[k+2] > risingPower*largest[k]) {
		k++
	}
	if k == 0 {
		return c.first
	}
	edge := edges[k+1]
	minPassed := math.Inf(1) // of the weakest direction, above the edge
	for b := range maxBands {
		minPassed = min(minPassed, weakest(edge+b*(n-width-edge)/maxBands))
	}
	if weakest(c.first) > blockedPower*minPassed {
		return c.first
	}
	return edge
}

// lowpassed returns the given share of the frequencies of the white sequences z, d×n, from 0 on, at
// a sampling rate that is lower by that factor. At most a tenth of the positions, at the end, is
// dropped.
func lowpassed(z *mat.Dense, share float64) *mat.Dense {
	d, n := z.Dims()
	n = smoothLength(n)
	m := smoothLength(int(math.Ceil(share * float64(n))))
	low := newCosine(z.Slice(0, d, 0, n).(*mat.Dense), []int{n}).scaled([]int{m})
	low.Scale(math.Sqrt(float64(m)/float64(n)), low)
	return low
}
