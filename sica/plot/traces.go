package plot

import (
	"fmt"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Traces draws the signals at the positions from ≤ t < to, a panel for each
// signal below one another, with a line for each group; later groups lie above
// earlier ones. The values are drawn as they are, so signals of different scale
// should be standardised first.
//
// It is an error if there are no groups, if their sizes differ, if the window
// isn't within 0 ≤ from < to ≤ T with at least two positions, or if a value isn't
// finite.
func Traces(from, to int, groups ...Group) (*Picture, error) {
	d, n, err := checkGroups(groups)
	if err != nil {
		return nil, fmt.Errorf("plot: traces: %w", err)
	}
	if from < 0 || to > n || to-from < 2 {
		return nil, fmt.Errorf("plot: traces: the window is %d ≤ t < %d; it must hold at least 2 of the positions 0 ≤ t < %d", from, to, n)
	}
	legend := gplot.NewLegend()
	styles := stylesOf(methodsOf(groups))
	panels := make([]*gplot.Plot, d)
	for i := range panels {
		p := newPanel()
		p.Y.Label.Text = fmt.Sprintf("signal %d", i+1)
		for k, g := range groups {
			line, err := plotter.NewLine(window(g, i, from, to))
			if err != nil {
				return nil, fmt.Errorf("plot: traces: group %q, signal %d: %w", g.label(), i+1, err)
			}
			line.LineStyle = styles[k].line()
			p.Add(line)
			if i == 0 {
				legend.Add(g.label(), line)
			}
		}
		p.X.Min, p.X.Max = float64(from), float64(to-1)
		if i == d-1 {
			p.X.Label.Text = "position t"
		}
		panels[i] = p
	}

	// Many signals get lower panels.
	panelHeight := max(90, min(180, 900/vg.Length(d))) * pixel
	return &Picture{
		width:  width,
		height: panelHeight*vg.Length(d) + 50*pixel,
		draw: func(c draw.Canvas) {
			drawStacked(drawLegend(inset(c), legend), panels)
		},
	}, nil
}

// window returns signal i of g as points.
func window(g Group, i, from, to int) plotter.XYs {
	points := make(plotter.XYs, 0, to-from)
	for t := from; t < to; t++ {
		points = append(points, plotter.XY{X: float64(t), Y: g.Signals.At(i, t)})
	}
	return points
}
