package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/table"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// A Recording is signals with what their file says about them. Its JSON omits the Signals.
//
// The fields may be changed, and a Recording may be constructed from them.
type Recording struct {
	Signals *mat.Dense `json:"-"`     // d×n
	Names   []string   `json:"names"` // of the signals; nil if the file names none
	Units   []string   `json:"units"` // of the signals, such as "uV"; nil if the file has none
	Rate    float64    `json:"rate"`  // positions per second; 0 if unknown
	// Shape is the height and width of an image, for sica.Config.Shape; nil for a sequence.
	Shape []int `json:"shape"`
	// TimeColumn is the name of a CSV file's first column if it holds the times of the positions in
	// seconds. That column isn't among Signals. No time is more than two steps from its place among
	// evenly spaced times.
	TimeColumn string  `json:"time_column"`
	Start      float64 `json:"start"` // the first time in seconds
	// Aside are columns of the file that aren't signals: text, counters, constants.
	Aside []Column `json:"aside"`
	// OtherRates are signals with other rates than Rate, with as many Values as their rates give;
	// EDF and BDF files may have them. Resample converts them to the positions of Signals.
	// MissingDrop resamples them to a whole number of values per position.
	OtherRates []Column `json:"other_rates"`
	// Highpass is the frequency in Hz of a high-pass filter applied to Signals after they were
	// recorded; 0 for none. It is written to EDF and BDF files.
	Highpass float64 `json:"highpass,omitzero"`
	// Places holds the index of each signal's column in the file, from 0. Files are written with
	// their columns, including those of Aside, in this order. Nil means the order of the signals,
	// with Aside last in CSV, EDF and BDF files and omitted from WAV and NPY.
	Places []int `json:"places"`
	// NoHeader is whether a CSV file has no header. Without Names it is then written without one.
	NoHeader bool `json:"no_header"`
	// Events are the annotations of the recording. EDF, BDF, BrainVision and EEGLAB files have
	// them; they are only written to EDF and BDF files.
	Events []Event `json:"events"`
	// Interpolated are the stretches, in order, that MissingInterpolate filled because a signal
	// lacks values or the times have a gap. Filled values look too predictable: leave the stretches
	// out of a fit by [Skip].
	Interpolated []Stretch `json:"interpolated"`
	// Joints are the positions, in order, at which a run begins that was recorded separately from
	// what precedes it, like the Joints of package sica's Run.
	Joints []int `json:"joints"`
	// Notes say what was unusual in a file and how it was read.
	Notes []string `json:"notes"`
	// UnitNote is the entry of Notes that says that times of unknown unit were read as seconds, at
	// a rate below 1 Hz; "" if there is none.
	UnitNote string `json:"unit_note"`
	// Origin is the EDF or BDF file from which the recording was read; nil for none. For signals
	// that still have their names, [WriteRecording] takes from it what no field says.
	Origin *EDFOrigin `json:"-"`
}

// ReadFile reads signals, d×n, from a file in the format given by the ending of its name:
//
//   - .csv, .tsv, .txt: one row per position, one column per signal; see [ReadRecording]. The
//     first row is a header if none of its cells is a number, or if its first is none and the cell
//     below it is one.
//   - .npy: a NumPy array of shape [n, d], of integers or of 16- to 64-bit floats, in either
//     order, or a structured array of one axis, whose fields name the signals. Of three axes see
//     [ReadOptions].Shape.
//   - .wav: one channel per signal. Integers of 8, 16, 24 or 32 bits become numbers in
//     [−1, 1); floats of 32 or 64 bits stay as they are.
//   - .edf, .bdf: the signals of the rate that most of the file's signals have, in their units.
//   - .vhdr: a BrainVision recording, in its units, with the files beside its header.
//   - .mat: the only matrix of numbers of a MAT-file of level 5, a row per position, or its vectors
//     of one length; or the struct of EEGLAB or FieldTrip that it has.
//   - .set: a data set of EEGLAB, with the .fdt in its folder if it has one.
//   - .asc: EyeLink's text by edf2asc: gaze and pupil of each eye, without events.
//   - .png, .pgm: one signal, as [ReadImages], which also returns the shape.
//
// With 32 positions or more, columns that can't be signals are silently omitted: those with the
// same value at every position, counters, times, markers and the like. [ReadRecording] returns them
// as Aside, with a note for each. To apply a separation, read the columns of the fit in its order,
// whatever their values, by [ReadOptions].Signals.
//
// The error says where an entry is missing, isn't a number or isn't finite. Files of more than 1
// GiB, with more than [MaxEntries] numbers, or with more than 8 MiB in a row of CSV are errors.
// Memory grows with the size of the file, not with what its header promises.
func ReadFile(path string) (*mat.Dense, error) {
	r, err := readFile(path, &ReadOptions{}, false)
	if err != nil {
		return nil, err
	}
	return r.Signals, nil
}

