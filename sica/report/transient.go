package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// A Transient is a short stretch of a sequence that holds more than half of the variance of one or
// more recovered signals, such as the jerk of a cable or the start of a filter. The stretch alone
// then determines these signals, and the tests ignore the rest. The ends include loud surroundings,
// however long, that should be left out together with the stretch.
type Transient struct {
	Signals []int `json:"signals"` // from 0
	// First and Last are the first and the last position of the stretch, from 0. With
	// Config.Positions they are positions of the recording.
	First int `json:"first"`
	Last  int `json:"last"`
	// Share is the smallest share of variance that one of the Signals has in the stretch.
	Share float64 `json:"share"`
}

const (
	// transientLength is the length of the longest stretch, as a share of the positions: 0.6 s of a
	// minute. Even a rhythm of varying strength can have more than half of its variance in a longer
	// stretch.
	transientLength = 0.01
	// transientShare is the share of a signal's variance above which a stretch outweighs the rest.
	transientShare = 0.5
	// transientTail is the ratio to the 0.9-quantile of the energy above which surroundings belong
	// to a transient. With less, more is left out than necessary; with more, the remaining tails
	// may dominate the signal.
	transientTail = 3
)

// Transients returns the transients of the recovered signals z of a sequence, d×n, in order.
// Overlapping stretches are united. There are none in fewer than 100 positions.
func Transients(z *mat.Dense) (found []Transient) {
	if z == nil {
		return nil
	}
	d, n := z.Dims()
	length := int(transientLength * float64(n))
	if length == 0 {
		return nil
	}
	energy := make([]float64, n)
	for i := range d {
		row := z.RawRowView(i)
		mean, total := stat.Mean(row, nil), 0.0
		for t, v := range row {
			energy[t] = (v - mean) * (v - mean)
			total += energy[t]
		}
		first, inside := densestStretch(energy, length)
		if inside > transientShare*total {
			first, last := loudStretch(energy, first, first+length)
			found = addTransient(found, Transient{[]int{i}, first, last, inside / total})
		}
	}
	slices.SortFunc(found, func(a, b Transient) int { return a.First - b.First })
	return found
}

// addTransient adds a transient to others, and unites it with those that it overlaps.
func addTransient(others []Transient, added Transient) (all []Transient) {
	for _, o := range others {
		if o.First <= added.Last && added.First <= o.Last {
			added = Transient{append(slices.Clone(o.Signals), added.Signals...),
				min(o.First, added.First), max(o.Last, added.Last), min(o.Share, added.Share)}
		} else {
			all = append(all, o)
		}
	}
	slices.Sort(added.Signals)
	return append(all, added)
}

// densestStretch returns the beginning and the energy of the stretch of the given length with the
// largest energy.
func densestStretch(energy []float64, length int) (first int, largest float64) {
	inside := 0.0
	for t, e := range energy {
		inside += e
		if t >= length {
			inside -= energy[t-length]
		}
		if t >= length-1 && inside > largest {
			first, largest = t-length+1, inside
		}
	}
	return first, largest
}

// loudStretch returns the first and the last loud position of the densest stretch, [begin, end),
// and of what follows it without a pause, on both sides: pieces of a fifth of its length whose mean
// energy is far above the energy of nine tenths of all pieces.
func loudStretch(energy []float64, begin, end int) (first, last int) {
	length := max(1, (end-begin)/5)
	var means []float64
	for piece := range slices.Chunk(energy, length) {
		means = append(means, stat.Mean(piece, nil))
	}
	limit := transientTail * stats.Quantile(0.9, means)
	isLoud := func(piece []float64) bool { return len(piece) > 0 && stat.Mean(piece, nil) > limit }
	for isLoud(energy[max(0, begin-length):begin]) {
		begin = max(0, begin-length)
	}
	for isLoud(energy[end:min(end+length, len(energy))]) {
		end = min(end+length, len(energy))
	}
	for first = begin; first < end-1 && energy[first] <= limit; first++ {
	}
	for last = end - 1; last > first && energy[last] <= limit; last-- {
	}
	return first, last
}

// hasTransient reports whether a transient dominates signal i, and whether other signals share it.
func (r *Report) hasTransient(i int) (has, isShared bool) {
	for _, t := range r.Transients {
		if slices.Contains(t.Signals, i) {
			return true, len(t.Signals) > 1
		}
	}
	return false, false
}

// transients returns findings about the stretches that hold most of the variance of several signals
// (shared), or of one. The former fail a test and the latter are a warning: a source may be a
// single event, but two sources seldom have theirs at the same time.
func (r *Report) transients(suspects []int, shared bool) (findings []finding) {
	next := "Leave that stretch out and separate again."
	if !shared {
		next = "Leave that stretch out and separate again, unless this event is what you look for."
	}
	for _, t := range r.Transients {
		signals := without(t.Signals, suspects)
		if len(signals) == 0 || shared != (len(signals) > 1) {
			continue
		}
		findings = append(findings, finding{
			fmt.Sprintf("More than half of the variance of %s is in one short stretch, %s, which alone "+
				"decides what that is.", text.Signals(signals), notes.Span(t.First, t.Last, r.cfg.Rate, r.cfg.Start)),
			[]string{next},
		})
	}
	return findings
}

// without returns the signals that aren't among others.
func without(signals, others []int) []int {
	return slices.DeleteFunc(slices.Clone(signals),
		func(i int) bool { return slices.Contains(others, i) })
}
