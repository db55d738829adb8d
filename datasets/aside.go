package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// A Column is a column of a file that isn't a signal. It has numbers or text.
type Column struct {
	Name   string
	Values []float64
	Text   []string
}

// cell returns what a file has in the column at a position; nothing beyond its end.
func (c *Column) cell(position int) string {
	switch {
	case position < len(c.Text):
		return c.Text[position]
	case position < len(c.Values):
		return strconv.FormatFloat(c.Values[position], 'g', -1, 64)
	}
	return ""
}

// at returns the column at some positions.
func (c *Column) at(positions []int) Column {
	kept := Column{Name: c.Name}
	for _, t := range positions {
		if c.Text != nil {
			kept.Text = append(kept.Text, c.Text[t])
		} else {
			kept.Values = append(kept.Values, c.Values[t])
		}
	}
	return kept
}

// markerNames are the names of columns of triggers and events, in lower case.
var markerNames = []string{
	"trigger", "triggers", "trig", "trg", "ttl", "marker", "markers", "event", "events", "stim", "stimulus", "sti", "status",
	"annotation", "annotations", "label", "labels",
}

// setAside moves the columns of r that can't be signals out of Signals into Aside, with a
// note for each: counters, numbers of epochs, constants, channels that are nearly always at
// the end of their range, and columns named as markers.
func (r *Recording) setAside() {
	d, n := r.Signals.Dims()
	if n < minAsidePositions {
		return
	}
	var kept []int
	for i := range d {
		signal, name := r.Signals.RawRowView(i), fmt.Sprintf("column %d", i+1)
		if r.Names != nil {
			name = r.Names[i]
		}
		reason := notASignal(name, signal)
		if reason == "" {
			kept = append(kept, i)
			continue
		}
		r.Aside = append(r.Aside, Column{Name: name, Values: slices.Clone(signal)})
		r.Notes = append(r.Notes, fmt.Sprintf("%q %s and was set aside", name, reason))
	}
	if len(kept) == d || len(kept) == 0 {
		if len(kept) == 0 { // all of them: the error that follows says more
			r.Aside, r.Notes = nil, nil
		}
		return
	}
	signals := mat.NewDense(len(kept), n, nil)
	var names, units []string
	for k, i := range kept {
		signals.SetRow(k, r.Signals.RawRowView(i))
		if r.Names != nil {
			names = append(names, r.Names[i])
		}
		if r.Units != nil {
			units = append(units, r.Units[i])
		}
	}
	r.Signals, r.Names, r.Units = signals, names, units
}

// minAsidePositions is how long a column must be to be judged: among fewer values a signal
// may count by chance. It is a choice.
const minAsidePositions = 32

// maxRailed is the share of positions at which a signal may be at the end of its range. A
// square wave has half, a channel without contact nearly all; it is a choice.
const maxRailed = 0.98

// notASignal says why a column can't be a signal, or nothing if it can.
func notASignal(name string, values []float64) string {
	low, high := slices.Min(values), slices.Max(values)
	if low == high {
		return "has the same value at every position"
	}
	lows, highs, steps, rises, falls, wraps := 0, 0, 0, 0, 0, 0
	integers := true
	for t, v := range values {
		integers = integers && v == math.Trunc(v)
		if v == low {
			lows++
		}
		if v == high {
			highs++
		}
		if t == 0 {
			continue
		}
		switch change := v - values[t-1]; {
		case change == 1:
			steps++
			rises++
		case change > 0:
			rises++
		case v == low && values[t-1] == high:
			wraps++
		case change < 0:
			falls++
		}
	}
	changes := len(values) - 1
	if integers && steps+wraps == changes && steps > 0 {
		return "counts the positions"
	}
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return c < 'a' || c > 'z' })
	named := slices.ContainsFunc(words, func(word string) bool { return slices.Contains(markerNames, word) })
	if named && integers {
		return "holds markers"
	}
	if integers && rises > 0 && rises == steps && falls+wraps == 0 && high-low+1 < float64(len(values)) {
		return "rises by 1 now and then, as the numbers of epochs do,"
	}
	if evenlyRising(values) {
		return "rises by the same amount at every position, as times do,"
	}
	if share := float64(max(lows, highs)) / float64(len(values)); share > maxRailed && !named && !integers {
		return fmt.Sprintf("is at the end of its range at %.0f %% of the positions", 100*share)
	}
	return ""
}

// evenlyRising reports whether a column rises by the same amount at every position, up to a
// thousandth of it.
func evenlyRising(values []float64) bool {
	last := len(values) - 1
	step := (values[last] - values[0]) / float64(last)
	for t, v := range values {
		if !(step > 0) || math.Abs(v-values[0]-float64(t)*step) > 1e-3*step {
			return false
		}
	}
	return true
}
