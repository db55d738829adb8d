package datasets

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/electrode"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// A Column is a column of a file that isn't a signal. It has numbers or text.
type Column struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"`
	Text   []string  `json:"text"`
	Unit   string    `json:"unit"`  // such as "uV"; empty if the file has none
	Place  int       `json:"place"` // index of the column in its file, from 0
	// Reason says why the column can't be a signal, for example because it counts or is text. It is
	// empty if the column could be a signal and was left out by choice.
	Reason string `json:"reason"`
}

// cell returns the text of the column at a position; empty beyond its end.
func (c *Column) cell(position int) string {
	switch {
	case position < len(c.Text):
		return c.Text[position]
	case position < len(c.Values):
		return strconv.FormatFloat(c.Values[position], 'g', -1, 64)
	}
	return ""
}

// at returns the column at the given positions.
func (c *Column) at(positions []int) Column {
	kept := *c
	kept.Values, kept.Text = nil, nil
	for _, t := range positions {
		if c.Text != nil {
			kept.Text = append(kept.Text, c.Text[t])
		} else {
			kept.Values = append(kept.Values, c.Values[t])
		}
	}
	return kept
}

// setAside moves the columns of r that aren't signals from Signals to Aside, with a note for each:
// the columns that the options don't choose or, without a choice, those that can't be signals.
func (r *reading) setAside(o *ReadOptions) error {
	d, n := r.Signals.Dims()
	columns := make([]column.Stats, d)
	for i := range columns {
		columns[i] = column.StatsOf(r.Signals.RawRowView(i))
	}
	if r.judged != nil {
		columns = r.judged
	}
	kept, notes, err := o.selectColumns(r.Recording, slices.Concat(r.Aside, r.OtherRates), columns)
	if err != nil {
		return err
	}
	r.Notes = append(r.Notes, notes...)
	defer r.noteJumps()
	if slices.Equal(kept, grid.Range(d)) {
		return nil
	}
	aside, rows := remaining(d, kept), signal.RowsOf(r.Signals)
	for _, i := range aside {
		if r.Joints == nil && columns[i].BeginsRuns(r.columnName(i), n) {
			var falls column.Joints
			for t, time := range rows[i] {
				falls.Observe(t, time)
			}
			r.Joints = falls.Positions
		}
	}
	r.split(kept, aside, columns, selected(rows, aside))
	r.Signals, r.filled = signal.Rows(selected(rows, kept)).Dense(), selected(r.filled, kept)
	r.findInterpolated()
	return nil
}

// split moves the columns that r describes, except the kept ones, to Aside with their values.
// values are nil for a recording too long to keep them.
func (r *reading) split(kept, aside []int, columns []column.Stats, values [][]float64) {
	places := r.places(len(columns))
	for k, i := range aside {
		name := r.columnName(i)
		r.setRate(name, &columns[i])
		if values == nil {
			continue
		}
		c := Column{
			Name: name, Values: slices.Clone(values[k]), Reason: columns[i].Reason(name), Place: places[i],
		}
		if r.Units != nil {
			c.Unit = r.Units[i]
		}
		r.Aside = append(r.Aside, c)
	}
	r.Names, r.Units = selected(r.Names, kept), selected(r.Units, kept)
	r.Places = selected(places, kept)
}

// selected returns the entries of all with the given indices; nil if all is nil.
func selected[T any](all []T, kept []int) (some []T) {
	if all == nil {
		return nil
	}
	for _, i := range kept {
		some = append(some, all[i])
	}
	return some
}

// columnName returns the name of signal i; without names, the number of its column.
func (r *Recording) columnName(i int) string {
	if r.Names == nil && r.Places != nil {
		i = r.Places[i]
	}
	return column.Name(r.Names, i)
}

// places returns Places; without them, the order of the d signals.
func (r *Recording) places(d int) []int {
	if r.Places == nil {
		return grid.Range(d)
	}
	return r.Places
}

// inFileOrder is the note if a separation is applied to a file without names.
const inFileOrder = "the file has no names: its columns were taken for the separation's channels in " +
	"their order"

// selectColumns returns the columns of r that are signals, in their order, with a note for each
// that can't be one. aside are the other columns of the file. In a file without names, numbers
// stand for columns.
func (o *ReadOptions) selectColumns(
	r *Recording, aside []Column, columns []column.Stats,
) (kept []int, notes []string, err error) {
	names, places := r.Names, r.places(len(columns))
	if len(o.Signals) > 0 && (names != nil || len(columns) == len(o.Signals)) {
		return o.selectSignals(names, columns)
	}
	without, err := findWithout(o.Without, names, places, aside)
	if err != nil {
		return nil, nil, err
	}
	var set column.Notes
	for i := range columns {
		name := r.columnName(i)
		if slices.Contains(without, i) {
			set.Add(name, "was left out, as asked")
			continue
		}
		if reason := columns[i].Reason(name); reason != "" {
			set.Add(name, reason+" and was set aside")
			continue
		}
		if err := codeError(name, &columns[i]); err != nil {
			return nil, nil, err
		}
		kept = append(kept, i)
	}
	notes = set.List()
	if len(o.Signals) > 0 && len(kept) != len(o.Signals) {
		return nil, nil, fmt.Errorf("there are %d channels without names; must be %d, the channels %s",
			len(columns), len(o.Signals), quoted(o.Signals))
	}
	if len(o.Signals) > 0 {
		notes = append(notes, inFileOrder)
	}
	if len(kept) == 0 && len(without) < len(columns) { // the error that follows says more
		return remaining(len(columns), without), nil, nil
	}
	if len(kept) == 0 {
		return nil, nil, errors.New("every channel is left out; must be at least one that isn't")
	}
	return kept, notes, nil
}

