package plot

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

var observed = color.NRGBA{R: 215, G: 215, B: 215, A: 255}

// pair is a graph of two nodes side by side, the second observed, and an edge.
func pair(e Edge) Graph {
	e.From, e.To = "a", "b"
	return Graph{Nodes: []Node{{Name: "a", X: 0}, {Name: "b", X: 2, Observed: true}}, Edges: []Edge{e}}
}

func TestDiagramLayout(t *testing.T) {
	p, err := Diagram(pair(Edge{}))
	if err != nil {
		t.Fatal(err)
	}
	img := decode(t, p)
	// The circles' centres are 160 pixels apart; 22 of radius, 14 of side and 10
	// of margin are beyond them on each side, and margins of 20 above and below.
	if got, want := img.Bounds().Size(), image.Pt(160+2*(22+14+10), 2*(22+14+20)); got != want {
		t.Fatalf("the picture has %v pixels, want %v", got, want)
	}
	left, right, y := 22+14+10, 22+14+10+160, img.Bounds().Dy()/2
	at := func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA) }
	if at(left, y) != white || at(right, y) != observed {
		t.Errorf("the nodes are %v and %v, want white and grey", at(left, y), at(right, y))
	}
	grey := extent(img, img.Bounds(), observed)
	if grey.Dx() < 40 || grey.Dx() > 44 || grey.Dy() < 40 || grey.Dy() > 44 || !image.Pt(right, y).In(grey) {
		t.Errorf("the grey circle is in %v, want about 44×44 pixels about %d, %d", grey, right, y)
	}
	if at(left+80, y) == white {
		t.Error("there is no edge between the nodes")
	}
	// The head is higher than the line, at the right end only.
	head := extent(img, image.Rect(right-32, 0, right-24, img.Bounds().Dy()), black)
	tail := extent(img, image.Rect(left+24, 0, left+32, img.Bounds().Dy()), black)
	if head.Dy() < 4 || tail.Dy() > 2 {
		t.Errorf("the edge is %d pixels high at its head and %d at its tail", head.Dy(), tail.Dy())
	}
}

func TestDiagramEdges(t *testing.T) {
	drawn := func(e Edge) image.Image {
		p, err := Diagram(pair(e))
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, p)
	}
	solid := drawn(Edge{Undirected: true})
	ink := solid.Bounds().Dx()*solid.Bounds().Dy() - count(solid, white)
	for name, test := range map[string]struct {
		edge Edge
		more bool // has more ink than a solid edge without a head
	}{
		"an arrow":      {Edge{}, true},
		"a dashed edge": {Edge{Undirected: true, Dashed: true}, false},
		"a cut edge":    {Edge{Undirected: true, Cut: true}, true},
	} {
		img := drawn(test.edge)
		got := img.Bounds().Dx()*img.Bounds().Dy() - count(img, white)
		if got == ink || (got > ink) != test.more {
			t.Errorf("%s has %d pixels that aren't white, a solid edge %d", name, got, ink)
		}
	}
	// The cross is in the middle of the edge, 12 pixels wide.
	cut := drawn(Edge{Cut: true})
	middle := cut.Bounds().Dx() / 2
	cross := extent(cut, cut.Bounds(), vermillion)
	if cross.Min.X < middle-8 || cross.Max.X > middle+8 || cross.Dx() < 6 || cross.Dy() < 6 {
		t.Errorf("the cross is in %v, want it about %d", cross, middle)
	}
}

func TestEdgeLine(t *testing.T) {
	from, to := vg.Point{X: 10, Y: 20}, vg.Point{X: 110, Y: 20}
	distance := func(p, q vg.Point) float64 { return math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)) }
	for _, bend := range []float64{0, 0.25, -0.25} {
		line := edgeLine(from, to, bend)
		first, middle, last := line[0], line[len(line)/2], line[len(line)-1]
		if math.Abs(distance(first, from)-float64(nodeRadius)) > 1 || math.Abs(distance(last, to)-float64(nodeRadius)) > 1 {
			t.Errorf("bend %g: the line goes from %v to %v, want from circle to circle", bend, first, last)
		}
		// To the left is up.
		if want := 20 + 100*bend; math.Abs(float64(middle.Y)-want) > 0.1 || math.Abs(float64(middle.X)-60) > 1 {
			t.Errorf("bend %g: the middle is %v, want (60, %g)", bend, middle, want)
		}
	}
}