// readFile reads a file of signals and, if sidecar is true, its sidecar.
func readFile(path string, o *ReadOptions, sidecar bool) (*Recording, error) {
	columns, err := readColumns(path, o, sidecar)
	if err != nil {
		return nil, err
	}
	r, err := columns.finish(o)
	if err != nil {
		return nil, fmt.Errorf("datasets: read %s: %w", path, err)
	}
	return r, nil
}

// readColumns is readFile without finishing the reading.
func readColumns(path string, o *ReadOptions, sidecar bool) (*reading, error) {
	f := formatOf(path)
	if err := o.checkVariable(path); err != nil {
		return nil, err
	}
	if !f.isKnown() {
		return nil, fmt.Errorf("datasets: read %s: ending %q; must be %s%s", path, extension(path),
			listEndings(format.isKnown), conversion(path))
	}
	options := openOptions{ReadOptions: *o}
	read := func(r io.Reader) (*reading, error) { return f.columns(path, r, &options) }
	r, err := readFrom(path, read)
	var found *table.ChannelError
	if o.Missing.isFilled() && errors.As(err, &found) {
		options.numeric = found.Columns
		r, err = readFrom(path, read)
	}
	if err == nil && sidecar && !f.complete {
		err = r.readSidecar(path, r.Signals.RawMatrix().Rows)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// checkVariable returns an error if a variable is chosen for a file that has none.
func (o *ReadOptions) checkVariable(path string) error {
	if o.Variable != "" && extension(path) != ".mat" {
		return fmt.Errorf("datasets: read %s: variable %q; must be empty, as only MAT-files "+
			"have variables", path, text.Shortened(o.Variable))
	}
	return nil
}

// ReadRecording is [ReadFile] with what the file says about the signals. Columns that can't be
// signals are in Aside, and Notes say why; [ReadOptions].Signals keeps them.
//
// A CSV file has names and times. Cells may be separated by commas, or by semicolons or tabs, with
// which decimal commas are read, too. A first column called time, t, seconds or timestamp, in any
// case, with or without (s), holds times if it never falls. They must be evenly spaced, except for
// gaps that [ReadOptions].Missing treats.
//
// A WAV file has its rate, as an integer. A WAV, NPY or MAT file may have a sidecar with more, a
// file with the same name followed by .json: {"names": […], "units": […], "rate": 250}. Its names
// and units, if any, replace the file's. Its rate is used if the file has none, or has the same
// rate rounded to an integer.
//
// A MAT-file has a rate if it has a number called fs, sfreq, srate or the like, or a vector of
// times. It has names if it has a cell called labels, channels or the like.
//
// An EDF or BDF file has names, units, a rate and annotations. Signals with a different rate from
// most are left out, with a note, and are in OtherRates.
func ReadRecording(path string) (*Recording, error) { return ReadOptions{}.Recording(path) }

// Recording reads a file like [ReadRecording], with these options.
func (o ReadOptions) Recording(path string) (*Recording, error) {
	return readFile(path, &o, true)
}

// WriteFile writes the signals z, d×n, in the format given by the ending of the name, as [ReadFile]
// reads it. The file is written whole or not at all.
//
//   - .csv: with the header s1, s2, … and the fewest digits that keep each float64.
//   - .npy: an array of shape [n, d] of float64.
//   - .wav: 32-bit floats at 44 100 Hz, not rescaled; players take ±1 for full loudness.
//   - .edf, .bdf: 16 or 24 bits a value; the rate must be known, see [WriteRecording].
//
// It is an error if an entry isn't finite. For images see [WriteImages].
func WriteFile(path string, z *mat.Dense) error {
	return WriteRecording(path, &Recording{Signals: z})
}

// WriteRecording is [WriteFile] with what is known about the signals, as [ReadRecording] reads it.
// A WAV file has the rate. A CSV file has times if there are a TimeColumn and a Rate. The columns
// of Aside are placed between the signals by their Places; WAV, NPY, EDF and BDF files only have
// the numeric ones. A CSV file has no units. WAV and NPY files have names, units and, unless it is
// an integer in WAV, the rate in their sidecar. If there is nothing to write to it, the sidecar of
// an earlier file is removed. It is an error if another file is in its place.
//
// EDF and BDF files have names, units, Events and OtherRates. A recording read from such a file
// keeps what the file says about its signals, and the signals that were left out or set aside. At
// the same length it also keeps the data records. Other recordings get data records that the
// positions fill, if there are sensible ones; otherwise the last one is filled with each signal's
// last value.
//
// The error for a field of r that is invalid names it, such as Places if one is negative or Events
// if a time isn't finite. It is an error, too, if EDF or BDF can't hold the Rate to 0.1 %, or if a
// CSV file's header wouldn't be read as one: if a name is empty or a number, or contains a
// semicolon or a tab, or if the first name begins like a comment.
func WriteRecording(path string, r *Recording) error {
	if r == nil {
		return noRecording(path)
	}
	_, n, err := checkSignals(r.Signals)
	if err != nil {
		return fmt.Errorf("datasets: write %s: %w", path, err)
	}
	return WriteBlocks(path, r, n, func(yield func(*mat.Dense, error) bool) {
		yield(r.Signals, nil)
	})
}

// WriteBlocks is [WriteRecording] for signals at n positions that come in blocks. It ignores the
// Signals of about. If there is an error, including one of the blocks, an existing file stays.
func WriteBlocks(path string, about *Recording, n int, blocks iter.Seq2[*mat.Dense, error]) error {
	if about == nil {
		return noRecording(path)
	}
	if IsImage(path) {
		return fmt.Errorf("datasets: write %s: an image needs a shape; "+
			"must be written by WriteImages", path)
	}
	if blocks == nil {
		return fmt.Errorf("datasets: write %s: blocks: is nil; must be the signals", path)
	}
	f := formatOf(path)
	if !f.isWritten() {
		return fmt.Errorf("datasets: write %s: ending %q; must be %s",
			path, extension(path), listEndings(format.isWritten))
	}
	writesAside := f.complete && (!f.isWhole() || about.Origin != nil || about.Names == nil)
	if !writesAside {
		var err error
		if about, blocks, err = withAside(about, n, blocks); err != nil {
			return fmt.Errorf("datasets: write %s: %w", path, err)
		}
	}
	if err := CheckSidecar(path); err != nil {
		return err
	}
	err := atomicfile.Write(path, func(w io.Writer) error {
		return f.write(w, about, n, blocks)
	})
	if err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	if f.complete {
		return nil
	}
	return about.writeSidecar(path)
}

func noRecording(path string) error {
	return fmt.Errorf("datasets: write %s: no recording; must not be nil", path)
}

// write writes a file of n positions.
func (f format) write(
	w io.Writer, about *Recording, n int, blocks iter.Seq2[*mat.Dense, error],
) error {
	var write func(*mat.Dense) error
	d, written := 0, 0
	for z, err := range blocks {
		if err != nil {
			return err
		}
		rows, length, err := checkSignals(z)
		if err != nil {
			return err
		}
		if write == nil {
			d = rows
			if write, err = f.begin(w, about, d, n); err != nil {
				return err
			}
		}
		if written += length; rows != d || written > n {
			return fmt.Errorf("a block of %d signals up to position %d; "+
				"must be %d signals up to %d", rows, written, d, n)
		}
		if err := write(z); err != nil {
			return err
		}
	}
	if written < n || write == nil {
		return fmt.Errorf("blocks of %d positions in all; must be %d", written, n)
	}
	return nil
}

// begin begins a file of d signals at n positions, and returns the function that writes its blocks.
func (f format) begin(w io.Writer, about *Recording, d, n int) (func(*mat.Dense) error, error) {
	if err := about.check(d); err != nil {
		return nil, err
	}
	if f.isWhole() {
		return f.gather(w, about, d, n)
	}
	return f.create(w, about, d, n)
}

// gather is create for formats that are written as a whole: the function that it returns copies the
// signals of the next positions into one matrix, d×n, and saves the matrix when it is full.
func (f format) gather(w io.Writer, about *Recording, d, n int) (func(*mat.Dense) error, error) {
	if err := signal.CheckSize(d, n); err != nil {
		return nil, err
	}
	signals, position := mat.NewDense(d, n, nil), 0
	return func(z *mat.Dense) error {
		for i := range d {
			copy(signals.RawRowView(i)[position:], z.RawRowView(i))
		}
		if position += z.RawMatrix().Cols; position < n {
			return nil
		}
		r := *about
		r.Signals = signals
		return f.save(w, &r)
	}, nil
}

// A sidecar is a JSON file beside the signals, with what their format can't hold.
type sidecar struct {
	Names []string `json:"names,omitempty"`
	Units []string `json:"units,omitempty"`
	Rate  float64  `json:"rate,omitempty"`
}

const sidecarEnding = ".json"

// openSidecar reads the sidecar of the file at path. Another file in its place is an error.
func openSidecar(path string) (sidecar, error) {
	return readFrom(path+sidecarEnding, func(text io.Reader) (s sidecar, err error) {
		decoder := json.NewDecoder(
			&boundedReader{text, maxSidecarBytes, errors.New("more than 1 MiB of JSON")})
		decoder.DisallowUnknownFields()
		if err = decoder.Decode(&s); err == nil {
			if _, end := decoder.Token(); !errors.Is(end, io.EOF) {
				err = errors.New("text after the JSON")
			}
		}
		if err != nil {
			err = fmt.Errorf("must have the names, units and rate of the signals: %w", err)
		}
		return s, err
	})
}

// CheckSidecar returns an error if another file is in the place of the [Sidecar] of signals to be
// written to path: that file would be lost.
func CheckSidecar(path string) error {
	if Sidecar(path) == "" {
		return nil
	}
	if _, err := openSidecar(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("datasets: write %s: another file is in the place of its sidecar: %w",
			path, err)
	}
	return nil
}

// readSidecar adds to r what the sidecar of the file at path says of its d signals, if there
// is one.
func (r *Recording) readSidecar(path string, d int) error {
	s, err := openSidecar(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := (&Recording{Names: s.Names, Units: s.Units, Rate: s.Rate}).check(d); err != nil {
		return fmt.Errorf("datasets: read %s: %w", path+sidecarEnding, err)
	}
	if s.Names != nil {
		r.Names = s.Names
	}
	if s.Units != nil {
		r.Units = s.Units
	}
	if r.Rate == 0 || math.Round(s.Rate) == r.Rate { // WAV files round the rate
		r.Rate = s.Rate
	}
	return nil
}

// writeSidecar writes what the file at path doesn't say about its signals. If that is nothing, it
// removes the sidecar of an earlier file.
func (r *Recording) writeSidecar(path string) error {
	isRateWritten := extension(path) == ".wav" && r.Rate == float64(r.wavRate())
	if r.Names == nil && r.Units == nil && (r.Rate == 0 || isRateWritten) {
		if err := os.Remove(path + sidecarEnding); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("datasets: %w", err)
		}
		return nil
	}
	err := atomicfile.Write(path+sidecarEnding, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(sidecar{r.Names, r.Units, r.Rate})
	})
	if err != nil {
		return fmt.Errorf("datasets: %w", err)
	}
	return nil
}
