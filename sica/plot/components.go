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

	"github.com/seed-47b1e431/gosica/internal/electrode"
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
	// Spectrum has its power in bands of equal width from 0 to half of the rate; nil for none.
	Spectrum []float64
}

// Components draws the components of a recording below one another: the trace of each over time,
// and its pattern as a bar for each channel. Each trace and each pattern has a scale of its own;
// the middle of a pattern's bars is 0. Time begins at start. It is in seconds if there is a rate
// in positions per second, else in positions. Without channels these are numbered.
//
// If the rows have spectra these are drawn too, in decibels, up to the frequency below which each
// has 99 % of its power. If six or more channels have names of the 10–20 or the 10–10 system,
// such as Fp1 and Cz, each pattern is drawn as a map of the head, seen from above, too: orange
// where it is positive and dark blue where it is negative.
//
// It is an error if there are no rows, if a trace has fewer than two values or not as many as the
// first, if a pattern hasn't one entry for each channel, if spectra have other lengths than the
// first, if a value isn't finite, or if the rate is negative.
func Components(start, rate float64, channels []string, rows ...Component) (*Picture, error) {
	channels, err := checkComponents(start, rate, channels, rows)
	if err != nil {
		return nil, fmt.Errorf("plot: components: %w", err)
	}
	rowHeight := max(34, min(70, 560/vg.Length(len(rows)))) * pixel
	heads := electrode.Sensors(channels)
	if heads != nil { // so that dots and colours can be seen
		rowHeight = max(rowHeight, 84*pixel)
	}
	return &Picture{
		width:  width,
		height: rowHeight*vg.Length(len(rows)) + 110*pixel,
		draw:   func(c draw.Canvas) { drawComponents(inset(c), start, rate, channels, heads, rows) },
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
		if n := len(rows[0].Spectrum); n == 1 || len(r.Spectrum) != n {
			return nil, fmt.Errorf("row %d has a spectrum of %d bands; "+
				"must have none or at least 2, and %d, like the first", k+1, len(r.Spectrum), n)
		}
		isFinite := func(values []float64) bool {
			return signal.Finite(floats.Norm(values, math.Inf(1)))
		}
		if !isFinite(r.Trace) || !isFinite(r.Pattern) || !isFinite(r.Spectrum) {
			return nil, fmt.Errorf("row %d has a value that isn't finite; must be finite", k+1)
		}
	}
	return channels, nil
}

// columns are the left and right borders of the columns of a componentTable. Columns without
// content have no width.
type columns struct{ traces, spectra, bars, heads [2]vg.Length }

// columnsOf divides the width from left to right among the columns.
func columnsOf(left, right vg.Length, hasSpectra, hasHeads bool) columns {
	traces, spectra, heads := vg.Length(0.66), vg.Length(0), vg.Length(0)
	if hasSpectra {
		traces, spectra = traces-0.16, 0.16
	}
	if hasHeads {
		traces, heads = traces-0.04, 0.11
	}
	at := func(share vg.Length) vg.Length { return left + share*(right-left) }
	return columns{
		traces:  [2]vg.Length{at(0), at(traces)},
		spectra: [2]vg.Length{at(traces) + 2*margin, at(traces + spectra)},
		bars:    [2]vg.Length{at(traces+spectra) + 2*margin, at(1 - heads)},
		heads:   [2]vg.Length{at(1-heads) + margin/2, at(1)},
	}
}

// A componentTable is the layout of a picture of components: a row for each component, a column for
// each of its pictures.
type componentTable struct {
	canvas              draw.Canvas
	room                draw.Canvas // of the rows, without labels and axes
	height              vg.Length   // of a row
	rows                int
	columns             columns
	label, title, names draw.TextStyle // names are those of channels, upright
}

// newComponentTable returns a layout with room for the labels of the rows and the names of the
// channels.
func newComponentTable(
	c draw.Canvas, channels []string, hasHeads bool, rows []Component,
) componentTable {
	t := componentTable{
		canvas: c, rows: len(rows),
		label: textStyle(labelSize), title: textStyle(labelSize), names: textStyle(tickSize),
	}
	t.label.YAlign = draw.YCenter
	t.title.XAlign = draw.XCenter
	t.names.XAlign, t.names.YAlign, t.names.Rotation = draw.XRight, draw.YCenter, math.Pi/2
	var labelWidth, nameWidth vg.Length
	for _, r := range rows {
		labelWidth = max(labelWidth, t.label.Width(r.Label))
	}
	for _, n := range channels {
		nameWidth = max(nameWidth, t.names.Width(n))
	}
	bottom := max(40*pixel, nameWidth+10*pixel)
	t.room = draw.Crop(c, labelWidth+margin, 0, bottom, -24*pixel)
	t.height = (t.room.Max.Y - t.room.Min.Y) / vg.Length(len(rows))
	t.columns = columnsOf(t.room.Min.X, t.room.Max.X, rows[0].Spectrum != nil, hasHeads)
	return t
}

