package datasets

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// sharedNames returns the names of the channels of files that are runs: the names that all files
// have, two or more and at least half of each file's. It is nil if the files aren't runs.
func sharedNames(all []*Recording) (names []string) {
	largest := 0
	for _, r := range all {
		largest = max(largest, len(r.Names))
	}
	for _, name := range all[0].Names {
		if !slices.ContainsFunc(all, func(r *Recording) bool { return !slices.Contains(r.Names, name) }) {
			names = append(names, name)
		}
	}
	if len(names) < 2 || 2*len(names) < largest {
		return nil
	}
	return names
}

// joinRuns returns one recording of the named channels with the runs one after another. paths are
// their files, for errors and notes.
func joinRuns(all []*Recording, names, paths []string) (*Recording, error) {
	d, n, others := len(names), 0, otherNames(all, names)
	for i, r := range all {
		if err := r.reorder(names); err != nil {
			return nil, fmt.Errorf("%s: %w", paths[i], err)
		}
		if u := all[0].Units; u != nil && r.Units != nil && !slices.Equal(u, r.Units) {
			return nil, fmt.Errorf("read %s: the units are %s; must be %s, as of %s", paths[i],
				quoted(r.Units), quoted(u), paths[0])
		}
		n += r.Signals.RawMatrix().Cols
	}
	if err := signal.CheckSize(d, n); err != nil {
		return nil, err
	}
	joined := *all[0]
	joined.Signals, joined.OtherRates, joined.Origin = mat.NewDense(d, n, nil), nil, nil
	joined.Aside, joined.Events, joined.Notes = joinedAside(all), nil, joinedNotes(all, paths)
	position := 0
	for _, r := range all {
		if position > 0 {
			joined.Joints = append(joined.Joints, position)
		}
		for k := range d {
			copy(joined.Signals.RawRowView(k)[position:], r.Signals.RawRowView(k))
		}
		for _, e := range r.Events {
			if joined.Rate > 0 {
				e.Onset += float64(position) / joined.Rate
			}
			joined.Events = append(joined.Events, e)
		}
		position += r.Signals.RawMatrix().Cols
	}
	if others != nil {
		joined.Notes = append(joined.Notes, "not in every run, and left out: "+quoted(others))
	}
	joined.Notes = append(joined.Notes, fmt.Sprintf("the %d files have the same channels, so they follow "+
		"one another as runs; with other names in each they are channels beside each other", len(all)))
	return &joined, nil
}

// otherNames returns the names of channels that aren't in names.
func otherNames(all []*Recording, names []string) (others []string) {
	for _, r := range all {
		for _, name := range r.Names {
			if !slices.Contains(names, name) && !slices.Contains(others, name) {
				others = append(others, name)
			}
		}
	}
	return others
}

// reorder makes the signals of r those with these names, in their order.
func (r *Recording) reorder(names []string) error {
	if slices.Equal(r.Names, names) {
		return nil
	}
	order, err := findNames(r.Names, names)
	if err != nil {
		return err
	}
	r.Signals, r.Places = signal.Rows(selected(signal.RowsOf(r.Signals), order)).Dense(), nil
	r.Names, r.Units = names, selected(r.Units, order)
	return nil
}

// joinedAside returns the columns that every run has set aside, with the runs one after another.
func joinedAside(all []*Recording) (columns []Column) {
	for _, c := range all[0].Aside {
		whole := c
		whole.Values, whole.Text = nil, nil
		isEverywhere := true
		for _, r := range all {
			k := slices.IndexFunc(r.Aside, func(a Column) bool { return a.Name == c.Name })
			_, n := r.Signals.Dims()
			if k < 0 || len(r.Aside[k].Text) != n && len(r.Aside[k].Values) != n {
				isEverywhere = false
				break
			}
			whole.Text = append(whole.Text, r.Aside[k].Text...)
			whole.Values = append(whole.Values, r.Aside[k].Values...)
		}
		if isEverywhere && (whole.Text == nil || whole.Values == nil) {
			columns = append(columns, whole)
		}
	}
	return columns
}

// minJump is the least difference between the means of two runs, in standard deviations within
// runs, for a note. Smaller jumps change a separation little.
const minJump = 1

// noteJumps adds a note on the channels whose means jump between runs.
func (r *Recording) noteJumps() {
	if r.Joints == nil {
		return
	}
	_, n := r.Signals.Dims()
	var names []string
	largest := 0.0
	for i := range r.Signals.RawMatrix().Rows {
		jump := jumpOf(r.Signals.RawRowView(i), slices.Concat([]int{0}, r.Joints, []int{n}))
		if jump >= minJump {
			names = append(names, r.columnName(i))
		}
		largest = max(largest, jump)
	}
	if names == nil {
		return
	}
	r.Notes = append(r.Notes, fmt.Sprintf("the means of %s jump between the runs, by up to %.2g standard "+
		"deviations, which looks like a source: a high-pass filter takes that out",
		listed(names, maxQuotedNames), largest))
}

// jumpOf returns the largest difference between the means of two consecutive runs, in standard
// deviations within runs. Run k is from ends[k] up to but not including ends[k+1].
func jumpOf(values []float64, ends []int) (jump float64) {
	var means []float64
	squares := 0.0
	for k := range len(ends) - 1 {
		run := values[ends[k]:ends[k+1]]
		mean := stat.Mean(run, nil)
		means = append(means, mean)
		for _, v := range run {
			squares += (v - mean) * (v - mean)
		}
	}
	for k := range len(means) - 1 {
		jump = max(jump, math.Abs(means[k+1]-means[k]))
	}
	deviation := math.Sqrt(squares / float64(len(values)))
	if jump == 0 || deviation == 0 || !signal.Finite(floats.Norm(means, 2)) {
		return 0
	}
	return jump / deviation
}
