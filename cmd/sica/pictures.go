package main

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// What a picture shows of long and of many signals.
const (
	// traceLength is the number of positions of a sequence: the last ones, where the AR(7)
	// process has forgotten its large first values.
	traceLength = 200
	// maxShownSignals is the number of signals, the first ones.
	maxShownSignals = 64
)

// drawSignals draws the first signals of that shape: as images, or as traces of the last
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
