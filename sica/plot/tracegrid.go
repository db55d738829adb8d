package plot

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-47b1e431/gosica/internal/ticks"
)

// mostColumns is the most signals that a TraceGrid shows.
const mostColumns = 4

// TraceGrid draws the signals at the positions from ≤ t < to as small multiples,
// to compare many methods: a row for each group, with its label at the left, and
// a column for each signal, with one range for all its traces. Of more than four
// signals the first four are drawn, and the picture says so. A trace is a solid
// line in its method's colour. It lies over the truth, a d×T matrix drawn as a
// thin black line, unless truth is nil.
//
// The values are drawn as they are, so recovered signals should be brought to the
// order, sign and scale of the truth first; see sica.Align.
//
// It is an error if there are no groups, if their sizes or the truth's differ, if
// the window isn't within 0 ≤ from < to ≤ T with at least two positions, or if a
// value in it isn't finite.
func TraceGrid(from, to int, truth *mat.Dense, groups ...Group) (*Picture, error) {
	d, n, err := checkGroups(groups)
	if err != nil {
		return nil, fmt.Errorf("plot: trace grid: %w", err)
	}
	if from < 0 || to > n || to-from < 2 {
		return nil, fmt.Errorf("plot: trace grid: the window is %d ≤ t < %d; it must hold at least 2 of the positions 0 ≤ t < %d", from, to, n)
	}
	grid := newTraceGrid(min(d, mostColumns))
	if truth != nil {
		all := append([]Group{{Method: Truth, Signals: truth}}, groups...)
		if _, _, err := checkGroups(all); err != nil {
			return nil, fmt.Errorf("plot: trace grid: %w", err)
		}
		if grid.truth, err = grid.traces(all[0], from, to, draw.LineStyle{Color: black, Width: 0.6}); err != nil {
			return nil, fmt.Errorf("plot: trace grid: %w", err)
		}
		grid.legend.add(Truth, grid.truth[0])
	}
	if d > mostColumns {
		grid.legend.add(fmt.Sprintf("the first %d of %d signals", mostColumns, d))
	}
	styles := stylesOf(methodsOf(groups))
	for k, g := range groups {
		// Dashes would look like gaps through which the truth shows.
		row, err := grid.traces(g, from, to, draw.LineStyle{Color: styles[k].Color, Width: 1.2})
		if err != nil {
			return nil, fmt.Errorf("plot: trace grid: %w", err)
		}
		grid.labels = append(grid.labels, g.label())
		grid.rows = append(grid.rows, row)
	}
	for _, scale := range grid.scales {
		if scale.Y.Min == scale.Y.Max { // a constant goes in the middle
			scale.Y.Min--
			scale.Y.Max++
		}
	}

	// Many groups get lower rows.
	rowHeight := max(40, min(110, 640/vg.Length(len(groups)))) * pixel
	return &Picture{
		width:  width,
		height: rowHeight*vg.Length(len(groups)) + 90*pixel + grid.legend.height(width-2*margin),
		draw:   func(c draw.Canvas) { grid.draw(inset(c)) },
	}, nil
}

// traceGrid is what a TraceGrid shows. Its parts share their axes, so it places
// them itself: gonum's Align leaves little of low rows.
type traceGrid struct {
	legend strip
	labels []string          // one a row
	rows   [][]*plotter.Line // [row][column]
	truth  []*plotter.Line   // [column], or nil
	scales []*gplot.Plot     // [column], for their ranges only
}

func newTraceGrid(columns int) *traceGrid {
	g := &traceGrid{scales: make([]*gplot.Plot, columns)}
	for i := range g.scales {
		g.scales[i] = gplot.New()
	}
	return g
}

// traces returns a line for each signal that is shown, and makes room for it.
func (g *traceGrid) traces(group Group, from, to int, style draw.LineStyle) ([]*plotter.Line, error) {
	lines := make([]*plotter.Line, len(g.scales))
	for i, scale := range g.scales {
		line, err := plotter.NewLine(window(group, i, from, to))
		if err != nil {
			return nil, fmt.Errorf("group %q, signal %d: %w", group.label(), i+1, err)
		}
		line.LineStyle = style
		lines[i] = line
		scale.Add(line)
	}
	return lines, nil
}

