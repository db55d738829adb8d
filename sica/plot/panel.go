package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Axis is the horizontal or the vertical axis of a panel.
type Axis struct {
	Label string
	// Log makes it logarithmic, for positive values only.
	Log bool
}

// check returns an error unless the value has a place on the axis.
func (a Axis) check(value float64) error {
	if math.IsInf(value, 0) {
		return fmt.Errorf("%g; must be finite", value)
	}
	// The bounds leave room for round numbers around the value.
	if a.Log && !(value >= 1e-300 && value <= 1e300) {
		return fmt.Errorf("%g; must be between 1e-300 and 1e300 on a logarithmic axis", value)
	}
	return nil
}

// place returns where a value lies along the axis. Logarithms are taken here, as gonum's
// LogScale leaves room for labels as if the axis were linear.
func (a Axis) place(value float64) float64 {
	if a.Log {
		return math.Log10(value)
	}
	return value
}

// apply sets the label and the ticks of axis.
func (a Axis) apply(axis *gplot.Axis) {
	axis.Label.Text = a.Label
	if a.Log {
		axis.Tick.Marker = logTicks{}
	}
}

// roundOut widens the range of axis, which holds the data, to round numbers.
func (a Axis) roundOut(axis *gplot.Axis) {
	if a.Log {
		axis.Min, axis.Max = roundOutLog(axis.Min, axis.Max)
	} else {
		axis.Min, axis.Max = roundOut(axis.Min, axis.Max)
	}
}

var white = color.NRGBA{R: 255, G: 255, B: 255, A: 255}

const (
	margin    = 10 * pixel
	labelSize = vg.Length(11)  // of the font of names
	tickSize  = vg.Length(9.5) // of the font of numbers
)

// sans returns the font of all text.
func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// textStyle returns the style of black text in a font of that size.
func textStyle(size vg.Length) text.Style {
	return text.Style{Color: black, Font: sans(size), Handler: gplot.DefaultTextHandler}
}

// newPanel returns an empty plot with the fonts of this package and a faint grid.
func newPanel() *gplot.Plot {
	p := gplot.New()
	for _, axis := range []*gplot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = sans(labelSize)
		axis.Label.Padding = 3 * pixel
		axis.Tick.Label.Font = sans(tickSize)
		axis.Tick.Marker = roundTicks{}
	}
	grid := plotter.NewGrid()
	faint := draw.LineStyle{Color: color.NRGBA{A: 24}, Width: pixel}
	grid.Horizontal, grid.Vertical = faint, faint
	p.Add(grid)
	return p
}

// drawStacked draws the panels below one another with aligned axes.
func drawStacked(c draw.Canvas, panels []*gplot.Plot) {
	rows := make([][]*gplot.Plot, len(panels))
	for i, p := range panels {
		rows[i] = []*gplot.Plot{p}
	}
	tiles := draw.Tiles{Rows: len(panels), Cols: 1, PadY: margin}
	for i, canvases := range gplot.Align(rows, tiles, c) {
		panels[i].Draw(canvases[0])
	}
}

// drawGrid draws the panels, each below its title, in rows of the given number of columns, with
// aligned axes.
func drawGrid(c draw.Canvas, columns int, panels []*gplot.Plot, titles []string) {
	style := textStyle(labelSize)
	style.XAlign = draw.XCenter
	titleHeight := style.Height("X") + 8*pixel
	rows := make([][]*gplot.Plot, (len(panels)+columns-1)/columns)
	for i := range rows {
		rows[i] = make([]*gplot.Plot, columns) // nil is an empty place
		copy(rows[i], panels[i*columns:])
	}
	tiles := draw.Tiles{
		Rows: len(rows), Cols: columns,
		PadX: 2 * margin, PadY: margin + titleHeight, PadTop: titleHeight,
	}
	canvases := gplot.Align(rows, tiles, c)
	for i, panel := range panels {
		canvas := canvases[i/columns][i%columns]
		panel.Draw(canvas)
		data := panel.DataCanvas(canvas)
		c.FillText(style, vg.Point{X: data.Center().X, Y: data.Max.Y + 8*pixel}, titles[i])
	}
}

