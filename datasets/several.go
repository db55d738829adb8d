package datasets

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// maxLengthDifference is the largest difference between the lengths of one recording's files, as a
// share of the longest. Microphones started by hand differ by a second in half a minute.
const maxLengthDifference = 0.05

// Recordings reads one recording from several files, such as a WAV file for each microphone. Files
// that have a rate must have the same. Files whose lengths differ by at most a twentieth of the
// longest are cut to the shortest, with a note. Signals have names if every file names its own.
// Annotations and columns set aside are those of the first file.
//
// Files that share names, two or more and at least half of each file's, are runs: they follow one
// another, with a note, and Joints says where. The order of names may differ. Columns that some run
// lacks are left out.
func (o ReadOptions) Recordings(paths ...string) (*Recording, error) {
	if len(paths) == 0 {
		return nil, errors.New("datasets: paths: no files; must be at least one")
	}
	if len(paths) == 1 {
		return o.Recording(paths[0])
	}
	var all []*Recording
	hasMeanRate, rate, ratedPath := false, 0.0, ""
	for _, path := range paths {
		r, err := readColumns(path, &o, true)
		if err != nil {
			return nil, err
		}
		if rate == 0 {
			rate, ratedPath = r.Rate, path
		}
		if r.Rate != 0 && r.Rate != rate {
			return nil, fmt.Errorf("datasets: read %s: the rate is %g Hz; must be %g Hz, as of %s",
				path, r.Rate, rate, ratedPath)
		}
		if len(all) == 0 {
			hasMeanRate = r.hasMeanRate
		}
		all = append(all, r.Recording)
	}
	all[0].Rate = rate
	var joined *Recording
	var err error
	if names := sharedNames(all); names != nil {
		joined, err = joinRuns(all, names, paths)
	} else {
		joined, err = join(all, paths)
	}
	if err == nil {
		joined, err = (&reading{Recording: joined, hasMeanRate: hasMeanRate}).finish(&o)
	}
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	return joined, nil
}

// join returns one recording with the signals of all, cut to the shortest. paths are the files of
// all, for errors and notes.
func join(all []*Recording, paths []string) (*Recording, error) {
	d, shortest, longest := 0, math.MaxInt, 0
	isNamed, hasUnits := true, false
	for _, r := range all {
		rows, n := r.Signals.Dims()
		d, shortest, longest = d+rows, min(shortest, n), max(longest, n)
		isNamed = isNamed && r.Names != nil
		hasUnits = hasUnits || r.Units != nil
	}
	if float64(longest-shortest) > maxLengthDifference*float64(longest) {
		return nil, fmt.Errorf("the files, beginning with %s, have %d to %d positions; must "+
			"have nearly the same number, as they are channels of one recording, or the same names of "+
			"two channels or more, as runs of it", paths[0], shortest, longest)
	}
	if err := signal.CheckSize(d, shortest); err != nil {
		return nil, err
	}
	joined := *all[0]
	joined.Names, joined.Units, joined.Notes = nil, nil, joinedNotes(all, paths)
	joined.Places, joined.NoHeader, joined.OtherRates = nil, false, nil
	var rows [][]float64
	for _, r := range all {
		for _, row := range signal.RowsOf(r.Signals) {
			rows = append(rows, row[:shortest])
		}
		if isNamed {
			joined.Names = append(joined.Names, r.Names...)
		}
		if hasUnits && r.Units == nil {
			joined.Units = append(joined.Units, make([]string, r.Signals.RawMatrix().Rows)...)
		} else {
			joined.Units = append(joined.Units, r.Units...)
		}
	}
	joined.Signals, joined.Names = signal.Rows(rows).Dense(), column.DistinctNames(joined.Names)
	if first := all[0].Signals.RawMatrix().Rows; first > 1 && first*len(all) == d {
		joined.Notes = append(joined.Notes, fmt.Sprintf("the %d files are channels beside each other, %d in "+
			"all; put runs of the same channels into one file", len(all), d))
	}
	if longest > shortest {
		joined.Notes = append(joined.Notes, fmt.Sprintf("the files have %d to %d positions: all "+
			"are cut to %d", shortest, longest, shortest))
	}
	for c := range joined.Aside {
		joined.Aside[c] = joined.Aside[c].at(grid.Range(shortest))
	}
	return &joined, nil
}

// joinedNotes returns the distinct notes of several files, with the name of the first file that has
// each and how many others do.
func joinedNotes(all []*Recording, paths []string) (notes []string) {
	files := make(map[string][]string)
	var order []string
	for i, r := range all {
		for _, note := range r.Notes {
			if files[note] == nil {
				order = append(order, note)
			}
			files[note] = append(files[note], filepath.Base(paths[i]))
		}
	}
	for _, note := range order {
		name := files[note][0]
		if others := len(files[note]) - 1; others > 0 {
			name += fmt.Sprintf(" and %s", text.Counted(others, "other file"))
		}
		notes = append(notes, name+": "+note)
	}
	return notes
}
