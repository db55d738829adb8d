package datasets

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// A gap is where times lack positions.
type gap struct {
	at      int // the position of the file after the gap
	lacking int // positions
}

// The shortest gaps that are looked for, in steps.
const (
	minExactGap = 1.5           // of times that are whole numbers of steps apart
	minLongGap  = maxJitter + 1 // of times that are rounded or jitter
)

// maxInexact is how far the differences of times may be from whole numbers of steps for gaps of one
// position to be seen. Times at 256 Hz that are rounded to 0.001 s are off by 0.23.
const maxInexact = 0.25

// findGaps returns the gaps of times that rise, and the clock that they are evenly spaced by if the
// lacking positions count. It returns nil if there is no such clock.
func findGaps(times []float64) ([]gap, *clock) {
	for _, minGap := range []float64{minExactGap, minLongGap} {
		step := stepBetweenGaps(times, minGap)
		if !(step > 0) {
			continue
		}
		var gaps []gap
		isExact := true
		for t := 1; t < len(times); t++ {
			steps := (times[t] - times[t-1]) / step
			if steps > MaxEntries {
				return nil, nil
			}
			whole := math.Round(steps)
			isExact = isExact && whole >= 1 && math.Abs(steps-whole) <= maxInexact
			if steps > minGap {
				gaps = append(gaps, gap{t, int(whole) - 1})
			}
		}
		if gaps == nil || minGap == minExactGap && !isExact {
			continue
		}
		if c := clockOf(times, gaps); c.unevenAt == 0 {
			return gaps, c
		}
	}
	return nil, nil
}

// clockOf returns the clock of the times, two or more, with gaps of lacking positions.
func clockOf(times []float64, gaps []gap) *clock {
	lacking := 0
	for _, g := range gaps {
		lacking += g.lacking
	}
	c := newClock(times[0], times[len(times)-1], len(times)+lacking)
	place, next := 0, gaps
	for t, time := range times {
		if len(next) > 0 && next[0].at == t {
			place, next = place+next[0].lacking, next[1:]
		}
		c.observe(place, time)
		place++
	}
	return c
}

// stepBetweenGaps returns the mean step of times except steps above minGap mean ones.
func stepBetweenGaps(times []float64, minGap float64) float64 {
	limit := math.Inf(1)
	for {
		sum, count := 0.0, 0
		for t := 1; t < len(times); t++ {
			if step := times[t] - times[t-1]; step <= limit {
				sum += step
				count++
			}
		}
		step := sum / float64(count)
		if !(minGap*step < limit) { // also without any
			return step
		}
		limit = minGap * step
	}
}

// closeGaps makes the signals, whose times have gaps, evenly spaced, with a note: it fills the gaps
// with missing values, or passes over them.
func (r *Recording) closeGaps(gaps []gap, missing Missing) error {
	d, n := r.Signals.Dims()
	lacking := 0
	for _, g := range gaps {
		lacking += g.lacking
	}
	after := r.Start + float64(gaps[0].at-1)/r.Rate
	found, they := "a gap", "it lacks"
	if len(gaps) > 1 {
		found, they = fmt.Sprintf("%d gaps, the first", len(gaps)), "they lack"
	}
	note := fmt.Sprintf("the times of %q have %s after %.6g s", r.TimeColumn, found, after)
	if missing == MissingDrop {
		r.Notes = append(r.Notes, note+": what follows was moved up, so that later times are earlier "+
			"than in the file")
		return nil
	}
	if lacking > n {
		return fmt.Errorf("%s: %s %d of %d positions, too many to fill in; must be cut there, or be "+
			"passed over (MissingDrop)", note, they, lacking, n+lacking)
	}
	if err := signal.CheckSize(d, n+lacking); err != nil {
		return err
	}
	filled := mat.NewDense(d, n+lacking, nil)
	for i := range d {
		row := r.Signals.RawRowView(i)
		filled.SetRow(i, withGaps(row, gaps, math.NaN()))
	}
	r.Signals = filled
	for k, a := range r.Aside {
		if len(a.Text) == n {
			r.Aside[k].Text = withGaps(a.Text, gaps, "")
		}
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%s: the %s that %s were filled in, and files written from "+
		"this one have them, too", note, text.Counted(lacking, "position"), they))
	return nil
}

// withGaps returns the values with others in the gaps.
func withGaps[T any](values []T, gaps []gap, other T) (all []T) {
	last := 0
	for _, g := range gaps {
		all = append(all, values[last:g.at]...)
		all = append(all, slices.Repeat([]T{other}, g.lacking)...)
		last = g.at
	}
	return append(all, values[last:]...)
}
