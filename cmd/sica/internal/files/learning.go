package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/datasets"
)

// learningFile is the file of a saved separation that says what its fit learned from. The manifest
// doesn't have it.
const learningFile = "learning.json"

// learning is what a Fitting did with the recording of a fit.
type learning struct {
	Highpass float64  `json:"highpass,omitempty"`
	Lowpass  float64  `json:"lowpass,omitempty"`
	Notch    float64  `json:"notch,omitempty"`
	Skip     []string `json:"skip,omitempty"`
	Rate     float64  `json:"rate,omitempty"`
	// Without are the channels that were left out, if they have no names: Result.Channels has
	// those of others.
	Without []string `json:"without,omitempty"`
	// Positions are those of the recording, which Skip is about.
	Positions int `json:"positions"`
}

// String returns the flags.
func (l learning) String() string {
	var flags []string
	for _, f := range []struct {
		name string
		hz   float64
	}{
		{"highpass", l.Highpass}, {"lowpass", l.Lowpass}, {"notch", l.Notch}, {"rate", l.Rate},
	} {
		if f.hz != 0 {
			flags = append(flags, fmt.Sprintf("--%s %g", f.name, f.hz))
		}
	}
	if len(l.Skip) > 0 {
		flags = append(flags, "--skip "+strings.Join(l.Skip, ","))
	}
	return strings.Join(flags, " ")
}

// Keep keeps what was done with a recording of n positions in the folder of its separation. Without
// are the channels without names that were left out.
func (o *Fitting) Keep(model string, n int, without []string) error {
	if o.IsZero() && o.rate == 0 && len(without) == 0 {
		return nil
	}
	return WriteJSON(filepath.Join(model, learningFile), learning{
		Highpass: o.filter.Highpass, Lowpass: o.filter.Lowpass, Notch: o.filter.Notch,
		Skip: o.skip, Rate: o.rate, Without: without, Positions: n,
	})
}

// readLearning returns what Keep kept, nothing if there is none.
func readLearning(model string) (kept learning, err error) {
	err = ReadJSON(filepath.Join(model, learningFile), &kept)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	return kept, err
}

// RecallChannels reads a recording's channels as a saved separation has them: by their names or,
// without names, without those that were left out, unless --without says otherwise.
func (r *Reading) RecallChannels(model string, names []string) error {
	r.Signals = names
	if names != nil || len(r.Without) > 0 {
		return nil
	}
	kept, err := readLearning(model)
	r.Without = kept.Without
	return err
}

// RecallRate gives a recording without a sampling rate that of the fit of a saved separation, with a
// note.
func RecallRate(model string, about *datasets.Recording) error {
	if about.Rate > 0 {
		return nil
	}
	kept, err := readLearning(model)
	if err != nil || kept.Rate == 0 {
		return err
	}
	about.Rate = kept.Rate
	about.Notes = append(about.Notes, fmt.Sprintf("as in the fit: --rate %g", kept.Rate))
	return nil
}

// FitHighpass returns the frequency in Hz of the high-pass filter after which a saved separation was
// learned, 0 for none.
func FitHighpass(model string) (float64, error) {
	kept, err := readLearning(model)
	return kept.Highpass, err
}

// Recall does what the fit of a saved separation did, except where a flag says otherwise. Changed
// reports whether a flag was given.
func (o *Fitting) Recall(model string, changed func(flag string) bool) error {
	kept, err := readLearning(model)
	if err != nil {
		return err
	}
	var used learning // what no flag replaces
	for flag, f := range map[string]struct{ kept, used, value *float64 }{
		"highpass": {&kept.Highpass, &used.Highpass, &o.filter.Highpass},
		"lowpass":  {&kept.Lowpass, &used.Lowpass, &o.filter.Lowpass},
		"notch":    {&kept.Notch, &used.Notch, &o.filter.Notch},
		"rate":     {&kept.Rate, &used.Rate, &o.rate},
	} {
		if !changed(flag) {
			*f.value, *f.used = *f.kept, *f.kept
		}
	}
	if !changed("skip") {
		o.skip, o.skippedOf, used.Skip = slices.Clone(kept.Skip), kept.Positions, kept.Skip
	}
	o.recalledRate = used.Rate != 0
	if flags := used.String(); flags != "" {
		o.recalled = fmt.Sprintf("as in the fit: %s; other values of these flags replace them (0 or "+
			`"" for none)`, flags)
	}
	return nil
}
