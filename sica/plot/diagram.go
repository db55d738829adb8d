package plot

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/seed-47b1e431/gosica/sica/plot/internal/markup"
)

// A Graph is a panel of a Diagram: a graphical model, for one. In its texts,
// parts between dollars are formulas, as in "$s_{1,t}$ given $u_1$": letters are
// italic, and _ and ^ lower or raise the character or the {group} after them.
type Graph struct {
	// Title is shown above, Caption below; lines are separated by \n.
	Title, Caption string
	Nodes          []Node
	Edges          []Edge
	Frames         []Frame
}

// A Node is a circle, grey if it is observed.
type Node struct {
	// Name is what edges and frames call it.
	Name string
	// Label is written inside it.
	Label string
	// X is to the right and Y down, in units of up to 80 pixels; a circle is
	// 44 pixels wide.
	X, Y     float64
	Observed bool
	// Bare leaves the circle out.
	Bare bool
}

// An Edge is an arrow between the circles of two nodes.
type Edge struct {
	From, To string
	// Undirected leaves the arrow's head out.
	Undirected bool
	Dashed     bool
	// Cut crosses the edge out: it isn't there.
	Cut bool
	// Bend is how far its middle is off the straight line, to the left as seen
	// from its start, as a share of its length.
	Bend float64
}

// A Frame is a rectangle around nodes, with its label below it.
type Frame struct {
	Label string
	Nodes []string
}

const (
	nodeRadius  = 22 * pixel
	nodeText    = vg.Length(11)
	largestUnit = 80 * pixel
	graphSide   = 14 * pixel // around the circles, which leaves room for frames
	frameSide   = 8 * pixel  // of a frame, around the circles
)

// Diagram draws graphs side by side, as wide as they need.
//
// It is an error if there are no graphs or no nodes in one, if a name is empty,
// twice there or of no node, if an edge joins a node with itself, if nodes
// overlap, if a number isn't finite, if a formula is incomplete or if the graphs
// are too wide or high for 900 pixels.
func Diagram(graphs ...Graph) (*Picture, error) {
	if len(graphs) == 0 {
		return nil, errors.New("plot: diagram: there are no graphs; at least one is needed")
	}
	drawings := make([]graphDrawing, len(graphs))
	for i, g := range graphs {
		var err error
		if drawings[i], err = newGraphDrawing(g); err != nil {
			return nil, fmt.Errorf("plot: diagram: graph %d: %w", i+1, err)
		}
	}
	unit, err := fitGraphs(drawings)
	if err != nil {
		return nil, fmt.Errorf("plot: diagram: %w", err)
	}
	for i := range drawings {
		if err := drawings[i].checkOverlap(unit); err != nil {
			return nil, fmt.Errorf("plot: diagram: graph %d: %w", i+1, err)
		}
	}

	var title, middle, caption vg.Length // heights
	for _, d := range drawings {
		title = max(title, d.title.Height())
		middle = max(middle, d.height(unit))
		caption = max(caption, d.caption.Height())
	}
	return &Picture{
		width:  graphsWidth(drawings, unit),
		height: title + middle + caption + 4*margin,
		draw: func(c draw.Canvas) {
			left := c.Min.X + margin
			for _, d := range drawings {
				centre := left + d.width(unit)/2
				top := c.Max.Y - margin
				d.title.Draw(c, centre, top)
				top -= title + margin
				// Graphs of different height are centred.
				d.draw(c, vg.Point{X: centre, Y: top - middle/2}, unit)
				d.caption.Draw(c, centre, top-middle-margin)
				left += d.width(unit) + margin
			}
		},
	}, nil
}

// fitGraphs returns the length of a unit at which the graphs fit into a picture.
func fitGraphs(drawings []graphDrawing) (vg.Length, error) {
	for unit := vg.Length(largestUnit); unit >= nodeRadius; unit -= pixel {
		height := vg.Length(0)
		for _, d := range drawings {
			height = max(height, d.height(unit))
		}
		if graphsWidth(drawings, unit) <= width && height <= width {
			return unit, nil
		}
	}
	return 0, errors.New("the graphs side by side are wider, or one is higher, than 900 pixels; put fewer, or fewer nodes, into a picture")
}

func graphsWidth(drawings []graphDrawing, unit vg.Length) vg.Length {
	total := margin
	for _, d := range drawings {
		total += d.width(unit) + margin
	}
	return total
}

// A graphDrawing is a graph that was found to be right.
type graphDrawing struct {
	Graph
	title, caption markup.Text
	labels         []markup.Text // of the nodes
	frameLabels    []markup.Text
	index          map[string]int // of the nodes
	low, high      struct{ x, y float64 }
}

