package datasets

import (
	"errors"
	"fmt"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
)

// maxLengthDifference is by how much of the longest the lengths of files of one recording may
// differ: microphones that are started by hand differ by a second in half a minute. A choice.
const maxLengthDifference = 0.05

// Recordings reads one recording from several files, such as a WAV file for each microphone.
// Their rates must be the same. Files that are longer than the shortest by less than a twentieth
// are cut to its length, with a note. Signals have names if those of all files have. Of
// annotations and columns that were set aside those of the first file are kept.
func (o ReadOptions) Recordings(paths ...string) (*Recording, error) {
	if len(paths) == 0 {
		return nil, errors.New("datasets: paths: no files; must be at least one")
	}
	if len(paths) == 1 {
		return o.Recording(paths[0])
	}
	var all []*Recording
	d, shortest, longest := 0, 0, 0
	for i, path := range paths {
		r, err := readColumns(path, &o, true)
		if err != nil {
			return nil, err
		}
		rows, n := r.Signals.Dims()
		if d += rows; i == 0 {
			shortest = n
		}
		shortest, longest = min(shortest, n), max(longest, n)
		if r.Rate != 0 && all != nil && all[0].Rate != 0 && r.Rate != all[0].Rate {
			return nil, fmt.Errorf("datasets: read %s: the rate is %g Hz; must be %g Hz, as of %s",
				path, r.Rate, all[0].Rate, paths[0])
		}
		all = append(all, r)
	}
	if float64(longest-shortest) > maxLengthDifference*float64(longest) {
		return nil, fmt.Errorf("datasets: the files, beginning with %s, have %d to %d positions; must "+
			"have nearly the same number", paths[0], shortest, longest)
	}
	if err := checkSize(d, shortest); err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	joined := *all[0]
	joined.Signals = mat.NewDense(d, shortest, nil)
	joined.Names, joined.Units, joined.Notes = nil, nil, nil
	row, named := 0, true
	for i, r := range all {
		rows, _ := r.Signals.Dims()
		if named = named && r.Names != nil; named {
			joined.Names = append(joined.Names, r.Names...)
		}
		for k := range rows {
			copy(joined.Signals.RawRowView(row), r.Signals.RawRowView(k))
			row++
		}
		for _, note := range r.Notes {
			joined.Notes = append(joined.Notes, filepath.Base(paths[i])+": "+note)
		}
	}
	if longest > shortest {
		joined.Notes = append(joined.Notes, fmt.Sprintf("the files have %d to %d positions: all are "+
			"cut to %d", shortest, longest, shortest))
	}
	for c := range joined.Aside {
		joined.Aside[c] = joined.Aside[c].at(indices(shortest))
	}
	joined.Names = distinctNames(joined.Names)
	if !named {
		joined.Names = nil
	}
	if err := joined.setAside(&o); err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	return &joined, nil
}
