package main

import (
	"io"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// traceLength is how many positions of a sequence a picture shows: the last
// ones, where the AR(7) process has forgotten its large first values.
const traceLength = 200

// drawSignals draws signals of that shape: as images, or as traces of the
// last positions.
func drawSignals(shape []int, groups ...plot.Group) (*plot.Picture, error) {
	if len(shape) == 2 {
		return plot.Images(shape[0], shape[1], groups...)
	}
	_, t := groups[0].Signals.Dims()
	return plot.Traces(max(0, t-traceLength), t, groups...)
}

// savePicture writes the picture as PNG, whole or not at all.
func savePicture(path string, p *plot.Picture) error {
	return datasets.WriteAtomic(path, func(w io.Writer) error { return p.Write(w, plot.PNG) })
}
