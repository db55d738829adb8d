// Package past lists the earlier positions that signals are predicted from: the values before
// one of a sequence, half of the neighbourhood in an image or video.
//
// The names to know are New, Nearest and Within:
//
//	p := past.New([]int{1000}, past.Nearest([]int{1000}, 24)) // the 24 values before
//	for _, run := range p.Runs {                              // positions with all of them
//		for t := run.First; t < run.End; t++ { … z[t−p.Lags[0]] … }
//	}
//
// The past of a position is complete if none of its values lies beyond an edge. Only such positions
// are scored: a likelihood conditional on the first values doesn't depend on how a signal began.
// The first seven values of the paper's AR(7) are ten times as large as later innovations.
package past

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

// A Past is a list of earlier positions on an index of a given shape, row-major.
type Past struct {
	Shape    []int     // the length of each axis
	Offsets  [][]int   // of the earlier positions, with an entry for each axis
	Lags     []int     // offset k at position t is position t − Lags[k]
	Distance []float64 // Euclidean length of each offset
	Before   []int     // the margin at the beginning of each axis

	// The N positions with a complete past fill a box with these Sides. Runs lists the positions in
	// order, one run for each line along the last axis.
	Sides []int
	Runs  []Run
	N     int
}

// A Run is the positions First, …, End − 1.
type Run struct{ First, End int }

// New returns the past of the given offsets, which all come before a position in row-major
// order. The margins must leave at least one position along each axis.
func New(shape []int, offsets [][]int) *Past {
	p := &Past{Shape: shape, Offsets: offsets, Sides: make([]int, len(shape)), N: 1}
	for _, offset := range offsets {
		lag := 0
		for a, v := range offset {
			lag = lag*shape[a] - v
		}
		p.Lags = append(p.Lags, lag)
		p.Distance = append(p.Distance, math.Sqrt(float64(square(offset))))
	}
	before, after := Margins(offsets, len(shape))
	p.Before = before
	for a, side := range shape {
		p.Sides[a] = side - before[a] - after[a]
		p.N *= p.Sides[a]
	}
	last := len(shape) - 1
	line := make([]int, last) // the index of a line in the box
	for range p.N / p.Sides[last] {
		first := 0
		for a := range line {
			first = first*shape[a] + line[a] + p.Before[a]
		}
		first = first*shape[last] + p.Before[last]
		p.Runs = append(p.Runs, Run{first, first + p.Sides[last]})
		grid.Next(line, p.Sides[:last])
	}
	return p
}

// Sequence reports whether the index has one axis.
func (p *Past) Sequence() bool { return len(p.Shape) == 1 }

// Blocks returns the past of a sequence made of blocks of the given length from different places of
// a longer sequence: the lags are the same, but the past of a position must lie in its own block.
// The shape of p must have one axis.
func (p *Past) Blocks(length int) *Past {
	q := *p
	q.N, q.Runs = 0, nil
	for first := 0; first < p.Shape[0]; first += length {
		r := Run{first + p.Before[0], min(first+length, p.Shape[0])}
		if r.First < r.End {
			q.Runs = append(q.Runs, r)
			q.N += r.End - r.First
		}
	}
	q.Sides = []int{q.N}
	return &q
}

// Spread returns the past at evenly spread blocks of the first run: blocks of them, of length
// positions each. It returns p itself if the run isn't longer, or if there are several runs. There
// must be at least two blocks.
func (p *Past) Spread(blocks, length int) *Past {
	if len(p.Runs) > 1 || p.N <= blocks*length {
		return p
	}
	q := *p
	q.N, q.Runs, q.Sides = blocks*length, nil, []int{blocks * length}
	for b := range blocks {
		first := p.Runs[0].First + b*(p.N-length)/(blocks-1)
		q.Runs = append(q.Runs, Run{first, first + length})
	}
	return &q
}

// Select sets to, [q.N], to the values, [p.N], at the positions of q, which must be a result of
// p.Spread.
func (p *Past) Select(to, values []float64, q *Past) {
	if q == p {
		copy(to, values)
		return
	}
	for _, run := range q.Runs {
		first := run.First - p.Runs[0].First
		to = to[copy(to, values[first:first+run.End-run.First]):]
	}
}

// Positions returns the N positions with a complete past, in order.
func (p *Past) Positions() []int {
	all := make([]int, 0, p.N)
	for _, r := range p.Runs {
		for t := r.First; t < r.End; t++ {
			all = append(all, t)
		}
	}
	return all
}

// Margins returns how far offsets reach before and after a position along each axis.
func Margins(offsets [][]int, axes int) (before, after []int) {
	before, after = make([]int, axes), make([]int, axes)
	for _, offset := range offsets {
		for a, v := range offset {
			before[a], after[a] = max(before[a], -v), max(after[a], v)
		}
	}
	return before, after
}

// Within returns the offsets to the earlier positions at most reach away (Euclidean distance),
// in row-major order: the reach values before in a sequence, half a disk in an image.
func Within(reach, axes int) [][]int {
	var all [][]int
	for _, offset := range earlier(reach, axes) {
		if square(offset) <= reach*reach {
			all = append(all, offset)
		}
	}
	return all
}

// maxReach bounds Nearest in images and videos: the 18 nearest neighbours of an image lie
// within √10. Half of it leaves 4 of them; twice makes no difference at 18.
const maxReach = 3

// Nearest returns the offsets to the limit nearest earlier positions, nearest first. In a sequence
// there are at most n − 1. In images and videos they are complete shells of equal distance, at most
// limit in all, and none is farther than a fourth of the side.
func Nearest(shape []int, limit int) [][]int {
	if len(shape) == 1 {
		var all [][]int
		for lag := 1; lag <= min(limit, shape[0]-1); lag++ {
			all = append(all, []int{-lag})
		}
		return all
	}
	all := slices.DeleteFunc(earlier(maxReach, len(shape)), func(offset []int) bool {
		for a, v := range offset {
			if max(v, -v) > shape[a]/4 {
				return true
			}
		}
		return false
	})
	slices.SortStableFunc(all, func(a, b []int) int { return cmp.Compare(square(a), square(b)) })
	if limit < len(all) {
		for limit > 0 && square(all[limit-1]) == square(all[limit]) {
			limit--
		}
		all = all[:limit]
	}
	return all
}

// earlier returns the offsets of up to reach along each axis that come before the position
// itself, in row-major order.
func earlier(reach, axes int) [][]int {
	box := grid.Box(reach, axes)
	return box[:len(box)/2] // the position itself is in the middle
}

// square returns the squared length of an offset.
func square(offset []int) (sum int) {
	for _, v := range offset {
		sum += v * v
	}
	return sum
}
