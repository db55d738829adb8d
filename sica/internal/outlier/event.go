package outlier

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// An event is a run by what is new at the farthest of its positions.
type event struct {
	run
	off    *mat.VecDense // [d], as first makes it white
	square float64       // of its length
}

// events are the runs from begin to before end that are far. What is new is that of the
// mended signals, from mended neighbours, and how far x is from these. Directions are those
// that first, the news of x, has: where strong values are all that there is of a source, what
// is left of it when they are mended is little, and to make that white would turn all channels
// into its direction.
func (s *search) events(begin, end int, first *news) (events []event) {
	d, _ := s.x.Dims()
	var channels, turn mat.Dense // of white news, and as first makes them white
	if err := channels.Inverse(&s.white); err != nil && channels.IsEmpty() {
		return nil
	}
	turn.Mul(&first.white, &channels)
	for _, r := range runs(s.far[:end]) {
		if r.first < begin {
			continue
		}
		e := event{run: r, square: -1}
		for t := r.first; t < r.end; t++ {
			off, news := mat.NewVecDense(d, nil), mat.NewVecDense(d, nil)
			off.SubVec(s.x.ColView(t), s.mended.ColView(t))
			off.MulVec(&first.white, off)
			news.MulVec(&turn, s.values.ColView(t))
			off.AddVec(off, news)
			if square := mat.Dot(off, off); square > e.square {
				e.off, e.square = off, square
			}
		}
		events = append(events, e)
	}
	return events
}

// accidents are the positions of those events that are in one channel, and of each that is
// alone in its direction.
func (f *news) accidents(events []event) [][]int {
	d, _ := f.white.Dims()
	inChannel := make([][]int, d)
	var alone [][]int
	for k, e := range events {
		if c := e.channel(&f.white); c >= 0 {
			inChannel[c] = append(inChannel[c], e.positions()...)
		} else if !e.recurs(events[:k]) && !e.recurs(events[k+1:]) {
			alone = append(alone, e.positions())
		}
	}
	return append(inChannel, alone...)
}

// inOneChannel are the positions of the events if all of them are in one channel.
func (f *news) inOneChannel(events []event) (positions []int) {
	for _, e := range events {
		c := e.channel(&f.white)
		if c < 0 || c != events[0].channel(&f.white) {
			return nil
		}
		positions = append(positions, e.positions()...)
	}
	return positions
}

// channel is the channel in whose direction, a column of white, e lies; -1 for none.
func (e event) channel(white *mat.Dense) int {
	for c := range e.off.Len() {
		if e.liesAlong(white.ColView(c), 0) {
			return c
		}
	}
	return -1
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
