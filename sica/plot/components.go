package plot

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Component is a row of Components.
type Component struct {
	// Label is shown at the left.
	Label string
	// Trace has its values at the positions.
	Trace []float64
	// Pattern has its weight in each channel.
	Pattern []float64
}

// Components draws the components of a recording below one another: the trace of each over time,
// and its pattern as a bar for each channel. Each trace and each pattern has a scale of its own;
// the middle of a pattern's bars is 0. Time begins at start. It is in seconds if there is a rate
// in positions per second, else in positions. Without channels these are numbered.
//
// It is an error if there are no rows, if a trace has fewer than two values or not as many as the
// first, if a pattern hasn't one entry for each channel, if a value isn't finite, or if the rate
// is negative.
func Components(start, rate float64, channels []string, rows ...Component) (*Picture, error) {
	channels, err := checkComponents(start, rate, channels, rows)
	if err != nil {
		return nil, fmt.Errorf("plot: components: %w", err)
	}
	rowHeight := max(34, min(70, 560/vg.Length(len(rows)))) * pixel
	return &Picture{
		width:  width,
		height: rowHeight*vg.Length(len(rows)) + 110*pixel,
		draw:   func(c draw.Canvas) { drawComponents(inset(c), start, rate, channels, rows) },
	}, nil
}

// checkComponents returns the names of the channels, or an error unless the rows can be drawn.
func checkComponents(start, rate float64, channels []string, rows []Component) ([]string, error) {
	if len(rows) == 0 {
		return nil, errors.New("rows: none; must be at least one")
	}
	if !(rate >= 0) || !signal.Finite(rate) || !signal.Finite(start) {
		return nil, fmt.Errorf("start is %g and rate %g; must be finite, and the rate not negative",
			start, rate)
	}
	if channels == nil {
		for i := range rows[0].Pattern {
			channels = append(channels, fmt.Sprint(i+1))
		}
	}
	for k, r := range rows {
		if len(r.Trace) < 2 || len(r.Trace) != len(rows[0].Trace) {
			return nil, fmt.Errorf("row %d has %d positions; "+
				"must have at least 2, and %d, like the first", k+1, len(r.Trace), len(rows[0].Trace))
		}
		if len(r.Pattern) != len(channels) || len(channels) == 0 {
			return nil, fmt.Errorf("row %d has a pattern of %d channels; must be %d",
				k+1, len(r.Pattern), len(channels))
		}
		for _, values := range [][]float64{r.Trace, r.Pattern} {
			if s := floats.Norm(values, math.Inf(1)); !signal.Finite(s) {
				return nil, fmt.Errorf("row %d has a value that isn't finite; must be finite", k+1)
			}
		}
	}
	return channels, nil
}

func drawComponents(
	c draw.Canvas, start, rate float64, channels []string, rows []Component,
) {
	label := textStyle(labelSize)
	label.YAlign = draw.YCenter
	var labelWidth, nameWidth vg.Length
	for _, r := range rows {
		labelWidth = max(labelWidth, label.Width(r.Label))
	}
	name := textStyle(tickSize)
	name.XAlign, name.YAlign, name.Rotation = draw.XRight, draw.YCenter, math.Pi/2
	for _, n := range channels {
		nameWidth = max(nameWidth, name.Width(n))
	}
	bottom := max(40*pixel, nameWidth+10*pixel)
	room := draw.Crop(c, labelWidth+margin, 0, bottom, -24*pixel)
	split := room.Min.X + (room.Max.X-room.Min.X)*0.66
	height := (room.Max.Y - room.Min.Y) / vg.Length(len(rows))
	cell := func(k int, from, to vg.Length) draw.Canvas {
		top := room.Max.Y - vg.Length(k)*height
		return draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: from, Y: top - height + 3*pixel},
			Max: vg.Point{X: to, Y: top - 3*pixel},
		}}
	}

	step, what := 1.0, "position"
	if rate > 0 {
		step, what = 1/rate, "time, s"
	}
	scale := gplot.New()
	scale.X.Min, scale.X.Max = start, start+step*float64(len(rows[0].Trace)-1)
	traces := cell(len(rows)-1, room.Min.X, split)
	traces.Max.Y = room.Max.Y
	drawPositions(traces, scale)
	bars := cell(len(rows)-1, split+2*margin, room.Max.X)
	bars.Max.Y = room.Max.Y
	bar := (bars.Max.X - bars.Min.X) / vg.Length(len(channels))
	for j, n := range channels {
		at := vg.Point{X: bars.Min.X + bar*(vg.Length(j)+0.5), Y: bars.Min.Y - 4*pixel}
		c.FillText(name, at, n)
	}
	title := textStyle(labelSize)
	title.XAlign = draw.XCenter
	c.FillText(title, vg.Point{X: traces.Center().X, Y: room.Max.Y + 8*pixel}, "component")
	above := vg.Point{X: bars.Center().X, Y: room.Max.Y + 8*pixel}
	c.FillText(title, above, "its pattern in the channels")
	title.YAlign = draw.YTop
	c.FillText(title, vg.Point{X: traces.Center().X, Y: traces.Min.Y - 20*pixel}, what)

	for k, r := range rows {
		trace := cell(k, room.Min.X, split)
		c.FillText(label, vg.Point{X: c.Min.X, Y: trace.Center().Y}, r.Label)
		drawTrace(trace, scale, start, step, r.Trace)
		drawPattern(cell(k, bars.Min.X, bars.Max.X), r.Pattern)
	}
}

// drawTrace draws values from the bottom of c to its top.
func drawTrace(c draw.Canvas, scale *gplot.Plot, start, step float64, values []float64) {
	points := make(plotter.XYs, len(values))
	for t, v := range values {
		points[t].X, points[t].Y = start+step*float64(t), v
	}
	scale.Y.Min, scale.Y.Max = floats.Min(values), floats.Max(values)
	if scale.Y.Min == scale.Y.Max { // a constant goes in the middle
		scale.Y.Min--
		scale.Y.Max++
	}
	line := plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: blue, Width: 1.2}}
	line.Plot(c, scale)
}

// drawPattern draws a bar for each entry, from the middle of c up or down.
func drawPattern(c draw.Canvas, pattern []float64) {
	largest := floats.Norm(pattern, math.Inf(1))
	middle, half := c.Center().Y, (c.Max.Y-c.Min.Y)/2
	c.StrokeLine2(gridStyle, c.Min.X, middle, c.Max.X, middle)
	if largest == 0 {
		return
	}
	step := (c.Max.X - c.Min.X) / vg.Length(len(pattern))
	for j, v := range pattern {
		fill := orange
		if v < 0 {
			fill = darkBlue
		}
		left, end := c.Min.X+step*vg.Length(j), middle+half*vg.Length(v/largest)
		c.FillPolygon(fill, []vg.Point{
			{X: left + 0.15*step, Y: middle}, {X: left + 0.85*step, Y: middle},
			{X: left + 0.85*step, Y: end}, {X: left + 0.15*step, Y: end},
		})
	}
}
