package main

import (
	"fmt"
	"image/color"
	"sort"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colours are one for each implementation, told apart by the colour-blind
// (M. Okabe, K. Ito, 2008).
var colours = map[string]color.RGBA{
	"gosica":         {0, 114, 178, 255},
	"gosica_literal": {86, 180, 233, 255},
	"torch_eager":    {213, 94, 0, 255},
	"torch_compile":  {230, 159, 0, 255},
	"jax_jit":        {0, 158, 115, 255},
	"jax_scan":       {204, 121, 167, 255},
}

// drawCost draws the cost of two signals against their length, on logarithmic
// axes: a training step, a refinement and an iteration of Default.
func drawCost(file string, rows []row) error {
	p := plot.New()
	p.Title.Text = "Cost against length (two signals, one run, fewest cores measured)"
	p.X.Label.Text, p.Y.Label.Text = "positions T", "ms"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = false, false // lines rise from the other corner
	p.Add(plotter.NewGrid())

	lines := costLines(rows)
	var names []string
	for name := range lines {
		names = append(names, name)
	}
	sort.Strings(names)
	drawn := 0
	for _, name := range names {
		line := lines[name]
		if len(line.points) < 2 {
			continue
		}
		sort.Slice(line.points, func(a, b int) bool { return line.points[a].X < line.points[b].X })
		l, s, err := plotter.NewLinePoints(line.points)
		if err != nil {
			return err
		}
		l.Color, s.Color, l.Width = colours[line.impl], colours[line.impl], vg.Points(1.5)
		l.Dashes, s.Shape = line.dashes, line.glyph
		p.Add(l, s)
		p.Legend.Add(name, l, s)
		drawn++
	}
	if drawn == 0 {
		return nil // logarithmic axes need points
	}
	return p.Save(22*vg.Centimeter, 15*vg.Centimeter, file)
}

type costLine struct {
	impl   string
	dashes []vg.Length
	glyph  draw.GlyphDrawer
	points plotter.XYs
}

// costLines are the lines by the name in the legend.
func costLines(rows []row) map[string]*costLine {
	styles := map[string]costLine{
		rfTrainStep:      {glyph: draw.CircleGlyph{}},
		refine:           {glyph: draw.SquareGlyph{}, dashes: []vg.Length{vg.Points(5), vg.Points(3)}},
		defaultIteration: {glyph: draw.TriangleGlyph{}, dashes: []vg.Length{vg.Points(1), vg.Points(3)}},
	}
	fewest := 0
	for _, r := range rows {
		if fewest == 0 || r.Cores < fewest {
			fewest = r.Cores
		}
	}
	lines := make(map[string]*costLine)
	for _, r := range rows {
		style, ok := styles[r.Case]
		if !ok || r.D != 2 || len(r.Shape) != 1 || r.Runs != 1 || r.Cores != fewest || r.Backend == "go" {
			continue
		}
		name := fmt.Sprintf("%s, %s", r.Impl, r.Case)
		if lines[name] == nil {
			style.impl = r.Impl
			lines[name] = &style
		}
		lines[name].points = append(lines[name].points, plotter.XY{X: float64(r.T), Y: r.Median})
	}
	return lines
}
