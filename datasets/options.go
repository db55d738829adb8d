package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/electrode"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// Missing is what happens to values that a file lacks: empty cells, NA, NaN, numbers such as −9999
// that a column has several times, far from its other values, and gaps in the times.
type Missing string

const (
	// MissingError refuses the file. It is the default.
	MissingError Missing = "error"
	// MissingInterpolate interpolates linearly between the signal's values before and after, and
	// repeats the nearest one at an end. A gap in the times of a text file is filled in likewise
	// with the positions that it lacks. [Recording].Interpolated says where.
	MissingInterpolate Missing = "interpolate"
	// MissingDrop leaves out the positions at which a signal lacks its value, and the Events and
	// the values of OtherRates there. The position after a gap, also one in the times, then follows
	// the one before it. Later times and Events shift.
	MissingDrop Missing = "drop"
)

// isFilled reports whether missing values are no error.
func (m Missing) isFilled() bool { return m == MissingInterpolate || m == MissingDrop }

// ReadOptions settle what a file of signals leaves open. The zero value reads what
// [ReadRecording] does.
type ReadOptions struct {
	// Missing is what happens to missing values; "" is MissingError.
	Missing Missing
	// Transpose reads a row for each signal and a column for each position.
	Transpose bool
	// Separator is what stands between the cells of a text file: one character, "tab" or
	// "space". Decimal is the decimal sign, "." or ",". For "" the text decides.
	Separator, Decimal string
	// Variable is the name of the matrix or vector of a MAT-file that holds the signals, such as
	// "x" or "recording.data". For "" there must be only one.
	Variable string
	// Shape is that of the positions of an NPY array of three axes or more, of which they are the
	// first ones or the last: {64, 64} reads [3, 64, 64] as three images, and [64, 64, 200] as 200.
	// The length of a sequence is their product, or that of epochs [epochs, d, n]: {600} reads
	// [600, 24, 28] as a movie, whose pixels are signals, as does {600, 24, 28}. For nil such an
	// array is epochs or an error.
	Shape []int
	// Signals are the names of the columns that are read as signals, in this order: the channels
	// of a separation to apply, for example. All other columns are set aside. A file without names
	// must have as many columns as Signals. For nil the values decide: counters and constants, for
	// example, are set aside.
	Signals []string
	// Without are the columns to set aside: names, or numbers from 1 on. Without a header these
	// count all columns of the file, with one those of signals.
	Without []string

	skipText bool // columns of text aren't kept
	// keepsMissing leaves missing values as NaN, for Recordings to fill them in or drop them.
	keepsMissing bool

	numeric []int // columns of a text file that are channels, though its first rows have no numbers
}

// isLeftOut reports whether the column of a name is set aside by choice.
func (o *ReadOptions) isLeftOut(name string) bool {
	if len(o.Signals) > 0 {
		return electrode.Find(o.Signals, name) == nil
	}
	return slices.Contains(o.Without, name)
}

// errTranspose is the error of Transpose for formats that say which numbers are a signal's.
var errTranspose = errors.New("the file says which numbers are a signal's; " +
	"must not be transposed")

// Validate returns an error unless Separator, Decimal and Missing have one of their values.
func (o ReadOptions) Validate() error {
	if _, _, err := o.signs(); err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	return nil
}

// signs returns the separator and the decimal sign, 0 for one that the text decides. It is an error
// if one of them, or Missing, hasn't one of its values.
func (o *ReadOptions) signs() (separator, decimal rune, err error) {
	switch o.Separator {
	case "":
	case "tab":
		separator = '\t'
	case "space":
		separator = ' '
	default:
		var size int
		if separator, size = utf8.DecodeRuneInString(o.Separator); size != len(o.Separator) {
			return 0, 0, fmt.Errorf("separator %q; must be one character, tab or space", o.Separator)
		}
	}
	switch o.Decimal {
	case "":
	case ".", ",":
		decimal = rune(o.Decimal[0])
	default:
		return 0, 0, fmt.Errorf("decimal sign %q; must be . or ,", o.Decimal)
	}
	switch o.Missing {
	case "", MissingError, MissingInterpolate, MissingDrop:
	default:
		return 0, 0, fmt.Errorf("missing %q; must be %s, %s or %s",
			o.Missing, MissingError, MissingInterpolate, MissingDrop)
	}
	return separator, decimal, nil
}

// fill interpolates or drops the missing values of r, which are NaN or a code, with a note. It is
// an error if a value isn't finite then.
func (o *ReadOptions) fill(r *Recording) error {
	if err := o.fillMissing(r); err != nil {
		return err
	}
	return checkValues(r.Signals, 0)
}

