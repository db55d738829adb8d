package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// Missing says how values that a file lacks are treated: empty cells, NA, NaN, numbers such as
// −9999 that a column has several times, far from its other values, and gaps in the times.
type Missing string

const (
	// MissingError refuses the file. It is the default.
	MissingError Missing = "error"
	// MissingInterpolate interpolates linearly between the signal's values before and after, and
	// repeats the nearest value at an end. A gap in the times of a text file is filled with the
	// lacking positions in the same way. [Recording].Interpolated says where.
	MissingInterpolate Missing = "interpolate"
	// MissingDrop leaves out the positions at which a signal lacks its value, and the Events and
	// the values of OtherRates there. The position after a gap, including one in the times, then
	// follows the one before it. Later times and Events shift.
	MissingDrop Missing = "drop"
)

// isFilled reports whether missing values are accepted.
func (m Missing) isFilled() bool { return m == MissingInterpolate || m == MissingDrop }

// fill interpolates or drops the missing values of r, which are NaN or a code, with a note. It is
// an error if a value isn't finite afterwards.
func (r *reading) fill(missing Missing) error {
	if err := r.fillMissing(missing); err != nil {
		return err
	}
	return checkValues(r.Signals, 0)
}

// fillMissing is fill without checking the values.
func (r *reading) fillMissing(missing Missing) error {
	if !missing.isFilled() {
		return nil
	}
	r.dropCodes()
	d, _ := r.Signals.Dims()
	lacking := make([][]int, d) // positions of each signal
	count := 0
	for i := range d {
		for t, v := range r.Signals.RawRowView(i) {
			if math.IsNaN(v) {
				lacking[i] = append(lacking[i], t)
				count++
			}
		}
	}
	switch {
	case count == 0:
		return nil
	case missing == MissingDrop:
		return r.drop(lacking)
	}
	return r.interpolate(lacking, count)
}

// interpolate interpolates the values that each signal lacks, count in all, with a note.
func (r *reading) interpolate(lacking [][]int, count int) error {
	for i := range lacking {
		if !interpolate(r.Signals.RawRowView(i)) {
			return fmt.Errorf("%q has no values at all; must be left out", column.Name(r.Names, i))
		}
	}
	r.filled = lacking
	verb := "were"
	if count == 1 {
		verb = "was"
	}
	r.Notes = append(r.Notes,
		fmt.Sprintf("%s %s interpolated", text.Counted(count, "missing value"), verb))
	r.findInterpolated()
	return nil
}

// findInterpolated sets Interpolated from the filled positions of the signals.
func (r *reading) findInterpolated() {
	r.Interpolated = nil
	positions := slices.Concat(r.filled...)
	slices.Sort(positions)
	for _, t := range positions {
		last := len(r.Interpolated) - 1
		if last >= 0 && t <= r.Interpolated[last].End {
			r.Interpolated[last].End = t + 1
			continue
		}
		r.Interpolated = append(r.Interpolated, Stretch{Begin: t, End: t + 1})
	}
}

// dropCodes replaces codes of missing values with NaN, with a note on each code.
func (r *Recording) dropCodes() {
	d, _ := r.Signals.Dims()
	var codes []float64
	names, counts := make(map[float64][]string), make(map[float64]int)
	for i := range d {
		for {
			code, count := dropCode(r.Signals.RawRowView(i))
			if count == 0 {
				break
			}
			if names[code] == nil {
				codes = append(codes, code)
			}
			names[code], counts[code] = append(names[code], column.Name(r.Names, i)), counts[code]+count
		}
	}
	for _, code := range codes {
		verb := "is"
		if len(names[code]) > 1 {
			verb = "are"
		}
		r.Notes = append(r.Notes, fmt.Sprintf("%s %s %g at %s, which was taken for missing values",
			quoted(names[code]), verb, code, text.Counted(counts[code], "position")))
	}
}

