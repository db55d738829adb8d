package plot

import (
	"bytes"
	"image"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	gplot "gonum.org/v1/plot"
)

func scaled(s *mat.Dense, by float64) *mat.Dense {
	out := new(mat.Dense)
	out.Scale(by, s)
	return out
}

func traceGridOf(t *testing.T, truth *mat.Dense, groups ...Group) *Picture {
	t.Helper()
	p, err := TraceGrid(0, 100, truth, groups...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTraceGrid(t *testing.T) {
	s := waves(2, 100)
	p := traceGridOf(t, s, Group{Method: Default, Label: "ours", Signals: s}, Group{Method: LICA, Signals: s}, Group{Method: ZCA, Signals: s})
	img := decode(t, p)
	if size := img.Bounds().Size(); size.X != 900 || size.Y != 3*110+90+30 {
		t.Errorf("the picture has %v pixels, want (900,450)", size)
	}
	for _, method := range []string{Default, LICA, ZCA} {
		if count(img, styles[method].color) < 20 {
			t.Errorf("the picture has hardly a pixel of %s", method)
		}
	}
	text := textOf(t, p)
	for _, want := range []string{"ours", "LICA", "ZCA", "truth", "signal 1", "signal 2", "position t"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("the picture doesn't say %q", want)
		}
	}
	first, err := p.Bytes(PNG)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := p.Bytes(PNG); err != nil || !bytes.Equal(first, second) {
		t.Errorf("the picture written again differs (error %v)", err)
	}
}

// A column has its signal's name, and its positions are drawn at their times.
func TestNamedTraceGrid(t *testing.T) {
	group := Group{Method: Default, Signals: waves(2, 100)}
	p, err := NamedTraceGrid(0, 100, []string{"left", "right"}, 50, nil, group)
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, p)
	for _, want := range []string{"left", "right", "1.0", "time, s"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%q isn't in the picture: %q", want, text)
		}
	}
	for _, not := range []string{"signal 1", "position t"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is in the picture: %q", not, text)
		}
	}
	if _, err := NamedTraceGrid(0, 100, []string{"left"}, 50, nil, group); err == nil {
		t.Error("one name for two signals is no error")
	}
	for _, rate := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := NamedTraceGrid(0, 100, []string{"left", "right"}, rate, nil, group); err == nil {
			t.Errorf("a rate of %g is no error", rate)
		}
	}
	if _, err := NamedTraceGrid(0, 100, nil, 50, nil); err == nil {
		t.Error("no groups are no error")
	}
}

// The traces of a column have one range: one with half the amplitude is drawn half as high.
func TestTraceGridSharesRanges(t *testing.T) {
	s := waves(1, 100)
	img := decode(t, traceGridOf(t, nil, Group{Method: Default, Signals: s}, Group{Method: FastICA, Signals: scaled(s, 0.5)}))
	large, small := extent(img, img.Bounds(), vermillion), extent(img, img.Bounds(), blue)
	if ratio := float64(small.Dy()) / float64(large.Dy()); math.Abs(ratio-0.5) > 0.03 {
		t.Errorf("the traces are %d and %d pixels high, want the half", large.Dy(), small.Dy())
	}
	if small.Min.Y < large.Max.Y {
		t.Errorf("the traces at %v and %v aren't in rows below one another", large, small)
	}
}

// dark returns how many pixels within r are nearly black.
func dark(img image.Image, r image.Rectangle) (pixels int) {
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if red, green, blue, _ := img.At(x, y).RGBA(); max(red, green, blue) < 0x6000 {
				pixels++
			}
		}
	}
	return pixels
}

// The truth is drawn below: an equal trace hides it, a different one shows it.
func TestTraceGridTruthLiesBelow(t *testing.T) {
	s := waves(1, 100)
	group := Group{Method: Default, Signals: s}
	panel := image.Rect(110, 70, 890, 170) // without any text
	if n := dark(decode(t, traceGridOf(t, s, group)), panel); n > 0 {
		t.Errorf("an equal truth shows at %d pixels", n)
	}
	if n := dark(decode(t, traceGridOf(t, scaled(s, -1), group)), panel); n < 300 {
		t.Errorf("another truth shows at %d pixels only", n)
	}
}

func TestTraceGridOfManySignals(t *testing.T) {
	for d, want := range map[int]bool{4: false, 6: true} {
		text := textOf(t, traceGridOf(t, nil, Group{Method: Default, Signals: waves(d, 100)}))
		if !strings.Contains(text, "signal 4\n") || strings.Contains(text, "signal 5\n") {
			t.Errorf("of %d signals, not just the first 4 are drawn", d)
		}
		if got := strings.Contains(text, "the first 4 of 6 signals\n"); got != want {
			t.Errorf("of %d signals, the picture says that some are left out: %v, want %v", d, got, want)
		}
	}
}

func TestTraceGridOfExtremeData(t *testing.T) {
	for name, values := range map[string][]float64{
		"constant": {7, 7, 7, 0, 0, 0},
		"large":    {1e300, -1e300, 0, 1e300, 1e300, 1e300},
		"largest":  {math.MaxFloat64, -math.MaxFloat64, 0, 1, 2, 3},
		"offset":   {1e15, 1e15 + 1, 1e15, 1, 1 + 1e-15, 1},
	} {
		p, err := TraceGrid(0, 3, nil, Group{Method: Default, Signals: mat.NewDense(2, 3, values)})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		decode(t, p)
		textOf(t, p)
	}
}

func TestTraceGridErrors(t *testing.T) {
	notFinite := waves(2, 10)
	notFinite.Set(1, 3, math.NaN())
	group := Group{Method: Default, Signals: waves(2, 10)}
	for _, test := range []struct {
		from, to int
		truth    *mat.Dense
		groups   []Group
		want     string
	}{
		{0, 10, waves(2, 10), nil, "groups: none"},
		{0, 10, waves(2, 9), []Group{group}, `group "Default": 2×10; must be 2×9`},
		{0, 10, new(mat.Dense), []Group{group}, `group "truth": no signals`},
		{0, 10, nil, []Group{group, {Label: "z", Signals: waves(3, 10)}}, `group "z": 3×10`},
		{5, 11, nil, []Group{group}, "5 ≤ t < 11"},
		{5, 6, nil, []Group{group}, "at least 2 of the positions 0 ≤ t < 10"},
		{0, 10, nil, []Group{{Method: PCL, Signals: notFinite}}, `group "PCL", signal 2`},
		{0, 10, notFinite, []Group{group}, `group "truth", signal 2`},
	} {
		_, err := TraceGrid(test.from, test.to, test.truth, test.groups...)
		if err == nil || !strings.HasPrefix(err.Error(), "plot: trace grid: ") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}

func TestFewTicks(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		want      string
	}{
		{-4.2, 4.5, "-4 0 4"},
		{-1, 1, "-1.0 0.0 1.0"},
		{-9, 3, "-8 -4 0"},
		{200, 399, "200 300"},
		{0, 0, ""},
	} {
		if got := strings.Join(labels(fewTicks{}.Ticks(test.low, test.high)), " "); got != test.want {
			t.Errorf("ticks from %g to %g are %q, want %q", test.low, test.high, got, test.want)
		}
	}
}

func labels(ticks []gplot.Tick) []string {
	var labels []string
	for _, t := range ticks {
		labels = append(labels, t.Label)
	}
	return labels
}
