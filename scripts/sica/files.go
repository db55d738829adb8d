package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/sica"
)

// formats is what the help says of files of signals.
const formats = `Files of signals are CSV or NPY, with a row for each position and a column for
each signal, WAV with a channel for each signal, or PNG and PGM images of a
signal each: repeat the flag to give several. A header of CSV is optional; it
names all columns, none by a number.`

// require returns a usage error unless all of the flags were given, and not as "".
func require(cmd *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if cmd.Flags().Lookup(name).Value.String() == "" || !cmd.Flags().Changed(name) {
			return usagef("--%s is missing; see sica %s --help", name, cmd.Name())
		}
	}
	return nil
}

// checkBackend returns a usage error unless --backend names one.
func checkBackend(name string) error {
	if !slices.Contains(backend.Names(), name) {
		return usagef("unknown --backend %q: use %s", name, strings.Join(backend.Names(), ", "))
	}
	return nil
}

// readSignals reads the signals d×T of a file, or of several images. The shape
// of the position index is nil unless the files are images.
func readSignals(paths []string) (z *mat.Dense, shape []int, err error) {
	if datasets.IsImage(paths[0]) {
		return datasets.ReadImages(paths...)
	}
	if len(paths) > 1 {
		return nil, nil, usagef("%d files of signals, beginning with %s: only images may be several", len(paths), paths[0])
	}
	z, err = datasets.ReadFile(paths[0])
	return z, nil, err
}

// readRecording is readSignals with what the file says of the signals.
func readRecording(paths []string) (r *datasets.Recording, shape []int, err error) {
	if datasets.IsImage(paths[0]) || len(paths) > 1 {
		z, shape, err := readSignals(paths)
		return &datasets.Recording{Signals: z}, shape, err
	}
	r, err = datasets.ReadRecording(paths[0])
	return r, nil, err
}

// like are signals at the positions of r.
func like(r *datasets.Recording, z *mat.Dense) *datasets.Recording {
	return &datasets.Recording{Signals: z, Rate: r.Rate, TimeColumn: r.TimeColumn, Start: r.Start}
}

// checkChannels returns an error if channels of a file are named as those of the separation
// are, but stand at other places: it would map them silently as what they aren't.
func checkChannels(file string, names []string, r *sica.Result) error {
	for place, name := range names {
		if at := slices.Index(r.Channels, name); at >= 0 && at != place {
			return fmt.Errorf("%s: channel %q is number %d, in the separation it was %d: want the channels in the order %q", file, name, place+1, at+1, r.Channels)
		}
	}
	return nil
}

// noteClocks says which of the mixed signals may be clocks.
func noteClocks(out io.Writer, x *mat.Dense) {
	for i := range x.RawMatrix().Rows {
		if isClock(x.RawRowView(i)) {
			fmt.Fprintf(out, "signal %d of the mixed ones rises by the same at every position: leave it out if it is a clock\n", i+1)
		}
	}
}

// checkVaries returns an error that names a channel of the recording if it is constant.
func checkVaries(file string, r *datasets.Recording) error {
	for i, name := range r.Names {
		if row := r.Signals.RawRowView(i); slices.Min(row) == slices.Max(row) {
			return fmt.Errorf("%s: channel %q has the same value at every position: leave it out", file, name)
		}
	}
	return nil
}

// isClock is whether a signal rises by the same, to a thousandth, at every position, as a
// column of times does that isn't called so.
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

// checkWritable returns an error unless a file can be made at path. Commands
// that work for long call it before they begin.
func checkWritable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("can't write %s: it is a folder", path)
	}
	probe, err := os.CreateTemp(filepath.Dir(path), ".sica-*.tmp")
	if err != nil {
		return fmt.Errorf("can't write %s: %w", path, errors.Unwrap(err))
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// writeJSON writes v to a file, whole or not at all.
func writeJSON(path string, v any) error {
	return atomicfile.Write(path, func(w io.Writer) error { return printJSON(w, v) })
}

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// place is a file or a folder that a flag names.
type place struct{ flag, path string }

// checkApart returns a usage error if two of the places are the same or one is
// within the other: what is written to one could then end what is in the other. A
// place without a path is none.
func checkApart(places ...place) error {
	for i, a := range places {
		for _, b := range places[:i] {
			if a.path == "" || b.path == "" {
				continue
			}
			switch {
			case within(a.path, b.path) && within(b.path, a.path):
				return usagef("%s and %s name the same file or folder, %s", b.flag, a.flag, b.path)
			case within(a.path, b.path):
				return usagef("%s %s is within %s %s: use another place", a.flag, a.path, b.flag, b.path)
			case within(b.path, a.path):
				return usagef("%s %s is within %s %s: use another place", b.flag, b.path, a.flag, a.path)
			}
		}
	}
	return nil
}

// checkNotRead returns a usage error if one of the places is a file that a flag gives
// to be read: writing would end it. A place without a path is none.
func checkNotRead(flag string, read []string, places ...place) error {
	for _, path := range read {
		for _, p := range places {
			if p.path != "" && sameFile(path, p.path) {
				return usagef("%s and %s name the same file, %s: it would be overwritten", flag, p.flag, path)
			}
		}
	}
	return nil
}

// sameFile tells whether two paths are those of one file that is there, by a link too.
func sameFile(a, b string) bool {
	infoA, err1 := os.Stat(a)
	infoB, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(infoA, infoB)
}

// within tells whether a path is that of a folder or of something in it.
func within(path, folder string) bool {
	inner, err1 := filepath.Abs(path)
	outer, err2 := filepath.Abs(folder)
	if err1 != nil || err2 != nil {
		return false
	}
	relative, err := filepath.Rel(outer, inner)
	return err == nil && filepath.IsLocal(relative)
}
