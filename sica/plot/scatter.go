package plot

import (
	"errors"
	"fmt"
	"image/color"

	"gonum.org/v1/gonum/mat"
	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Scatter draws signal j against signal i, both counted from 0, with a point for each position.
// Each group has a panel with a range of its own, up to four in a row.
//
// It is an error if there are no groups, if their sizes differ, if there is no signal i or j, or
// if a value isn't finite.
func Scatter(i, j int, groups ...Group) (*Picture, error) {
	d, _, err := checkGroups(groups)
	if err != nil {
		return nil, fmt.Errorf("plot: scatter: %w", err)
	}
	if err := checkSignals(i, j, d); err != nil {
		return nil, fmt.Errorf("plot: scatter: %w", err)
	}
	styles := stylesOf(groups)
	panels := make([]*gplot.Plot, len(groups))
	titles := make([]string, len(groups))
	for k, g := range groups {
		panels[k], err = scatterPanel(g.Signals.RowView(i), g.Signals.RowView(j), styles[k].color)
		if err != nil {
			return nil, fmt.Errorf("plot: scatter: group %q: %w", labelOf(g), err)
		}
		panels[k].X.Label.Text = fmt.Sprintf("signal %d", i+1)
		panels[k].Y.Label.Text = fmt.Sprintf("signal %d", j+1)
		titles[k] = labelOf(g)
	}
	return squares(min(len(groups), 4), panels, titles, strip{}), nil
}

// Matched draws each signal of the groups against the same signal of truth, with a point for
// each position: a row of panels for each group, a panel for each signal. A recovered signal is
// a straight line, or a curve if it is recovered up to a nonlinearity of its own. Signals in
// another order must be matched to truth first; see metric.Align.
//
// It is an error if there are no groups, if the sizes of groups and truth differ, or if a value
// isn't finite.
func Matched(truth *mat.Dense, groups ...Group) (*Picture, error) {
	if len(groups) == 0 {
		return nil, errors.New("plot: matched: groups: none; must be at least one")
	}
	d, _, err := checkGroups(append([]Group{{Method: Truth, Signals: truth}}, groups...))
	if err != nil {
		return nil, fmt.Errorf("plot: matched: %w", err)
	}
	styles := stylesOf(groups)
	var panels []*gplot.Plot
	var titles []string
	for k, g := range groups {
		for i := range d {
			panel, err := scatterPanel(truth.RowView(i), g.Signals.RowView(i), styles[k].color)
			if err != nil {
				return nil, fmt.Errorf("plot: matched: group %q: %w", labelOf(g), err)
			}
			panel.X.Label.Text = fmt.Sprintf("source %d", i+1)
			panel.Y.Label.Text = fmt.Sprintf("recovered %d", i+1)
			panels = append(panels, panel)
			titles = append(titles, labelOf(g))
		}
	}
	return squares(d, panels, titles, strip{}), nil
}

// scatterPanel returns a panel with a point for each pair of values.
func scatterPanel(x, y mat.Vector, c color.NRGBA) (*gplot.Plot, error) {
	c.A = 128 // shows how dense the points are
	scatter, err := newScatter(x, y, c, 1.5*pixel)
	if err != nil {
		return nil, err
	}
	panel := newPanel()
	panel.Add(scatter)
	return panel, nil
}

// newScatter returns a point of this colour and radius for each pair of values.
func newScatter(x, y mat.Vector, c color.NRGBA, radius vg.Length) (*plotter.Scatter, error) {
	points := make(plotter.XYs, x.Len())
	for t := range points {
		points[t] = plotter.XY{X: x.AtVec(t), Y: y.AtVec(t)}
	}
	scatter, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	scatter.GlyphStyle = draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}
	return scatter, nil
}

// checkSignals returns an error unless i and j are among d signals.
func checkSignals(i, j, d int) error {
	for _, signal := range []int{i, j} {
		if signal < 0 || signal >= d {
			return fmt.Errorf("signal %d; must be 0 to %d", signal, d-1)
		}
	}
	return nil
}

// squares returns panels in rows of the given number of columns, below a legend, which may be
// empty. They are together as wide as a picture, or half as wide if there is one column.
func squares(columns int, panels []*gplot.Plot, titles []string, legend strip) *Picture {
	rows := (len(panels) + columns - 1) / columns
	side := width / vg.Length(max(columns, 2))
	across := side * vg.Length(columns)
	return &Picture{
		width:  across,
		height: side*vg.Length(rows) + legend.height(across-2*margin),
		draw: func(c draw.Canvas) {
			drawGrid(legend.draw(inset(c)), columns, panels, titles)
		},
	}
}
