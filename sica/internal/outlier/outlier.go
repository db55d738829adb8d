// Package outlier finds what is in a recording by accident, such as the jerk of a cable or
// the clicks of an electrode, so that nothing is learned from it.
//
// One value that is six standard deviations off, in one of four channels and a thousand
// positions, can be enough to turn all that is recovered: with it, other signals than the
// sources are described in fewer nats. But it is no evidence. A source is known by coming
// again and by reaching several channels: its strong values, rare as they may be, lie in one
// direction, which isn't a channel's. So a position is an outlier if it moves the covariance
// of what is new by more than chance, and is either alone in its direction or in one channel
// only, unless without it there would be a signal less: pulses may be all that there is of a
// source.
package outlier

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

const (
	// beyondChance is by how many of its standard errors an outlier moves the covariance:
	// two, as wherever code lengths differ beyond chance. Clicks of six standard deviations
	// that move it by less take no more than .002 off the MCC of four sources
	// (TestClicksChangeNothing in sica).
	beyondChance = 2
	// ends are how many positions at either end are judged together: twice the seven values
	// that the paper's AR(7) begins with, ten times as large as all that is new later, in each
	// source at once and its own, and two for a margin. What is far there is an accident only
	// if all of it is in one channel.
	ends = 16
	// outermost are how many positions at either end lack neighbours that would tell them,
	// as far as those of grid.Own reach in a sequence. Nothing is found there, and if one of
	// them is far, nothing at that end.
	outermost = 3
)

// Find returns the positions of the outliers of the mixed signals x, d×T at the positions of
// g, from 0 and in order. There are none in one signal, which has no directions, in images
// and videos, whose edges are alone too, in 32 positions or fewer, and in signals that can't be
// whitened. Of signals that aren't channels but made of them, such as principal components,
// those are found that are alone.
func Find(x *mat.Dense, g *grid.Grid) []int {
	d, n := x.Dims()
	if d < 2 || n <= 2*ends || g.Axes() > 1 {
		return nil
	}
	first, err := newNews(x, g)
	if err != nil {
		return nil
	}
	// What is new is white. A direction's variance is 1, with a standard error of √(2/T)
	// if it is Gaussian, and d is the mean of the square.
	s := &search{x: x, grid: g, least: float64(d) + beyondChance*math.Sqrt(2*float64(n)), far: make([]bool, n), mended: x, news: first}
	if !s.seek(ends, n-ends) {
		return nil
	}
	found := accidents(s.events(ends, n-ends, first), d)
	for _, at := range []struct{ begin, end, outer int }{
		{outermost, ends, 0},
		{n - ends, n - outermost, n - outermost},
	} {
		if s.seek(at.begin, at.end) && slices.Max(s.square[at.outer:at.outer+outermost]) < s.least {
			found = append(found, inOneChannel(s.events(at.begin, at.end, first)))
		}
	}
	return s.sound(found)
}

// A search marks the positions of x that are far, and mends them.
type search struct {
	x     *mat.Dense
	grid  *grid.Grid
	least float64 // square of what is far

	far    []bool
	mended *mat.Dense
	*news  // of mended

	rank int // of x; 0 before it is asked for
}

// seek marks what is far of the positions from begin to before end, until nothing more is or
// what is far is all that there is of a source. It fails if that is more than all of the
// variance: it has none to speak of.
func (s *search) seek(begin, end int) bool {
	d, n := s.x.Dims()
	for count := 0; ; {
		added := s.mark(begin, end)
		if added == 0 {
			return true
		}
		if count += added; float64(count)*s.least > float64(d*n) {
			return false
		}
		next := interpolated(s.x, runs(s.far))
		if s.lowersRank(next) {
			return true
		}
		news, err := newNews(next, s.grid)
		if err != nil {
			return false
		}
		s.mended, s.news = next, news
	}
}

// lowersRank is whether fewer of the mended signals than of x are more than rounding.
func (s *search) lowersRank(mended *mat.Dense) bool {
	if s.rank == 0 {
		s.rank = rank(s.x)
	}
	return rank(mended) < s.rank
}

// rank is how many of the signals x are more than rounding; 0 if one is constant.
func rank(x *mat.Dense) int {
	r, err := mapping.Reduce(x, 0)
	if err != nil {
		return 0
	}
	return r.Rank
}

