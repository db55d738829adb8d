package main

import (
	"bytes"
	"cmp"
	"image/color"
	"math"
	"slices"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	pixel    = vg.Inch / 96
	width    = 900 * pixel
	boxWidth = 190 * pixel
	rowGap   = 26 * pixel // between rows, without the lines between
	lineGap  = 4 * pixel  // for each line that leaves a row
	margin   = 10 * pixel // around the picture, and around the text in a box
	lineStep = 15 * pixel
)

// A picture has a box for each of rooms, and the points of a line for each link.
type picture struct {
	height vg.Length
	boxes  []box
	lines  [][]vg.Point
}

type box struct {
	vg.Rectangle
	row   int
	color color.Color
	text  []string // the first line is the room's name
}

func (b box) middle() vg.Length { return (b.Min.X + b.Max.X) / 2 }

// drawSVG draws the rooms with the links that follow from the imports.
func drawSVG(imports map[string][]string) ([]byte, error) {
	p := newPicture(imports)
	canvas := vgsvg.New(width, p.height)
	p.draw(canvas)
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return nil, err
	}
	// The text was measured in Liberation Sans; Arial has the same widths.
	fonts := []byte("Liberation Sans,Arial,sans-serif;")
	return bytes.ReplaceAll(drawn.Bytes(), []byte("Liberation Sans;"), fonts), nil
}

func newPicture(imports map[string][]string) *picture {
	var p picture
	links := roomLinks(imports)
	top := -margin
	for row, inRow := range house {
		bottom, leaving := top, 0
		for column, r := range inRow {
			i := len(p.boxes)
			text := append([]string{r.name()}, wrap(r.purpose)...)
			if len(r.packages) > 1 {
				text = append(text, wrap("with "+strings.Join(r.packages[1:], ", "))...)
			}
			x := width * vg.Length(2*column+1) / vg.Length(2*len(inRow))
			low := vg.Point{X: x - boxWidth/2, Y: top - margin - vg.Length(len(text))*lineStep}
			high := vg.Point{X: low.X + boxWidth, Y: top}
			p.boxes = append(p.boxes,
				box{vg.Rectangle{Min: low, Max: high}, row, tint(r.name()), text})
			bottom = min(bottom, low.Y)
			for _, l := range links {
				if l.from == i {
					leaving++
				}
			}
		}
		p.height = margin - bottom
		top = bottom - rowGap - vg.Length(leaving)*lineGap
	}
	p.route(links)
	return &p
}

// face returns the font of a box's first line, which is bold, or of the others.
func face(bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: 12 * pixel}
	if bold {
		f.Size, f.Weight = 14*pixel, stdfont.WeightBold
	}
	return plot.DefaultTextHandler.Cache().Lookup(f, f.Size)
}

