package report

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// clearAgreement is the correlation from which signals that parts of the positions give again are
// the same without doubt. Below, all positions are separated, so that only these decide about the
// limit of 0.9. It is halfway to 1; with half of the distance, signals of little evidence cost the
// time of all positions.
const clearAgreement = (1 + minStability) / 2

// part returns signal.Part of the signals z, and the shape of its positions. Images are returned
// whole. For a part of 15 signals networks take 5 s of a processor, each separation 1 s.
func part(z *mat.Dense, shape []int) (*mat.Dense, []int) {
	if len(shape) > 1 {
		return z, shape
	}
	p := signal.Part(z)
	_, n := p.Dims()
	return p, []int{n}
}

// agree reports whether all correlations are clear.
func agree(correlations []float64) bool { return slices.Min(correlations) >= clearAgreement }