// selectSignals returns the columns of the separation's channels, by name if they have names.
func (o *ReadOptions) selectSignals(
	names []string, columns []column.Stats,
) (kept []int, notes []string, err error) {
	if kept = grid.Range(len(o.Signals)); names == nil {
		notes = append(notes, inFileOrder)
	} else if kept, err = findNames(names, o.Signals); err != nil {
		return nil, nil, err
	} else if !slices.IsSorted(kept) {
		notes = append(notes, "the channels are in another order than those of the "+
			"separation: they were taken by name")
	}
	for _, i := range kept {
		if err := codeError(column.Name(names, i), &columns[i]); err != nil {
			return nil, nil, err
		}
	}
	return kept, notes, nil
}

// findWithout returns the columns to leave out that aren't aside already. names are nil if the file
// has none. places are the indices of the columns in the file.
func findWithout(without, names []string, places []int, aside []Column) (columns []int, err error) {
	for _, name := range without {
		number, notNumber := strconv.Atoi(name)
		if slices.ContainsFunc(aside, func(c Column) bool {
			return c.Name == name || names == nil && notNumber == nil && c.Place == number-1
		}) {
			continue
		}
		i, err := findColumn(name, names, places)
		if err != nil {
			return nil, err
		}
		columns = append(columns, i)
	}
	return columns, nil
}

// findColumn returns the column to leave out with the given name or number.
func findColumn(name string, names []string, places []int) (int, error) {
	found := electrode.Find(names, name)
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		return 0, fmt.Errorf("%q to leave out is in the names of the %s; must be one of "+
			"them, or a number", name, channels(selected(names, found)))
	}
	number, err := strconv.Atoi(name)
	isNumber := err == nil
	if names == nil {
		if i := slices.Index(places, number-1); isNumber && i >= 0 {
			return i, nil
		}
		highest := 0
		if len(places) > 0 {
			highest = slices.Max(places) + 1
		}
		return 0, fmt.Errorf("there is no channel %q to leave out; must be a number up to %d, "+
			"as the file has no names", name, highest)
	}
	if isNumber && number >= 1 && number <= len(places) {
		return number - 1, nil
	}
	return 0, fmt.Errorf("there is no channel %q to leave out; must be one of %s, "+
		"or a number up to %d", name, quoted(similarFirst(names, name)), len(places))
}

// remaining returns the indices 0, …, n−1 except those in without.
func remaining(n int, without []int) []int {
	dropped := make([]bool, n)
	for _, i := range without {
		dropped[i] = true
	}
	return unmarked(dropped)
}

// findNames returns the indices of the wanted names in names, or an error that lists the missing
// ones.
func findNames(names, wanted []string) ([]int, error) {
	var places []int
	var lacking []string
	for _, name := range wanted {
		left := remaining(len(names), places)
		found := electrode.Find(selected(names, left), name)
		if len(found) != 1 {
			lacking = append(lacking, name)
			continue
		}
		places = append(places, left[found[0]])
	}
	if lacking == nil {
		return places, nil
	}
	spare := selected(names, remaining(len(names), places))
	if spare == nil {
		return nil, fmt.Errorf("the file lacks the separation's %s; must have all of them",
			channels(lacking))
	}
	return nil, fmt.Errorf("the file lacks the separation's %s, and it has the %s besides; "+
		"must name each as it was", channels(lacking), channels(spare))
}

// channels returns "channel" or "channels", followed by the names.
func channels(names []string) string {
	if len(names) == 1 {
		return "channel " + quoted(names)
	}
	return "channels " + quoted(names)
}

// similarFirst returns the names, beginning with those that contain the lacking name or are
// contained in it, in any case, as eog in EOG1.
func similarFirst(names []string, lacking string) []string {
	isSimilar := func(name string) bool {
		a, b := strings.ToLower(name), strings.ToLower(lacking)
		return strings.Contains(a, b) || strings.Contains(b, a)
	}
	var similar, others []string
	for _, name := range names {
		if isSimilar(name) {
			similar = append(similar, name)
		} else {
			others = append(others, name)
		}
	}
	return slices.Concat(similar, others)
}

// maxQuotedNames is the largest number of names in an error: all channels of the largest EEG caps.
const maxQuotedNames = 300

// quoted lists names in quotation marks.
func quoted(names []string) string {
	var words []string
	for _, name := range names {
		words = append(words, strconv.Quote(text.Shortened(name)))
	}
	return listed(words, maxQuotedNames)
}

// listed returns at most limit words, separated by commas, and the number of the others.
func listed(words []string, limit int) string {
	if more := len(words) - limit; more > 0 {
		words = append(slices.Clone(words[:limit]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// codeError returns the error for a code of missing values in the named column.
func codeError(name string, c *column.Stats) error {
	code, count := c.MissingCode()
	if count == 0 {
		return nil
	}
	return fmt.Errorf("%q is %g at %d positions, far from its other values, as programs write for "+
		"missing ones; must be filled in (MissingInterpolate) or left out, by position (MissingDrop) or "+
		"by column (ReadOptions.Without)", name, code, count)
}

// setRate sets the rate, unless even times determined it, from a column set aside whose name and
// values are even times, and adds a note.
func (r *reading) setRate(name string, c *column.Stats) {
	step := c.Step(name)
	if r.Rate > 0 && !r.hasMeanRate || step == 0 {
		return
	}
	r.Rate, r.hasMeanRate = column.RoundRate(1/step), false
	r.Notes = append(r.Notes, fmt.Sprintf("%q gives the rate, %.6g Hz", name, r.Rate))
}
