// Package outlier finds positions of a recording that hold no evidence about its sources, such
// as the jerk of a cable or the click of an electrode. They are excluded from fitting.
//
// A single value of six standard deviations, in one of four channels and a thousand positions,
// can rotate all recovered signals: with it, signals other than the sources have a shorter
// code. A source differs from such a value in two ways. It recurs, and it reaches several
// channels. So its strong values lie in one direction, which isn't a channel's.
//
// The innovations of the signals are the residuals of predicting each position from its
// neighbours. A position is an outlier if it changes the covariance of the innovations
// significantly, and if its deviation is either the only one in its direction or in one channel
// only. Positions whose removal lowers the rank of the signals are none: a source may consist of
// a few pulses.
package outlier

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/sica/pca"
)

const (
	// significance is the change of the covariance by an outlier, in standard errors. It is two,
	// as for code lengths. Clicks of six standard deviations that change it less lower the MCC of
	// four sources by at most 0.002 (TestClicksAreExcluded in sica).
	significance = 2
	// edge is the number of positions at either end that are judged together. The paper's AR(7)
	// begins with seven values ten times as large as the later innovations, in all sources at once.
	// Deviations there are outliers only if all of them are in one channel.
	edge = 16
	// margin is the number of positions at either end without all of their neighbours. None of them
	// is an outlier. If one of them deviates, nothing at that end is.
	margin = 3
)

// Find returns the outliers of the mixed signals x, d×n at the positions of g, as sorted
// positions from 0. It finds none in one signal, which has no directions; in images and videos,
// whose edges are single events too; in 32 positions or fewer; and in signals that can't be
// whitened. In signals made of channels, such as principal components, it finds only those that
// are single in their direction.
func Find(x *mat.Dense, g *grid.Grid) []int {
	d, n := x.Dims()
	if d < 2 || n <= 2*edge || g.Axes() > 1 {
		return nil
	}
	first, err := newInnovations(x)
	if err != nil {
		return nil
	}
	// Innovations are white. If they are Gaussian, the variance in a direction is 1 with a
	// standard error of √(2/n), and the mean square length is d.
	s := &search{
		x: x, minSquare: float64(d) + significance*math.Sqrt(2*float64(n)),
		marked: make([]bool, n), mended: x, innovations: first,
	}
	if !s.seek(edge, n-edge) {
		return nil
	}
	groups := outlierGroups(s.events(edge, n-edge, first), d)
	for _, end := range []struct{ begin, end, margin int }{
		{margin, edge, 0},
		{n - edge, n - margin, n - margin},
	} {
		if s.seek(end.begin, end.end) &&
			slices.Max(s.square[end.margin:end.margin+margin]) < s.minSquare {
			groups = append(groups, inOneChannel(s.events(end.begin, end.end, first)))
		}
	}
	return s.keepRank(groups)
}

// A search marks the positions of x that deviate, and mends them.
type search struct {
	x         *mat.Dense
	minSquare float64 // minimum squared length of a deviation

	marked       []bool
	mended       *mat.Dense // x with the marked positions interpolated
	*innovations            // of mended

	rank int // of x; 0 until it is computed
}

// seek marks the positions in [begin, end) that deviate, and mends them, until no more do or
// mending lowers the rank. It returns false if the deviations would exceed the variance of the
// signals, which can't be.
func (s *search) seek(begin, end int) bool {
	d, n := s.x.Dims()
	for count := 0; ; {
		added := s.mark(begin, end)
		if added == 0 {
			return true
		}
		if count += added; float64(count)*s.minSquare > float64(d*n) {
			return false
		}
		next := interpolated(s.x, runs(s.marked))
		if s.lowersRank(next) {
			return true
		}
		f, err := newInnovations(next)
		if err != nil {
			return false
		}
		s.mended, s.innovations = next, f
	}
}

// lowersRank reports whether the mended signals have a lower rank than x.
func (s *search) lowersRank(mended *mat.Dense) bool {
	if s.rank == 0 {
		s.rank = rank(s.x)
	}
	return rank(mended) < s.rank
}

// rank returns the numerical rank of the signals x, 0 if one is constant.
func rank(x *mat.Dense) int {
	r, err := mapping.Reduce(x, 0, nil)
	if err != nil {
		return 0
	}
	return r.Rank
}

// keepRank returns the sorted positions of the groups, without those whose removal lowers the
// rank.
func (s *search) keepRank(groups [][]int) []int {
	all := slices.Sorted(slices.Values(slices.Concat(groups...)))
	if len(all) == 0 || !s.lowersRank(Mend(s.x, all)) {
		return all
	}
	var kept []int
	for _, group := range groups {
		more := slices.Sorted(slices.Values(slices.Concat(kept, group)))
		if !s.lowersRank(Mend(s.x, more)) {
			kept = more
		}
	}
	return kept
}

// Mend returns x, d×n, with the values at positions interpolated linearly between those on
// either side. At an end the nearest value is repeated. Without positions it returns x itself.
// Mending commutes with mixing.
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

// innovations are the residuals of predicting each position of signals from its neighbours,
// whitened.
type innovations struct {
	white  mat.Dense  // [d, d], whitens the residuals
	values *mat.Dense // [d, n]
	square []float64  // [n], squared length at each position
}

func newInnovations(x *mat.Dense) (*innovations, error) {
	c, err := pca.Whiten(x)
	if err != nil {
		return nil, err
	}
	d, n := x.Dims()
	residuals := c.White // [d, n]
	for i := range d {
		subtractPrediction(residuals.RawRowView(i))
	}
	var covariance mat.SymDense
	covariance.SymOuterK(1/float64(n), residuals)
	for i := range d { // smaller residuals are rounding
		covariance.SetSym(i, i, covariance.At(i, i)+ar.JitterStd*ar.JitterStd)
	}
	var factor mat.Cholesky
	if !factor.Factorize(&covariance) {
		return nil, mat.ErrNotPSD
	}
	f := &innovations{values: residuals, square: make([]float64, n)}
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

// neighbours are the lags of the positions that one is predicted from.
var neighbours = [...]int{-3, -2, -1, 1, 2, 3}

// subtractPrediction subtracts from a white signal its linear prediction from the neighbours of
// each position. Beyond the ends its values are 0.
func subtractPrediction(z []float64) {
	n := len(z)
	padded := make([]float64, n+2*margin)
	copy(padded[margin:], z)
	weights, _ := ar.Regress(padded, neighbours[:], grid.Range(margin + n)[margin:])
	for k, lag := range neighbours {
		floats.AddScaled(z, -weights[k], padded[margin+lag:margin+lag+n])
	}
}

// mark marks the positions in [begin, end) that deviate, and returns their number. Since an
// outlier makes its neighbours deviate too, only the position of the largest deviation among its
// neighbours is marked.
func (s *search) mark(begin, end int) (added int) {
	for t := begin; t < end; t++ {
		if s.square[t] > s.minSquare && !s.marked[t] && s.isLargest(t) {
			s.marked[t] = true
			added++
		}
	}
	return added
}

// isLargest reports whether the deviation at t is at least as large as those at the neighbours.
func (f *innovations) isLargest(t int) bool {
	return f.square[t] >= slices.Max(f.square[max(t-margin, 0):min(t+margin+1, len(f.square))])
}

// A run is the positions in [first, end).
type run struct{ first, end int }

func (r run) positions() (all []int) {
	for t := r.first; t < r.end; t++ {
		all = append(all, t)
	}
	return all
}

// runs returns the maximal runs of marked positions, in order.
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

// interpolated returns x with the runs interpolated linearly between the positions on either
// side. At an end the nearest value is repeated.
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
