package plot

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-47b1e431/gosica/internal/electrode"
)

// mapPixels is the width and height of a map in pixels, about two for each that is shown.
const mapPixels = 160

// drawHead draws a map of a pattern into the largest circle that fits into c.
func drawHead(c draw.Canvas, all []electrode.Sensor, pattern []float64) {
	center := c.Center()
	outside := vg.Length(1.15) // room for the nose and for electrodes below the rim
	radius := min(c.Max.X-c.Min.X, c.Max.Y-c.Min.Y) / 2 / outside
	at := func(x, y float64) vg.Point {
		return vg.Point{X: center.X + radius*vg.Length(x), Y: center.Y + radius*vg.Length(y)}
	}
	c.DrawImage(vg.Rectangle{Min: at(-1, -1), Max: at(1, 1)}, headImage(all, pattern))
	outline := draw.LineStyle{Color: darkGrey, Width: 0.8}
	var circle []vg.Point
	for k := range 73 {
		sin, cos := math.Sincos(float64(k) * math.Pi / 36)
		circle = append(circle, at(cos, sin))
	}
	c.StrokeLines(outline, circle, []vg.Point{at(-0.12, 0.993), at(0, 1.13), at(0.12, 0.993)})
	for _, side := range []float64{-1, 1} {
		c.StrokeLines(outline, []vg.Point{
			at(side*0.985, 0.17), at(side*1.06, 0.19), at(side*1.09, 0), at(side*1.06, -0.19),
			at(side*0.985, -0.17),
		})
	}
	dot := draw.GlyphStyle{Color: black, Radius: max(0.6*pixel, radius/40), Shape: draw.CircleGlyph{}}
	for _, e := range all {
		c.DrawGlyph(dot, at(e.X, e.Y))
	}
}

// headImage returns the map inside of the outline, transparent outside of it.
func headImage(all []electrode.Sensor, pattern []float64) image.Image {
	height := electrode.Map(all, pattern)
	img := image.NewNRGBA(image.Rect(0, 0, mapPixels, mapPixels))
	for row := range mapPixels {
		for column := range mapPixels {
			x := (2*float64(column) + 1 - mapPixels) / mapPixels
			y := (mapPixels - 2*float64(row) - 1) / mapPixels
			if x*x+y*y <= 1 {
				img.SetNRGBA(column, row, shade(height(x, y)))
			}
		}
	}
	return img
}

// shade returns the colour of a value, as the bars have them: orange at 1, dark blue at −1,
// white at 0.
func shade(v float64) color.NRGBA {
	full := orange
	if v < 0 {
		full = darkBlue
	}
	share := min(math.Abs(v), 1)
	mix := func(c uint8) uint8 { return uint8(math.Round(255 + share*(float64(c)-255))) }
	return color.NRGBA{R: mix(full.R), G: mix(full.G), B: mix(full.B), A: 255}
}
