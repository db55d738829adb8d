package outlier

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// An event is a run by what is new at the farthest of its positions.
type event struct {
	run
	off arrow // as the news of the mended signals is white
	// channel is the one that the event is in, -1 for none.
	channel int
}

// An arrow is a vector in a space where noise has variance 1.
type arrow struct {
	*mat.VecDense         // [d]
	square        float64 // of its length
}

func arrowOf(v *mat.VecDense) arrow { return arrow{v, mat.Dot(v, v)} }

// events are the runs from begin to before end that are far. What is new is that of the
// mended signals, from mended neighbours, and how far x is from these.
//
// An event is in a channel if it lies in its direction as the news of the mended signals is
// white, and as that of x is, first. Where strong values are all that there is of a source, what
// is left of it when they are mended is little, and to make that white turns all channels into
// its direction; and where others are far stronger, to make them white leaves nothing of an
// event.
func (s *search) events(begin, end int, first *news) (events []event) {
	d, _ := s.x.Dims()
	var channels mat.Dense // of white news
	if err := channels.Inverse(&s.white); err != nil && channels.IsEmpty() {
		return nil
	}
	for _, r := range runs(s.far[:end]) {
		if r.first < begin {
			continue
		}
		e := event{run: r, off: arrow{square: -1}}
		for t := r.first; t < r.end; t++ {
			off := mat.NewVecDense(d, nil)
			off.SubVec(s.x.ColView(t), s.mended.ColView(t))
			off.MulVec(&s.white, off)
			off.AddVec(off, s.values.ColView(t))
			if a := arrowOf(off); a.square > e.off.square {
				e.off = a
			}
		}
		var offFirst mat.VecDense
		offFirst.MulVec(&channels, e.off)
		offFirst.MulVec(&first.white, &offFirst)
		e.channel = -1
		for c := range d {
			if e.off.liesAlong(s.white.ColView(c), 0) && arrowOf(&offFirst).liesAlong(first.white.ColView(c), 0) {
				e.channel = c
				break
			}
		}
		events = append(events, e)
	}
	return events
}

// accidents are the positions of those events that are in a channel, d of them, and of each
// that is alone in its direction.
func accidents(events []event, d int) [][]int {
	inChannel := make([][]int, d)
	var alone [][]int
	for k, e := range events {
		if e.channel >= 0 {
			inChannel[e.channel] = append(inChannel[e.channel], e.positions()...)
		} else if !e.recurs(events[:k]) && !e.recurs(events[k+1:]) {
			alone = append(alone, e.positions())
		}
	}
	return append(inChannel, alone...)
}

// inOneChannel are the positions of the events if all of them are in one channel.
func inOneChannel(events []event) (positions []int) {
	for _, e := range events {
		if e.channel < 0 || e.channel != events[0].channel {
			return nil
		}
		positions = append(positions, e.positions()...)
	}
	return positions
}

// recurs is whether one of others lies in the direction of e.
func (e event) recurs(others []event) bool {
	for _, o := range others {
		long, short := e.off, o.off
		if long.square < short.square {
			long, short = short, long
		}
		if short.liesAlong(long, 1/long.square) {
			return true
		}
	}
	return false
}

// liesAlong is whether a lies in a direction that is known but for an angle of the given
// variance: whether what is left of a beside it, noise of variance 1 and that of the
// direction, takes fewer nats than to say a direction of a's own as exactly as the noise
// leaves it.
func (a arrow) liesAlong(direction mat.Vector, variance float64) bool {
	along := mat.Dot(a, direction)
	left := a.square - along*along/mat.Dot(direction, direction)
	noise := 1 + a.square*variance
	return left/(2*noise) < float64(a.Len()-1)/2*math.Log(a.square)
}