// sound are the positions of those groups of accidents without which x has as many signals:
// what is all that there is of a source is none.
func (s *search) sound(accidents [][]int) []int {
	all := slices.Sorted(slices.Values(slices.Concat(accidents...)))
	if len(all) == 0 || !s.lowersRank(Mend(s.x, all)) {
		return all
	}
	var rest []int
	for _, group := range accidents {
		if more := slices.Sorted(slices.Values(slices.Concat(rest, group))); !s.lowersRank(Mend(s.x, more)) {
			rest = more
		}
	}
	return rest
}

// Mend returns x, d×T, with the outliers at positions replaced by the line between those on
// either side, or by the value beside them at an end; without any it is x itself. It does the
// same whatever the signals are mixed by.
func Mend(x *mat.Dense, positions []int) *mat.Dense {
	if len(positions) == 0 {
		return x
	}
	_, n := x.Dims()
	marked := make([]bool, n)
	for _, t := range positions {
		marked[t] = true
	}
	return interpolated(x, runs(marked))
}

// news is what is new in signals, that which the neighbours of a position don't tell.
type news struct {
	white  mat.Dense  // [d, d], makes it white
	values *mat.Dense // [d, T], white
	square []float64  // [T], of its length
}

func newNews(x *mat.Dense, g *grid.Grid) (*news, error) {
	c, err := signal.Whiten(x)
	if err != nil {
		return nil, err
	}
	d, n := x.Dims()
	predictions, _ := ar.SelfPredictions(c.White, g.Own())
	residuals := c.White
	residuals.Sub(residuals, predictions) // [d, T]
	var covariance mat.SymDense
	covariance.SymOuterK(1/float64(n), residuals)
	for i := range d { // below that nothing is seen of signals
		covariance.SetSym(i, i, covariance.At(i, i)+ar.JitterStd*ar.JitterStd)
	}
	var factor mat.Cholesky
	if !factor.Factorize(&covariance) {
		return nil, mat.ErrNotPSD
	}
	f := &news{values: residuals, square: make([]float64, n)}
	var lower mat.TriDense
	factor.LTo(&lower)
	if err := f.white.Solve(&lower, c.Matrix); err != nil {
		return nil, err
	}
	if err := residuals.Solve(&lower, residuals); err != nil {
		return nil, err
	}
	for i := range d {
		for t, v := range residuals.RawRowView(i) {
			f.square[t] += v * v
		}
	}
	return f, nil
}

// mark marks as far those of the positions with a square of more than least that are the
// farthest of their neighbours, which an outlier makes far as well, and returns how many.
func (s *search) mark(begin, end int) (added int) {
	for t := begin; t < end; t++ {
		if s.square[t] > s.least && !s.far[t] && s.farthest(t, s.grid.Own()[t]) {
			s.far[t] = true
			added++
		}
	}
	return added
}

func (f *news) farthest(t int, neighbours []int32) bool {
	for _, s := range neighbours {
		if f.square[s] > f.square[t] {
			return false
		}
	}
	return true
}

// A run is marked positions beside each other, and the end is behind them.
type run struct{ first, end int }

func (r run) positions() (all []int) {
	for t := r.first; t < r.end; t++ {
		all = append(all, t)
	}
	return all
}

// runs are those of the marked positions, in order.
func runs(marked []bool) (all []run) {
	for t := 0; t < len(marked); t++ {
		first := t
		for t < len(marked) && marked[t] {
			t++
		}
		if first < t {
			all = append(all, run{first, t})
		}
	}
	return all
}

// interpolated is x with the runs replaced by the line between the positions on either side,
// or, at an end, by the value on the one.
func interpolated(x *mat.Dense, runs []run) *mat.Dense {
	y := mat.DenseCopyOf(x)
	d, n := y.Dims()
	for _, r := range runs {
		from, to := max(r.first-1, 0), min(r.end, n-1)
		for i := range d {
			row := y.RawRowView(i)
			first, last := row[from], row[to]
			if r.first == 0 {
				first = last
			}
			if r.end == n {
				last = first
			}
			floats.Span(row[from:to+1], first, last)
		}
	}
	return y
}
