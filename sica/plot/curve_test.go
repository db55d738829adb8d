package plot

import (
	"image"
	"image/color"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

func TestSeriesGaps(t *testing.T) {
	nan := math.NaN()
	s := Series{
		X:  []float64{0, 1, 2, 3, 4, 5},
		Y:  []float64{nan, 10, 20, nan, nan, 50},
		SE: []float64{1, 2, nan, 1, 1, 3},
	}
	got := s.points(Axis{}, Axis{}, 0.5)
	want := seriesPoints{
		points: plotter.XYs{{X: 1.5, Y: 10}, {X: 2.5, Y: 20}, {X: 5.5, Y: 50}},
		runs:   []plotter.XYs{{{X: 1.5, Y: 10}, {X: 2.5, Y: 20}}, {{X: 5.5, Y: 50}}},
		bars: errorPoints{
			XYs:     plotter.XYs{{X: 1.5, Y: 10}, {X: 5.5, Y: 50}},
			YErrors: plotter.YErrors{{Low: 2, High: 2}, {Low: 3, High: 3}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("points %+v, want %+v", got, want)
	}
}

// On logarithmic axes 100 ± 90 reaches from 10 to 190.
func TestSeriesOnLogarithmicAxes(t *testing.T) {
	s := Series{X: []float64{1000}, Y: []float64{100}, SE: []float64{90}}
	got := s.points(Axis{Log: true}, Axis{Log: true}, 0)
	if want := (plotter.XY{X: 3, Y: 2}); len(got.points) != 1 || math.Abs(got.points[0].X-want.X)+math.Abs(got.points[0].Y-want.Y) > 1e-12 {
		t.Errorf("points %v, want %v", got.points, want)
	}
	if e := got.bars.YErrors[0]; math.Abs(e.Low-1) > 1e-12 || math.Abs(e.High-math.Log10(1.9)) > 1e-12 {
		t.Errorf("bar %+v, want 1 down and log10(1.9) up", e)
	}
}

func TestDodge(t *testing.T) {
	x := []float64{5, 10, 15, 20}
	y := []float64{1, 1, 1, 1}
	barred := Series{X: x, Y: y, SE: y}
	bare := Series{X: x, Y: y}

	// Ten series fill .4 of the gap of 5, less what is beyond the outer ones.
	shifts := dodge(Axis{}, slices.Repeat([]Series{barred}, 10))
	for k, shift := range shifts {
		if want := (float64(k) - 4.5) * 15 / 80; math.Abs(shift-want) > 1e-12 {
			t.Errorf("series %d of ten is moved by %g, want %g", k, shift, want)
		}
	}
	if width := shifts[9] - shifts[0]; width > 0.4*5 {
		t.Errorf("ten series are %g wide, want at most 2", width)
	}
	// Thirty have less room each: 2/30.
	shifts = dodge(Axis{}, slices.Repeat([]Series{barred}, 30))
	if step := shifts[1] - shifts[0]; math.Abs(step-2.0/30) > 1e-12 {
		t.Errorf("thirty series lie %g apart, want 2/30", step)
	}

	for name, series := range map[string][]Series{
		"without bars":   {bare, bare},
		"only one bar":   {barred, bare},
		"without points": {{SE: []float64{}}, {SE: []float64{}}},
	} {
		if shifts := dodge(Axis{}, series); !slices.Equal(shifts, []float64{0, 0}) {
			t.Errorf("%s: moved by %v, want not at all", name, shifts)
		}
	}
	// At one x they fill 0.4 of 1.
	for name, series := range map[string][]Series{
		"a single x":     {{X: x[:1], Y: y[:1], SE: y[:1]}, {X: x[:1], Y: y[:1], SE: y[:1]}},
		"one point each": {{X: x[:2], Y: []float64{math.NaN(), 1}, SE: y[:2]}, {X: x[:2], Y: []float64{math.NaN(), 2}, SE: y[:2]}},
	} {
		if shifts := dodge(Axis{}, series); !slices.Equal(shifts, []float64{-0.1, 0.1}) {
			t.Errorf("%s: moved by %v, want 0.1 to each side", name, shifts)
		}
	}
	shifts = dodge(Axis{Log: true}, []Series{{X: []float64{1, 10, 100}, Y: y[:3], SE: y[:3]}, bare, {X: []float64{1, 10, 100}, Y: y[:3], SE: y[:3]}})
	if want := []float64{-1.0 / 80, 0, 1.0 / 80}; math.Abs(shifts[0]-want[0]) > 1e-12 || shifts[1] != 0 || math.Abs(shifts[2]-want[2]) > 1e-12 {
		t.Errorf("on a logarithmic axis moved by %v, want %v", shifts, want)
	}
}

// Panels are next to one another with aligned axes: equal values are in equal rows of pixels.
func TestCurvesLieSideBySide(t *testing.T) {
	panel := func(method string) Panel {
		return Panel{
			Title: "by " + method, X: Axis{Label: "T", Log: true}, Y: Axis{Label: "ms", Log: true},
			Series: []Series{{Method: method, X: []float64{256, 4096}, Y: []float64{3, 3}}},
		}
	}
	p, err := Curves(panel(FastICA), panel(PCL), panel(Default))
	if err != nil {
		t.Fatal(err)
	}
	img := decode(t, p)
	below := img.Bounds()
	below.Min.Y = 60 // the legend
	var before image.Rectangle
	for i, c := range []color.NRGBA{blue, green, vermillion} {
		line := extent(img, below, c)
		if line.Dx() < 100 {
			t.Errorf("the line of panel %d is %d pixels wide", i, line.Dx())
		}
		if line.Min.X <= before.Max.X || line.Max.X > 900 {
			t.Errorf("the line of panel %d is in %v, the one before it in %v", i, line, before)
		}
		middle, wanted := line.Min.Y+line.Max.Y, before.Min.Y+before.Max.Y
		if i > 0 && (middle-wanted < -2 || middle-wanted > 2) { // twice a pixel
			t.Errorf("the line of panel %d is in %v, the one before it in %v", i, line, before)
		}
		before = line
	}
	text := textOf(t, p)
	for _, want := range []string{"by PCL", "ms", "T", "200", "1 k", "FastICA"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the picture doesn't say %q", want)
		}
	}
}

// The same series of several panels has one entry in the legend.
func TestCurvesShareALegend(t *testing.T) {
	panel := Panel{Series: []Series{{Method: Default, Label: "ours", X: []float64{1, 2}, Y: []float64{3, 4}}}}
	p, err := Curves(panel, panel, panel, panel)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(textOf(t, p), "ours\n"); got != 1 {
		t.Errorf("the legend has %d entries, want 1", got)
	}
	if size := decode(t, p).Bounds().Size(); size.X != 4*300 || size.Y > 2*330 {
		t.Errorf("four panels have %v pixels, want one row of four", size)
	}
	if p, err = Curves(panel, panel, panel, panel, panel); err != nil {
		t.Fatal(err)
	}
	if size := decode(t, p).Bounds().Size(); size.X != 900 || size.Y < 2*330 {
		t.Errorf("five panels have %v pixels, want two rows of three", size)
	}
}

func TestMarked(t *testing.T) {
	points := make(plotter.XYs, 400)
	for k := range points {
		points[k].X = float64(k)
	}
	if got := markedPoints(points[:40]); len(got) != 40 {
		t.Errorf("%d of 40 points have a marker, want all", len(got))
	}
	want := []float64{25, 75, 125, 175, 225, 275, 325, 375}
	var got []float64
	for _, p := range markedPoints(points) {
		got = append(got, p.X)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the points at %v of 400 have a marker, want %v", got, want)
	}
}
