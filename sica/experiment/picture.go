package experiment

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// shownPositions is how many positions of a sequence the pictures show: the last
// ones, where the AR(7) process has forgotten its large first values.
const shownPositions = 200

// Picture draws the figure from the results that there are: the MCC against the
// mixing steps with standard errors or, for an Example, the recovered signals
// of the first run. Each label says how many runs there are.
func (f Figure) Picture(r *Results, p Preset, runs int) (*plot.Picture, error) {
	if f.Example {
		return f.example(r, p)
	}
	var series []plot.Series
	for _, line := range f.summarise(r, p, runs) {
		s := plot.Series{Method: line.method.Label, Label: fmt.Sprintf("%s (n=%s)", line.method.Label, line.runs())}
		for _, point := range line.points {
			s.X = append(s.X, float64(point.steps))
			s.Y = append(s.Y, point.mean)
			s.SE = append(s.SE, point.se)
		}
		series = append(series, s)
	}
	return plot.Curve("mixing steps J", "MCC (mean ± standard error)", series...)
}

// example draws the mixed signals, what was recovered and the sources, all in
// the sources' order, sign and scale.
func (f Figure) example(r *Results, p Preset) (*plot.Picture, error) {
	problem := f.at(p)[0]
	problem.Seed = FirstSeed
	sources, mixed, err := problem.Draw()
	if err != nil {
		return nil, err
	}
	var groups []plot.Group
	for _, c := range f.Cells(p, 1) {
		z, err := r.Signals(c)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
		if z, err = metric.Align(z, sources); err != nil {
			return nil, fmt.Errorf("experiment: %s: %w", c, err)
		}
		method, err := MethodNamed(c.Method)
		if err != nil {
			return nil, err
		}
		groups = append(groups, plot.Group{Method: method.Label, Signals: z})
	}
	if problem.Data == AR7 {
		_, t := sources.Dims()
		return plot.TraceGrid(t-shownPositions, t, sources, groups...)
	}
	groups = append(groups, plot.Group{Method: plot.Truth, Signals: sources})
	if problem.Data == MNIST {
		return plot.Images(mixed.Shape[0], mixed.Shape[1], groups...)
	}
	return plot.Scatter(0, 1, groups...)
}
