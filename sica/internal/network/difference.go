package network

import (
	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

const (
	// observation is the number of neighbouring positions that make one observation of a
	// Difference, so that what they share isn't counted twice. It is at least twice the longest
	// past of networks, 8. Half of it understates the error for signals with such a past.
	observation = 16
	// minObservations is the least number of observations; with few positions, they are shorter.
	// With half as many, a standard error is known to 40 % only.
	minObservations = 8
)

// newDifference returns the mean of a − b, for scores of the same positions in order, with its
// error.
func newDifference(a, b []float64) nonlinear.Difference {
	size := min(observation, max(1, len(a)/minObservations))
	var means []float64
	for begin := 0; begin+size <= len(a); begin += size {
		sum := 0.0
		for i := begin; i < begin+size; i++ {
			sum += a[i] - b[i]
		}
		means = append(means, sum/float64(size))
	}
	mean, se := stats.MeanSE(means)
	return nonlinear.Difference{Mean: mean, SE: se}
}
