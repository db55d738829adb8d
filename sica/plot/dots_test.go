package plot

import (
	"math"
	"strings"
	"testing"
)

func TestDotPoints(t *testing.T) {
	x := DotAxis{Axis: Axis{Log: true}, Least: 0.01}
	s := DotSeries{Values: [][]float64{{1, 0}, nil, {100}}}
	// Two series share .8 of a row: the lane of the first is from 0 to .4, that
	// of the second from −.4 to 0, and two values are a quarter of it apart
	// from its middle.
	for k, middle := range []float64{0.2, -0.2} {
		points := x.points(s, k, 2)
		want := []struct{ x, y float64 }{{0, middle + 0.05}, {-2, middle - 0.05}, {2, middle - 2}}
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
		DotAxis{Axis: Axis{Label: "dependence", Log: true}, Least: 0.01, Marks: []Mark{{At: 0.06, Label: "settled"}}},
		rows,
		DotSeries{Method: SICA, Values: [][]float64{{0.001, 0.3}, {2}}},
		DotSeries{Method: SICARF, Label: "rotated", Values: [][]float64{{3, 4}, nil}},
	)
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, p)
	for _, want := range append(rows, "dependence", "≤ 0.01", "0.1", "1", "settled", "SICA", "rotated") {
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
	one := DotSeries{Method: ZCA, Values: [][]float64{{1}}}
	of := func(v float64) DotSeries { return DotSeries{Method: ZCA, Values: [][]float64{{v}}} }
	log := DotAxis{Axis: Axis{Log: true}}
	least := DotAxis{Axis: Axis{Log: true}, Least: 0.1}
	for _, test := range []struct {
		name   string
		x      DotAxis
		rows   []string
		series []DotSeries
		error  string
	}{
		{"no rows", DotAxis{}, nil, nil, "there are no rows"},
		{"no series", DotAxis{}, row, nil, "there is no value"},
		{"no value", DotAxis{}, row, []DotSeries{{Values: [][]float64{nil}}}, "there is no value"},
		{"rows differ", DotAxis{}, []string{"a", "b"}, []DotSeries{one}, `series "ZCA" has values for 1 rows; there are 2`},
		{"NaN", DotAxis{}, row, []DotSeries{of(math.NaN())}, `series "ZCA", row "a": a value is NaN`},
		{"NaN with least", least, row, []DotSeries{of(math.NaN())}, "a value is NaN"},
		{"infinite", least, row, []DotSeries{of(math.Inf(-1))}, "a value is -Inf"},
		{"zero", log, row, []DotSeries{of(0)}, "a value is 0"},
		{"negative least", DotAxis{Axis: Axis{Log: true}, Least: -1}, row, []DotSeries{one}, "least: -1 isn't between"},
		{"mark", DotAxis{Axis: Axis{Log: true}, Marks: []Mark{{0, "m"}}}, row, []DotSeries{one}, `mark "m": 0 isn't between`},
		{"mark below least", DotAxis{Axis: Axis{Log: true}, Least: 0.1, Marks: []Mark{{0.05, "m"}}}, row, []DotSeries{one}, "below least"},
	} {
		if _, err := Dots(test.x, test.rows, test.series...); err == nil || !strings.HasPrefix(err.Error(), "plot: dots: ") || !strings.Contains(err.Error(), test.error) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.error)
		}
	}
	if _, err := Dots(least, row, of(0)); err != nil {
		t.Errorf("zero with least: %v", err)
	}
}
