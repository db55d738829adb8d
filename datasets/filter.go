package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/electrode"
	"github.com/seed-47b1e431/gosica/internal/filter"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Filter removes slow drifts, fast noise and power-line hum from a recording, so that a
// separation can be learned from the rest. The separation is then applied to the unfiltered
// recording. The filters are those of sica separate --highpass, --lowpass and --notch. The zero
// value leaves signals unchanged.
//
// Each filter is applied once, forward: a high-pass of order 2 with two equal poles, a Butterworth
// low-pass of order 4, and for each multiple of a notch frequency a notch of order 2, whose width
// at half power is 2 Hz.
//
// The filters are causal and have minimal phase, so a filtered signal has the same innovations. A
// zero-phase filter would mix later innovations into earlier ones, and a method that uses each
// signal's past would find less in them.
type Filter struct {
	// Highpass is the frequency in Hz at which half of the amplitude remains, and below which less;
	// 0 for none.
	Highpass float64
	// Lowpass is the frequency in Hz at which 0.7 of the amplitude remains, and above which less; 0
	// for none.
	Lowpass float64
	// Notch are the frequencies in Hz that are removed, with their multiples; 0 is ignored.
	Notch []float64
}

// A Stretch is the positions of a recording from Begin, counted from 0, to before End.
type Stretch struct {
	Begin int `json:"begin"`
	End   int `json:"end"`
}

// Apply returns the signals x, d×n, at a rate in Hz, after the filter. Positions in the skipped
// stretches, if any, become straight lines, so that their values aren't smeared into the
// surroundings: leave them out by [Skip]. It doesn't change x.
//
// It is an error if x isn't finite outside of the stretches, if the rate isn't positive, if a
// frequency isn't below half of it, if x is shorter than a period of the high-pass filter or, with
// a notch, half a second, or if a stretch isn't within x.
func (f Filter) Apply(x *mat.Dense, rate float64, skipped ...Stretch) (*mat.Dense, error) {
	isSkipped, err := mark(x, skipped)
	if !slices.Contains(isSkipped, false) {
		clear(isSkipped) // there is nothing to draw lines between
	}
	if err == nil {
		err = checkKept(x, isSkipped)
	}
	if err != nil {
		return nil, fmt.Errorf("datasets: filter: %w", err)
	}
	d, n := x.Dims()
	if err = filter.Filter(f).Check(rate); err == nil {
		err = filter.Filter(f).CheckLength(n, rate)
	}
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	filtered := mat.DenseCopyOf(x)
	for i := range d {
		row := filtered.RawRowView(i)
		for t := range row {
			if isSkipped[t] {
				row[t] = math.NaN() // missing
			}
		}
		interpolate(row)
		filter.Filter(f).Apply(row, rate)
	}
	return filtered, nil
}

// Skip returns the signals x, d×n, without the positions in the stretches. The position after a
// stretch then follows the one before it. It doesn't change x. Values in the stretches may be NaN
// or infinite. It is an error if other values are, if no position is left, or if a stretch isn't
// within x.
func Skip(x *mat.Dense, skipped ...Stretch) (*mat.Dense, error) {
	isSkipped, err := mark(x, skipped)
	if err != nil {
		return nil, fmt.Errorf("datasets: skip: %w", err)
	}
	kept := unmarked(isSkipped)
	if kept == nil {
		return nil, fmt.Errorf("datasets: skip: all %d positions are skipped; must be fewer",
			len(isSkipped))
	}
	if err := checkKept(x, isSkipped); err != nil {
		return nil, fmt.Errorf("datasets: skip: %w", err)
	}
	return signal.Columns(x, kept), nil
}

// unmarked returns the indices that aren't marked; nil if all are marked.
func unmarked(marked []bool) (places []int) {
	for i, isMarked := range marked {
		if !isMarked {
			places = append(places, i)
		}
	}
	return places
}

// mark returns which positions of the signals x are skipped.
func mark(x *mat.Dense, skipped []Stretch) (isSkipped []bool, err error) {
	if x == nil || x.IsEmpty() {
		return nil, errNoSignals
	}
	_, n := x.Dims()
	isSkipped = make([]bool, n)
	for _, s := range skipped {
		if s.Begin < 0 || s.Begin >= s.End || s.End > n {
			return nil, fmt.Errorf("stretch from %d to before %d; must not be empty, and be within "+
				"0 to %d", s.Begin, s.End, n)
		}
		for t := s.Begin; t < s.End; t++ {
			isSkipped[t] = true
		}
	}
	return isSkipped, nil
}

// checkKept returns an error if a value of x is NaN or infinite at a position that isn't skipped.
func checkKept(x *mat.Dense, isSkipped []bool) error {
	d, _ := x.Dims()
	for i := range d {
		for t, v := range x.RawRowView(i) {
			if !signal.Finite(v) && !isSkipped[t] {
				return fmt.Errorf("signal %d is %v at position %d; must be finite outside of the "+
					"skipped stretches", i+1, v, t+1)
			}
		}
	}
	return nil
}

// Channel returns the row of the signal with the given name or, if no signal has it, with that
// electrode or type in upper or lower case, so that Fp1 finds "EEG Fp1-REF", and ECG "ECG V2".
// sica inspect finds its --reference this way. In a file without names it is the number of the
// column, counted from 1, as in [ReadOptions.Without]. It is an error if there is no such signal,
// or several.
func (r *Recording) Channel(name string) (int, error) {
	if r == nil {
		return 0, errors.New("datasets: channel: no recording; must not be nil")
	}
	switch found := electrode.Find(r.Names, name); len(found) {
	case 1:
		return found[0], nil
	case 0:
		if r.Names == nil {
			return r.numbered(name)
		}
		return 0, fmt.Errorf("datasets: channel %q isn't in the recording; must be one of %s", name,
			quoted(similarFirst(r.Names, name)))
	default:
		return 0, fmt.Errorf("datasets: channel %q is in several names; must be one of %s", name,
			quoted(selected(r.Names, found)))
	}
}

// numbered returns the row of the signal whose column in its file has this number, from 1.
func (r *Recording) numbered(text string) (int, error) {
	d := 0
	if r.Signals != nil {
		d, _ = r.Signals.Dims()
	}
	number, err := strconv.Atoi(text)
	row := slices.Index(r.places(d), number-1)
	if err != nil || row < 0 {
		return 0, fmt.Errorf("datasets: channel %q isn't in the recording, which has no names; "+
			"must be the number of a signal's column, from 1 on", text)
	}
	return row, nil
}
