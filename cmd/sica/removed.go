package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// removed is the JSON that remove --json writes. A number that wasn't measured is null.
type removed struct {
	Input     []string `json:"input"`
	Output    string   `json:"output"`
	Model     string   `json:"model"`
	Positions int      `json:"positions"`

	// ChosenBy is components, proposed (with the Reference) or selection (the file Selection).
	ChosenBy   string             `json:"chosen_by"`
	Reference  string             `json:"reference,omitempty"`
	Selection  string             `json:"selection,omitempty"`
	Components []removedComponent `json:"components"`

	// Highpass is the high-pass filter of the output in Hz, and MeasuredAbove that of the
	// measurement in the Channels; 0 for none. Skipped are the stretches that weren't measured: the
	// first position, from 0, and the one after the last.
	Highpass      float64          `json:"highpass"`
	MeasuredAbove float64          `json:"measured_above"`
	Skipped       [][2]int         `json:"skipped,omitempty"`
	Channels      []cleanedChannel `json:"channels"`

	Notes    []string          `json:"notes"`
	Versions map[string]string `json:"versions"`
}

// removedComponent is a component with what the folder of the model says about it.
type removedComponent struct {
	Signal         int           `json:"signal"` // from 0
	Label          inspect.Label `json:"label,omitzero"`
	*report.Graded               // nil if there are no grades
}

// cleanedChannel is the inspect.Change of a channel.
type cleanedChannel struct {
	Name  string  `json:"name,omitempty"`
	Unit  string  `json:"unit,omitempty"`
	Taken float64 `json:"taken"`
	Left  float64 `json:"left"`
	// Quiet and QuietChannel are nil if what was removed has no quiet half.
	Quiet        *float64 `json:"quiet"`
	QuietChannel *float64 `json:"quiet_channel"`
}

// begin returns the removal as given by the flags.
func (opt *removeOptions) begin() *removed {
	rec := &removed{
		Input: opt.in, Output: opt.out, Model: opt.model, ChosenBy: "components", Selection: opt.selection,
		Highpass: opt.highpass, Versions: provenance.Versions(),
	}
	switch {
	case opt.proposed:
		rec.ChosenBy = "proposed"
	case opt.selection != "":
		rec.ChosenBy = "selection"
	}
	return rec
}

// note prints notes and adds them to rec.
func (rec *removed) note(out io.Writer, notes ...string) {
	files.Note(out, notes...)
	rec.Notes = append(rec.Notes, notes...)
}

// addComponents adds the removed components.
func (rec *removed) addComponents(chosen choice, model *files.Model) error {
	rec.Reference, rec.Components = chosen.reference, []removedComponent{}
	labels, err := readOfSignals[inspect.Label](model, labelsFile)
	if err != nil {
		return err
	}
	grades, err := readOfSignals[report.Graded](model, gradesFile)
	if err != nil {
		return err
	}
	for _, i := range chosen.rows {
		c := removedComponent{Signal: i}
		if labels != nil {
			c.Label = labels[i]
		}
		if grades != nil {
			c.Graded = &grades[i]
		}
		rec.Components = append(rec.Components, c)
	}
	return nil
}

// doubtNotes returns warnings about removed components that are graded doubtful, and about those
// that repeat only with others that stay; nil for none.
func (rec *removed) doubtNotes() (notes []string) {
	stays := func(i int) bool {
		return !slices.ContainsFunc(rec.Components,
			func(c removedComponent) bool { return c.Signal == i })
	}
	var doubtful []int
	var split []string
	for _, c := range rec.Components {
		switch {
		case c.Graded == nil:
		case c.Grade == report.Doubtful:
			doubtful = append(doubtful, c.Signal)
		case c.Grade == report.Repeats && slices.ContainsFunc(c.Group, stays):
			split = append(split, fmt.Sprintf("%d %s", c.Signal+1, c.Words(c.Signal)))
		}
	}
	if doubtful != nil {
		notes = append(notes, fmt.Sprintf("removing what is graded doubtful, %s: if one is a "+
			"mixture, parts of other sources go with it", text.Numbers(doubtful)))
	}
	if split != nil {
		notes = append(notes, "removing a part of what repeats only together: "+strings.Join(split, "; "))
	}
	return notes
}

// isSteady reports whether all removed signals are labelled drift or line, which don't come and go.
func (rec *removed) isSteady() bool {
	return !slices.ContainsFunc(rec.Components, func(c removedComponent) bool {
		return !c.Label.Steady()
	})
}

// addChannels adds the measurements.
func (rec *removed) addChannels(r *removal, changes []inspect.Change, about *datasets.Recording) {
	rec.MeasuredAbove = r.highpass
	rec.Skipped = files.Pairs(r.skipped)
	names := files.ChannelNames(about)
	for i, change := range changes {
		c := cleanedChannel{Taken: change.Share, Left: change.Left}
		if names != nil {
			c.Name = names[i]
		}
		if about.Units != nil {
			c.Unit = about.Units[i]
		}
		if !r.isSteady {
			c.Quiet, c.QuietChannel = &change.Quiet, &change.QuietChannel
		}
		rec.Channels = append(rec.Channels, c)
	}
}
