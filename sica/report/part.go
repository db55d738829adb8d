package report

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// clearAgreement is the correlation from which a separation of a part of the positions confirms the
// signals. Below it the separation is repeated with all positions, and minStability decides on
// these alone. It is halfway between minStability and 1. With half of that distance to 1,
// signals with weak evidence would cost the time of all positions; with twice of it there is no
// margin for the error of a part.
const clearAgreement = (1 + minStability) / 2

// part returns a part of the signals z by signal.Part, and the shape of its positions. Images are
// returned as they are. With a part of 15 signals the networks take 5 s of processor time, a
// separation 1 s.
func part(z *mat.Dense, shape []int) (*mat.Dense, []int) {
	if len(shape) > 1 {
		return z, shape
	}
	p := signal.Part(z)
	_, n := p.Dims()
	return p, []int{n}
}

// agree reports whether all correlations are at least clearAgreement.
func agree(correlations []float64) bool { return slices.Min(correlations) >= clearAgreement }