// cell returns the canvas of row k in a column.
func (t *componentTable) cell(k int, column [2]vg.Length) draw.Canvas {
	top := t.room.Max.Y - vg.Length(k)*t.height
	return draw.Canvas{Canvas: t.canvas.Canvas, Rectangle: vg.Rectangle{
		Min: vg.Point{X: column[0], Y: top - t.height + 3*pixel},
		Max: vg.Point{X: column[1], Y: top - 3*pixel},
	}}
}

// drawColumn draws the title of a column above it and the name of its axis, unless that is empty,
// below. It returns the column's canvas from the first row to the last.
func (t *componentTable) drawColumn(column [2]vg.Length, title, axis string) draw.Canvas {
	all := t.cell(t.rows-1, column)
	all.Max.Y = t.room.Max.Y
	middle := all.Center().X
	t.canvas.FillText(t.title, vg.Point{X: middle, Y: t.room.Max.Y + 8*pixel}, title)
	below := t.title
	below.YAlign = draw.YTop
	t.canvas.FillText(below, vg.Point{X: middle, Y: all.Min.Y - 20*pixel}, axis)
	return all
}

// drawComponents draws a row for each component: its label, trace, spectrum if there is one,
// pattern and, with heads, the pattern as a map of the head.
func drawComponents(
	c draw.Canvas, start, rate float64, channels []string, heads []electrode.Sensor, rows []Component,
) {
	t := newComponentTable(c, channels, heads != nil, rows)
	step, time, frequency := 1.0, "position", "periods a position"
	if rate > 0 {
		step, time, frequency = 1/rate, "time, s", "Hz"
	}
	scale := gplot.New()
	scale.X.Min, scale.X.Max = start, start+step*float64(len(rows[0].Trace)-1)
	drawPositions(t.drawColumn(t.columns.traces, "component", time), scale)
	bands := 0
	if rows[0].Spectrum != nil {
		bands = shownBands(rows)
		spectral := gplot.New()
		spectral.X.Min = 0
		spectral.X.Max = float64(bands-1) / step / 2 / float64(len(rows[0].Spectrum)-1)
		drawPositions(t.drawColumn(t.columns.spectra, "spectrum, dB", frequency), spectral)
	}
	bars := t.drawColumn(t.columns.bars, "its pattern in the channels", "")
	bar := (bars.Max.X - bars.Min.X) / vg.Length(len(channels))
	every := max(1, int(math.Ceil(float64(t.names.Height("F")/bar)))) // so that names don't overlap
	for j := 0; j < len(channels); j += every {
		place := vg.Point{X: bars.Min.X + bar*(vg.Length(j)+0.5), Y: bars.Min.Y - 4*pixel}
		c.FillText(t.names, place, channels[j])
	}
	for k, r := range rows {
		trace := t.cell(k, t.columns.traces)
		c.FillText(t.label, vg.Point{X: c.Min.X, Y: trace.Center().Y}, r.Label)
		drawTrace(trace, scale, start, step, r.Trace)
		if bands > 0 {
			drawSpectrum(t.cell(k, t.columns.spectra), r.Spectrum[:bands])
		}
		drawPattern(t.cell(k, t.columns.bars), r.Pattern)
		if heads != nil {
			drawHead(t.cell(k, t.columns.heads), heads, r.Pattern)
		}
	}
}

// The parts of a spectrum that are shown. Each is a choice.
const (
	// shownPower is the share of each component's power that lies in the bands that are shown.
	shownPower = 0.99
	// minBands is the smallest number of bands that are shown.
	minBands = 16
	// shownDecibels is the power below the largest that is at the bottom.
	shownDecibels = 40
)

// shownBands returns how many bands of the spectra are shown.
func shownBands(rows []Component) int {
	shown := min(minBands, len(rows[0].Spectrum))
	for _, r := range rows {
		enough, sum := shownPower*floats.Sum(r.Spectrum), 0.0
		for k, v := range r.Spectrum {
			if sum += v; sum >= enough {
				shown = max(shown, k+1)
				break
			}
		}
	}
	return shown
}

// drawSpectrum draws power in decibels, with the largest at the top of c.
func drawSpectrum(c draw.Canvas, power []float64) {
	top := floats.Max(power)
	points := make(plotter.XYs, len(power))
	for k, v := range power {
		points[k].X, points[k].Y = float64(k), -shownDecibels
		if v > 0 {
			points[k].Y = max(10*math.Log10(v/top), -shownDecibels)
		}
	}
	scale := gplot.New()
	scale.X.Min, scale.X.Max = 0, float64(len(power)-1)
	scale.Y.Min, scale.Y.Max = -shownDecibels, 0
	line := plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: darkGrey, Width: 1.2}}
	line.Plot(c, scale)
}

// drawTrace draws values over time, with the smallest at the bottom of c and the largest at its
// top.
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

// drawPattern draws a bar for each entry, from the middle of c up or, below 0, down. The largest
// absolute entry reaches an end of c.
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
