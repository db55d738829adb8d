package html_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
	"github.com/seed-47b1e431/gosica/sica/report"
	"github.com/seed-47b1e431/gosica/sica/report/html"
)

// mixture is d Laplace signals at n positions, mixed by a random matrix.
func mixture(d, n int) *mat.Dense {
	rng := rand.New(rand.NewPCG(1, 2))
	s, a, x := mat.NewDense(d, n, nil), mat.NewDense(d, d, nil), new(mat.Dense)
	s.Apply(func(int, int, float64) float64 {
		return rng.ExpFloat64() * float64(1-2*rng.IntN(2))
	}, s)
	a.Apply(func(i, j int, _ float64) float64 { return rng.NormFloat64() }, a)
	x.Mul(a, s)
	return x
}

// transformed is what a transform alone makes of mixed signals.
func transformed(
	t *testing.T, x *mat.Dense, components int, transform preprocess.Transform,
) *sica.Result {
	t.Helper()
	r, err := sica.Fit(t.Context(), x, sica.Config{
		Seed: 1, Mode: sica.TransformsOnly, Components: components,
		Transforms: []preprocess.Transform{transform},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, p html.Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type series struct {
	Samples       []byte
	Scale, Offset float64
}

func (s series) values() (values []float64) {
	for ; len(s.Samples) > 0; s.Samples = s.Samples[2:] {
		number := int16(binary.LittleEndian.Uint16(s.Samples))
		values = append(values, s.Offset+s.Scale*float64(number))
	}
	return values
}

// content is the part of a page's data that tests look at.
type content struct {
	Title      string
	Every      int
	Pieces     [][2]int
	Step       int
	Shape      []int
	A          [][]float64
	Components []struct {
		series
		Grade     string
		Repeats   float64
		Map       []byte
		Facts     [][2]string
		Described *inspect.Component
	}
	Rest   []series
	Report *struct {
		Verdict, Tone, Text string
		Uses                []string
	}
}

var dataPart = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)

func read(t *testing.T, page string) (c content) {
	t.Helper()
	found := dataPart.FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page has no data")
	}
	if err := json.Unmarshal([]byte(found[1]), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// channel returns channel i as the page has it, and the largest error by rounding.
func (c content) channel(i int) (values []float64, tolerance float64) {
	if c.Rest != nil {
		values, tolerance = c.Rest[i].values(), c.Rest[i].Scale/2
	}
	for k, component := range c.Components {
		z := component.values()
		if values == nil {
			values = make([]float64, len(z))
		}
		if c.A != nil {
			floats.AddScaled(values, c.A[i][k], z)
			tolerance += math.Abs(c.A[i][k]) * component.Scale / 2
		}
	}
	return values, tolerance + 1e-9
}

// The channels come back from a page, up to their means and rounding: of as many components as
// channels, of fewer, of a nonlinear separation.
func TestChannelsComeBack(t *testing.T) {
	const n = 300
	x := mixture(3, n)
	for name, r := range map[string]*sica.Result{
		"all":       transformed(t, x, 0, preprocess.ZCA),
		"two":       transformed(t, x, 2, preprocess.ZCA),
		"nonlinear": transformed(t, x, 0, preprocess.Gaussianise),
	} {
		c := read(t, write(t, html.Page{Result: r, X: blockwise.InMemory{Dense: x}}))
		if (c.Rest != nil) != (name != "all") || (c.A != nil) != (name != "nonlinear") ||
			c.Every != 1 {
			t.Errorf("%s: rest of %d channels, A of %d, every %d", name, len(c.Rest), len(c.A), c.Every)
		}
		for i := range 3 {
			want := slices.Clone(x.RawRowView(i))
			floats.AddConst(-stat.Mean(want, nil), want)
			got, tolerance := c.channel(i)
			if floats.Distance(got, want, math.Inf(1)) > tolerance {
				t.Errorf("%s: channel %d differs by %g, want at most %g", name, i,
					floats.Distance(got, want, math.Inf(1)), tolerance)
			}
		}
		if described := c.Components[0].Described; described == nil || len(described.Pattern) != 3 {
			t.Errorf("%s: described as %+v", name, described)
		}
	}
}

// A long recording of 64 channels gives a page below 10 MB, whose points are means.
func TestLongPageIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	x := mixture(64, 100_000)
	part := mat.DenseCopyOf(x.Slice(0, 64, 0, 1000))
	r := transformed(t, part, 0, preprocess.ZCA)
	components, err := inspect.Components(r, part, nil)
	if err != nil {
		t.Fatal(err)
	}
	page := write(t, html.Page{Result: r, X: blockwise.InMemory{Dense: x}, Components: components})
	if len(page) > 10_000_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	c := read(t, page)
	z, err := r.Transform(x)
	if err != nil {
		t.Fatal(err)
	}
	got := c.Components[5].values()
	if want := 0.5*z.At(5, 70) + 0.5*z.At(5, 71); c.Every != 2 || len(got) != 50_000 ||
		math.Abs(got[35]-want) > c.Components[5].Scale {
		t.Errorf("every %d, %d points, of which one is %g, want %g", c.Every, len(got), got[35], want)
	}
}

// Names can't become markup, and nothing is loaded from elsewhere.
func TestPageIsSelfContained(t *testing.T) {
	x := mixture(2, 100)
	const name = `</script><script>alert("1")</script>&`
	r := transformed(t, x, 0, preprocess.ZCA)
	components, err := inspect.Components(r, x, nil)
	if err != nil {
		t.Fatal(err)
	}
	components[0].Label = inspect.Label{Name: name, Evidence: name}
	page := write(t, html.Page{
		Title: name, Channels: []string{name, "b"}, Units: []string{name, ""}, Command: name,
		Notes: []string{name}, Selection: map[string]string{"model": name},
		Components: components, Result: r, X: blockwise.InMemory{Dense: x},
	})
	if strings.Count(page, "</script>") != 2 || strings.Contains(page, "<script>alert") {
		t.Error("a name became markup")
	}
	for _, forbidden := range []string{
		"http:", "https:", "//www", "<link", "@import", "url(", "src=", "ZgotmplZ",
	} {
		if strings.Contains(page, forbidden) {
			t.Errorf("the page has %q", forbidden)
		}
	}
	c := read(t, page)
	if label := c.Components[components[0].Signal].Described.Label; c.Title != name ||
		label.Name != name {
		t.Errorf("the title is %q, a label %q", c.Title, label.Name)
	}
}

// Channels with names of electrodes have maps of the head, with the largest size at ±127.
func TestMaps(t *testing.T) {
	x := mixture(7, 200)
	page := html.Page{Result: transformed(t, x, 0, preprocess.ZCA), X: blockwise.InMemory{Dense: x}}
	page.Channels = []string{"Fp1", "Fp2", "Cz", "Pz", "O1", "O2", "T7"}
	for i, component := range read(t, write(t, page)).Components {
		most := byte(0)
		for _, v := range component.Map {
			most = max(most, byte(math.Abs(float64(int8(v)))))
		}
		if len(component.Map) != 1600 || most < 60 {
			t.Errorf("component %d: a map of %d values up to %d", i, len(component.Map), most)
		}
	}
	page.Channels = []string{"a", "b", "c", "d", "e", "f", "g"}
	if read(t, write(t, page)).Components[0].Map != nil {
		t.Error("a map of no electrodes")
	}
}

// The page knows where something was left out, and shows the middle frame of a video.
func TestPositionsAndShapes(t *testing.T) {
	x := mixture(2, 60)
	page := html.Page{Result: transformed(t, x, 0, preprocess.ZCA), X: blockwise.InMemory{Dense: x}}
	page.Positions = make([]int, 60)
	for k := range page.Positions {
		page.Positions[k] = 100 + 2*k
		if k >= 40 {
			page.Positions[k] += 50
		}
	}
	c := read(t, write(t, page))
	if want := [][2]int{{0, 100}, {40, 230}}; !slices.Equal(c.Pieces, want) || c.Step != 2 {
		t.Errorf("pieces %v with steps of %d, want %v and 2", c.Pieces, c.Step, want)
	}
	page.Positions, page.Shape = nil, []int{3, 4, 5}
	c = read(t, write(t, page))
	frame := page.Result.Z.RawRowView(1)[20:40]
	if got := c.Components[1].values(); !slices.Equal(c.Shape, []int{4, 5}) ||
		!floats.EqualApprox(got, frame, c.Components[1].Scale) {
		t.Errorf("a frame of shape %v: %v, want %v", c.Shape, got, frame)
	}
}

// A page with a report has its verdict, its text and a row for each component.
func TestPageOfReport(t *testing.T) {
	x := mixture(2, 200)
	r := transformed(t, x, 0, preprocess.ZCA)
	rep := &report.Report{
		Verdict: report.NotIdentifiable, Predictability: make([]report.Predictability, 2),
		Halves:    &report.Halves{Signals: []float64{0.99, 0.41}},
		Stability: &report.Stability{Signals: []float64{0.9, 0.95}, Recoveries: [][]float64{{1}}},
		Grades: []report.Graded{
			{Grade: report.Doubtful, Repeat: 0.9},
			{Grade: report.Repeats, Repeat: 0.41, Group: []int{0, 1}},
		},
	}
	page := html.Page{Result: r, X: blockwise.InMemory{Dense: x}, Report: rep}
	written := write(t, page)
	c := read(t, written)
	if c.Report.Verdict != string(rep.Verdict) || c.Report.Tone != "open" ||
		c.Report.Text != rep.String() || !slices.Equal(c.Report.Uses, rep.Uses()) {
		t.Errorf("report %+v", c.Report)
	}
	for _, id := range []string{"verdict", "report", "notes", "components", "right"} {
		_, rest, found := strings.Cut(written, ` id="`+id+`"`)
		if written = rest; !found {
			t.Errorf("no %s, or in another order", id)
		}
	}
	if facts := c.Components[1].Facts; !slices.Contains(facts, [2]string{"halves", "0.410"}) {
		t.Errorf("facts %v", facts)
	}
	for i, want := range []string{"doubtful", "repeats with 1"} {
		if got := c.Components[i]; got.Grade != want || got.Repeats != rep.Grades[i].Repeat {
			t.Errorf("component %d: %q, repeats by %g", i, got.Grade, got.Repeats)
		}
	}
}

func TestErrors(t *testing.T) {
	x := mixture(2, 100)
	r := transformed(t, x, 0, preprocess.ZCA)
	in := blockwise.InMemory{Dense: x}
	for _, test := range []struct {
		page html.Page
		want string
	}{
		{html.Page{X: in}, "Result, X: must not be nil"},
		{html.Page{Result: r}, "Result, X: must not be nil"},
		{html.Page{Result: r, X: in, Channels: []string{"a"}}, "Channels: has 1; must have 2, or be nil"},
		{html.Page{Result: r, X: in, Grades: []report.Graded{{}}}, "Grades: has 1; must have 2"},
		{html.Page{Result: r, X: in, Positions: []int{1}}, "Positions: has 1; must have 100"},
		{html.Page{Result: r, X: in, Shape: []int{9, 9}}, "Shape: is [9 9]; must have 100 positions"},
		{html.Page{Result: r, X: in, Z: mixture(2, 99)}, "Z: is 2×99; must be 2×100"},
		{html.Page{Result: r, X: in, Rate: math.NaN()}, "Rate, Start: are NaN and 0"},
		{html.Page{Result: r, X: blockwise.InMemory{Dense: mixture(3, 100)}}, "3"},
	} {
		err := html.Write(new(bytes.Buffer), test.page)
		if err == nil || !strings.HasPrefix(err.Error(), "html: ") ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
	full := errors.New("full")
	if err := html.Write(failing{full}, html.Page{Result: r, X: in}); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }
