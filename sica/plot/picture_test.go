package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// waves returns d sines of n positions.
func waves(d, n int) *mat.Dense {
	s := mat.NewDense(d, n, nil)
	s.Apply(func(i, t int, _ float64) float64 { return math.Sin(float64(t*(i+1)) / 10) }, s)
	return s
}

// decode writes the picture as PNG to a file and reads it again.
func decode(t *testing.T, p *Picture) image.Image {
	t.Helper()
	data, err := p.Bytes(PNG)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "picture.png")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// count returns how many pixels have the colour.
func count(img image.Image, c color.NRGBA) (pixels int) {
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if color.NRGBAModel.Convert(img.At(x, y)) == c {
				pixels++
			}
		}
	}
	return pixels
}

// extent returns the smallest rectangle that holds every pixel of the colour
// within r.
func extent(img image.Image, r image.Rectangle, c color.NRGBA) image.Rectangle {
	var found image.Rectangle
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			if color.NRGBAModel.Convert(img.At(x, y)) == c {
				found = found.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return found
}

// textOf returns the text of the picture as SVG, which must be well-formed.
func textOf(t *testing.T, p *Picture) string {
	t.Helper()
	data, err := p.Bytes(SVG)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	decoder := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return text.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if characters, ok := token.(xml.CharData); ok {
			text.Write(characters)
			text.WriteByte('\n')
		}
	}
}

func TestPictures(t *testing.T) {
	s := waves(2, 100)
	long := waves(3, 48)
	series := []Series{
		{Method: FastICA, X: []float64{5, 10}, Y: []float64{.9, .8}, SE: []float64{.01, .02}},
		{Method: Default, Label: "ours", X: []float64{5, 10}, Y: []float64{.95, math.NaN()}},
	}
	for _, test := range []struct {
		name          string
		draw          func() (*Picture, error)
		width, height int
		colors        []color.NRGBA
		texts         []string
	}{
		{
			"traces",
			func() (*Picture, error) {
				return Traces(20, 80, Group{Method: Mixed, Signals: s}, Group{Method: Default, Label: "ours", Signals: s}, Group{Method: FastICA, Signals: waves(2, 100)})
			},
			900, 2*180 + 50,
			[]color.NRGBA{blue},
			[]string{"mixed", "ours", "FastICA", "signal 1", "signal 2", "position t"},
		},
		{
			"scatter",
			func() (*Picture, error) {
				return Scatter(0, 1, Group{Method: Truth, Signals: s}, Group{Method: Default, Label: "ours", Signals: s}, Group{Method: ZCA, Signals: s})
			},
			900, 300,
			nil, // translucent
			[]string{"truth", "ours", "ZCA", "signal 1", "signal 2"},
		},
		{
			"scatter in two rows",
			func() (*Picture, error) {
				g := Group{Method: Truth, Signals: s}
				return Scatter(1, 0, g, g, g, g, g)
			},
			900, 450,
			nil,
			[]string{"truth"},
		},
		{
			"matched",
			func() (*Picture, error) {
				return Matched(s, Group{Method: Default, Label: "ours", Signals: s}, Group{Method: ZCA, Signals: s})
			},
			900, 900,
			nil,
			[]string{"ours", "ZCA", "source 1", "recovered 1", "source 2", "recovered 2"},
		},
		{
			"images",
			func() (*Picture, error) {
				return Images(6, 8, Group{Method: Mixed, Signals: long}, Group{Method: Truth, Signals: long})
			},
			0, 30 + 2*(24*6+8), // 24 times enlarged
			[]color.NRGBA{black},
			[]string{"mixed", "truth", "signal 3"},
		},
		{
			"curve",
			func() (*Picture, error) { return Curve("mixing steps J", "MCC", series...) },
			900, 450,
			[]color.NRGBA{blue, vermillion},
			[]string{"FastICA", "ours", "mixing steps J", "MCC", "5", "10"},
		},
		{
			"progress",
			func() (*Picture, error) {
				return Progress(
					History{Method: Default, Divergence: []float64{.3, math.NaN(), .1}, Loss: []float64{1.1, 1.2, 1.3}},
					History{Method: SICARF, Loss: []float64{1, 1, 1}},
				)
			},
			900, 60 + 2*240,
			[]color.NRGBA{vermillion, orange},
			[]string{"Default", "SICA-RF", "divergence (nats)", "training loss", "iteration j", "1", "3"},
		},
		{
			"progress without divergence",
			func() (*Picture, error) {
				return Progress(History{Method: SICARF, Divergence: []float64{math.NaN(), math.NaN()}, Loss: []float64{2, 1}})
			},
			900, 60 + 240,
			[]color.NRGBA{orange},
			[]string{"SICA-RF", "training loss"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := test.draw()
			if err != nil {
				t.Fatal(err)
			}
			img := decode(t, p)
			size := img.Bounds().Size()
			if test.width != 0 && size.X != test.width || size.X > 900 || size.Y != test.height {
				t.Errorf("the picture has %d×%d pixels, want %d×%d", size.X, size.Y, test.width, test.height)
			}
			ink := 1 - float64(count(img, white))/float64(size.X*size.Y)
			if ink < 0.01 {
				t.Errorf("only %.2g of the picture isn't white", ink)
			}
			for _, c := range test.colors {
				if count(img, c) < 20 {
					t.Errorf("the picture has hardly a pixel of %v", c)
				}
			}

			text := textOf(t, p)
			for _, want := range test.texts {
				if !strings.Contains(text, want+"\n") {
					t.Errorf("the picture doesn't say %q", want)
				}
			}
			for _, format := range []Format{PNG, SVG} {
				first, err := p.Bytes(format)
				if err != nil {
					t.Fatal(err)
				}
				second, err := p.Bytes(format)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(first, second) {
					t.Errorf("two %s files of one picture differ", format)
				}
			}
		})
	}
}

func TestFormatOf(t *testing.T) {
	for _, test := range []struct {
		path string
		want Format
	}{
		{"a.png", PNG}, {"dir.svg/b.PNG", PNG}, {"c.x.svg", SVG},
		{"d", ""}, {"e.pdf", ""}, {"png", ""}, {"", ""},
	} {
		got, err := FormatOf(test.path)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("FormatOf(%q) = %q, %v; want %q", test.path, got, err, test.want)
		}
	}
}

type failingWriter struct{ error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.error }

func TestWriteErrors(t *testing.T) {
	p, err := Traces(0, 2, Group{Signals: waves(1, 2)})
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	for _, format := range []Format{PNG, SVG} {
		if err := p.Write(failingWriter{full}, format); !errors.Is(err, full) {
			t.Errorf("%s: error %v, want %v", format, err, full)
		}
	}
	if _, err := p.Bytes("pdf"); err == nil || !strings.Contains(err.Error(), `format is "pdf"; must be "png" or "svg"`) {
		t.Errorf("error for an unknown format: %v", err)
	}
}

func TestSVGSaysWhatItHolds(t *testing.T) {
	p, err := Images(2, 2, Group{Method: Truth, Signals: waves(1, 4)})
	if err != nil {
		t.Fatal(err)
	}
	data, err := p.Bytes(SVG)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"font-family:Liberation Sans,Arial,Helvetica,sans-serif;", `"data:image/png;base64,`} {
		if !bytes.Contains(data, []byte(want)) {
			t.Errorf("the SVG doesn't contain %s", want)
		}
	}
}

func TestPictureErrors(t *testing.T) {
	s := waves(2, 10)
	notFinite := waves(2, 10)
	notFinite.Set(1, 3, math.NaN())
	group := Group{Method: Truth, Signals: s}
	for _, test := range []struct {
		name  string
		draw  func() (*Picture, error)
		error string
	}{
		{"no groups", func() (*Picture, error) { return Traces(0, 10) }, "traces: groups: none"},
		{"nil", func() (*Picture, error) { return Traces(0, 10, Group{Method: Default}) }, `group "Default": no signals`},
		{"sizes", func() (*Picture, error) { return Traces(0, 10, group, Group{Label: "z", Signals: waves(2, 9)}) },
			`group "z": 2×9; must be 2×10`},
		{"window", func() (*Picture, error) { return Traces(5, 11, group) }, "5 ≤ t < 11"},
		{"negative window", func() (*Picture, error) { return Traces(-1, 5, group) }, "-1 ≤ t < 5"},
		{"short window", func() (*Picture, error) { return Traces(5, 6, group) }, "at least 2 of the positions 0 ≤ t < 10"},
		{"NaN trace", func() (*Picture, error) { return Traces(0, 10, Group{Method: Default, Signals: notFinite}) },
			`group "Default", signal 2`},

		{"no panel", func() (*Picture, error) { return Scatter(0, 1) }, "scatter: groups: none"},
		{"no such signal", func() (*Picture, error) { return Scatter(0, 2, group) }, "signal 2; must be 0 to 1"},
		{"NaN point", func() (*Picture, error) { return Scatter(0, 1, Group{Method: Default, Signals: notFinite}) }, `group "Default"`},

		{"nothing matched", func() (*Picture, error) { return Matched(group.Signals) }, "matched: groups: none"},
		{"matched with others", func() (*Picture, error) { return Matched(waves(3, 10), group) }, `group "truth": 2×10; must be 3×10`},
		{"no truth", func() (*Picture, error) { return Matched(nil, group) }, `group "truth": no signals`},

		{"no rows", func() (*Picture, error) { return Images(2, 5) }, "images: groups: none"},
		{"shape", func() (*Picture, error) { return Images(3, 4, group) }, "rows × columns is 3 × 4; must be 10 positions"},
		{"negative shape", func() (*Picture, error) { return Images(-2, -5, group) }, "-2 × -5"},
		{"NaN pixel", func() (*Picture, error) { return Images(2, 5, Group{Method: Default, Signals: notFinite}) },
			"signal 2: the value at position 4"},

		{"no series", func() (*Picture, error) { return Curve("", "") }, "curve: series: no point"},
		{"only gaps", func() (*Picture, error) {
			return Curve("", "", Series{X: []float64{1}, Y: []float64{math.NaN()}})
		}, "series: no point"},
		{"lengths", func() (*Picture, error) { return Curve("", "", Series{Method: PCL, X: []float64{1}}) },
			`series "PCL": 1 x, 0 y and 0 standard errors`},
		{"infinite", func() (*Picture, error) {
			return Curve("", "", Series{X: []float64{1}, Y: []float64{math.Inf(1)}})
		}, "point 1 is (1, +Inf)"},
		{"negative error", func() (*Picture, error) {
			return Curve("", "", Series{X: []float64{1}, Y: []float64{1}, SE: []float64{-1}})
		}, "standard error 1 is -1"},

		{"negative on a logarithmic axis", func() (*Picture, error) {
			return Curves(Panel{Y: Axis{Log: true}, Series: []Series{{Method: PCL, X: []float64{1}, Y: []float64{1}, SE: []float64{1}}}})
		}, `curves: panel 1: series "PCL": y ± SE of point 1: 0; must be between`},
		{"zero on a logarithmic axis", func() (*Picture, error) {
			return Curves(Panel{X: Axis{Log: true}, Series: []Series{{X: []float64{0}, Y: []float64{1}}}})
		}, "x of point 1: 0; must be between"},
		{"no curves", func() (*Picture, error) { return Curves() }, "curves: panels: none"},
		{"empty panel", func() (*Picture, error) { return Curves(Panel{}) }, "series: no point"},

		{"no history", func() (*Picture, error) { return Progress() }, "none of 0 has"},
		{"empty history", func() (*Picture, error) { return Progress(History{Method: Default}) }, "none of 1 has"},
		{"infinite loss", func() (*Picture, error) { return Progress(History{Method: Default, Loss: []float64{1, math.Inf(1)}}) },
			`training loss: series "Default"`},
	} {
		if _, err := test.draw(); err == nil || !strings.HasPrefix(err.Error(), "plot: ") || !strings.Contains(err.Error(), test.error) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.error)
		}
	}
}

func TestPicturesOfExtremeData(t *testing.T) {
	for name, s := range map[string]*mat.Dense{
		"constant": mat.NewDense(2, 4, []float64{7, 7, 7, 7, 0, 0, 0, 0}),
		"large":    mat.NewDense(2, 4, []float64{1e300, -1e300, 0, 1, 1e300, 1e300, 1e300, 1e300}),
		"largest":  mat.NewDense(2, 4, []float64{math.MaxFloat64, -math.MaxFloat64, 0, 1, 1, 2, 3, 4}),
		"offset":   mat.NewDense(2, 4, []float64{1e15, 1e15 + 1, 1e15, 1e15, 1, 1 + 1e-15, 1, 1}),
	} {
		group := Group{Method: Default, Signals: s}
		for _, draw := range []func() (*Picture, error){
			func() (*Picture, error) { return Traces(0, 4, group) },
			func() (*Picture, error) { return Scatter(0, 1, group) },
			func() (*Picture, error) { return Images(2, 2, group) },
			func() (*Picture, error) {
				return Curve("x", "y", Series{Method: Default, X: []float64{0, 1, 2, 3}, Y: s.RawRowView(0)})
			},
		} {
			p, err := draw()
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			decode(t, p)
			textOf(t, p)
		}
	}
}
