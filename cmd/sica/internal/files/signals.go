// Package files reads and writes the files of a command, and checks their names before any work
// begins.
package files

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
)

// Formats is the help on files of signals.
const Formats = `Signals are read from CSV, TSV, TXT or NPY files (a row for each position, a column
for each signal), from WAV, EDF, BDF, BrainVision (.vhdr) and EEGLAB files (.set; a
channel for each signal), from MAT-files of MATLAB, from EyeLink's .asc, or from PNG and
PGM images (a signal each). BrainVision, EEGLAB, MAT and .asc files are read only. Repeat the flag for
several files, such as images or a WAV file of each microphone. Columns that can't be
signals, such as counters, triggers and text, are left out, with a note. A header of
CSV is optional.`

// NoteAside says that the file of the signals recovered from a recording has columns besides, if it
// has.
func NoteAside(out io.Writer, r *datasets.Recording, path string) {
	if len(recovered(*r, 1, path).Aside) > 0 {
		Note(out, path+" also has what was set aside")
	}
}

// recovered describes d signals that were recovered from a recording and are written to a file:
// with its times, annotations and the columns that can't be channels, unless all columns of such a
// file are taken for signals. Columns before the first channel stay before the signals.
func recovered(about datasets.Recording, d int, path string) datasets.Recording {
	about.Names, about.Units = nil, nil // recovered signals have none
	switch strings.ToLower(filepath.Ext(path)) {
	case ".npy", ".wav":
		about.Aside = nil
	}
	if about.Places != nil {
		about.Places = slices.Repeat([]int{slices.Min(about.Places)}, d)
	}
	isChannel := func(c datasets.Column) bool { return c.Reason == "" }
	about.Aside = slices.DeleteFunc(slices.Clone(about.Aside), isChannel)
	return about
}

// SequenceShape returns the shape of n positions of a recording: that of a sequence if the given
// shape has one axis, or if it is nil and the recording has a rate, so that positions are times and
// no pixels; else the given one.
func SequenceShape(r *datasets.Recording, shape []int, n int) []int {
	if len(shape) == 1 || shape == nil && r.Rate > 0 {
		return []int{n}
	}
	return shape
}

// CheckVaries returns an error that names a channel of the recording if it is constant.
func CheckVaries(file string, r *datasets.Recording) error {
	if _, n := r.Signals.Dims(); n == 1 {
		return fmt.Errorf("%s: has one sample of each channel; must have more; "+usage.UseTranspose, file)
	}
	for i, name := range r.Names {
		if row := r.Signals.RawRowView(i); slices.Min(row) == slices.Max(row) {
			return fmt.Errorf("%s: channel %q has the same value at every position: leave it out",
				file, name)
		}
	}
	return nil
}
