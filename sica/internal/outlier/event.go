package outlier

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// An event is a run with its deviation.
type event struct {
	run
	// deviation is the largest of the run's positions, in whitened innovations of the mended
	// signals.
	deviation vector
	// channel is the one that the deviation is in, -1 for none.
	channel int
}

// A vector is a deviation in a space where noise has variance 1.
type vector struct {
	*mat.VecDense         // [d]
	square        float64 // squared length
}

func newVector(v *mat.VecDense) vector { return vector{v, mat.Dot(v, v)} }

// events returns the marked runs in [begin, end). The deviation of a position is the innovation
// of the mended signals there, and the difference of x from these.
//
// An event is in a channel if its deviation lies along the channel twice: where the innovations
// of the mended signals are white, and where those of x are, which are first. Neither alone
// suffices. If strong values are all of a source, little of it is left in the mended signals, and
// whitening rotates all channels into its direction. If other signals are far stronger,
// whitening x leaves nothing of an event.
func (s *search) events(begin, end int, first *innovations) (events []event) {
	d, _ := s.x.Dims()
	var channels mat.Dense // from whitened innovations
	if err := channels.Inverse(&s.white); err != nil && channels.IsEmpty() {
		return nil
	}
	for _, r := range runs(s.marked[:end]) {
		if r.first < begin {
			continue
		}
		e := event{run: r, deviation: vector{square: -1}}
		for t := r.first; t < r.end; t++ {
			v := mat.NewVecDense(d, nil)
			v.SubVec(s.x.ColView(t), s.mended.ColView(t))
			v.MulVec(&s.white, v)
			v.AddVec(v, s.values.ColView(t))
			if deviation := newVector(v); deviation.square > e.deviation.square {
				e.deviation = deviation
			}
		}
		var inFirst mat.VecDense
		inFirst.MulVec(&channels, e.deviation)
		inFirst.MulVec(&first.white, &inFirst)
		e.channel = -1
		for c := range d {
			if e.deviation.liesAlong(s.white.ColView(c), 0) &&
				newVector(&inFirst).liesAlong(first.white.ColView(c), 0) {
				e.channel = c
				break
			}
		}
		events = append(events, e)
	}
	return events
}

// outlierGroups returns the positions of the events that are outliers: a group for each of d
// channels, and one for each event that is the only one in its direction.
func outlierGroups(events []event, d int) [][]int {
	inChannel := make([][]int, d)
	var single [][]int
	for k, e := range events {
		if e.channel >= 0 {
			inChannel[e.channel] = append(inChannel[e.channel], e.positions()...)
		} else if !e.recurs(events[:k]) && !e.recurs(events[k+1:]) {
			single = append(single, e.positions())
		}
	}
	return append(inChannel, single...)
}

// inOneChannel returns the positions of the events if all are in the same channel, else nil.
func inOneChannel(events []event) (positions []int) {
	for _, e := range events {
		if e.channel < 0 || e.channel != events[0].channel {
			return nil
		}
		positions = append(positions, e.positions()...)
	}
	return positions
}

// recurs reports whether one of the other events has the direction of e.
func (e event) recurs(others []event) bool {
	for _, o := range others {
		long, short := e.deviation, o.deviation
		if long.square < short.square {
			long, short = short, long
		}
		if short.liesAlong(long, 1/long.square) {
			return true
		}
	}
	return false
}

// liesAlong reports whether v has the direction, which is known up to an angle of the given
// variance. It compares two code lengths in nats. One is that of the component of v across the
// direction, as Gaussian noise: 1 by the innovations, and that of the angle. The other is that of
// a separate direction for v, to the precision that the noise allows.
func (v vector) liesAlong(direction mat.Vector, variance float64) bool {
	along := mat.Dot(v, direction)
	across := v.square - along*along/mat.Dot(direction, direction)
	noise := 1 + v.square*variance
	return across/(2*noise) < float64(v.Len()-1)/2*math.Log(v.square)
}
