package report

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

const (
	// blockPositions is the length of a block of the part of a long sequence. The networks'
	// contexts reach 10 positions, so that at 2 % of the positions they extend into another
	// block, and the linear rule's pasts 24 at most. With half, it is twice as many; with twice,
	// changes over time are seen at half as many places.
	blockPositions = 1024
	// partBlocks is the number of blocks of a part. The time of networks and of separations is
	// proportional to it: the networks of 15 signals take 5 s of a processor for eight, each
	// separation 1 s. The interval of a divergence is wider by √2 with half, and narrower by √2
	// with twice as many.
	partBlocks = 8
	// partPerSignal is how many positions there are at least for each signal: those of package
	// linear.
	partPerSignal = 256
	// clearAgreement is the correlation from which signals that parts of the positions give
	// again are the same without doubt. Below, all positions are separated, so that only these
	// decide about the limit of 0.9. It is halfway to 1; with half of the distance, signals of
	// little evidence cost the time of all positions.
	clearAgreement = (1 + minStability) / 2
)

// part returns the signals z at partBlocks blocks of positions, spread evenly and concatenated,
// and the shape of these positions. Images, and sequences shorter than twice that, are returned
// whole.
func part(z *mat.Dense, shape []int) (*mat.Dense, []int) {
	d, n := z.Dims()
	blocks := max(partBlocks, (partPerSignal*d+blockPositions-1)/blockPositions)
	if len(shape) > 1 || n < 2*blocks*blockPositions {
		return z, shape
	}
	return signal.SpreadBlocks(z, blocks, blockPositions), []int{blocks * blockPositions}
}

// agree reports whether all correlations are clear.
func agree(correlations []float64) bool { return slices.Min(correlations) >= clearAgreement }
