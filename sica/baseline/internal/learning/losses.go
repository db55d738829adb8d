package learning

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// LastTenth returns the mean of the last tenth of the losses, of which there is
// at least one, and by how much less that is than the mean of the tenth before.
// Without any before, that is +Inf: nothing says that the loss had stopped
// falling.
func LastTenth(losses []float64) (mean, fall float64) {
	tenth := max(1, len(losses)/10)
	last := losses[len(losses)-tenth:]
	before := losses[max(0, len(losses)-2*tenth) : len(losses)-tenth]
	mean = stat.Mean(last, nil)
	if len(before) == 0 {
		return mean, math.Inf(1)
	}
	return mean, stat.Mean(before, nil) - mean
}