// dropCode replaces a code of missing values in a signal with NaN, and returns the code and how
// often it occurred.
func dropCode(values []float64) (code float64, count int) {
	var c column.Stats
	for _, v := range values {
		if !math.IsNaN(v) {
			c.Observe(v)
		}
	}
	code, count = c.MissingCode()
	for t, v := range values {
		if count > 0 && v == code {
			values[t] = math.NaN()
		}
	}
	return code, count
}

// drop leaves out the positions at which a signal lacks its value, with a note.
func (r *reading) drop(lacking [][]int) error {
	d, n := r.Signals.Dims()
	kept := remaining(n, slices.Concat(lacking...))
	if kept == nil {
		return errors.New("every position lacks a value; must have some that lack none")
	}
	r.judged = nil
	for i := range d {
		row := slices.Clone(r.Signals.RawRowView(i))
		interpolate(row)
		r.judged = append(r.judged, column.StatsOf(row))
	}
	for k, t := range r.Joints {
		r.Joints[k], _ = slices.BinarySearch(kept, t)
	}
	r.Joints = slices.DeleteFunc(slices.Compact(r.Joints), func(t int) bool {
		return t == 0 || t == len(kept)
	})
	for c := range r.Aside {
		r.Aside[c] = r.Aside[c].at(kept)
	}
	for c := range r.OtherRates {
		r.OtherRates[c] = r.OtherRates[c].alongside(kept, n)
	}
	if r.Rate > 0 {
		r.shiftEvents(kept, n)
	}
	r.Signals = signal.Columns(r.Signals, kept)
	note := "left out: " + text.Counted(n-len(kept), "position") + " with missing values"
	if r.TimeColumn != "" || len(r.Events) > 0 {
		note += "; times after them are earlier than in the file"
	}
	r.Notes = append(r.Notes, note)
	return nil
}

// alongside returns a signal of another rate at the kept ones of n positions. It is first resampled
// to a whole number of values per position.
func (c *Column) alongside(kept []int, n int) Column {
	each := (len(c.Values) + n - 1) / n
	whole := *c
	if len(c.Values) != each*n {
		whole.Values = Resample(c.Values, each*n)
	}
	var places []int
	for _, t := range kept {
		for k := range each {
			places = append(places, each*t+k)
		}
	}
	return whole.at(places)
}

// shiftEvents moves the events to their places among the kept ones of n positions, and drops those
// of which nothing is kept.
func (r *Recording) shiftEvents(kept []int, n int) {
	const rounding = 1e-6 // of times, in positions
	// dropped returns how many seconds before a time aren't kept, and whether its position is.
	dropped := func(time float64) (seconds float64, isKept bool) {
		position := time * r.Rate
		whole := math.Floor(position + rounding)
		switch {
		case whole >= float64(n):
			return float64(n-len(kept)) / r.Rate, true
		case !(whole >= 0):
			return 0, true
		}
		before, isKept := slices.BinarySearch(kept, int(whole))
		if isKept {
			position = whole
		}
		return (position - float64(before)) / r.Rate, isKept
	}
	var events []Event
	for _, e := range r.Events {
		before, isKept := dropped(e.Onset)
		if e.Duration > 0 {
			until, _ := dropped(e.Onset + e.Duration)
			e.Duration -= until - before
			isKept = isKept || e.Duration*r.Rate > rounding
		}
		e.Onset -= before
		if isKept {
			events = append(events, e)
		}
	}
	r.Events = events
}

// interpolate replaces NaN by linear interpolation between the values around it, or by the nearest
// value at an end. It reports whether the signal has any value.
func interpolate(values []float64) bool {
	last := -1
	for t, v := range values {
		if math.IsNaN(v) {
			continue
		}
		for gap := last + 1; gap < t; gap++ {
			values[gap] = v
			if last >= 0 {
				values[gap] = values[last] + (v-values[last])*float64(gap-last)/float64(t-last)
			}
		}
		last = t
	}
	for t := last + 1; last >= 0 && t < len(values); t++ {
		values[t] = values[last]
	}
	return last >= 0
}
