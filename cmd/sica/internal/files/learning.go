package files

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/sealed"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
)

// learningFile is the file of a saved separation that says what its fit learned from. The manifest
// doesn't have it.
const learningFile = "learning.json"

// maxListed is how many values of --skip a note lists: what fits a few lines.
const maxListed = 20

// learning is what a Fitting did with the recording of a fit.
type learning struct {
	Highpass float64   `json:"highpass,omitempty"`
	Lowpass  float64   `json:"lowpass,omitempty"`
	Notch    []float64 `json:"notch,omitempty"`
	Skip     []string  `json:"skip,omitempty"`
	Rate     float64   `json:"rate,omitempty"`
	// Without are the channels that were left out, if channels have no names. Otherwise
	// Result.Channels names those that were kept.
	Without []string `json:"without,omitempty"`
	// Missing is what became of missing values.
	Missing datasets.Missing `json:"missing,omitempty"`
	// Positions are those of the recording, which Skip is about.
	Positions int `json:"positions"`
	// Shape is that of the positions, by which an NPY array of several axes was read.
	Shape []int `json:"shape,omitempty"`
}

// A usedFlag is a flag of what was done, with its value, and the value that turns it off; "" for
// none.
type usedFlag struct{ name, value, off string }

// flags returns those of what was done.
func (l learning) flags() (used []usedFlag) {
	for _, f := range []struct {
		usedFlag
		hz []float64
	}{
		{usedFlag{name: "--highpass", off: "0"}, []float64{l.Highpass}},
		{usedFlag{name: "--lowpass", off: "0"}, []float64{l.Lowpass}},
		{usedFlag{name: "--rate"}, []float64{l.Rate}},
		{usedFlag{name: "--notch", off: "0"}, l.Notch},
	} {
		if len(f.hz) > 0 && f.hz[0] != 0 {
			f.value = strings.Trim(strings.ReplaceAll(fmt.Sprint(f.hz), " ", ","), "[]")
			used = append(used, f.usedFlag)
		}
	}
	if len(l.Skip) > 0 {
		value := strings.Join(l.Skip[:min(len(l.Skip), maxListed)], ",")
		if more := len(l.Skip) - maxListed; more > 0 {
			value += fmt.Sprintf(" and %d more", more)
		}
		used = append(used, usedFlag{"--skip", value, `""`})
	}
	return used
}

// String returns the flags, and by which of them nothing is filtered or skipped.
func (l learning) String() string {
	var used, stops []string
	for _, f := range l.flags() {
		used = append(used, f.name+" "+f.value)
		if f.off != "" {
			stops = append(stops, f.name+" "+f.off)
		}
	}
	said := fmt.Sprintf("using %s as in the fit", strings.Join(used, " "))
	switch len(stops) {
	case 0:
		return said
	case 1:
		return fmt.Sprintf("%s; %s turns it off", said, stops[0])
	}
	return fmt.Sprintf("%s; %s turn them off", said, text.List(stops))
}

// Keep keeps what was done with a recording of n positions in the folder of its separation. Skip is
// that of Fitted; without are the channels without names that were left out; reading has what became
// of missing values, and the shape by which the recording was read.
func (o *Fitting) Keep(model string, n int, skip, without []string, reading *Reading) error {
	missing := reading.Missing
	if o.IsZero() && o.rate == 0 && len(without) == 0 && missing == "" && reading.Shape == nil {
		return nil
	}
	return WriteJSON(filepath.Join(model, learningFile), learning{
		Highpass: o.Filter.Highpass, Lowpass: o.Filter.Lowpass, Notch: o.Filter.Notch,
		Skip: skip, Rate: o.rate, Without: without, Missing: missing, Positions: n,
		Shape: reading.Shape,
	})
}

// A Model is a separation that was saved, with what was done with the recording of its fit.
type Model struct {
	*sica.Result
	Folder string

	fit learning // what Keep kept, nothing if there is none
}

