package plot

import (
	"errors"
	"fmt"
	"math"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-47b1e431/gosica/internal/ticks"
)

// A DotAxis is the horizontal axis of Dots.
type DotAxis struct {
	Axis
	// Least is where smaller values are drawn, and called "≤ Least"; 0 is
	// nowhere. With it, values on a logarithmic axis may be 0 or negative.
	Least float64
	// Marks are vertical lines through all rows.
	Marks []Mark
}

// A Mark is a line at a value, with what it means beside it.
type Mark struct {
	At    float64
	Label string
}

// A DotSeries is what one method gives in each row of Dots.
type DotSeries struct {
	// Method gives the style; see StyleOf.
	Method string
	// Label is shown; "" shows Method.
	Label string
	// Values has, for each row, any number of values.
	Values [][]float64
}

func (s DotSeries) label() string {
	if s.Label != "" {
		return s.Label
	}
	return s.Method
}

// Dots draws every value of the series as a point: rows below one another, each
// with its name, and in each row the series below one another in their order.
//
// It is an error if there are no rows, if a series hasn't as many, if there is no
// value, or if a value, a mark or least isn't finite or isn't positive on a
// logarithmic axis.
func Dots(x DotAxis, rows []string, series ...DotSeries) (*Picture, error) {
	panel, legend, err := dotPanel(x, rows, series)
	if err != nil {
		return nil, fmt.Errorf("plot: dots: %w", err)
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

func dotPanel(x DotAxis, rows []string, series []DotSeries) (*gplot.Plot, *strip, error) {
	if err := x.check(rows, series); err != nil {
		return nil, nil, err
	}
	panel := newPanel()
	x.apply(&panel.X)
	legend := new(strip)
	styles := stylesOf(dotMethods(series))
	for k, s := range series {
		points := x.points(s, k, len(series))
		if len(points) == 0 {
			continue
		}
		scatter, err := plotter.NewScatter(points)
		if err != nil {
			return nil, nil, fmt.Errorf("series %q: %w", s.label(), err)
		}
		scatter.GlyphStyle = styles[k].glyph(3.5 * pixel)
		panel.Add(scatter)
		legend.add(s.label(), scatter)
	}
	if x.Least != 0 {
		panel.X.Min = min(panel.X.Min, x.at(x.Least))
	}
	for _, m := range x.Marks {
		at := x.at(m.At)
		panel.X.Min, panel.X.Max = min(panel.X.Min, at), max(panel.X.Max, at)
		panel.Add(mark{at, m.Label})
	}
	x.roundOut(&panel.X)
	if x.Least != 0 {
		panel.X.Min = x.at(x.Least)
		panel.X.Tick.Marker = ticks.Least{Ticker: panel.X.Tick.Marker, Value: panel.X.Min, Label: "≤ " + ticks.SILabel(x.Least)}
	}

	names := make(gplot.ConstantTicks, len(rows))
	for r, name := range rows {
		names[r] = gplot.Tick{Value: -float64(r), Label: name}
	}
	panel.Y.Tick.Marker = names
	panel.Y.Tick.Length = 0
	panel.Y.LineStyle.Width = 0
	panel.Y.Min, panel.Y.Max = -float64(len(rows))+0.5, 0.5
	if len(x.Marks) > 0 {
		panel.Y.Max += 0.6 // for their labels
	}
	return panel, legend, nil
}

func (x DotAxis) check(rows []string, series []DotSeries) error {
	if len(rows) == 0 {
		return errors.New("there are no rows; at least one is needed")
	}
	if x.Least != 0 {
		if err := x.Axis.check(x.Least); err != nil {
			return fmt.Errorf("least: %w", err)
		}
	}
	for _, m := range x.Marks {
		if err := x.Axis.check(m.At); err != nil {
			return fmt.Errorf("mark %q: %w", m.Label, err)
		}
		if x.Least != 0 && m.At < x.Least {
			return fmt.Errorf("mark %q is at %g, which is below least, %g", m.Label, m.At, x.Least)
		}
	}
	total := 0
	for _, s := range series {
		if len(s.Values) != len(rows) {
			return fmt.Errorf("series %q has values for %d rows; there are %d", s.label(), len(s.Values), len(rows))
		}
		for r, values := range s.Values {
			total += len(values)
			for _, v := range values {
				if err := x.Axis.check(x.shown(v)); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
					return fmt.Errorf("series %q, row %q: a value is %g; it must be finite, and positive on a logarithmic axis without least",
						s.label(), rows[r], v)
				}
			}
		}
	}
	if total == 0 {
		return errors.New("there is no value to draw; at least one series must have one")
	}
	return nil
}

// shown is where a value is drawn.
func (x DotAxis) shown(value float64) float64 {
	if x.Least != 0 {
		return max(value, x.Least)
	}
	return value
}

// points returns the points of series k of n. Row r is the band of height 1
// about −r, and each series has a lane in it, within which the values take turns
// up and down, so that equal ones show.
func (x DotAxis) points(s DotSeries, k, n int) plotter.XYs {
	const used = 0.8 // of a row
	lane := used / float64(n)
	var points plotter.XYs
	for r, values := range s.Values {
		middle := -float64(r) + used/2 - lane*(float64(k)+0.5)
		for i, v := range values {
			within := (float64(i)+0.5)/float64(len(values)) - 0.5
			points = append(points, plotter.XY{X: x.at(x.shown(v)), Y: middle - within*lane/2})
		}
	}
	return points
}

func dotMethods(series []DotSeries) []string {
	methods := make([]string, len(series))
	for k, s := range series {
		methods[k] = s.Method
	}
	return methods
}

// mark is a plotter of a Mark, at along the axis.
type mark struct {
	at    float64
	label string
}

func (m mark) Plot(c draw.Canvas, p *gplot.Plot) {
	x, _ := p.Transforms(&c)
	style := textStyle(tickSize)
	style.YAlign = draw.YTop
	const aside = 5 * pixel
	at := vg.Point{X: x(m.at) + aside, Y: c.Max.Y}
	if at.X+style.Width(m.label) > c.Max.X {
		style.XAlign = draw.XRight
		at.X = x(m.at) - aside
	}
	line := draw.LineStyle{Color: black, Width: pixel, Dashes: dashed}
	c.StrokeLine2(line, x(m.at), c.Min.Y, x(m.at), c.Max.Y)
	c.FillText(style, at, m.label)
}
