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
)

// Traces draws the signals at the positions first ≤ t < end. The panels of the signals lie below
// one another, with a line for each group; later groups lie above earlier ones. Signals of
// different scale should be standardised first.
//
// It is an error if there are no groups, if their sizes differ, if there are fewer than two such
// positions, or if a value isn't finite.
func Traces(first, end int, groups ...Group) (*Picture, error) {
	d, err := checkWindow(first, end, groups)
	if err != nil {
		return nil, fmt.Errorf("plot: traces: %w", err)
	}
	var legend strip
	styles := stylesOf(groups)
	panels := make([]*gplot.Plot, d)
	for i := range panels {
		p := newPanel()
		p.Y.Label.Text = fmt.Sprintf("signal %d", i+1)
		for k, g := range groups {
			line, err := plotter.NewLine(window(g, i, first, end, atPosition))
			if err != nil {
				return nil, fmt.Errorf("plot: traces: group %q, signal %d: %w", labelOf(g), i+1, err)
			}
			line.LineStyle = styles[k].line()
			p.Add(line)
			if i == 0 {
				legend.add(labelOf(g), line)
			}
		}
		p.X.Min, p.X.Max = float64(first), float64(end-1)
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
			drawStacked(legend.drawRight(inset(c)), panels)
		},
	}, nil
}

// checkWindow returns the number of signals of the groups, or an error unless they have the
// positions first ≤ t < end, at least two.
func checkWindow(first, end int, groups []Group) (d int, err error) {
	d, n, err := checkGroups(groups)
	if err == nil && (first < 0 || end > n || end-first < 2) {
		err = fmt.Errorf("the window is %d ≤ t < %d; must have at least 2 of the positions 0 ≤ t < %d",
			first, end, n)
	}
	return d, err
}

// window returns signal i of g as points, with position t drawn at place(t).
func window(g Group, i, first, end int, place func(t int) float64) plotter.XYs {
	points := make(plotter.XYs, 0, end-first)
	for t := first; t < end; t++ {
		points = append(points, plotter.XY{X: place(t), Y: g.Signals.At(i, t)})
	}
	return points
}

func atPosition(t int) float64 { return float64(t) }

// maxColumns is the maximum number of signals of a TraceGrid.
const maxColumns = 4

// TraceGrid draws the signals at the positions first ≤ t < end as small multiples, to compare
// many methods. Each group has a row, with its label at the left, and each signal a column, with
// one range for all its traces. Of more than four signals the first four are drawn, and the
// picture says so. A trace is a solid line in its method's colour, over a thin black line for
// truth, d×n, unless that is nil. Recovered signals should be matched to the truth first; see
// metric.Align.
//
// It is an error if there are no groups, if their sizes or that of truth differ, if there are
// fewer than two such positions, or if a value there isn't finite.
func TraceGrid(first, end int, truth *mat.Dense, groups ...Group) (*Picture, error) {
	return newTraceGrid().picture(first, end, truth, groups)
}

// NamedTraceGrid is [TraceGrid] with names of the signals above the columns, and the time in
// seconds below them. It is an error if there isn't a name for each signal, or if rate, in Hz,
// isn't positive and finite.
func NamedTraceGrid(
	first, end int, names []string, rate float64, truth *mat.Dense, groups ...Group,
) (*Picture, error) {
	d, _, err := checkGroups(groups)
	if err != nil {
		return nil, fmt.Errorf("plot: trace grid: %w", err)
	}
	if len(names) != d {
		return nil, fmt.Errorf("plot: trace grid: %d names; must be one for each of %d signals",
			len(names), d)
	}
	if !(rate > 0) || math.IsInf(rate, 1) {
		return nil, fmt.Errorf("plot: trace grid: rate is %g; must be positive and finite", rate)
	}
	grid := newTraceGrid()
	grid.title = func(i int) string { return names[i] }
	grid.axis = "time, s"
	grid.place = func(t int) float64 { return float64(t) / rate }
	return grid.picture(first, end, truth, groups)
}

