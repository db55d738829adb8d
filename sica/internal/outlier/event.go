package outlier

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// An event is a run of consecutive marked positions, with the largest of its deviations. The
// deviation of position t is
//
//	W·(x_t − y_t) + e_t
//
// where y are the mended signals, e their whitened innovations and W the whitening of these. That
// is the innovation of y at t with y_t replaced by x_t.
type event struct {
	run
	deviation vector
	channel   int // the one channel that the deviation is in, -1 for none
}

// A vector is one of a space in which the innovations have variance 1 in every direction.
type vector struct {
	*mat.VecDense         // [d]
	square        float64 // squared length
}

func newVector(v *mat.VecDense) vector { return vector{v, mat.Dot(v, v)} }

// events returns the events of the runs of marked positions in [begin, end). The whitened
// innovations of x are first.
//
// An event is in a channel if its deviation lies along the channel in two spaces: whitened by the
// innovations of the mended signals, and by those of x. Neither alone suffices. If a source
// consists of strong values only, little of it is left in the mended signals, and their whitening
// rotates all channels into its direction. If other signals are far stronger than an event, the
// whitening of x removes it.
func (s *search) events(begin, end int, first *innovations) (events []event) {
	d, _ := s.x.Dims()
	var unwhiten mat.Dense // the inverse of W
	if err := unwhiten.Inverse(&s.white); err != nil && unwhiten.IsEmpty() {
		return nil
	}
	for _, r := range runs(s.marked[:end]) {
		if r.first < begin {
			continue
		}
		e := event{run: r, deviation: s.maxDeviation(r), channel: -1}
		var byFirst mat.VecDense // the deviation, whitened by the innovations of x
		byFirst.MulVec(&unwhiten, e.deviation)
		byFirst.MulVec(&first.white, &byFirst)
		for c := range d {
			if e.deviation.liesAlong(s.white.ColView(c), 0) &&
				newVector(&byFirst).liesAlong(first.white.ColView(c), 0) {
				e.channel = c
				break
			}
		}
		events = append(events, e)
	}
	return events
}

// maxDeviation returns the largest deviation of the positions of a run; see event.
func (s *search) maxDeviation(r run) vector {
	d, _ := s.x.Dims()
	largest := vector{square: -1}
	for t := r.first; t < r.end; t++ {
		v := mat.NewVecDense(d, nil)
		v.SubVec(s.x.ColView(t), s.mended.ColView(t))
		v.MulVec(&s.white, v)
		v.AddVec(v, s.values.ColView(t))
		if deviation := newVector(v); deviation.square > largest.square {
			largest = deviation
		}
	}
	return largest
}

// outlierGroups returns the positions of the events that are outliers, in groups: one for each of
// the d channels, with the events in it, and one for each other event that is the only one in its
// direction.
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

// liesAlong reports whether v has the given direction, which is known up to an angle of the given
// variance, in radians². With a the component of v orthogonal to the direction, it is
//
//	‖a‖²/(2·(1 + ‖v‖²·variance)) < (d − 1)/2·log ‖v‖²
//
// Both sides are code lengths in nats. On the left a is Gaussian noise, with the variance 1 of the
// innovations and that of the angle. On the right v has a direction of its own, with d − 1 angles,
// each to the precision 1/‖v‖ that the noise allows.
func (v vector) liesAlong(direction mat.Vector, variance float64) bool {
	dot := mat.Dot(v, direction)
	orthogonal := v.square - dot*dot/mat.Dot(direction, direction)
	noise := 1 + v.square*variance
	return orthogonal/(2*noise) < float64(v.Len()-1)/2*math.Log(v.square)
}