func (g *traceGrid) draw(c draw.Canvas) {
	c = g.legend.draw(c)
	label, title, position := textStyle(labelSize), textStyle(labelSize), textStyle(labelSize)
	label.YAlign = draw.YCenter
	title.XAlign, position.XAlign, position.YAlign = draw.XCenter, draw.XCenter, draw.YTop
	cells := g.cells(c)
	for i, scale := range g.scales {
		top, bottom := cells[0][i], cells[len(cells)-1][i]
		c.FillText(title, vg.Point{X: top.Center().X, Y: top.Max.Y + 8*pixel}, fmt.Sprintf("signal %d", i+1))
		c.FillText(position, vg.Point{X: bottom.Center().X, Y: bottom.Min.Y - 22*pixel}, "position t")
		// The lines of the positions go through all rows, so that these can be
		// compared.
		column := bottom
		column.Max.Y = top.Max.Y
		drawPositions(column, scale)
		for k, row := range g.rows {
			drawValues(cells[k][i], scale)
			if g.truth != nil {
				g.truth[i].Plot(cells[k][i], scale)
			}
			row[i].Plot(cells[k][i], scale)
		}
	}
	for k, text := range g.labels {
		c.FillText(label, vg.Point{X: c.Min.X, Y: cells[k][0].Center().Y}, text)
	}
}

// cells are where the traces go, [row][column].
func (g *traceGrid) cells(c draw.Canvas) [][]draw.Canvas {
	label, values := textStyle(labelSize), textStyle(valueSize)
	var labelWidth, valueWidth vg.Length
	for _, text := range g.labels {
		labelWidth = max(labelWidth, label.Width(text))
	}
	for _, scale := range g.scales {
		for _, tick := range (fewTicks{}).Ticks(scale.Y.Min, scale.Y.Max) {
			valueWidth = max(valueWidth, values.Width(tick.Label))
		}
	}
	room := draw.Crop(c, labelWidth+margin, 0, 46*pixel, -24*pixel)
	tiles := draw.Tiles{Rows: len(g.rows), Cols: len(g.scales), PadX: margin, PadY: 8 * pixel}
	cells := make([][]draw.Canvas, len(g.rows))
	for k := range cells {
		for i := range g.scales {
			cells[k] = append(cells[k], draw.Crop(tiles.At(room, i, k), valueWidth+4*pixel, 0, 0, 0))
		}
	}
	return cells
}

// valueSize is the size of the labels of values, which have little room.
const valueSize = vg.Length(8)

var gridStyle = draw.LineStyle{Color: color.NRGBA{A: 28}, Width: pixel}

// drawPositions draws a line for each of a few positions, and the position below.
func drawPositions(c draw.Canvas, scale *gplot.Plot) {
	style := textStyle(tickSize)
	style.XAlign, style.YAlign = draw.XCenter, draw.YTop
	x, _ := scale.Transforms(&c)
	for _, tick := range (fewTicks{}).Ticks(scale.X.Min, scale.X.Max) {
		at := x(tick.Value)
		c.StrokeLine2(gridStyle, at, c.Min.Y, at, c.Max.Y)
		c.FillText(style, vg.Point{X: at, Y: c.Min.Y - 4*pixel}, tick.Label)
	}
}

// drawValues draws a line for each of a few values, and the value at the left.
func drawValues(c draw.Canvas, scale *gplot.Plot) {
	style := textStyle(valueSize)
	style.XAlign, style.YAlign = draw.XRight, draw.YCenter
	_, y := scale.Transforms(&c)
	for _, tick := range (fewTicks{}).Ticks(scale.Y.Min, scale.Y.Max) {
		at := y(tick.Value)
		c.StrokeLine2(gridStyle, c.Min.X, at, c.Max.X, at)
		c.FillText(style, vg.Point{X: c.Min.X - 4*pixel, Y: at}, tick.Label)
	}
}

// fewTicks marks two or three round values, 0 among them if it is in the range.
type fewTicks struct{}

func (fewTicks) Ticks(low, high float64) []gplot.Tick {
	marks := ticks.Round{}.Ticks(low, high)
	for len(marks) > 3 {
		step := marks[1].Value - marks[0].Value
		marks = slices.DeleteFunc(marks, func(t gplot.Tick) bool {
			return math.Mod(math.Round(t.Value/step), 2) != 0
		})
	}
	return marks
}
