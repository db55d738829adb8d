package main

import (
	"io"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// traceLength is how many positions of a sequence a picture shows: the last
// ones, where the AR(7) process has forgotten its large first values.
const traceLength = 200

// shownSignals is how many signals a picture shows: the first ones.
const shownSignals = 64

// drawSignals draws the first signals of that shape: as images, or as traces of
// the last positions.
func drawSignals(shape []int, groups ...plot.Group) (*plot.Picture, error) {
	groups = slices.Clone(groups)
	for i, g := range groups {
		d, t := g.Signals.Dims()
		groups[i].Signals = g.Signals.Slice(0, min(d, shownSignals), 0, t).(*mat.Dense)
	}
	if len(shape) == 2 {
		return plot.Images(shape[0], shape[1], groups...)
	}
	_, t := groups[0].Signals.Dims()
	return plot.Traces(max(0, t-traceLength), t, groups...)
}

// savePicture writes the picture as PNG, whole or not at all.
func savePicture(path string, p *plot.Picture) error {
	return atomicfile.Write(path, func(w io.Writer) error { return p.Write(w, plot.PNG) })
}
