// Package clipping finds channels that were cut at the limits of an amplifier.
package clipping

import (
	"slices"

	"gonum.org/v1/gonum/mat"
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

// Advice is what to do about clipped channels. With fewer channels than sources an answer is wrong,
// and may look right.
const Advice = "leave the clipped stretches out; leave a channel out only if there are more channels " +
	"than sources"

// A Clipping says which channels are clipped. The zero value says that none is.
type Clipping struct {
	Channels  []int // counted from 0
	Positions int   // at which one of them is clipped
}

// Find returns which channels of a sequence x, d×n, are clipped: at their largest or smallest value
// again and again. There are none if the positions are too few or too many.
func Find(x *mat.Dense) (found Clipping) {
	d, n := x.Dims()
	clipped := make([]bool, n)
	for i := range d {
		row := x.RawRowView(i)
		for _, limit := range []float64{slices.Min(row), slices.Max(row)} {
			if runsAt(limit, row) < minClips {
				continue
			}
			if !slices.Contains(found.Channels, i) {
				found.Channels = append(found.Channels, i)
			}
			for t, v := range row {
				if v == limit && !clipped[t] {
					clipped[t] = true
					found.Positions++
				}
			}
		}
	}
	if share := float64(found.Positions) / float64(n); share < minClipped || share > maxClipped {
		return Clipping{}
	}
	return found
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
