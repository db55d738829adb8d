package plot

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-47b1e431/gosica/internal/electrode"
)

const (
	// rim is the angle from the vertex, in degrees, that is the outline of a head: that of the
	// lowest ring of the 10–20 system. Lower electrodes are drawn outside.
	rim = 92
	// minElectrodes is the smallest number of electrodes for a map: with fewer it would show the
	// interpolation and not the pattern. It is a choice.
	minElectrodes = 6
	// mapPixels is the width and height of a map in pixels, about two for each that is shown.
	mapPixels = 160
)

// A sensor is an electrode with its channel and its place on the head, seen from above: the outline
// has radius 1, and the nose is at the top, (0, 1).
type sensor struct {
	channel int
	x, y    float64
}

// findElectrodes returns the channels that are electrodes, nil if there are too few for a map.
func findElectrodes(channels []string) []sensor {
	var all []sensor
	used := map[electrode.Place]bool{}
	for i, name := range channels {
		place, ok := electrode.PlaceOf(name)
		if !ok || used[place] {
			continue
		}
		used[place] = true
		r := place.Polar / rim // the azimuthal equidistant projection
		sin, cos := math.Sincos(place.Longitude * math.Pi / 180)
		all = append(all, sensor{i, r * cos, r * sin})
	}
	if len(all) < minElectrodes {
		return nil
	}
	return all
}

// drawHead draws a map of a pattern into the largest circle that fits into c.
func drawHead(c draw.Canvas, all []sensor, pattern []float64) {
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
		c.DrawGlyph(dot, at(e.x, e.y))
	}
}

// headImage returns the map inside of the outline, transparent outside of it: the thin-plate spline
// through the pattern's entries (J. Duchon, Constructive Theory of Functions of Several Variables,
// 1977).
func headImage(all []sensor, pattern []float64) image.Image {
	values := make([]float64, len(all))
	for i, e := range all {
		values[i] = pattern[e.channel]
	}
	largest := floats.Norm(values, math.Inf(1))
	if largest == 0 {
		largest = 1
	}
	floats.Scale(1/largest, values)
	height := thinPlate(all, values)
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

// thinPlate returns the thin-plate spline through values at the electrodes, or their mean if all
// electrodes are in a line.
func thinPlate(all []sensor, values []float64) func(x, y float64) float64 {
	basis := func(x, y float64) float64 { // r²·log r², the radial basis function of thin plates
		squared := x*x + y*y
		if squared == 0 {
			return 0
		}
		return squared * math.Log(squared)
	}
	n := len(all)
	system, right := mat.NewDense(n+3, n+3, nil), mat.NewVecDense(n+3, nil)
	for i, a := range all {
		right.SetVec(i, values[i])
		for j, b := range all {
			system.Set(i, j, basis(a.x-b.x, a.y-b.y))
		}
		for k, v := range []float64{1, a.x, a.y} {
			system.Set(i, n+k, v)
			system.Set(n+k, i, v)
		}
	}
	var weights mat.VecDense
	if err := weights.SolveVec(system, right); err != nil {
		mean := floats.Sum(values) / float64(n)
		return func(x, y float64) float64 { return mean }
	}
	return func(x, y float64) float64 {
		v := weights.AtVec(n) + weights.AtVec(n+1)*x + weights.AtVec(n+2)*y
		for i, e := range all {
			v += weights.AtVec(i) * basis(x-e.x, y-e.y)
		}
		return v
	}
}
