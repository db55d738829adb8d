package files

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/clipping"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

// skipClipped is the value of --skip for the stretches in which a channel is clipped.
const skipClipped = "clipped"

// maxBetween is how many positions between clipped ones belong to one stretch: there noise leaves
// the limit for a moment.
const maxBetween = 4

// ClippingAdvice is clipping.Advice with flags.
const ClippingAdvice = "--skip clipped leaves that out, unless it is the artefact that you take out; leave " +
	"a channel out (--without) only if there are more channels than sources"

// A ClippedIn says where channels of a recording are clipped. The zero value says that none is.
type ClippedIn struct {
	Channels  []int     // counted from 0
	Stretches []stretch // of the recording, in order; nil if not all positions were looked at

	count int // positions
}

// FindClipped returns where signals are clipped, which are source or a part of it.
func FindClipped(x *mat.Dense, source blockwise.Source) ClippedIn {
	found := clipping.Find(x)
	in := ClippedIn{Channels: found.Channels, count: len(found.Positions)}
	_, n := x.Dims()
	if _, all := source.Dims(); all > n {
		return in
	}
	positions := blockwise.Positions(source, n)
	for _, k := range found.Positions {
		t, last := positions[k], len(in.Stretches)-1
		if last >= 0 && t <= in.Stretches[last].End+maxBetween {
			in.Stretches[last].End = t + 1
			continue
		}
		in.Stretches = append(in.Stretches, stretch{Begin: t, End: t + 1})
	}
	return in
}

// findClipped returns where a recording is clipped outside skipped stretches.
func findClipped(ctx context.Context, x blockwise.Source, skipped []stretch) (ClippedIn, error) {
	d, n := x.Dims()
	kept := complement(skipped, n)
	if kept == nil {
		return ClippedIn{}, nil // an error later
	}
	if d > datasets.MaxEntries/n {
		return ClippedIn{}, fmt.Errorf("--skip %s: %d signals at %d positions are more than the %d numbers "+
			"that can be looked at: use times", skipClipped, d, n, datasets.MaxEntries)
	}
	left := newSelection(x, kept)
	_, n = left.Dims()
	signals, err := blockwise.Part(ctx, left, n)
	if err != nil {
		return ClippedIn{}, err
	}
	return FindClipped(signals, left), nil
}

// isClipped reports whether a value of --skip means clipped stretches, and not an annotation.
func isClipped(text string, about *datasets.Recording) bool {
	if !strings.EqualFold(text, skipClipped) {
		return false
	}
	for _, e := range about.Events {
		if hasPrefixFold(e.Text, text) {
			return false
		}
	}
	return true
}

// Where says at how many places a recording is clipped, for how long, and between which positions;
// "" if that isn't known.
func (c ClippedIn) Where(about *datasets.Recording) string {
	if c.Stretches == nil {
		return ""
	}
	first, last := c.Stretches[0].Begin, c.Stretches[len(c.Stretches)-1].End-1
	length := text.Counted(c.count, "position")
	if about.Rate > 0 {
		length = fmt.Sprintf("%.2g s", float64(c.count)/about.Rate)
	}
	return fmt.Sprintf(", %s at %s %s", length, text.Counted(len(c.Stretches), "place"),
		notes.Span(first, last, about.Rate, about.Start))
}

// Names returns the names of the clipped channels.
func (c ClippedIn) Names(about *datasets.Recording) (names []string) {
	for _, i := range c.Channels {
		names = append(names, ChannelName(ChannelNames(about), i))
	}
	return names
}

// clippedNote says which channels are clipped before the filter; "" for none.
func clippedNote(c ClippedIn, about *datasets.Recording) string {
	if c.Channels == nil {
		return ""
	}
	return fmt.Sprintf("clipped before the filter: %s%s, which can look like more sources than "+
		"channels; %s", strings.Join(c.Names(about), ", "), c.Where(about), ClippingAdvice)
}
