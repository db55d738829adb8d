package main

import (
	"cmp"
	"image/color"
	"math"
	"path"
	"slices"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	dpi      = 96
	pixel    = vg.Inch / dpi
	width    = 900 * pixel
	boxWidth = 178 * pixel
	rowGap   = 26 * pixel // between boxes, and more for the lines between
	margin   = 10 * pixel // about the picture, and about the text in a box
	lineStep = 15 * pixel
)

// A picture is boxes, one for each of rooms, and links, lines from one to another.
type picture struct {
	height vg.Length
	boxes  []box
	links  [][]vg.Point
}

type box struct {
	vg.Rectangle
	row   int
	color color.Color
	lines []string // the first is the room's name
}

// face is the font of a box's first line or of the others.
func face(bold bool) font.Face {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: 12 * pixel}
	if bold {
		f.Size, f.Weight = 14*pixel, stdfont.WeightBold
	}
	return plot.DefaultTextHandler.Cache().Lookup(f, f.Size)
}

// wrapped is text in lines that fit a box.
func wrapped(text string) (lines []string) {
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

func newPicture(imports map[string][]string) *picture {
	var p picture
	held := make([][]string, len(rooms)) // the names of each room's further packages
	for name := range imports {
		i, err := roomOf(name)
		if err == nil && strings.Count(name, "internal") == strings.Count(rooms[i].name, "internal") && name != rooms[i].name {
			held[i] = append(held[i], path.Base(name))
		}
	}
	all := links(imports)
	top := -margin
	for row, inRow := range house {
		bottom, leave := top, 0
		for _, r := range inRow {
			i := len(p.boxes)
			lines := append([]string{r.name}, wrapped(r.purpose)...)
			if slices.Sort(held[i]); len(held[i]) > 1 {
				lines = append(lines, wrapped(strings.Join(held[i], ", "))...)
			}
			low := vg.Point{X: vg.Length(r.x)*width - boxWidth/2, Y: top - margin - vg.Length(len(lines))*lineStep}
			high := vg.Point{X: low.X + boxWidth, Y: top}
			p.boxes = append(p.boxes, box{Rectangle: vg.Rectangle{Min: low, Max: high}, row: row, color: tint(r.name), lines: lines})
			bottom = min(bottom, low.Y)
			for _, l := range all {
				if l[0] == i {
					leave++
				}
			}
		}
		p.height = margin - bottom
		top = bottom - rowGap - vg.Length(leave)*4*pixel
	}
	p.route(all)
	return &p
}

// tint is the colour of a room: blue for the method, green for what works without
// it, orange for what people open.
func tint(name string) color.Color {
	switch {
	case strings.HasPrefix(name, "sica"):
		return color.NRGBA{R: 219, G: 233, B: 246, A: 255}
	case name == "notebooks" || name == "scripts":
		return color.NRGBA{R: 253, G: 236, B: 214, A: 255}
	case name == "internal":
		return color.NRGBA{R: 238, G: 238, B: 238, A: 255}
	}
	return color.NRGBA{R: 224, G: 240, B: 224, A: 255}
}

// links are the imports that point down from room to room, by their places in rooms,
// without those that follow from others, and those of packages that only serve tests.
func links(imports map[string][]string) [][2]int {
	direct := make([]map[int]bool, len(rooms))
	for i := range direct {
		direct[i] = make(map[int]bool)
	}
	for name, imported := range imports {
		from, err := roomOf(name)
		if err != nil || strings.HasSuffix(name, "test") {
			continue
		}
		for _, other := range imported {
			if to, err := roomOf(other); err == nil && to > from {
				direct[from][to] = true
			}
		}
	}
	var reaches func(from, to int) bool
	reaches = func(from, to int) bool {
		for via := range direct[from] {
			if via == to || reaches(via, to) {
				return true
			}
		}
		return false
	}
	var found [][2]int
	for from := range direct {
		for to := range direct[from] {
			follows := false
			for via := range direct[from] {
				follows = follows || reaches(via, to)
			}
			if !follows {
				found = append(found, [2]int{from, to})
			}
		}
	}
	slices.SortFunc(found, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	return found
}

// A line is a link on its way: from a box, down at x through the rows between, to
// another box.
type line struct {
	from, to int
	x        vg.Length
}

// route gives each link its line: from the lower edge of a box to the upper edge of
// another, and straight down between the boxes of the rows that it passes.
func (p *picture) route(links [][2]int) {
	var lines []line
	for _, l := range links {
		lines = append(lines, p.trunk(line{from: l[0], to: l[1]}, lines))
	}
	for _, l := range lines {
		start := vg.Point{X: p.port(l.from, l, lines), Y: p.boxes[l.from].Min.Y}
		end := vg.Point{X: p.port(l.to, l, lines), Y: p.boxes[l.to].Max.Y}
		points := []vg.Point{start}
		if rows := p.between(l); len(rows) > 0 {
			bottom := slices.MinFunc(rows, func(a, b box) int { return cmp.Compare(a.Min.Y, b.Min.Y) }).Min.Y
			points = append(points, vg.Point{X: l.x, Y: rows[0].Max.Y}, vg.Point{X: l.x, Y: bottom})
		}
		p.links = append(p.links, append(points, end))
	}
}

// between are the boxes of the rows that the line passes, from top to bottom.
func (p *picture) between(l line) (boxes []box) {
	for _, b := range p.boxes {
		if p.boxes[l.from].row < b.row && b.row < p.boxes[l.to].row {
			boxes = append(boxes, b)
		}
	}
	return boxes
}

func (b box) middle() vg.Length { return (b.Min.X + b.Max.X) / 2 }

// trunk sets the line's x: the one of least detour that keeps clear of the boxes
// between and of other lines.
func (p *picture) trunk(l line, others []line) line {
	const clear = 11 * pixel
	from, to := p.boxes[l.from], p.boxes[l.to]
	least := vg.Length(math.Inf(1))
	for x := clear; x < width; x += pixel {
		detour := vg.Length(math.Abs(float64(x-from.middle())) + math.Abs(float64(x-to.middle())))
		free := !slices.ContainsFunc(p.between(l), func(b box) bool {
			return b.Min.X-clear < x && x < b.Max.X+clear
		}) && !slices.ContainsFunc(others, func(o line) bool {
			beside := p.boxes[o.from].row < to.row-1 && from.row+1 < p.boxes[o.to].row
			return beside && len(p.between(o)) > 0 && math.Abs(float64(x-o.x)) < float64(clear)
		})
		if free && detour < least {
			least, l.x = detour, x
		}
	}
	return l
}

// port is where on the edge of the box the line begins or ends: the lines of an edge
// are in the order of what they lead to.
func (p *picture) port(at int, l line, lines []line) vg.Length {
	toward := func(o line) vg.Length {
		switch {
		case len(p.between(o)) > 0:
			return o.x
		case o.from == at:
			return p.boxes[o.to].middle()
		}
		return p.boxes[o.from].middle()
	}
	place, n := 0, 0
	for _, o := range lines {
		if at == l.from && o.from == at || at == l.to && o.to == at {
			n++
			if toward(o) < toward(l) {
				place++
			}
		}
	}
	return p.boxes[at].middle() + (vg.Length(place)-vg.Length(n-1)/2)*min(24*pixel, boxWidth/vg.Length(n+1))
}

// draw draws the picture from the top of the canvas down.
func (p *picture) draw(on vg.Canvas) {
	c := draw.NewCanvas(on, width, p.height)
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c.Translate(vg.Point{Y: p.height})
	grey := color.NRGBA{R: 90, G: 90, B: 90, A: 255}
	c.SetLineStyle(draw.LineStyle{Color: grey, Width: 1.2 * pixel})
	for _, points := range p.links {
		end := points[len(points)-1]
		foot := end.Add(vg.Point{Y: 7 * pixel})
		var path vg.Path
		path.Move(points[0])
		for k, to := range append(slices.Clone(points[1:len(points)-1]), foot) {
			from := points[k]
			half := (to.Y - from.Y) / 2
			path.CubeTo(from.Add(vg.Point{Y: half}), to.Sub(vg.Point{Y: half}), to)
		}
		c.Stroke(path)
		c.FillPolygon(grey, []vg.Point{end, foot.Add(vg.Point{X: 3.5 * pixel}), foot.Sub(vg.Point{X: 3.5 * pixel})})
	}
	for _, b := range p.boxes {
		c.FillPolygon(b.color, []vg.Point{b.Min, {X: b.Min.X, Y: b.Max.Y}, b.Max, {X: b.Max.X, Y: b.Min.Y}})
		for k, text := range b.lines {
			c.SetColor(color.Black)
			c.FillString(face(k == 0), vg.Point{X: b.Min.X + margin, Y: b.Max.Y - margin/2 - vg.Length(k+1)*lineStep + 3*pixel}, text)
		}
	}
}