// wrap returns the text in lines that fit a box.
func wrap(text string) (lines []string) {
	plain := face(false)
	for word := range strings.FieldsSeq(text) {
		last := len(lines) - 1
		if last >= 0 && plain.Width(lines[last]+" "+word) <= boxWidth-2*margin {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// tint returns the colour of a room: blue for the method, green for what works without it,
// orange for what people open.
func tint(name string) color.Color {
	switch {
	case strings.HasPrefix(name, "sica") || name == "internal/iterate":
		return color.NRGBA{R: 219, G: 233, B: 246, A: 255}
	case name == "notebooks" || name == "cmd":
		return color.NRGBA{R: 253, G: 236, B: 214, A: 255}
	case name == "internal":
		return color.NRGBA{R: 238, G: 238, B: 238, A: 255}
	}
	return color.NRGBA{R: 224, G: 240, B: 224, A: 255}
}

// A link leads from a room to one that it imports, by their indices in rooms.
type link struct{ from, to int }

// roomLinks returns the links that point down, without those that follow from others, and
// without those of packages that only serve tests.
func roomLinks(imports map[string][]string) []link {
	direct := roomImports(imports)
	var reaches func(from, to int) bool
	reaches = func(from, to int) bool {
		for via := range direct[from] {
			if via == to || reaches(via, to) {
				return true
			}
		}
		return false
	}
	var links []link
	for from := range direct {
		for to := range direct[from] {
			follows := false
			for via := range direct[from] {
				follows = follows || reaches(via, to)
			}
			if !follows {
				links = append(links, link{from, to})
			}
		}
	}
	slices.SortFunc(links, func(a, b link) int { return cmp.Or(a.from-b.from, a.to-b.to) })
	return links
}

// roomImports returns for each room those further down that its packages import, without packages
// that only serve tests.
func roomImports(imports map[string][]string) []map[int]bool {
	direct := make([]map[int]bool, len(rooms))
	for i := range direct {
		direct[i] = make(map[int]bool)
	}
	for name, imported := range imports {
		from, err := roomIndex(name)
		if err != nil || strings.HasSuffix(name, "test") {
			continue
		}
		for _, other := range imported {
			if to, err := roomIndex(other); err == nil && to > from {
				direct[from][to] = true
			}
		}
	}
	return direct
}

// A line is a link in the picture. It goes straight down at x through the rows that it passes.
type line struct {
	link
	x vg.Length
}

// route sets the points of all lines, from the lower edge of a box to the upper edge of another.
func (p *picture) route(links []link) {
	var lines []line
	for _, l := range links {
		lines = append(lines, p.place(line{link: l}, lines))
	}
	for _, l := range lines {
		start := vg.Point{X: p.port(l.from, l, lines), Y: p.boxes[l.from].Min.Y}
		end := vg.Point{X: p.port(l.to, l, lines), Y: p.boxes[l.to].Max.Y}
		points := []vg.Point{start}
		if passed := p.between(l); len(passed) > 0 {
			lowest := slices.MinFunc(passed,
				func(a, b box) int { return cmp.Compare(a.Min.Y, b.Min.Y) })
			points = append(points, vg.Point{X: l.x, Y: passed[0].Max.Y},
				vg.Point{X: l.x, Y: lowest.Min.Y})
		}
		p.lines = append(p.lines, append(points, end))
	}
}

// between returns the boxes of the rows that the line passes, from top to bottom.
func (p *picture) between(l line) (boxes []box) {
	for _, b := range p.boxes {
		if p.boxes[l.from].row < b.row && b.row < p.boxes[l.to].row {
			boxes = append(boxes, b)
		}
	}
	return boxes
}

// place sets the line's x to the shortest way that keeps clear of boxes and of other lines.
func (p *picture) place(l line, others []line) line {
	const clear = 11 * pixel
	from, to := p.boxes[l.from], p.boxes[l.to]
	shortest := vg.Length(math.Inf(1))
	for x := clear; x < width; x += pixel {
		way := vg.Length(math.Abs(float64(x-from.middle())) + math.Abs(float64(x-to.middle())))
		free := !slices.ContainsFunc(p.between(l), func(b box) bool {
			return b.Min.X-clear < x && x < b.Max.X+clear
		}) && !slices.ContainsFunc(others, func(o line) bool {
			beside := p.boxes[o.from].row < to.row-1 && from.row+1 < p.boxes[o.to].row
			return beside && len(p.between(o)) > 0 && math.Abs(float64(x-o.x)) < float64(clear)
		})
		if free && way < shortest {
			shortest, l.x = way, x
		}
	}
	return l
}

// port returns the x where the line leaves or reaches the edge of a box. The lines of an edge
// have the order of where they lead.
func (p *picture) port(b int, l line, lines []line) vg.Length {
	direction := func(o line) vg.Length {
		switch {
		case len(p.between(o)) > 0:
			return o.x
		case o.from == b:
			return p.boxes[o.to].middle()
		}
		return p.boxes[o.from].middle()
	}
	place, n := 0, 0
	for _, o := range lines {
		if b == l.from && o.from == b || b == l.to && o.to == b {
			n++
			if direction(o) < direction(l) {
				place++
			}
		}
	}
	step := min(24*pixel, boxWidth/vg.Length(n+1))
	return p.boxes[b].middle() + (vg.Length(place)-vg.Length(n-1)/2)*step
}

// draw draws the picture from the top of the canvas down.
func (p *picture) draw(canvas vg.Canvas) {
	c := draw.NewCanvas(canvas, width, p.height)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c.Translate(vg.Point{Y: p.height})
	for _, points := range p.lines {
		drawArrow(c, points)
	}
	for _, b := range p.boxes {
		corners := []vg.Point{b.Min, {X: b.Min.X, Y: b.Max.Y}, b.Max, {X: b.Max.X, Y: b.Min.Y}}
		c.FillPolygon(b.color, corners)
		c.SetColor(color.Black)
		for k, text := range b.text {
			base := b.Max.Y - margin/2 - vg.Length(k+1)*lineStep + 3*pixel
			c.FillString(face(k == 0), vg.Point{X: b.Min.X + margin, Y: base}, text)
		}
	}
}

// drawArrow draws a curve through the points with an arrowhead at the last.
func drawArrow(c draw.Canvas, points []vg.Point) {
	grey := color.NRGBA{R: 90, G: 90, B: 90, A: 255}
	c.SetLineStyle(draw.LineStyle{Color: grey, Width: 1.2 * pixel})
	end := points[len(points)-1]
	foot := end.Add(vg.Point{Y: 7 * pixel})
	var path vg.Path
	path.Move(points[0])
	for k, to := range append(slices.Clone(points[1:len(points)-1]), foot) {
		from := points[k]
		half := vg.Point{Y: (to.Y - from.Y) / 2}
		path.CubeTo(from.Add(half), to.Sub(half), to)
	}
	c.Stroke(path)
	side := vg.Point{X: 3.5 * pixel}
	c.FillPolygon(grey, []vg.Point{end, foot.Add(side), foot.Sub(side)})
}