func newGraphDrawing(g Graph) (graphDrawing, error) {
	d := graphDrawing{Graph: g, index: make(map[string]int)}
	if len(g.Nodes) == 0 {
		return d, errors.New("there are no nodes; at least one is needed")
	}
	var err error
	if d.title, err = markup.New(g.Title, labelSize); err != nil {
		return d, err
	}
	if d.caption, err = markup.New(g.Caption, tickSize); err != nil {
		return d, err
	}
	d.low.x, d.low.y = math.Inf(1), math.Inf(1)
	d.high.x, d.high.y = math.Inf(-1), math.Inf(-1)
	for i, n := range g.Nodes {
		if err := d.addNode(i, n); err != nil {
			return d, err
		}
	}
	for _, e := range g.Edges {
		if err := d.checkEdge(e); err != nil {
			return d, err
		}
	}
	for _, f := range g.Frames {
		if err := d.addFrame(f); err != nil {
			return d, err
		}
	}
	return d, nil
}

func (d *graphDrawing) addNode(i int, n Node) error {
	if _, ok := d.index[n.Name]; ok || n.Name == "" {
		return fmt.Errorf("node %d is called %q; names must not be empty or twice there", i+1, n.Name)
	}
	if math.IsNaN(n.X-n.X) || math.IsNaN(n.Y-n.Y) {
		return fmt.Errorf("node %q is at (%g, %g); that must be finite", n.Name, n.X, n.Y)
	}
	label, err := markup.New(n.Label, nodeText)
	if err != nil {
		return fmt.Errorf("node %q: %w", n.Name, err)
	}
	d.index[n.Name] = i
	d.labels = append(d.labels, label)
	d.low.x, d.low.y = min(d.low.x, n.X), min(d.low.y, n.Y)
	d.high.x, d.high.y = max(d.high.x, n.X), max(d.high.y, n.Y)
	return nil
}

func (d *graphDrawing) checkEdge(e Edge) error {
	for _, name := range []string{e.From, e.To} {
		if _, ok := d.index[name]; !ok {
			return fmt.Errorf("the edge from %q to %q: there is no node %q", e.From, e.To, name)
		}
	}
	if e.From == e.To {
		return fmt.Errorf("an edge is from %q to itself; it must join two nodes", e.From)
	}
	if math.IsNaN(e.Bend - e.Bend) {
		return fmt.Errorf("the edge from %q to %q has bend %g; it must be finite", e.From, e.To, e.Bend)
	}
	return nil
}

func (d *graphDrawing) addFrame(f Frame) error {
	if len(f.Nodes) == 0 {
		return fmt.Errorf("frame %q is around no node; at least one is needed", f.Label)
	}
	for _, name := range f.Nodes {
		if _, ok := d.index[name]; !ok {
			return fmt.Errorf("frame %q: there is no node %q", f.Label, name)
		}
	}
	label, err := markup.New(f.Label, tickSize)
	if err != nil {
		return err
	}
	d.frameLabels = append(d.frameLabels, label)
	return nil
}

// checkOverlap returns an error if two circles overlap.
func (d *graphDrawing) checkOverlap(unit vg.Length) error {
	least := float64(2 * nodeRadius / unit)
	for i, a := range d.Nodes {
		for _, b := range d.Nodes[:i] {
			if math.Hypot(a.X-b.X, a.Y-b.Y) < least-1e-9 {
				return fmt.Errorf("nodes %q and %q overlap; they must be %.2f units apart here", b.Name, a.Name, least)
			}
		}
	}
	return nil
}

func (d *graphDrawing) width(unit vg.Length) vg.Length {
	circles := vg.Length(d.high.x-d.low.x)*unit + 2*nodeRadius + 2*graphSide
	return max(circles, d.title.Width(), d.caption.Width())
}

func (d *graphDrawing) height(unit vg.Length) vg.Length {
	height := vg.Length(d.high.y-d.low.y)*unit + 2*nodeRadius + 2*graphSide
	if len(d.Frames) > 0 {
		height += 2 * 1.35 * tickSize // a label above, which is left empty, and below
	}
	return height
}

// draw draws the graph with its middle at centre.
func (d *graphDrawing) draw(c draw.Canvas, centre vg.Point, unit vg.Length) {
	at := func(n Node) vg.Point {
		return vg.Point{
			X: centre.X + vg.Length(n.X-(d.low.x+d.high.x)/2)*unit,
			Y: centre.Y - vg.Length(n.Y-(d.low.y+d.high.y)/2)*unit,
		}
	}
	for i, f := range d.Frames {
		d.drawFrame(c, f, d.frameLabels[i], at)
	}
	for _, e := range d.Edges {
		drawEdge(c, e, at(d.Nodes[d.index[e.From]]), at(d.Nodes[d.index[e.To]]))
	}
	for i, n := range d.Nodes {
		if !n.Bare {
			drawCircle(c, at(n), n.Observed)
		}
		d.labels[i].Draw(c, at(n).X, at(n).Y+d.labels[i].Height()/2)
	}
}

