package ar

import "math"

// mixtureSpread is the logarithm of the standard deviations in InitialMixture relative to std:
// e^−0.4 = 0.67 is the distance of four means. It is a choice, and only initial.
const mixtureSpread = -0.4

// InitialMixture returns initial parameters of a mixture of k Gaussians for innovations of standard
// deviation std: logits, means and log standard deviations, [3, k] row-major. The weights are equal
// and the means at equal distances from −std to std, or 0 for one Gaussian.
func InitialMixture(std float64, k int) []float64 {
	values := make([]float64, 3*k)
	for i := range k {
		if k > 1 {
			values[k+i] = std * (2*float64(i)/float64(k-1) - 1)
		}
		values[2*k+i] = math.Log(std) + mixtureSpread
	}
	return values
}
