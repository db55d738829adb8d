package sica

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/internal/network"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Summary is all of a Result except its signals and maps.
type Summary struct {
	// Shape is the shape of the positions.
	Shape []int `json:"shape"`
	klflow.Trace

	// Prepared is whether Config.Prepare came first.
	Prepared bool `json:"prepared,omitempty"`
	// Chosen is the candidate that turned the prepared and reduced signals into Initial. Candidates
	// are all that were compared, in order.
	Chosen     Candidate   `json:"chosen"`
	Candidates []Candidate `json:"candidates"`
	// Linear is what the data say about the linear rule's demixing, such as which signals are
	// identified; nil if another method was chosen. Its pairs and errors refer to the signals of
	// Initial, and its Noise to the mixed signals.
	Linear *linear.Findings `json:"linear,omitempty"`
	// Network is what the data say about a network's signals; nil if no network was chosen.
	Network *nonlinear.Findings `json:"network,omitempty"`
	// Outliers are the positions, from 0, that were excluded from fitting: positions of a sequence
	// that change the covariance significantly, in one channel or in one direction only. Z includes
	// them nevertheless. After blockwise.Fit they are positions of the recording.
	Outliers []int `json:"outliers,omitempty"`

	// Clipped are the mixed signals of a sequence, counted from 0, that are at their largest or
	// smallest value again and again: in at least five stretches of two positions or more, and at
	// up to a tenth of the positions. It is empty if fewer than a thousandth of the positions are
	// clipped in any of the signals. Clipping looks like more sources than channels, so no network
	// is compared then.
	Clipped []int `json:"clipped,omitempty"`
	// CutShort is whether the context ended before Config.Mode had finished. The signals are then
	// whitened, or from a linear demixing without identified signals.
	CutShort bool `json:"cut_short,omitempty"`

	// Channels are the names of the mixed signals, nil unless the caller sets them; Save keeps
	// them. datasets.ReadOptions{Signals: Channels} reads the same signals from another file in
	// this order.
	Channels []string `json:"channels,omitempty"`

	// Config holds the settings of the fit, with the Seed of the run and without the Backend.
	Config Config `json:"config"`
	// Custom are the names of the fields of Config that the fit used but Save doesn't keep; see
	// Result.Missing.
	Custom  []string `json:"custom,omitempty"`
	Backend string   `json:"backend"` // compute.Backend.Name
	// Versions are the versions used by the fit, by name: "go", this module and the libraries that
	// compute.
	Versions map[string]string `json:"versions"`
}

// Result is the outcome of a fit. Besides Z and Initial it has the fields of Summary and
// klflow.Trace. In JSON it is its Summary; Save also keeps the signals and maps.
type Result struct {
	// Z are the recovered signals, k×n. Signals of Default's linear rule are in the order of the
	// share of the mixed signals' variance that they explain. k is the number d of mixed signals,
	// or less with Config.Components, and if mixed signals are combinations of others, such as a
	// copy: then k is their rank.
	Z *mat.Dense `json:"-"`
	// Initial are the signals with which the iterations began, k×n; the same as Z if no iterate was
	// better.
	Initial *mat.Dense `json:"-"`
	Summary

	// sentences are those of Why. In place of network.Identified, network.Dependent and
	// outlierSentence are those about Linear and Outliers.
	sentences []string

	maps    iterate.Chain   // from mixed signals to Z; nil unless from Fit or Load
	backend compute.Backend // nil for pure Go
	// moments are the moments of the recovered signals without the outliers; nil if the linear rule
	// identifies all signals, and for other methods.
	moments *Moments
}

// result returns the result of a run.
func (f *fitting) result(r *fitRun, d *decision, out *iterate.Output) *Result {
	maps := iterate.NewChain(append(slices.Clip(r.maps), d.Maps...))
	cfg := f.cfg.Clone()
	cfg.Seed = r.seed
	result := &Result{
		Z: out.Z, Initial: d.Z,
		Summary: Summary{
			Shape: slices.Clone(f.grid.Shape()), Trace: out.Trace,
			Prepared: f.cfg.Prepare != nil,
			Chosen:   d.chosen(), Candidates: d.candidates,
			Linear: d.Linear, Network: d.Network, Outliers: d.outliers, Clipped: r.clipped.Channels,
			CutShort: d.cutShort,
			Config:   cfg, Custom: cfg.custom(),
			Backend: f.backend.Name(), Versions: provenance.Versions(),
		},
		maps: append(maps, out.Maps...), backend: f.backend,
	}
	result.sentences = f.sentences(r, d, out)
	result.Linear = result.ofChannels(d.Linear, r.reduced.X())
	result.Why = result.WhyAt(0, 0)
	result.setMoments()
	return result
}

// outlierSentence stands for the sentence that names the outliers.
const outlierSentence = "{outliers}"

// Explain puts sentences before those of a result from Fit or Load, and words Why anew, from Linear
// and Outliers.
func (r *Result) Explain(sentences ...string) {
	r.sentences = slices.Concat(sentences, r.sentences)
	r.Why = r.WhyAt(0, 0)
}

