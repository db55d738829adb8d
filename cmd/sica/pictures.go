package main

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// Limits of a picture of long or many signals.
const (
	// traceLength is the number of positions shown of a sequence: the last ones, where the AR(7)
	// process has forgotten its large first values.
	traceLength = 200
	// maxShownSignals is the number of signals shown: the first ones.
	maxShownSignals = 64
)

// drawSignals draws the first signals with this shape, as images or as traces of the last
// positions.
func drawSignals(shape []int, groups ...plot.Group) (*plot.Picture, error) {
	groups = slices.Clone(groups)
	for i, g := range groups {
		d, n := g.Signals.Dims()
		groups[i].Signals = g.Signals.Slice(0, min(d, maxShownSignals), 0, n).(*mat.Dense)
	}
	if len(shape) == 2 {
		return plot.Images(shape[0], shape[1], groups...)
	}
	_, n := groups[0].Signals.Dims()
	return plot.Traces(max(0, n-traceLength), n, groups...)
}

// writePNG writes the picture to a file, whole or not at all.
func writePNG(path string, p *plot.Picture) error { return files.WritePicture(path, p, plot.PNG) }

// The length of the first piece of the recording in a picture of components, without skipped
// stretches: in seconds, or in positions if the rate is unknown. Some heartbeats fit on a page.
const (
	shownSeconds   = 5
	shownPositions = 1000
)

// plotComponents draws the components by number, with the signs of the recovered signals.
func plotComponents(
	path string, r *sica.Result, all []inspect.Component, x blockwise.Source,
	about *datasets.Recording,
) error {
	format, err := plot.FormatOf(path)
	if err != nil {
		return err
	}
	shown := shownPositions
	if about.Rate > 0 {
		shown = max(2, int(shownSeconds*about.Rate))
	}
	begin, end, where := files.FirstPiece(x, shown)
	traces, position := make([][]float64, len(all)), 0
	for z, err := range blockwise.Transform(r, x.Blocks(shown)) {
		if err != nil {
			return err
		}
		_, n := z.Dims()
		for i := range traces {
			traces[i] = append(traces[i], z.RawRowView(i)[min(max(begin-position, 0), n):min(end-position, n)]...)
		}
		if position += n; position >= end {
			break
		}
	}
	rows := make([]plot.Component, len(all))
	for _, c := range all {
		rows[c.Signal] = plot.Component{
			Label: fmt.Sprintf("%d: %.1f %%", c.Signal+1, 100*c.Share),
			Trace: traces[c.Signal], Pattern: c.Pattern, Spectrum: c.Spectrum,
		}
	}
	start := float64(where)
	if about.Rate > 0 {
		start = about.Start + start/about.Rate
	}
	picture, err := plot.Components(start, about.Rate, files.ChannelNames(about), rows...)
	if err != nil {
		return err
	}
	return files.WritePicture(path, picture, format)
}
