// Package clipping finds channels that were clipped at the limits of an amplifier.
package clipping

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

const (
	// minClips is the least number of runs of two positions or more at a channel's largest, or
	// smallest, value with which the channel counts as clipped. Other signals reach these values
	// once. It is a choice.
	minClips = 5
	// minClipped is the least share of positions, clipped in any channel, that is reported: fewer
	// hardly matter. It is a choice.
	minClipped = 0.001
	// MaxClipped is the largest share of a channel's positions at its limits. More equal values
	// may not be clipping: a telegraph signal is at its largest value for half of the time. It is a
	// choice.
	MaxClipped = 0.1
)

// Advice says what to do about clipped channels. With fewer channels than sources the result is
// wrong, but may look right.
const Advice = "leave the clipped stretches out, unless they are the artefact that you take out; leave a " +
	"channel out only if there are more channels than sources"

// Criterion says how long a channel must be at its limits to be found: minClipped to MaxClipped.
const Criterion = "at its largest or smallest value for 0.1 to 10 % of its positions"

// A Clipping lists clipped channels. The zero value means that none is clipped.
type Clipping struct {
	Channels  []int // counted from 0
	Positions []int // at which any of these is clipped, in order
}

// Find returns the clipped channels of a sequence x, d×n: those that are repeatedly at their
// largest or smallest value, at up to a tenth of the positions. The result is empty if the share of
// positions at which any channel is clipped is below minClipped.
func Find(x *mat.Dense) (found Clipping) {
	d, n := x.Dims()
	clipped := make([]bool, n)
	for i := range d {
		at := clips(x.RawRowView(i))
		if len(at) == 0 || float64(len(at)) > MaxClipped*float64(n) {
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

// Share returns the share of positions at which a signal is repeatedly at its largest or smallest
// value.
func Share(signal []float64) float64 { return float64(len(clips(signal))) / float64(len(signal)) }

// clips returns the positions at which a signal is at its smallest or largest value, if it is there
// in at least minClips runs.
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

// runsAt returns the number of runs of two or more values at the limit.
func runsAt(limit float64, values []float64) (count int) {
	for t := 1; t < len(values); t++ {
		if values[t] == limit && values[t-1] == limit && (t == 1 || values[t-2] != limit) {
			count++
		}
	}
	return count
}
