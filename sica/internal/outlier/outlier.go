// Package outlier finds what is in a recording by accident, such as the jerk of a cable or
// the clicks of an electrode, so that nothing is learned from it.
//
// One value that is six standard deviations off, in one of four channels and a thousand
// positions, can be enough to turn all that is recovered: with it, other signals than the
// sources are described in fewer nats. But it is no evidence. A source is known by coming
// again and by reaching several channels: its strong values, rare as they may be, lie in one
// direction, which isn't a channel's. So a position is an outlier if it moves the covariance
// of what is new by more than chance, and is either alone in its direction or in one channel
// only.
package outlier

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/predict"
	"github.com/seed-47b1e431/gosica/sica/internal/pca"
)

const (
	// beyondChance is by how many of its standard errors an outlier moves the covariance:
	// two, as wherever code lengths differ beyond chance. Clicks of six standard deviations
	// that move it by less take no more than .002 off the MCC of four sources
	// (TestClicksChangeNothing in sica/start).
	beyondChance = 2
	// ends are how many positions are left alone at either end: twice the seven values that
	// the paper's AR(7) begins with, ten times as large as all that is new later, in each
	// source at once and its own, and two for a margin.
	ends = 16
)

// Find returns the positions of the outliers of the mixed signals x, d×T at the positions of
// g, from 0 and in order. There are none in one signal, which has no directions, in images
// and videos, whose edges are alone too, and in signals that can't be whitened. Of signals
// that aren't channels but made of them, such as principal components, those are found that
// are alone.
func Find(x *mat.Dense, g *grid.Grid) []int {
	d, n := x.Dims()
	if d < 2 || g.Axes() > 1 {
		return nil
	}
	// What is new is white. A direction's variance is 1, with a standard error of √(2/T)
	// if it is Gaussian, and d is the mean of the square.
	least := float64(d) + beyondChance*math.Sqrt(2*float64(n))
	far := make([]bool, n)
	mended, count := x, 0
	for {
		f, err := newNews(mended, g)
		if err != nil {
			return nil
		}
		added := f.mark(far, least, g)
		if added == 0 {
			return f.accidents(f.events(x, mended, far))
		}
		if count += added; float64(count)*least > float64(d*n) {
			return nil // more than all of the variance: it has none to speak of
		}
		mended = interpolated(x, runs(far))
	}
}

// Mend returns x, d×T, with the outliers at positions replaced by the line between those on
// either side; without any it is x itself. It does the same whatever the signals are mixed by.
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
	c, err := pca.Whiten(x)
	if err != nil {
		return nil, err
	}
	d, n := x.Dims()
	predictions, _ := predict.Own(c.Signals, g.Own())
	residuals := c.Signals
	residuals.Sub(residuals, predictions) // [d, T]
	var covariance mat.SymDense
	covariance.SymOuterK(1/float64(n), residuals)
	for i := range d { // below that nothing is seen of signals
		covariance.SetSym(i, i, covariance.At(i, i)+predict.NoiseStd*predict.NoiseStd)
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

// mark marks as far those positions with a square of more than least that are the farthest
// of their neighbours, which an outlier makes far as well, and returns how many.
func (f *news) mark(far []bool, least float64, g *grid.Grid) (added int) {
	for t := ends; t < len(far)-ends; t++ {
		if f.square[t] > least && !far[t] && f.farthest(t, g.Own()[t]) {
			far[t] = true
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

// runs are those of the marked positions, in order. The last position isn't marked.
func runs(marked []bool) (all []run) {
	for t := 0; t < len(marked); t++ {
		first := t
		for marked[t] {
			t++
		}
		if first < t {
			all = append(all, run{first, t})
		}
	}
	return all
}

// interpolated is x with the runs replaced by the line between the positions on either side.
func interpolated(x *mat.Dense, runs []run) *mat.Dense {
	y := mat.DenseCopyOf(x)
	d, _ := y.Dims()
	for _, r := range runs {
		for i := range d {
			line := y.RawRowView(i)[r.first-1 : r.end+1]
			floats.Span(line, line[0], line[len(line)-1])
		}
	}
	return y
}

// An event is a run by what is new at the farthest of its positions.
type event struct {
	run
	off    *mat.VecDense // [d], white
	square float64       // of its length
}

// events are the runs of x that are far. What is new is that of the mended signals, from
// mended neighbours, and how far x is from these.
func (f *news) events(x, mended *mat.Dense, far []bool) []event {
	d, _ := x.Dims()
	var events []event
	for _, r := range runs(far) {
		e := event{run: r, square: -1}
		for t := r.first; t < r.end; t++ {
			off := mat.NewVecDense(d, nil)
			off.SubVec(x.ColView(t), mended.ColView(t))
			off.MulVec(&f.white, off)
			off.AddVec(off, f.values.ColView(t))
			if square := mat.Dot(off, off); square > e.square {
				e.off, e.square = off, square
			}
		}
		events = append(events, e)
	}
	return events
}

// accidents are the positions of those events that are in one channel, or alone in their
// direction.
func (f *news) accidents(events []event) (positions []int) {
	for k, e := range events {
		if !e.inOneChannel(&f.white) && (e.recurs(events[:k]) || e.recurs(events[k+1:])) {
			continue
		}
		for t := e.first; t < e.end; t++ {
			positions = append(positions, t)
		}
	}
	return positions
}

// inOneChannel is whether e lies in the direction of a channel, a column of white.
func (e event) inOneChannel(white *mat.Dense) bool {
	for c := range e.off.Len() {
		if e.liesAlong(white.ColView(c), 0) {
			return true
		}
	}
	return false
}

// recurs is whether one of others lies in the direction of e.
func (e event) recurs(others []event) bool {
	for _, o := range others {
		long, short := e, o
		if long.square < short.square {
			long, short = o, e
		}
		if short.liesAlong(long.off, 1/long.square) {
			return true
		}
	}
	return false
}

// liesAlong is whether e lies in a direction that is known but for an angle of the given
// variance: whether what is left of e beside it, noise of variance 1 and that of the
// direction, takes fewer nats than to say a direction of e's own as exactly as the noise
// leaves it.
func (e event) liesAlong(direction mat.Vector, variance float64) bool {
	along := mat.Dot(e.off, direction)
	left := e.square - along*along/mat.Dot(direction, direction)
	noise := 1 + e.square*variance
	return left/(2*noise) < float64(e.off.Len()-1)/2*math.Log(e.square)
}
