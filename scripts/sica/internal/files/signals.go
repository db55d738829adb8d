// Package files reads and writes the files of a command, and checks their names before any work
// begins.
package files

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/scripts/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/sica"
)

// Formats is the help on files of signals.
const Formats = `Files of signals are CSV, TSV, TXT or NPY, with a row for each position and a
column for each signal, WAV, EDF or BDF with a channel for each signal, or PNG
and PGM images of a signal each: repeat the flag to give several. A header of CSV
is optional; it names all columns, none by a number.`

// ReadSignals returns the signals, d×n, in a file or in several images. The shape of their
// positions is nil unless they are images.
func ReadSignals(paths []string) (z *mat.Dense, shape []int, err error) {
	if datasets.IsImage(paths[0]) {
		return datasets.ReadImages(paths...)
	}
	if len(paths) > 1 {
		return nil, nil, usage.Errorf("%d files of signals, beginning with %s: only images may "+
			"be several",
			len(paths), paths[0])
	}
	z, err = datasets.ReadFile(paths[0])
	return z, nil, err
}

// ReadRecording is ReadSignals with what the file says about the signals, such as their names.
func ReadRecording(paths []string) (r *datasets.Recording, shape []int, err error) {
	if datasets.IsImage(paths[0]) || len(paths) > 1 {
		z, shape, err := ReadSignals(paths)
		return &datasets.Recording{Signals: z}, shape, err
	}
	r, err = datasets.ReadRecording(paths[0])
	return r, nil, err
}

// WithSignals returns a recording of the signals z at the times of r, with its annotations and
// with the columns that were set aside.
func WithSignals(r *datasets.Recording, z *mat.Dense) *datasets.Recording {
	about := *r
	about.Signals, about.Names, about.Units = z, nil, nil
	return &about
}

// CheckChannels returns an error if a channel of the file has a name of the separation but not
// its place there: it would silently be mapped as another channel.
func CheckChannels(file string, names []string, r *sica.Result) error {
	for i, name := range names {
		if place := slices.Index(r.Channels, name); place >= 0 && place != i {
			return fmt.Errorf("%s: channel %q is number %d, in the separation it was %d: the "+
				"channels must be in the order %q", file, name, i+1, place+1, r.Channels)
		}
	}
	return nil
}

// CheckVaries returns an error that names a channel of the recording if it is constant.
func CheckVaries(file string, r *datasets.Recording) error {
	for i, name := range r.Names {
		if row := r.Signals.RawRowView(i); slices.Min(row) == slices.Max(row) {
			return fmt.Errorf("%s: channel %q has the same value at every position: leave it out",
				file, name)
		}
	}
	return nil
}

// NoteClocks prints which of the mixed signals may be clocks.
func NoteClocks(out io.Writer, x *mat.Dense) {
	for i := range x.RawMatrix().Rows {
		if isClock(x.RawRowView(i)) {
			fmt.Fprintf(out, "mixed signal %d rises by the same amount at every position: leave "+
				"it out if it is a clock\n", i+1)
		}
	}
}

// isClock reports whether the signal rises by the same amount at every position, up to a
// thousandth of it, as a column of times without a name does.
func isClock(signal []float64) bool {
	last := len(signal) - 1
	step := (signal[last] - signal[0]) / float64(last)
	for t, v := range signal {
		if !(step > 0) || math.Abs(v-signal[0]-float64(t)*step) > 1e-3*step {
			return false
		}
	}
	return true
}
