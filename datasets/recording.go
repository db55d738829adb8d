package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
)

// A Recording is signals with what their file says of them.
type Recording struct {
	Signals *mat.Dense // d×T
	Names   []string   // of the signals; nil if the file names none
	Rate    float64    // positions a second; 0 if the file doesn't tell
	// TimeColumn is the name of the CSV file's first column if that holds the times
	// of the positions in seconds, evenly spaced to two steps; it isn't among the signals.
	// Start is the first time.
	TimeColumn string
	Start      float64
}

// ReadRecording is ReadFile with what the file says of the signals: a CSV file their
// names and, in a first column called time, t, seconds or timestamp, in any case, with or
// without (s), that never falls, their times, which must be evenly spaced; a WAV file its
// rate. Beside a WAV or NPY file or an image there may be one that says more, called as it
// is with .json after that: {"names": […], "rate": 250}. A WAV file's own rate is right,
// but for what it had to be rounded by.
//
// The cells of a CSV file may also be separated by semicolons or tabs, and may then have
// decimal commas.
func ReadRecording(path string) (*Recording, error) {
	switch extension(path) {
	case ".csv":
		return readFrom(path, readCSV)
	case ".wav":
		z, rate, err := ReadWAV(path)
		if err != nil {
			return nil, err
		}
		return withSidecar(path, &Recording{Signals: z, Rate: float64(rate)}, z.RawMatrix().Rows)
	}
	z, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return withSidecar(path, &Recording{Signals: z}, z.RawMatrix().Rows)
}

// WriteRecording is WriteFile with what is known of the signals, written so that
// ReadRecording reads it: a WAV file has the rate, or 44 100 Hz if that isn't known. A CSV
// file has the times and with them the rate if there is a TimeColumn. What lay beside
// the file and spoke of another goes. It is an error if a CSV file's header wouldn't be
// read as one: with a name that is empty or a number, or has a semicolon or a tab in it.
func WriteRecording(path string, r *Recording) error {
	if r == nil {
		return fmt.Errorf("datasets: write %s: no recording", path)
	}
	d, _, err := checkSignals(r.Signals)
	if err == nil {
		err = r.check(d)
	}
	if err != nil {
		return fmt.Errorf("datasets: write %s: %w", path, err)
	}
	write := func(w io.Writer) error { return writeNPY(w, r.Signals) }
	switch extension(path) {
	case ".csv":
		if err := r.checkHeader(d); err != nil {
			return fmt.Errorf("datasets: write %s: %w", path, err)
		}
		return atomicfile.Write(path, func(w io.Writer) error { return writeCSV(w, r) })
	case ".wav":
		write = func(w io.Writer) error { return encodeWAV(w, r.Signals, r.wavRate()) }
	case ".npy":
	case ".png", ".pgm":
		return fmt.Errorf("datasets: write %s: an image needs a shape: use WriteImages", path)
	default:
		return fmt.Errorf("datasets: write %s: ending %q: need .csv, .npy or .wav", path, extension(path))
	}
	if err := atomicfile.Write(path, write); err != nil {
		return err
	}
	return r.writeSidecar(path)
}

// check returns an error unless r is what can be said of d signals.
func (r *Recording) check(d int) error {
	if r.Names != nil && len(r.Names) != d {
		return fmt.Errorf("%d names of %d signals", len(r.Names), d)
	}
	if r.Rate < 0 || !finite(r.Rate) || !finite(r.Start) {
		return fmt.Errorf("a rate of %g from %g on", r.Rate, r.Start)
	}
	return nil
}

// wavRate is the rate that a WAV file has, in Hz.
func (r *Recording) wavRate() int {
	if r.Rate > 0 {
		return int(math.Round(r.Rate))
	}
	return 44100
}

// checkHeader returns an error unless the names of d signals, and of the times, can be read
// from the head of a CSV file.
func (r *Recording) checkHeader(d int) error {
	names := r.names(d)
	if r.timed() {
		names = append([]string{r.TimeColumn}, names...)
	}
	for _, name := range names {
		if !isHeader([]string{name}, ',') || strings.ContainsAny(name, ";\t") || name != strings.TrimSpace(name) {
			return fmt.Errorf("the name %q can't head a column of CSV: need one that isn't empty or a number, without semicolons, tabs and spaces around it", name)
		}
	}
	return nil
}

// timed is whether a CSV file has a column of times.
func (r *Recording) timed() bool { return r.TimeColumn != "" && r.Rate > 0 }

// time is when position t was.
func (r *Recording) time(t int) float64 { return r.Start + float64(t)/r.Rate }