func (d *graphDrawing) drawFrame(c draw.Canvas, f Frame, label markup.Text, at func(Node) vg.Point) {
	const reach = nodeRadius + frameSide
	var box vg.Rectangle
	for k, name := range f.Nodes {
		p := at(d.Nodes[d.index[name]])
		low, high := vg.Point{X: p.X - reach, Y: p.Y - reach}, vg.Point{X: p.X + reach, Y: p.Y + reach}
		if k == 0 {
			box = vg.Rectangle{Min: low, Max: high}
		}
		box.Min.X, box.Min.Y = min(box.Min.X, low.X), min(box.Min.Y, low.Y)
		box.Max.X, box.Max.Y = max(box.Max.X, high.X), max(box.Max.Y, high.Y)
	}
	c.SetLineStyle(draw.LineStyle{Color: lightGrey, Width: 1.2 * pixel})
	c.Stroke(box.Path())
	label.Draw(c, (box.Min.X+box.Max.X)/2, box.Min.Y-2*pixel)
}

// drawCircle draws the circle of a node.
func drawCircle(c draw.Canvas, at vg.Point, observed bool) {
	var circle vg.Path
	circle.Move(at.Add(vg.Point{X: nodeRadius}))
	circle.Arc(at, nodeRadius, 0, 2*math.Pi)
	circle.Close()
	c.SetColor(white)
	if observed {
		c.SetColor(color.NRGBA{R: 215, G: 215, B: 215, A: 255})
	}
	c.Fill(circle)
	c.SetLineStyle(draw.LineStyle{Color: black, Width: 1.2 * pixel})
	c.Stroke(circle)
}

// drawEdge draws an edge from circle to circle.
func drawEdge(c draw.Canvas, e Edge, from, to vg.Point) {
	line := edgeLine(from, to, e.Bend)
	if len(line) < 2 {
		return // the circles touch
	}
	style := draw.LineStyle{Color: black, Width: 1.2 * pixel}
	if e.Dashed {
		style.Dashes = dashed
	}
	if e.Cut {
		style.Color = lightGrey
	}
	last := len(line) - 1
	if !e.Undirected {
		tip, along := line[last], direction(line[last-1], line[last])
		const length, half = 9 * pixel, 3.5 * pixel
		foot := tip.Sub(along.Scale(length))
		across := vg.Point{X: -along.Y, Y: along.X}
		c.FillPolygon(style.Color, []vg.Point{tip, foot.Add(across.Scale(half)), foot.Sub(across.Scale(half))})
		// The line ends within the head, not beside its tip.
		for last > 1 && math.Hypot(float64(line[last].X-tip.X), float64(line[last].Y-tip.Y)) < float64(length/2) {
			last--
		}
	}
	c.StrokeLines(style, line[:last+1])
	if e.Cut {
		middle := line[len(line)/2]
		const arm = 6 * pixel
		cross := draw.LineStyle{Color: vermillion, Width: 2 * pixel}
		c.StrokeLine2(cross, middle.X-arm, middle.Y-arm, middle.X+arm, middle.Y+arm)
		c.StrokeLine2(cross, middle.X-arm, middle.Y+arm, middle.X+arm, middle.Y-arm)
	}
}

// edgeLine returns points along a quadratic curve between the centres of two
// circles, of which those within a circle are left out.
func edgeLine(from, to vg.Point, bend float64) []vg.Point {
	const pieces = 200
	chord := to.Sub(from)
	// The curve's middle is half as far off as its control point.
	control := from.Add(chord.Scale(0.5)).Add(vg.Point{X: -chord.Y, Y: chord.X}.Scale(vg.Length(2 * bend)))
	outside := func(p, centre vg.Point) bool {
		return math.Hypot(float64(p.X-centre.X), float64(p.Y-centre.Y)) >= float64(nodeRadius)
	}
	var line []vg.Point
	for i := range pieces + 1 {
		t := vg.Length(i) / pieces
		p := from.Scale((1 - t) * (1 - t)).Add(control.Scale(2 * t * (1 - t))).Add(to.Scale(t * t))
		if outside(p, from) && outside(p, to) {
			line = append(line, p)
		}
	}
	return line
}

// direction returns the unit vector from a to b.
func direction(a, b vg.Point) vg.Point {
	d := b.Sub(a)
	return d.Scale(vg.Length(1 / math.Hypot(float64(d.X), float64(d.Y))))
}
