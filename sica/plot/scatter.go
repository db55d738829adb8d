package plot

import (
	"fmt"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter draws signal j against signal i, both counted from 0, with a point for
// each position: a panel for each group side by side, up to four in a row, each
// with a range of its own.
//
// It is an error if there are no groups, if their sizes differ, if there is no
// signal i or j, or if a value isn't finite.
func Scatter(i, j int, groups ...Group) (*Picture, error) {
	d, n, err := checkGroups(groups)
	if err != nil {
		return nil, fmt.Errorf("plot: scatter: %w", err)
	}
	for _, signal := range []int{i, j} {
		if signal < 0 || signal >= d {
			return nil, fmt.Errorf("plot: scatter: there is no signal %d; valid are 0 to %d", signal, d-1)
		}
	}
	styles := stylesOf(methodsOf(groups))
	panels := make([]*gplot.Plot, len(groups))
	titles := make([]string, len(groups))
	for k, g := range groups {
		points := make(plotter.XYs, n)
		for t := range points {
			points[t] = plotter.XY{X: g.Signals.At(i, t), Y: g.Signals.At(j, t)}
		}
		scatter, err := plotter.NewScatter(points)
		if err != nil {
			return nil, fmt.Errorf("plot: scatter: group %q: %w", g.label(), err)
		}
		translucent := styles[k].Color
		translucent.A = 128 // shows how dense the points are
		scatter.GlyphStyle = draw.GlyphStyle{Color: translucent, Radius: 1.5 * pixel, Shape: draw.CircleGlyph{}}

		panels[k] = newPanel()
		panels[k].X.Label.Text = fmt.Sprintf("signal %d", i+1)
		panels[k].Y.Label.Text = fmt.Sprintf("signal %d", j+1)
		panels[k].Add(scatter)
		titles[k] = g.label()
	}

	columns := min(len(groups), 4)
	rows := (len(groups) + columns - 1) / columns
	side := width / vg.Length(max(columns, 2))
	return &Picture{
		width:  side * vg.Length(columns),
		height: side * vg.Length(rows),
		draw: func(c draw.Canvas) {
			drawGrid(inset(c), columns, panels, titles)
		},
	}, nil
}
