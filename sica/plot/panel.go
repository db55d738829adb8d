package plot

import (
	"image/color"

	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-47b1e431/gosica/internal/ticks"
	"github.com/seed-47b1e431/gosica/sica/plot/internal/markup"
)

var white = color.NRGBA{R: 255, G: 255, B: 255, A: 255}

const (
	margin    = 10 * pixel
	labelSize = vg.Length(11)
	tickSize  = vg.Length(9.5)
)

func textStyle(size vg.Length) text.Style {
	return text.Style{Color: black, Font: markup.Sans(size), Handler: gplot.DefaultTextHandler}
}

// newPanel returns an empty plot with the fonts of this package and a faint
// grid.
func newPanel() *gplot.Plot {
	p := gplot.New()
	for _, axis := range []*gplot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = markup.Sans(labelSize)
		axis.Label.Padding = 3 * pixel
		axis.Tick.Label.Font = markup.Sans(tickSize)
		axis.Tick.Marker = ticks.Round{}
	}
	grid := plotter.NewGrid()
	faint := draw.LineStyle{Color: color.NRGBA{A: 24}, Width: pixel}
	grid.Horizontal, grid.Vertical = faint, faint
	p.Add(grid)
	return p
}

// drawLegend draws the legend at the right edge of c, and returns what is left
// of c.
func drawLegend(c draw.Canvas, legend gplot.Legend) draw.Canvas {
	legend.TextStyle.Font = markup.Sans(labelSize)
	legend.Top, legend.Left = true, true
	legend.ThumbnailWidth = thumbnail
	legend.Padding = 4 * pixel
	taken := legend.Rectangle(c).Size().X
	at := c
	at.Min.X = c.Max.X - taken
	legend.Draw(at)
	c.Max.X -= taken + 2*margin
	return c
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

// drawGrid draws the panels, each below its title, in rows of the given number
// of columns with aligned axes.
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