// LoadModel loads the separation in a folder.
func LoadModel(folder string) (*Model, error) {
	result, err := sica.Load(folder)
	if err != nil {
		return nil, err
	}
	m := &Model{Result: result, Folder: folder}
	err = ReadJSON(filepath.Join(folder, learningFile), &m.fit)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return m, err
}

// Signals is how many signals the separation recovered.
func (m *Model) Signals() int {
	k, _ := m.Z.Dims()
	return k
}

// checkChannels returns an error unless signals at n positions are as many as the separation's
// channels. If n is that many, the file was probably transposed.
func (m *Model) checkChannels(d, n int) error {
	err := m.CheckChannels(d, nil)
	if err != nil && m.CheckChannels(n, nil) == nil {
		err = fmt.Errorf("%w; %s", err, usage.UseTranspose)
	}
	return err
}

// Identity returns what distinguishes the separation from others: the SHA-256 of its manifest,
// which has those of its files.
func (m *Model) Identity() (string, error) {
	manifest, err := os.ReadFile(filepath.Join(m.Folder, sealed.Manifest))
	return fmt.Sprintf("%x", sha256.Sum256(manifest)), err
}

// Highpass is the frequency in Hz of the high-pass filter after which the fit learned, 0 for none.
func (m *Model) Highpass() float64 { return m.fit.Highpass }

// Skipped returns the stretches that the fit skipped, in order. It returns none for a recording
// that has another number of positions than the fit's, or lacks their annotations.
func (m *Model) Skipped(n int, about *datasets.Recording) (skipped []datasets.Stretch) {
	if m.fit.Positions != n {
		return nil
	}
	for _, text := range m.fit.Skip {
		if named, err := namedStretches(text, n, about); err == nil {
			skipped = append(skipped, named...)
		}
	}
	return merge(skipped)
}

// RecallRate gives a recording without a sampling rate that of the fit, with a note.
func (m *Model) RecallRate(about *datasets.Recording) {
	if about.Rate == 0 && m.fit.Rate != 0 {
		about.Rate = m.fit.Rate
		about.Notes = append(about.Notes, fmt.Sprintf("using --rate %g as in the fit", about.Rate))
	}
}

// Recall reads a recording as that of a saved separation was read, unless flags say otherwise: its
// channels by their names or, without names, without those that were left out; and its missing
// values, which are interpolated and not dropped if all positions are wanted.
func (r *Reading) Recall(m *Model, wantsAll bool) {
	r.model = m
	if r.Signals = m.Channels; m.Channels == nil && len(r.Without) == 0 {
		r.Without = m.fit.Without
	}
	if r.Shape == nil {
		r.Shape = m.fit.Shape
	}
	if r.Missing == "" {
		r.Missing = m.fit.Missing
		if wantsAll && r.Missing == datasets.MissingDrop {
			r.Missing = datasets.MissingInterpolate
		}
	}
}

// Recall does what the fit of a saved separation did, except where a flag says otherwise. Changed
// reports whether a flag was given.
func (o *Fitting) Recall(m *Model, changed func(flag string) bool) {
	recall := func(flag string, value *float64, kept float64) (used float64) {
		if changed(flag) {
			return 0
		}
		*value = kept
		return kept
	}
	fit := &m.fit
	used := learning{ // what no flag replaces
		Highpass: recall("highpass", &o.Filter.Highpass, fit.Highpass),
		Lowpass:  recall("lowpass", &o.Filter.Lowpass, fit.Lowpass),
		Rate:     recall("rate", &o.rate, fit.Rate),
	}
	if !changed("notch") {
		o.Filter.Notch, used.Notch = fit.Notch, fit.Notch
	}
	if !changed("skip") {
		o.Skip, o.recalled.positions, used.Skip = fit.Skip, fit.Positions, fit.Skip
	}
	o.recalled.hasRate = used.Rate != 0
	if used.flags() != nil {
		o.recalled.note = used.String()
	}
}