// inset returns c without a margin.
func inset(c draw.Canvas) draw.Canvas {
	return draw.Crop(c, margin, -margin, margin, -margin)
}

const thumbnail = 30 * pixel // width of a sample in a legend

// A strip is a legend in columns above a picture, or below one another at its right.
type strip struct {
	entries []stripEntry
}

type stripEntry struct {
	text    string
	samples []gplot.Thumbnailer
}

// add adds an entry, unless the strip has one of that text.
func (s *strip) add(text string, samples ...gplot.Thumbnailer) {
	if slices.ContainsFunc(s.entries, func(e stripEntry) bool { return e.text == text }) {
		return
	}
	s.entries = append(s.entries, stripEntry{text, samples})
}

// drawRight draws the legend at the right edge of c and returns the remaining canvas.
func (s *strip) drawRight(c draw.Canvas) draw.Canvas {
	drawn := gplot.NewLegend()
	for _, e := range s.entries {
		drawn.Add(e.text, e.samples...)
	}
	drawn.TextStyle.Font = sans(labelSize)
	drawn.Top, drawn.Left = true, true
	drawn.ThumbnailWidth = thumbnail
	drawn.Padding = 4 * pixel
	legendWidth := drawn.Rectangle(c).Size().X
	at := c
	at.Min.X = c.Max.X - legendWidth
	drawn.Draw(at)
	c.Max.X -= legendWidth + 2*margin
	return c
}

// layout returns the widths of the columns and the height of a line: the fewest lines that fit
// into the width, and the fewest columns that these need.
func (s *strip) layout(width vg.Length) (columns []vg.Length, line vg.Length) {
	style := textStyle(labelSize)
	line = 20 * pixel
	for n := len(s.entries); n > 0; n-- {
		lines := (len(s.entries) + n - 1) / n
		columns = make([]vg.Length, (len(s.entries)+lines-1)/lines)
		for k, e := range s.entries {
			column := &columns[k%len(columns)]
			*column = max(*column, thumbnail+6*pixel+style.Width(e.text)+2*margin)
		}
		if sum(columns) <= width {
			break
		}
	}
	return columns, line
}

// sum returns the sum of the lengths.
func sum(lengths []vg.Length) (total vg.Length) {
	for _, l := range lengths {
		total += l
	}
	return total
}

// height returns the height of the strip on a canvas of that width.
func (s *strip) height(width vg.Length) vg.Length {
	if len(s.entries) == 0 {
		return 0
	}
	columns, line := s.layout(width)
	return line*vg.Length((len(s.entries)+len(columns)-1)/len(columns)) + margin
}

// draw draws the strip at the top of c and returns the remaining canvas.
func (s *strip) draw(c draw.Canvas) draw.Canvas {
	style := textStyle(labelSize)
	style.YAlign = draw.YCenter
	columns, line := s.layout(c.Size().X)
	left := c.Center().X - (sum(columns)-2*margin)/2
	for k, e := range s.entries {
		column, row := k%len(columns), k/len(columns)
		at := vg.Point{
			X: left + sum(columns[:column]),
			Y: c.Max.Y - line*(vg.Length(row)+0.5),
		}
		icon := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: at.X, Y: at.Y - line/2},
			Max: vg.Point{X: at.X + thumbnail, Y: at.Y + line/2},
		}}
		for _, sample := range e.samples {
			sample.Thumbnail(&icon)
		}
		c.FillText(style, vg.Point{X: at.X + thumbnail + 6*pixel, Y: at.Y}, e.text)
	}
	return draw.Crop(c, 0, 0, 0, -s.height(c.Size().X))
}