func TestDiagramFrame(t *testing.T) {
	g := pair(Edge{})
	g.Frames = []Frame{{Label: "both", Nodes: []string{"b", "a"}}}
	p, err := Diagram(g)
	if err != nil {
		t.Fatal(err)
	}
	img := decode(t, p)
	frame := extent(img, img.Bounds(), lightGrey)
	// 30 pixels beyond the centres, less what is blurred.
	if frame.Dx() < 216 || frame.Dx() > 222 || frame.Dy() < 50 || frame.Dy() > 62 {
		t.Errorf("the frame is in %v, want about 220×60 pixels", frame)
	}
	if !strings.Contains(textOf(t, p), "both\n") {
		t.Error("the frame's label is missing")
	}
}

func TestDiagramShrinks(t *testing.T) {
	row := func(n int) Graph {
		var g Graph
		for i := range n {
			g.Nodes = append(g.Nodes, Node{Name: strings.Repeat("x", i+1), X: float64(i)})
		}
		return g
	}
	p, err := Diagram(row(9), row(6))
	if err != nil {
		t.Fatal(err)
	}
	if size := decode(t, p).Bounds().Size(); size.X > 900 || size.X < 850 {
		t.Errorf("the picture is %d pixels wide, want nearly 900", size.X)
	}
	if _, err := Diagram(row(9), row(20)); err == nil {
		t.Error("29 nodes fit side by side")
	}
}

func TestDiagramErrors(t *testing.T) {
	a, b := Node{Name: "a"}, Node{Name: "b", X: 1}
	nan := math.NaN()
	for _, test := range []struct {
		name  string
		graph Graph
		error string
	}{
		{"empty", Graph{}, "there are no nodes"},
		{"no name", Graph{Nodes: []Node{{}}}, `is called ""`},
		{"twice", Graph{Nodes: []Node{a, a}}, `node 2 is called "a"`},
		{"NaN", Graph{Nodes: []Node{{Name: "a", X: nan}}}, "(NaN, 0); that must be finite"},
		{"infinite", Graph{Nodes: []Node{{Name: "a", Y: math.Inf(1)}}}, "(0, +Inf)"},
		{"label", Graph{Nodes: []Node{{Name: "a", Label: "$s_"}}}, `node "a": text "$s_"`},
		{"title", Graph{Title: "$", Nodes: []Node{a}}, "a $ has no other"},
		{"caption", Graph{Caption: "$", Nodes: []Node{a}}, "a $ has no other"},
		{"no such node", Graph{Nodes: []Node{a, b}, Edges: []Edge{{From: "a", To: "c"}}}, `there is no node "c"`},
		{"loop", Graph{Nodes: []Node{a}, Edges: []Edge{{From: "a", To: "a"}}}, `from "a" to itself`},
		{"bend", Graph{Nodes: []Node{a, b}, Edges: []Edge{{From: "a", To: "b", Bend: nan}}}, "has bend NaN"},
		{"empty frame", Graph{Nodes: []Node{a}, Frames: []Frame{{Label: "f"}}}, `frame "f" is around no node`},
		{"frame of no node", Graph{Nodes: []Node{a}, Frames: []Frame{{Label: "f", Nodes: []string{"b"}}}}, `frame "f": there is no node "b"`},
		{"frame's label", Graph{Nodes: []Node{a}, Frames: []Frame{{Label: "$", Nodes: []string{"a"}}}}, "a $ has no other"},
		{"overlap", Graph{Nodes: []Node{a, {Name: "b", X: 0.5}}}, `nodes "a" and "b" overlap; they must be 0.55 units apart`},
		{"too wide", Graph{Nodes: []Node{a, {Name: "b", X: 100}}}, "900 pixels"},
		{"too high", Graph{Nodes: []Node{a, {Name: "b", Y: 1e9}}}, "900 pixels"},
	} {
		if _, err := Diagram(test.graph); err == nil || !strings.HasPrefix(err.Error(), "plot: diagram: ") || !strings.Contains(err.Error(), test.error) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.error)
		}
	}
	if _, err := Diagram(); err == nil || !strings.Contains(err.Error(), "there are no graphs") {
		t.Errorf("no graphs: error %v", err)
	}
}
