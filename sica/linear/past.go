package linear

import (
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/past"
)

const (
	// maxLags is the most values of a sequence's past that a signal is predicted from: three
	// times the order of the paper's AR(7). Code length decides how many are used, so twice of
	// it only costs time, and half is enough for such sources.
	maxLags = 24

	// maxNeighbours is the same for images and videos: complete shells up to √10 positions
	// away in an image. Half of it is one shell of eight.
	maxNeighbours = 18

	// positionsPerLag is how many positions are wanted for each weight of one signal, and
	// positionsPerWeight for each of the weights that one value of all signals has. Both are
	// choices, which matter below 300 positions: half of them predicts from more values than
	// so few determine, and twice leaves a sequence of 288 at 12 lags.
	positionsPerLag, positionsPerWeight = 12, 3
)

// newPast returns the past of d signals with positions of the given shape.
func newPast(shape []int, d int) *past.Past {
	n := grid.Product(shape)
	limit := maxLags
	if len(shape) > 1 {
		limit = maxNeighbours
	}
	limit = min(limit, n/positionsPerLag, n/(positionsPerWeight*d))
	return past.New(shape, past.Nearest(shape, limit))
}
