package plot

import (
	"errors"
	"fmt"
	"math"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Mark is a vertical line at a value, with its meaning written next to it.
type Mark struct {
	At    float64
	Label string
}

// Dots draws every x of the series as a point: rows below one another, each with its name, and
// in each row the series below one another. Y is the number of the row of each point, from 0.
// Marks go through all rows. Standard errors aren't drawn.
//
// It is an error if there are no rows, if a point is in none, if there are no points, or if a
// value or a mark isn't finite, or isn't positive on a logarithmic axis.
func Dots(x Axis, rows []string, marks []Mark, series ...Series) (*Picture, error) {
	if err := checkDots(x, rows, marks, series); err != nil {
		return nil, fmt.Errorf("plot: dots: %w", err)
	}
	panel := newPanel()
	x.apply(&panel.X)
	var legend strip
	styles := stylesOf(series)
	for k, s := range series {
		if len(s.X) == 0 {
			continue
		}
		scatter, err := plotter.NewScatter(dotPoints(x, s, k, len(series)))
		if err != nil {
			return nil, fmt.Errorf("plot: dots: series %q: %w", labelOf(s), err)
		}
		scatter.GlyphStyle = styles[k].marker(3.5 * pixel)
		panel.Add(scatter)
		legend.add(labelOf(s), scatter)
	}
	for _, m := range marks {
		at := x.place(m.At)
		panel.X.Min, panel.X.Max = min(panel.X.Min, at), max(panel.X.Max, at)
		panel.Add(mark{at, m.Label})
	}
	x.roundOut(&panel.X)

	names := make(gplot.ConstantTicks, len(rows))
	for r, name := range rows {
		names[r] = gplot.Tick{Value: -float64(r), Label: name}
	}
	panel.Y.Tick.Marker = names
	panel.Y.Tick.Length = 0
	panel.Y.LineStyle.Width = 0
	panel.Y.Min, panel.Y.Max = -float64(len(rows))+0.5, 0.5
	if len(marks) > 0 {
		panel.Y.Max += 0.6 // for their labels
	}
	rowHeight := max(22, 8*vg.Length(len(series))+4) * pixel
	return &Picture{
		width:  width,
		height: rowHeight*vg.Length(len(rows)) + 100*pixel + legend.height(width-2*margin),
		draw: func(c draw.Canvas) {
			panel.Draw(legend.draw(inset(c)))
		},
	}, nil
}

func checkDots(x Axis, rows []string, marks []Mark, series []Series) error {
	if len(rows) == 0 {
		return errors.New("rows: none; must be at least one")
	}
	for _, m := range marks {
		if err := x.check(m.At); err != nil {
			return fmt.Errorf("mark %q: %w", m.Label, err)
		}
	}
	total := 0
	for _, s := range series {
		if len(s.X) != len(s.Y) {
			return fmt.Errorf("series %q: %d x and %d y; must be as many of each",
				labelOf(s), len(s.X), len(s.Y))
		}
		total += len(s.X)
		for i, v := range s.X {
			if row := s.Y[i]; row != math.Trunc(row) || row < 0 || row >= float64(len(rows)) {
				return fmt.Errorf("series %q: point %d is in row %g; must be an integer from 0 to %d",
					labelOf(s), i+1, row, len(rows)-1)
			}
			if err := x.check(v); err != nil || math.IsNaN(v) {
				return fmt.Errorf("series %q, row %q: a value is %g; "+
					"must be finite, and positive on a logarithmic axis",
					labelOf(s), rows[int(s.Y[i])], v)
			}
		}
	}
	if total == 0 {
		return errors.New("series: no point; must be at least one")
	}
	return nil
}

// dotPoints returns the points of series k of n. Row r is the band of height 1 about −r, and each
// series has a lane in it. Within that the values go downwards, so that equal ones show.
func dotPoints(x Axis, s Series, k, n int) plotter.XYs {
	const used = 0.8 // of a row
	lane := used / float64(n)
	count, next := make(map[float64]int), make(map[float64]int) // by row
	for _, row := range s.Y {
		count[row]++
	}
	var points plotter.XYs
	for i, row := range s.Y {
		middle := -row + used/2 - lane*(float64(k)+0.5)
		within := (float64(next[row])+0.5)/float64(count[row]) - 0.5
		next[row]++
		points = append(points, plotter.XY{X: x.place(s.X[i]), Y: middle - within*lane/2})
	}
	return points
}

// A mark is a plotter of a Mark at a place along the axis.
type mark struct {
	at    float64
	label string
}

func (m mark) Plot(c draw.Canvas, p *gplot.Plot) {
	x, _ := p.Transforms(&c)
	style := textStyle(tickSize)
	style.YAlign = draw.YTop
	const gap = 5 * pixel
	at := vg.Point{X: x(m.at) + gap, Y: c.Max.Y}
	if at.X+style.Width(m.label) > c.Max.X {
		style.XAlign = draw.XRight
		at.X = x(m.at) - gap
	}
	line := draw.LineStyle{Color: black, Width: pixel, Dashes: dashed}
	c.StrokeLine2(line, x(m.at), c.Min.Y, x(m.at), c.Max.Y)
	c.FillText(style, at, m.label)
}
