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
	// minClipped is the smallest share of clipped positions, in any channel, that is named: fewer
	// hardly matter. A choice.
	minClipped = 0.001
	// maxClipped is the largest share of a channel's positions at its limits. More equal values aren't
	// clipping: a telegraph is at its largest value for half of the time. A choice.
	maxClipped = 0.1
)

// Advice is what to do about clipped channels. With fewer channels than sources an answer is wrong,
// and may look right.
const Advice = "leave the clipped stretches out, unless they are the artefact that you take out; leave a " +
	"channel out only if there are more channels than sources"

// A Clipping says which channels are clipped. The zero value says that none is.
type Clipping struct {
	Channels  []int // counted from 0
	Positions []int // at which one of them is clipped, in order
}

// Find returns which channels of a sequence x, d×n, are clipped: at their largest or smallest value
// again and again, at up to a tenth of the positions each. There are none if these are too few.
func Find(x *mat.Dense) (found Clipping) {
	d, n := x.Dims()
	clipped := make([]bool, n)
	for i := range d {
		at := clips(x.RawRowView(i))
		if len(at) == 0 || float64(len(at)) > maxClipped*float64(n) {
			continue
		}
		found.Channels = append(found.Channels, i)
		for _, t := range at {
			clipped[t] = true
		}
	}
	for t, is := range clipped {
		if is {
			found.Positions = append(found.Positions, t)
		}
	}
	if float64(len(found.Positions)) < minClipped*float64(n) {
		return Clipping{}
	}
	return found
}

// clips are the positions at which a signal is at its smallest value or at its largest, if it is so
// again and again.
func clips(signal []float64) (at []int) {
	for _, limit := range []float64{slices.Min(signal), slices.Max(signal)} {
		if runsAt(limit, signal) < minClips {
			continue
		}
		for t, v := range signal {
			if v == limit {
				at = append(at, t)
			}
		}
	}
	return at
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
