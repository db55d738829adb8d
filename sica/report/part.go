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

// A recording is signals x, d×n, and where their positions are in what they are a part of.
type recording struct {
	x         *mat.Dense
	positions []int
}

// slice returns the columns from begin to before end.
func (r recording) slice(begin, end int) recording {
	d, _ := r.x.Dims()
	return recording{mat.DenseCopyOf(r.x.Slice(0, d, begin, end)), r.positions[begin:end]}
}

// part returns a part of the signals z by signal.Part and the shape of its positions. Images are
// returned as they are. With a part of 15 signals the networks take 5 s of processor time, a
// separation 1 s.
func part(z recording, shape []int) (recording, []int) {
	if len(shape) > 1 {
		return z, shape
	}
	p := recording{signal.Part(z.x), signal.PartOf(z.positions, z.x)}
	return p, []int{len(p.positions)}
}

// agree reports whether all correlations are at least clearAgreement.
func agree(correlations []float64) bool { return slices.Min(correlations) >= clearAgreement }
