package main

import (
	"context"
	"fmt"
	"image/color"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	gplot "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
)

// leastShown is the dependence at the picture's left edge; less is drawn there.
const leastShown = 0.01

// drawChoice draws the dependence that each start leaves of each problem's runs,
// and where Default draws its lines.
func drawChoice(ctx context.Context, b compute.Backend, seed uint64, runs int, path string) error {
	rows := slices.DeleteFunc(problems(), func(p problem) bool {
		return strings.HasPrefix(p.name, "unseen") || strings.HasSuffix(p.name, "J=10") || strings.Contains(p.name, "=32")
	})
	slices.Reverse(rows)
	points := make(map[string]plotter.XYs) // by start
	p := gplot.New()
	var names []string
	for at, row := range rows {
		names = append(names, row.name)
		for k := range runs {
			_, x, err := row.draw(rand.New(rand.NewPCG(seed+uint64(k), 0)))
			if err != nil {
				return err
			}
			cfg := sica.Default()
			cfg.Shape, cfg.Seed, cfg.Iterations, cfg.Steps = row.shape, seed+uint64(k), 1, 1
			result, err := sica.Fit(ctx, b, x, cfg)
			if err != nil {
				return fmt.Errorf("%s: %w", row.name, err)
			}
			for _, c := range result.Candidates {
				points[c.String()] = append(points[c.String()], plotter.XY{
					X: max(c.Dependence.Total(), leastShown),
					Y: float64(at) + 0.5*(float64(k)+0.5)/float64(runs) - 0.25,
				})
			}
		}
	}
	for _, start := range []struct {
		name  string
		color color.Color
		shape draw.GlyphDrawer
	}{
		{"zca", color.NRGBA{R: 89, G: 89, B: 89, A: 255}, draw.RingGlyph{}},
		{"zca, rotated", color.NRGBA{G: 114, B: 178, A: 255}, draw.SquareGlyph{}},
		{"conditional", color.NRGBA{R: 230, G: 159, A: 255}, draw.TriangleGlyph{}},
	} {
		scatter, err := plotter.NewScatter(points[start.name])
		if err != nil {
			return fmt.Errorf("%s: %w", start.name, err)
		}
		scatter.GlyphStyle = draw.GlyphStyle{Color: start.color, Radius: vg.Points(3.5), Shape: start.shape}
		p.Add(scatter)
		p.Legend.Add(start.name, scatter)
	}
	settled, err := plotter.NewLine(plotter.XYs{{X: sica.Default().Settled, Y: -0.5}, {X: sica.Default().Settled, Y: float64(len(rows)) - 0.5}})
	if err != nil {
		return err
	}
	settled.LineStyle = draw.LineStyle{Color: color.Black, Width: vg.Points(1), Dashes: []vg.Length{5, 3}}
	p.Add(settled)
	p.Legend.Add("settled: not moved", settled)
	p.Legend.Top = true
	p.X.Scale, p.X.Tick.Marker = gplot.LogScale{}, gplot.LogTicks{Prec: -1}
	p.X.Label.Text = "dependence that the start leaves (MeasureDependence)"
	p.X.Min, p.X.Max = leastShown*0.9, 12
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.5, float64(len(rows))+1.8 // room for the legend
	canvas, err := p.WriterTo(9*vg.Inch, 5.5*vg.Inch, "png")
	if err != nil {
		return err
	}
	return datasets.WriteAtomic(path, func(w io.Writer) error {
		_, err := canvas.WriteTo(w)
		return err
	})
}
