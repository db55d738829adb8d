package plot

import (
	"math"
	"strings"
	"testing"
)

func TestDotPoints(t *testing.T) {
	s := Series{X: []float64{1, 100, 0.01}, Y: []float64{0, 2, 0}}
	// Two series share 0.8 of a row: the lane of the first is from 0 to 0.4, that of the second
	// from −0.4 to 0, and two values are a quarter of it from its middle.
	for k, middle := range []float64{0.2, -0.2} {
		points := dotPoints(Axis{Log: true}, s, k, 2)
		want := []struct{ x, y float64 }{{0, middle + 0.05}, {2, middle - 2}, {-2, middle - 0.05}}
		if len(points) != len(want) {
			t.Fatalf("points %v, want %v", points, want)
		}
		for i, p := range points {
			if math.Abs(p.X-want[i].x) > 1e-12 || math.Abs(p.Y-want[i].y) > 1e-12 {
				t.Errorf("series %d, point %d is %v, want %v", k, i, p, want[i])
			}
		}
	}
}

func TestDots(t *testing.T) {
	rows := []string{"a row with quite a long name, which must not be cut off", "another"}
	p, err := Dots(
		Axis{Label: "dependence", Log: true}, rows, []Mark{{At: 0.06, Label: "settled"}},
		Series{Method: Default, X: []float64{0.01, 0.3, 2}, Y: []float64{0, 0, 1}},
		Series{Method: SICARF, Label: "rotated", X: []float64{3, 4}, Y: []float64{0, 0}},
	)
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, p)
	for _, want := range append(rows, "dependence", "0.01", "0.1", "1", "settled", "Default", "rotated") {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the picture doesn't say %q", want)
		}
	}

	img := decode(t, p)
	frame := img.Bounds()
	if frame.Dx() != 900 {
		t.Errorf("the picture is %d pixels wide, want 900", frame.Dx())
	}
	below := frame
	below.Min.Y = 35 // the legend
	first, second := extent(img, below, vermillion), extent(img, below, orange)
	if first.Min.X >= second.Min.X || second.Max.X <= first.Max.X {
		t.Errorf("the first points, .01 to 2, are in %v, the others, 3 and 4, in %v", first, second)
	}
	if first.Max.Y <= second.Max.Y {
		t.Errorf("the first points, in both rows, are in %v, the others, in the first row, in %v", first, second)
	}
	// Nothing is cut off at the left: the outermost pixels are white.
	edge := frame
	edge.Max.X = 4
	if got := extent(img, edge, white); got != edge {
		t.Errorf("only %v of the left edge %v is white", got, edge)
	}
}

func TestDotsErrors(t *testing.T) {
	row := []string{"a"}
	one := func(x, y float64) []Series {
		return []Series{{Method: ZCA, X: []float64{x}, Y: []float64{y}}}
	}
	log := Axis{Log: true}
	for _, test := range []struct {
		name   string
		x      Axis
		rows   []string
		marks  []Mark
		series []Series
		error  string
	}{
		{"no rows", Axis{}, nil, nil, nil, "rows: none"},
		{"no series", Axis{}, row, nil, nil, "series: no point"},
		{"no value", Axis{}, row, nil, []Series{{Method: ZCA}}, "series: no point"},
		{"lengths differ", Axis{}, row, nil, []Series{{Method: ZCA, X: []float64{1}}}, `series "ZCA": 1 x and 0 y`},
		{"no such row", Axis{}, row, nil, one(1, 1), `series "ZCA": point 1 is in row 1; must be an integer from 0 to 0`},
		{"half a row", Axis{}, row, nil, one(1, 0.5), "is in row 0.5"},
		{"no row", Axis{}, row, nil, one(1, math.NaN()), "is in row NaN"},
		{"NaN", Axis{}, row, nil, one(math.NaN(), 0), `series "ZCA", row "a": a value is NaN`},
		{"infinite", Axis{}, row, nil, one(math.Inf(-1), 0), "a value is -Inf"},
		{"zero", log, row, nil, one(0, 0), "a value is 0"},
		{"mark", log, row, []Mark{{0, "m"}}, one(1, 0), `mark "m": 0; must be between`},
	} {
		_, err := Dots(test.x, test.rows, test.marks, test.series...)
		if err == nil || !strings.HasPrefix(err.Error(), "plot: dots: ") || !strings.Contains(err.Error(), test.error) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.error)
		}
	}
}