// fillMissing is fill without checking the values.
func (o *ReadOptions) fillMissing(r *Recording) error {
	d, n := r.Signals.Dims()
	incomplete := make([]bool, n) // positions
	count := 0
	if o.Missing.isFilled() {
		r.dropCodes()
	}
	for i := range d {
		for t, v := range r.Signals.RawRowView(i) {
			if math.IsNaN(v) {
				incomplete[t] = true
				count++
			}
		}
	}
	if count == 0 {
		return nil
	}
	switch o.Missing {
	case MissingInterpolate:
		return r.interpolate(count)
	case MissingDrop:
		return r.drop(incomplete)
	}
	return nil
}

// interpolate interpolates the missing values, count of them, with a note.
func (r *Recording) interpolate(count int) error {
	d, _ := r.Signals.Dims()
	r.filled = make([][]int, d)
	for i := range d {
		for t, v := range r.Signals.RawRowView(i) {
			if math.IsNaN(v) {
				r.filled[i] = append(r.filled[i], t)
			}
		}
		if !interpolate(r.Signals.RawRowView(i)) {
			return fmt.Errorf("%q has no values at all; must be left out", column.Name(r.Names, i))
		}
	}
	verb := "were"
	if count == 1 {
		verb = "was"
	}
	r.Notes = append(r.Notes,
		fmt.Sprintf("%s %s interpolated", text.Counted(count, "missing value"), verb))
	r.findInterpolated()
	return nil
}

// findInterpolated sets Interpolated by the filled positions of the signals.
func (r *Recording) findInterpolated() {
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

// dropCodes replaces codes of missing values by NaN, with a note on each code.
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

// dropCode replaces a code of missing values in a signal by NaN, and returns it and how often it
// was there.
func dropCode(signal []float64) (code float64, count int) {
	var c columnStats
	for _, v := range signal {
		if !math.IsNaN(v) {
			c.observe(v)
		}
	}
	code, count = c.missingCode()
	for t, v := range signal {
		if count > 0 && v == code {
			signal[t] = math.NaN()
		}
	}
	return code, count
}

// drop leaves out the incomplete positions, with a note.
func (r *Recording) drop(incomplete []bool) error {
	var kept []int
	for t, isIncomplete := range incomplete {
		if !isIncomplete {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		return errors.New("every position lacks a value; must have some that lack none")
	}
	d, n := r.Signals.Dims()
	r.judged = nil
	for i := 0; i < d && n >= minAsidePositions; i++ {
		row := slices.Clone(r.Signals.RawRowView(i))
		interpolate(row)
		r.judged = append(r.judged, statsOf(row))
	}
	for k, t := range r.Joints {
		r.Joints[k], _ = slices.BinarySearch(kept, t)
	}
	r.Joints = slices.DeleteFunc(slices.Compact(r.Joints), func(t int) bool {
		return t == 0 || t == len(kept)
	})
	signals := mat.NewDense(d, len(kept), nil)
	for k, t := range kept {
		signals.SetCol(k, mat.Col(nil, t, r.Signals))
	}
	for c := range r.Aside {
		r.Aside[c] = r.Aside[c].at(kept)
	}
	for c := range r.OtherRates {
		r.OtherRates[c] = r.OtherRates[c].alongside(kept, n)
	}
	if r.Rate > 0 {
		r.shiftEvents(kept, n)
	}
	r.Signals = signals
	note := fmt.Sprintf("%d positions with missing values were left out", n-len(kept))
	if r.TimeColumn != "" || len(r.Events) > 0 {
		note += "; times after them are earlier than in the file"
	}
	r.Notes = append(r.Notes, note)
	return nil
}

// alongside returns a signal of another rate at the kept ones of n positions. It has a whole number
// of values at each, to which it is resampled first.
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

// shiftEvents moves the events to where they are among the kept ones of n positions, and drops
// those of which nothing is kept.
func (r *Recording) shiftEvents(kept []int, n int) {
	const rounding = 1e-6 // of times, in positions
	// dropped returns how much before a time isn't kept, in seconds, and whether its position is.
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
// value at an end. It reports whether the signal has a value.
func interpolate(signal []float64) bool {
	last := -1
	for t, v := range signal {
		if math.IsNaN(v) {
			continue
		}
		for gap := last + 1; gap < t; gap++ {
			signal[gap] = v
			if last >= 0 {
				signal[gap] = signal[last] + (v-signal[last])*float64(gap-last)/float64(t-last)
			}
		}
		last = t
	}
	for t := last + 1; last >= 0 && t < len(signal); t++ {
		signal[t] = signal[last]
	}
	return last >= 0
}