// WhyAt returns the Why of a result from Fit or Load, worded anew from Linear and Outliers. With a
// sampling rate above 0, outliers are named by their times in seconds, of which the first position
// has start.
func (r *Result) WhyAt(rate, start float64) string {
	words := slices.Clone(r.sentences)
	for k, sentence := range words {
		switch sentence {
		case network.Identified:
			words[k] = r.Linear.Why
		case network.Dependent:
			words[k] = r.Linear.MutualInformation.String()
		case outlierSentence:
			words[k] = notes.Outliers(r.Outliers, rate, start)
		}
	}
	return strings.Join(words, " ")
}

// sentences returns the sentences of a run's result: about the maps before the separation, its
// choice, the end of the iterations, and the shape.
func (f *fitting) sentences(r *fitRun, d *decision, out *iterate.Output) []string {
	sentences := slices.Concat(r.why, d.sentences)
	hasFlow, hasMethod := f.cfg.Flow != nil, d.sentences != nil
	if !hasMethod && r.isClipped() {
		sentences = append(sentences, clippedSentence(r.clipped, f.grid.Len()))
	}
	switch {
	case hasFlow && hasMethod:
		if out.Best > 0 && (d.Linear != nil || d.Network != nil) {
			sentences = append(sentences,
				"That is about the signals before the flow: what it moved wasn't examined.")
		}
		sentences = append(sentences, "Then the flow: "+out.Why+".")
	case out.Stopped == klflow.StoppedCancelled && hasMethod:
		end := "canceled"
		if errors.Is(f.ctx.Err(), context.DeadlineExceeded) {
			end = "deadline exceeded"
		}
		sentences = append(sentences, "The context ended ("+end+").")
	case hasFlow || out.Why != "":
		sentences = append(sentences, out.Why)
	case !hasMethod && len(f.cfg.Transforms) > 0:
		sentences = append(sentences,
			"Nothing was separated: the signals are as the transforms left them.")
	case !hasMethod:
		sentences = append(sentences, "Nothing was separated.")
	}
	if r.hint != "" {
		sentences = append(sentences, r.hint)
	}
	return sentences
}

// ofChannels returns the linear rule's findings about the reduced signals y with the noise of the
// mixed ones; the same if they weren't reduced or were transformed, and nil for nil.
func (r *Result) ofChannels(found *linear.Findings, y *mat.Dense) *linear.Findings {
	by := r.reduction()
	if found == nil || by == nil || len(r.Config.Transforms) > 0 {
		return found
	}
	f := *found
	f.Noise = by.ChannelShares(y, f.Noise)
	return &f
}

// String returns the result in two lines: what separated how much, and Why.
func (r *Result) String() string {
	if r == nil || r.Z == nil {
		return "no result"
	}
	d, n := r.Z.Dims()
	by := r.Chosen.String()
	if r.Chosen.isLinearRule() {
		by = "the linear rule"
	}
	s := fmt.Sprintf("%d signals at %d positions by %s", d, n, by)
	if r.Iterations > 0 {
		s += " and " + text.Counted(r.Iterations, "iteration") + " of the flow"
	}
	identified := "not examined"
	switch {
	case r.Best > 0: // what the flow moved wasn't
	case r.Linear != nil:
		alone := 0
		for i := range d {
			if r.Identified(i) {
				alone++
			}
		}
		if identified = "all"; alone < d {
			identified = fmt.Sprintf("%d of %d", alone, d)
		}
	case r.Network != nil && r.Network.Identified:
		identified = "all"
	case r.Network != nil:
		identified = "not all, see Network"
	}
	return s + "; identified: " + identified + "\n" + r.Why
}

// Identified reports whether recovered signal i, counted from 0, is identified, according to Linear
// for a linear demixing, and to Network, for all signals together, for a network. It is false
// without either, and for signals that a flow moved, which weren't examined.
func (s *Summary) Identified(i int) bool {
	switch {
	case s.Best > 0:
		return false
	case s.Linear != nil:
		return s.Linear.Identified(i)
	case s.Network != nil:
		return s.Network.Identified && i >= 0 && i < len(s.Network.PastGain)
	}
	return false
}

// Missing returns the names of the functions and methods of the fit that Config lacks, since Save
// can't keep them. Set these to repeat the fit.
func (r *Result) Missing() []string {
	set := r.Config.custom()
	return slices.DeleteFunc(slices.Clone(r.Custom), func(name string) bool {
		return slices.Contains(set, name)
	})
}

// asFitted is a Fitter that returns a map fitted earlier: Config.Prepare of a loaded result.
type asFitted struct{ mapping.Map }

func (f asFitted) Fit(context.Context, *mat.Dense) (preprocess.Applier, error) { return f.Map, nil }

// reduction returns the map that reduced the mixed signals, nil for none.
func (r *Result) reduction() *mapping.Reduction {
	first := 0
	if r.Prepared {
		first = 1
	}
	if len(r.maps) <= first {
		return nil
	}
	by, _ := r.maps[first].Fixed.(*mapping.Reduction)
	return by
}

// channels returns the number of mixed signals.
func (r *Result) channels() int {
	if by := r.reduction(); by != nil {
		return by.Channels()
	}
	return r.components()
}

// components returns the number of recovered signals.
func (r *Result) components() int {
	d, _ := r.Z.Dims()
	return d
}
