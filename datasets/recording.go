package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// A Recording is signals with what their file says of them.
type Recording struct {
	Signals *mat.Dense // d×T
	Names   []string   // of the signals; nil if the file names none
	Rate    float64    // positions a second; 0 if the file doesn't tell
	// TimeColumn is the name of the CSV file's first column if that holds the times
	// of the positions, evenly spaced, in seconds; it isn't among the signals. Start
	// is the first time.
	TimeColumn string
	Start      float64
}

// ReadRecording is ReadFile with what the file says of the signals: a CSV file their
// names and, in a first column called time, t, seconds or timestamp, in any case, with or
// without (s), their times; a WAV file its rate. Beside a file of another format there
// may be one that says it, called as it is with .json after that: {"names": […],
// "rate": 250}.
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
		return withSidecar(path, &Recording{Signals: z, Rate: float64(rate)})
	}
	z, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	return withSidecar(path, &Recording{Signals: z})
}

// WriteRecording is WriteFile with what is known of the signals, written so that
// ReadRecording reads it: a WAV file has the rate, or 44 100 Hz if that isn't known.
func WriteRecording(path string, r *Recording) error {
	if r == nil {
		return fmt.Errorf("datasets: write %s: no recording", path)
	}
	d, _, err := checkSignals(r.Signals)
	if err == nil && r.Names != nil && len(r.Names) != d {
		err = fmt.Errorf("%d names of %d signals", len(r.Names), d)
	}
	if err == nil && (r.Rate < 0 || !finite(r.Rate) || !finite(r.Start)) {
		err = fmt.Errorf("a rate of %g from %g on", r.Rate, r.Start)
	}
	if err != nil {
		return fmt.Errorf("datasets: write %s: %w", path, err)
	}
	switch extension(path) {
	case ".csv":
		return WriteAtomic(path, func(w io.Writer) error { return writeCSV(w, r) })
	case ".wav":
		rate := 44100
		if r.Rate > 0 {
			rate = int(math.Round(r.Rate))
		}
		err = WriteWAV(path, r.Signals, rate)
	default:
		err = WriteFile(path, r.Signals)
	}
	if err != nil || r.Names == nil && (r.Rate == 0 || extension(path) == ".wav") {
		return err
	}
	return WriteAtomic(path+sidecarEnding, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(sidecar{r.Names, r.Rate})
	})
}

// names are those of the signals, s1, s2, … if there are none.
func (r *Recording) names() []string {
	if r.Names != nil {
		return r.Names
	}
	var names []string
	d, _ := r.Signals.Dims()
	for i := range d {
		names = append(names, fmt.Sprintf("s%d", i+1))
	}
	return names
}

// newRecording takes the first column for times, if that is its name and they are
// evenly spaced.
func newRecording(columns *mat.Dense, names []string) *Recording {
	r := &Recording{Signals: columns, Names: names}
	d, T := columns.Dims()
	if names == nil || d < 2 || T < 2 || !isTime(names[0]) {
		return r
	}
	times := columns.RawRowView(0)
	step := (times[T-1] - times[0]) / float64(T-1)
	for t, v := range times {
		if !(step > 0) || math.Abs(v-times[0]-float64(t)*step) > 0.1*step {
			return r
		}
	}
	r.TimeColumn, r.Names = names[0], slices.Clone(names[1:])
	r.Start, r.Rate = times[0], 1/step
	if near := math.Round(r.Rate); near > 0 && math.Abs(r.Rate-near) < 1e-6*near {
		r.Rate = near // times have few digits
	}
	r.Signals = mat.DenseCopyOf(columns.Slice(1, d, 0, T))
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

// withSidecar adds what the file beside path says, if there is one.
func withSidecar(path string, r *Recording) (*Recording, error) {
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
	if d, _ := r.Signals.Dims(); said.Names != nil && len(said.Names) != d {
		return nil, fmt.Errorf("datasets: read %s: %d names of %d signals", path+sidecarEnding, len(said.Names), d)
	}
	if said.Rate < 0 {
		return nil, fmt.Errorf("datasets: read %s: a rate of %g Hz: need a positive number", path+sidecarEnding, said.Rate)
	}
	r.Names = said.Names
	if said.Rate > 0 {
		r.Rate = said.Rate
	}
	return r, nil
}
