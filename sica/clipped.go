package sica

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

const (
	// minClips is how many runs of two positions or more at a channel's largest value, or at its
	// smallest, show that it is clipped. Other signals reach these values once. A choice.
	minClips = 5
	// minClipped and maxClipped are shares of the positions. Fewer clipped ones hardly matter, and
	// more equal values aren't clipping: a telegraph is at its largest value for half of the time.
	// Choices.
	minClipped, maxClipped = 0.001, 0.1
)

// clippedPositions returns at how many positions of the grid a channel of x, d×n, is clipped: at its
// largest or smallest value, if it is there again and again. In images and videos, which have equal
// values by their nature, there are none, and none if they are too few or too many.
func clippedPositions(x *mat.Dense, g *grid.Grid) int {
	d, n := x.Dims()
	if g.Axes() > 1 {
		return 0
	}
	clipped, count := make([]bool, n), 0
	for i := range d {
		row := x.RawRowView(i)
		for _, limit := range []float64{slices.Min(row), slices.Max(row)} {
			if runsAt(limit, row) < minClips {
				continue
			}
			for t, v := range row {
				if v == limit && !clipped[t] {
					clipped[t] = true
					count++
				}
			}
		}
	}
	if share := float64(count) / float64(n); share < minClipped || share > maxClipped {
		return 0
	}
	return count
}

// runsAt returns how many runs of two or more values at the limit there are.
func runsAt(limit float64, values []float64) (count int) {
	for t := 1; t < len(values); t++ {
		if values[t] == limit && values[t-1] == limit && (t == 1 || values[t-2] != limit) {
			count++
		}
	}
	return count
}

// clippedSentence says why no network was fitted to n positions.
func clippedSentence(clipped, n int) string {
	return fmt.Sprintf("No network was fitted, as none can undo clipping: %d of %d positions have a "+
		"channel at its largest or smallest value.", clipped, n)
}
