package density

import "math"

const (
	// components is the number of Gaussian densities in a mixture: enough for a Laplace and for a
	// uniform density. Twice as many gain a few nats by chance.
	components = 4
	// mixtureSteps bounds the steps of the EM algorithm, which ends if a step gains less than Fine
	// in all. It is a choice.
	mixtureSteps = 100
)

// A mixture is a mixture of Gaussian densities.
type mixture struct {
	weight, mean, variance [components]float64
}

// MixtureLength returns the code length, in nats per position, of the values u multiplied by factor
// under the most likely mixture of four Gaussian densities with variances of at least floor. The
// density of any values with independent Gaussian noise of that variance is nearly such a mixture.
func MixtureLength(u []float64, factor, floor float64) float64 {
	var h histogram
	h.count(u, factor)
	square := 0.0
	for g, share := range h {
		square += share * gridPoints[g] * gridPoints[g]
	}
	var side, nested mixture // initially with different means, or different variances
	quantile, sum := 0, 0.0
	for g, share := range h {
		for sum += share; quantile < components && sum >= (float64(quantile)+0.5)/components; quantile++ {
			side.mean[quantile] = gridPoints[g]
		}
	}
	for k := range components {
		side.variance[k] = 0.3 * square
		nested.variance[k] = square * math.Pow(2, float64(2*k-4))
	}
	tolerance := Fine / float64(len(u))
	return min(side.fit(&h, floor, tolerance), nested.fit(&h, floor, tolerance))
}

// fit fits the mixture to the histogram by the EM algorithm (A. P. Dempster, N. M. Laird, D. B.
// Rubin, J. Royal Statistical Society B 39(1), 1977), beginning with the means and variances of m.
// It returns the code length in nats per position.
func (m *mixture) fit(h *histogram, floor, tolerance float64) float64 {
	for k := range components {
		m.weight[k] = 1. / components
		m.variance[k] = max(m.variance[k], floor)
	}
	before := math.Inf(1)
	for range mixtureSteps {
		sums, length := m.expect(h)
		if before-length < tolerance {
			return length
		}
		before = length
		m.maximise(&sums, floor)
	}
	return before
}

// componentSums are, for each component, the sums of the responsibilities, and of these times the
// values and times the squared values.
type componentSums struct {
	mass, first, second [components]float64
}

// expect is the E step. It also returns the code length in nats per position under the mixture.
func (m *mixture) expect(h *histogram) (sums componentSums, length float64) {
	var constant [components]float64
	for k, v := range m.variance {
		constant[k] = m.weight[k] / math.Sqrt(2*math.Pi*v)
	}
	for g, share := range h {
		if share <= 0 {
			continue
		}
		var p [components]float64
		total := 1e-300
		for k := range components {
			away := gridPoints[g] - m.mean[k]
			p[k] = constant[k] * exp(-away*away/(2*m.variance[k]))
			total += p[k]
		}
		length -= share * math.Log(total)
		for k := range components {
			w := share * p[k] / total
			sums.mass[k] += w
			sums.first[k] += w * gridPoints[g]
			sums.second[k] += w * gridPoints[g] * gridPoints[g]
		}
	}
	return sums, length
}

// maximise is the M step: it sets m to the most likely mixture given the sums, with variances of at
// least floor.
func (m *mixture) maximise(sums *componentSums, floor float64) {
	for k, w := range sums.mass {
		if m.weight[k] = w; w <= 0 {
			continue
		}
		m.mean[k] = sums.first[k] / w
		m.variance[k] = max(sums.second[k]/w-m.mean[k]*m.mean[k], floor)
	}
}