// picture returns the grid of the groups over truth, which may be nil.
func (g *traceGrid) picture(
	first, end int, truth *mat.Dense, groups []Group,
) (*Picture, error) {
	d, err := checkWindow(first, end, groups)
	if err != nil {
		return nil, fmt.Errorf("plot: trace grid: %w", err)
	}
	for range min(d, maxColumns) {
		g.scales = append(g.scales, gplot.New())
	}
	if truth != nil {
		all := append([]Group{{Method: Truth, Signals: truth}}, groups...)
		if _, _, err := checkGroups(all); err != nil {
			return nil, fmt.Errorf("plot: trace grid: %w", err)
		}
		thin := draw.LineStyle{Color: black, Width: 0.6}
		if g.truth, err = g.traces(all[0], first, end, thin); err != nil {
			return nil, fmt.Errorf("plot: trace grid: %w", err)
		}
		g.legend.add(Truth, g.truth[0])
	}
	if d > maxColumns {
		g.legend.add(fmt.Sprintf("the first %d of %d signals", maxColumns, d))
	}
	styles := stylesOf(groups)
	for k, group := range groups {
		// Dashes would look like gaps through which the truth shows.
		solid := draw.LineStyle{Color: styles[k].color, Width: 1.2}
		row, err := g.traces(group, first, end, solid)
		if err != nil {
			return nil, fmt.Errorf("plot: trace grid: %w", err)
		}
		g.labels = append(g.labels, labelOf(group))
		g.rows = append(g.rows, row)
	}
	for _, scale := range g.scales {
		if scale.Y.Min == scale.Y.Max { // a constant goes in the middle
			scale.Y.Min--
			scale.Y.Max++
		}
	}

	// Many groups get lower rows.
	rowHeight := max(40, min(110, 640/vg.Length(len(groups)))) * pixel
	return &Picture{
		width:  width,
		height: rowHeight*vg.Length(len(groups)) + 90*pixel + g.legend.height(width-2*margin),
		draw:   func(c draw.Canvas) { g.draw(inset(c)) },
	}, nil
}

// A traceGrid is the content of a TraceGrid. It places the panels, which share their axes,
// itself, as gonum's Align leaves little of low rows.
type traceGrid struct {
	legend strip
	labels []string          // one a row
	rows   [][]*plotter.Line // [row][column]
	truth  []*plotter.Line   // [column], or nil
	scales []*gplot.Plot     // [column], for their ranges only

	title func(i int) string  // of a column
	axis  string              // label of what place returns
	place func(t int) float64 // where a position is drawn
}

// newTraceGrid returns an empty grid of signals with numbers along their positions.
func newTraceGrid() *traceGrid {
	return &traceGrid{
		title: func(i int) string { return fmt.Sprintf("signal %d", i+1) },
		axis:  "position t",
		place: atPosition,
	}
}

// traces returns a line for each signal and makes room for it.
func (g *traceGrid) traces(
	group Group, first, end int, look draw.LineStyle,
) ([]*plotter.Line, error) {
	lines := make([]*plotter.Line, len(g.scales))
	for i, scale := range g.scales {
		line, err := plotter.NewLine(window(group, i, first, end, g.place))
		if err != nil {
			return nil, fmt.Errorf("group %q, signal %d: %w", labelOf(group), i+1, err)
		}
		line.LineStyle = look
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
		above := vg.Point{X: top.Center().X, Y: top.Max.Y + 8*pixel}
		c.FillText(title, above, g.title(i))
		below := vg.Point{X: bottom.Center().X, Y: bottom.Min.Y - 22*pixel}
		c.FillText(position, below, g.axis)
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

// cells returns the canvas of each trace, [row][column].
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

// drawPositions draws a line at each of a few positions, and the position below.
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

// drawValues draws a line at each of a few values, and the value at the left.
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

// fewTicks marks two or three round values, and 0 if it is in the range.
type fewTicks struct{}

func (fewTicks) Ticks(low, high float64) []gplot.Tick {
	marks := roundTicks{}.Ticks(low, high)
	for len(marks) > 3 {
		step := marks[1].Value - marks[0].Value
		marks = slices.DeleteFunc(marks, func(t gplot.Tick) bool {
			return math.Mod(math.Round(t.Value/step), 2) != 0
		})
	}
	return marks
}
