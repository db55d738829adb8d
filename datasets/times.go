package datasets

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// mayHaveTimes reports whether the first of d columns may hold the times of n positions.
func (c *content) mayHaveTimes(d, n int) bool {
	if d < 2 || n < 2 {
		return false
	}
	if c.times.isSure {
		return true
	}
	if c.about.Names == nil {
		return false
	}
	_, isTime := column.TimeUnit(c.about.Names[0], "")
	return isTime
}

// splitTimes moves the times in the first column of r, if it is a column of increasing times, into
// the rate and the start of r. It is an error if they aren't evenly spaced, unless missing says how
// gaps are treated.
func (c *content) splitTimes(r *reading, missing Missing) error {
	d, n := r.Signals.Dims()
	if !c.mayHaveTimes(d, n) {
		return nil
	}
	first := r.Signals.RawRowView(0)
	clock := column.ClockOf(first)
	if !clock.Rises() {
		return nil
	}
	signals := mat.DenseCopyOf(r.Signals.Slice(1, d, 0, n))
	times := slices.Clone(first)
	coarse := clock.CoarseRate()
	var gaps column.Gaps
	if !clock.IsEven() && coarse == 0 && !clock.Drifts() {
		found, whole := column.FindGaps(times)
		if found == nil || !missing.isFilled() {
			return clock.Uneven(c.times.firstLine, missing.isFilled())
		}
		gaps, clock = found, whole
	}
	r.setTimes(clock, c.times.unit)
	r.noteSeconds(c.times.hasUnit())
	r.Signals = signals
	if gaps != nil {
		return r.closeGaps(gaps, missing)
	}
	if clock.IsEven() {
		return nil
	}
	if r.Places == nil { // the first column holds the times
		r.Places = grid.Range(d)[1:]
	}
	if coarse > 0 {
		r.Rate = column.RoundRate(r.Rate * clock.Step() * coarse)
	}
	if !c.times.isSure { // otherwise their text is there already
		r.Aside = append(r.Aside, Column{
			Name: r.TimeColumn, Values: times, Reason: "holds times that aren't evenly spaced",
		})
	}
	r.Notes = append(r.Notes, fmt.Sprintf("the times of %q drift or are rounded, by more than %d "+
		"positions: they were set aside, and the rate is their mean, %.6g Hz", r.TimeColumn,
		column.MaxJitter, r.Rate))
	r.TimeColumn, r.Start, r.hasMeanRate = "", 0, true
	return nil
}

// noteSeconds adds the UnitNote on a rate below 1 Hz if neither the file (hasUnit) nor the name of
// the column of times has a unit. Such columns often hold milliseconds.
func (r *Recording) noteSeconds(hasUnit bool) {
	_, named := column.TimeUnit(r.TimeColumn, "none") // whether the name has a unit
	if hasUnit || named || r.Rate >= 1 {
		return
	}
	r.UnitNote = fmt.Sprintf("%q was read as seconds, which gives a rate of %.4g Hz: if it has "+
		"another unit, add that to its name, as in \"%[1]s (ms)\"", r.TimeColumn, r.Rate)
	r.Notes = append(r.Notes, r.UnitNote)
}

// setTimes removes the column of times, in the given unit in seconds, from the names of r, and sets
// TimeColumn, Start and Rate.
func (r *Recording) setTimes(clock *column.Clock, unit float64) {
	name := "time"
	if r.Names != nil {
		name, r.Names = r.Names[0], r.Names[1:]
	}
	if r.Units != nil {
		r.Units = r.Units[1:]
	}
	if r.Places != nil {
		r.Places = r.Places[1:]
	}
	r.TimeColumn, r.Start, r.Rate = clock.Describe(name, unit)
}

// closeGaps makes the signals evenly spaced if their times have gaps, with a note: it fills the
// gaps with missing values, or closes them.
func (r *Recording) closeGaps(gaps column.Gaps, missing Missing) error {
	d, n := r.Signals.Dims()
	lacking := gaps.Lacking()
	after := r.Start + float64(gaps[0].At-1)/r.Rate
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

// withGaps returns the values with copies of other in the gaps.
func withGaps[T any](values []T, gaps column.Gaps, other T) (all []T) {
	last := 0
	for _, g := range gaps {
		all = append(all, values[last:g.At]...)
		all = append(all, slices.Repeat([]T{other}, g.Lacking)...)
		last = g.At
	}
	return append(all, values[last:]...)
}
