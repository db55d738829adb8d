package datasets

import "math"

// resampleLobes is the number of zero crossings of the interpolating sinc on either side. More keep
// a wider band and take more time. With 16, a sine at 0.8 of the lower rate's Nyquist frequency has
// an error of 0.003 (TestResample).
const resampleLobes = 16

// maxWeights is the largest number of weights kept for positions with the same distance from a
// value: 8 MiB. Rates such as 1 and 256 Hz need 8,448.
const maxWeights = 1 << 20

// Resample returns n values of a signal at evenly spaced times that span the same time as its
// values, beginning with the first. It interpolates by a sinc with a Hann window (J. O. Smith,
// Digital Audio Resampling, 2002), which removes frequencies above half of the lower rate. Near the
// ends it uses the available values. Without values it returns nil.
func Resample(values []float64, n int) []float64 {
	m := len(values)
	if m == 0 || n < 1 {
		return nil
	}
	// The time of position t is t·m/n, in steps of values. Few different fractions occur.
	bandwidth := min(1, float64(n)/float64(m)) // as a share of that of values
	reach := min(m, int(math.Ceil(resampleLobes/bandwidth)))
	kept := map[float64][]float64{} // the weights of the values around a time, by its fraction
	resampled := make([]float64, n)
	for t := range resampled {
		fraction := float64(t*m%n) / float64(n)
		weights, ok := kept[fraction]
		if !ok {
			weights = make([]float64, 2*reach+1)
			for k := range weights {
				weights[k] = windowedSinc(bandwidth * (fraction - float64(k-reach)))
			}
			if len(kept)*len(weights) < maxWeights {
				kept[fraction] = weights
			}
		}
		first := t*m/n - reach
		sum, total := 0.0, 0.0
		for k := max(0, first); k < min(m, first+len(weights)); k++ {
			sum += weights[k-first] * values[k]
			total += weights[k-first]
		}
		resampled[t] = sum / total
	}
	return resampled
}

// windowedSinc returns sin(πu)/(πu) times a Hann window that ends after resampleLobes zeros.
func windowedSinc(u float64) float64 {
	switch size := math.Abs(u); {
	case size == 0:
		return 1
	case size >= resampleLobes:
		return 0
	}
	cosine := math.Cos(math.Pi * u / (2 * resampleLobes))
	return math.Sin(math.Pi*u) / (math.Pi * u) * cosine * cosine
}