// writeSidecar writes what the file at path, which isn't CSV, doesn't say. If that is
// nothing, what an earlier file at path had beside it is removed.
func (r *Recording) writeSidecar(path string) error {
	saysRate := r.Rate == 0 || extension(path) == ".wav" && r.Rate == float64(r.wavRate())
	if r.Names == nil && saysRate {
		if err := os.Remove(path + sidecarEnding); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("datasets: %w", err)
		}
		return nil
	}
	return atomicfile.Write(path+sidecarEnding, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(sidecar{r.Names, r.Rate})
	})
}

// names are those of the d signals, s1, s2, … if there are none.
func (r *Recording) names(d int) []string {
	if r.Names != nil {
		return r.Names
	}
	var names []string
	for i := range d {
		names = append(names, fmt.Sprintf("s%d", i+1))
	}
	return names
}

// newRecording takes the first column for times, if that is its name and they are those of
// a clock. It is an error if they aren't evenly spaced.
func newRecording(columns *mat.Dense, names []string) (*Recording, error) {
	d, T := columns.Dims()
	if !mayHaveTimes(names, d, T) {
		return &Recording{Signals: columns, Names: names}, nil
	}
	column := columns.RawRowView(0)
	times := newTimes(column[0], column[T-1], T)
	for t, v := range column {
		times.see(t, v)
	}
	if !times.clock() {
		return &Recording{Signals: columns, Names: names}, nil
	}
	r := times.recording(names)
	r.Signals = mat.DenseCopyOf(columns.Slice(1, d, 0, T))
	return r, times.uneven
}

// mayHaveTimes is whether the first of the columns can be times.
func mayHaveTimes(names []string, d, t int) bool {
	return names != nil && d >= 2 && t >= 2 && isTime(names[0])
}

// times are a column that may hold times in seconds.
type times struct {
	start, step float64 // if they are evenly spaced
	last        float64
	fall        bool  // somewhere
	uneven      error // at the first position where they aren't evenly spaced
}

// newTimes are n times, n ≥ 2, with these ends.
func newTimes(first, last float64, n int) *times {
	return &times{start: first, step: (last - first) / float64(n-1), last: first}
}

// mostOff is how many steps times may be off: at 250 a second, those written to a hundredth are
// off by 1.25, and clocks jitter by about one. A prior: a gap is longer.
const mostOff = 2

// see looks at the time of position t.
func (c *times) see(t int, v float64) {
	c.fall = c.fall || v < c.last
	c.last = v
	if off := math.Abs(v-c.start-float64(t)*c.step) / c.step; c.uneven == nil && off > mostOff {
		c.uneven = fmt.Errorf("line %d: the times aren't evenly spaced: %g is %.3g steps from where it should be: resample the recording, or rename the column if it isn't one of times", t+2, v, off)
	}
}

// clock is whether the times rise and never fall.
func (c *times) clock() bool { return c.step > 0 && !c.fall }

// recording is one of the columns after that of the times, without its signals.
func (c *times) recording(names []string) *Recording {
	r := &Recording{TimeColumn: names[0], Names: slices.Clone(names[1:]), Start: c.start, Rate: 1 / c.step}
	if near := math.Round(r.Rate); near > 0 && math.Abs(r.Rate-near) < 1e-6*near {
		r.Rate = near // times have few digits
	}
	return r
}

// isTime tells whether a column's name says that it holds times in seconds.
func isTime(name string) bool {
	name = strings.ToLower(strings.Join(strings.Fields(name), ""))
	name, _ = strings.CutSuffix(name, "(s)")
	name, _ = strings.CutSuffix(name, "[s]")
	return slices.Contains([]string{"time", "t", "seconds", "timestamp"}, name)
}

// sidecar is what a file beside the signals says of them.
type sidecar struct {
	Names []string `json:"names,omitempty"`
	Rate  float64  `json:"rate,omitempty"`
}

const sidecarEnding = ".json"

// withSidecar adds what the file beside path says of its d signals, if there is one.
func withSidecar(path string, r *Recording, d int) (*Recording, error) {
	said, err := readFrom(path+sidecarEnding, func(text io.Reader) (sidecar, error) {
		var s sidecar
		err := json.NewDecoder(&boundedReader{text, maxRowBytes, errors.New("more than 1 MiB of JSON")}).Decode(&s)
		return s, err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	if said.Names != nil && len(said.Names) != d {
		return nil, fmt.Errorf("datasets: read %s: %d names of %d signals", path+sidecarEnding, len(said.Names), d)
	}
	if said.Rate < 0 {
		return nil, fmt.Errorf("datasets: read %s: a rate of %g Hz: need a positive number", path+sidecarEnding, said.Rate)
	}
	r.Names = said.Names
	if r.Rate == 0 || math.Round(said.Rate) == r.Rate {
		r.Rate = said.Rate
	}
	return r, nil
}
