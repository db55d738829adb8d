// Package html writes a separation as a page to look at its components and to choose which to
// remove: a map of the head or bars, a spectrum, a trace and numbers of each, and the channels with
// and without the chosen ones. With a report it shows the verdict, too. The page is one file, which
// needs no network, and keeps what is chosen as a file for sica remove --selection.
//
// The page holds the recovered signals, as 16-bit numbers. The browser makes the channels of them:
// a channel is Σ a_i·z_i, with the rows of A of the [sica.Demixing], and the cleaned channel lacks
// Σ p_i·z_i over the chosen signals, with the patterns that [sica.Result.Remove] takes out. What of
// the channels isn't in the signals, as with Config.Components, is there as signals of its own. A
// page of a long recording holds means of successive positions in place of each: as many as give 10
// MB. What is linear stays so.
package html

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/electrode"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// A Page is what a page shows. Result and X must be set.
type Page struct {
	// Title is above all, such as the name of the recording's file.
	Title string
	// Result is a separation, and X the mixed signals, d×n, that it was made from or others of
	// their kind, as it learned from them: filtered, and without what was skipped.
	Result *sica.Result
	X      blockwise.Source
	// Z are the recovered signals of X, k×n. They are needed if Result isn't pointwise; nil is
	// what Result makes of X.
	Z *mat.Dense
	// Shape is that of the positions. With several axes the page shows images, or the middle frame
	// of a video. Nil is the Result's shape if it has as many positions, and a sequence otherwise.
	Shape []int
	// Channels and Units are the names and units of the channels of X; nil is numbers, and no
	// units.
	Channels, Units []string
	// Rate is that of the recording, in positions per second, and Start the time of its first
	// position in seconds. A rate of 0 counts positions.
	Rate, Start float64
	// Positions are the positions of X in the recording, from 0 and in order. Nil is a whole
	// recording, or those of X if it is a blockwise.Subset.
	Positions []int
	// Components describe the recovered signals, in any order; nil is for those of the Report or,
	// without one, of inspect.Recording, which a Result that isn't pointwise lacks.
	Components []inspect.Component
	// Grades are those of the recovered signals; nil is for those of the Report, if there is one.
	Grades []report.Graded
	// Report is about Result; nil for none.
	Report *report.Report
	// Notes say what was unusual in the recording.
	Notes []string
	// Command is the shell command that removes components, without these, such as "sica remove
	// --model DIR --in FILE --out FILE". Empty is for a separation that wasn't saved.
	Command string
	// Selection becomes a JSON object: what the file of a selection holds besides "signals", the
	// chosen ones from 0, which the page adds.
	Selection any
}

// mapSize is the width and height of a map of the head in the page.
const mapSize = 40

var (
	//go:embed page.html
	markup string
	//go:embed page.css
	style string
	//go:embed numbers.js
	numbers string
	//go:embed draw.js
	drawing string
	//go:embed page.js
	script string

	page = template.Must(template.New("page").Parse(markup))
)

// Write writes the page. The error says what of p doesn't fit, and has the prefix "html: "; or it
// is that of w.
func Write(w io.Writer, p Page) error {
	if err := p.check(); err != nil {
		return fmt.Errorf("html: %w", err)
	}
	d, err := p.content()
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	encoded, err := json.Marshal(d) // escapes <, > and &
	if err != nil {
		return fmt.Errorf("html: %w", err)
	}
	return page.Execute(w, struct {
		Title  string
		Style  template.CSS
		Script template.JS
		Data   template.JS
	}{p.Title, template.CSS(style), template.JS(numbers + drawing + script), template.JS(encoded)})
}

// check returns an error if fields don't fit together, and sets those that follow from others.
func (p *Page) check() error {
	if p.Result == nil || p.X == nil {
		return errors.New("Result, X: must not be nil")
	}
	if p.Report != nil && p.Components == nil {
		p.Components = p.Report.Components
	}
	if p.Report != nil && p.Grades == nil {
		p.Grades = p.Report.Grades
	}
	d, n := p.X.Dims()
	signals, _ := p.Result.Z.Dims()
	for _, c := range []struct {
		name      string
		has, want int
	}{
		{"Channels", len(p.Channels), d},
		{"Units", len(p.Units), d},
		{"Positions", len(p.Positions), n},
		{"Grades", len(p.Grades), signals},
		{"Components", len(p.Components), signals},
	} {
		if c.has != c.want && c.has != 0 {
			return fmt.Errorf("%s: has %d; must have %d, or be nil", c.name, c.has, c.want)
		}
	}
	if len(p.Shape) > 0 && grid.Product(p.Shape) != n {
		return fmt.Errorf("Shape: is %v; must have %d positions, or be nil", p.Shape, n)
	}
	if len(p.Shape) == 0 && grid.Product(p.Result.Shape) == n {
		p.Shape = p.Result.Shape
	}
	if p.Z != nil {
		if k, positions := p.Z.Dims(); k != signals || positions != n {
			return fmt.Errorf("Z: is %d×%d; must be %d×%d", k, positions, signals, n)
		}
	}
	if !(p.Rate >= 0) || !signal.Finite(p.Rate) || !signal.Finite(p.Start) {
		return fmt.Errorf("Rate, Start: are %g and %g; must be finite, and the rate not negative",
			p.Rate, p.Start)
	}
	return nil
}

// content is the data in the page, from which its script draws all.
type content struct {
	Title     string   `json:"title"`
	Notes     []string `json:"notes"`
	Command   string   `json:"command"`
	Selection any      `json:"selection"`

	Rate  float64 `json:"rate"`
	Start float64 `json:"start"`
	// Total is the number of positions of X, and Every how many of them a point is the mean of.
	Total int `json:"total"`
	Every int `json:"every"`
	// Pieces are the first positions of X, and of the recording, of stretches between which
	// something was left out; in them a step in X is Step in the recording.
	Pieces [][2]int `json:"pieces"`
	Step   int      `json:"step"`
	Shape  []int    `json:"shape"` // of images as they are shown; nil for a sequence

	Channels   []channel          `json:"channels"`
	Components []component        `json:"components"`
	Rest       []series           `json:"rest"`
	Sensors    []electrode.Sensor `json:"sensors"`
	// A has a row for each channel; nil for a nonlinear separation, from which nothing is removed.
	A       signal.Rows  `json:"a"`
	Moments *moments     `json:"moments"`
	Report  *reportWords `json:"report"`
}

// channel is a mixed signal.
type channel struct {
	Name string  `json:"name"`
	Unit string  `json:"unit"`
	SD   float64 `json:"sd"`
}

// component is a recovered signal.
type component struct {
	series
	Grade     string             `json:"grade,omitempty"`
	Repeats   float64            `json:"repeats,omitempty"`
	Described *inspect.Component `json:"described"`
	Map       []byte             `json:"map"` // see headMap; nil without sensors
	SD        float64            `json:"sd"`
	Facts     [][2]string        `json:"facts"` // of a report
}

// moments are sica.Moments.
type moments struct {
	Covariance signal.Rows `json:"covariance"`
	Heavy      int         `json:"heavy"`
	Cubes      []float64   `json:"cubes"`
	ByCubes    float64     `json:"by_cubes"`
}

// content returns the data of the page.
func (p *Page) content() (*content, error) {
	demixing, err := p.Result.Demixing()
	if err != nil && !errors.Is(err, sica.ErrNotLinear) {
		return nil, err
	}
	s, err := p.sample(demixing)
	if err != nil {
		return nil, err
	}
	_, n := p.X.Dims()
	c := &content{
		Title: p.Title, Notes: p.Notes, Command: p.Command, Selection: p.Selection,
		Rate: p.Rate, Start: p.Start, Total: n, Every: s.every, Shape: s.shape,
		Channels:   make([]channel, len(s.xDeviations)),
		Components: make([]component, len(s.zDeviations)), Rest: quantiseAll(s.rest),
	}
	c.Pieces, c.Step = p.pieces(n)
	for i := range c.Channels {
		ch := &c.Channels[i]
		ch.Name, ch.SD = fmt.Sprint(i+1), s.xDeviations[i]
		if p.Channels != nil {
			ch.Name = p.Channels[i]
		}
		if p.Units != nil {
			ch.Unit = p.Units[i]
		}
	}
	for i := range c.Components {
		next := component{series: quantise(s.z[i]), SD: s.zDeviations[i], Facts: p.facts(i)}
		if p.Grades != nil {
			next.Grade, next.Repeats = p.Grades[i].Words(i), p.Grades[i].Repeat
		}
		c.Components[i] = next
	}
	if demixing != nil {
		c.A = signal.RowsOf(demixing.Mixing)
	}
	if err := p.describe(c); err != nil {
		return nil, err
	}
	if p.Report != nil {
		c.Report = wordsOf(p.Report)
	}
	return c, nil
}

// describe adds what each component is, and what removing takes out.
func (p *Page) describe(c *content) error {
	all := p.Components
	if all == nil && p.Result.CheckPointwise() == nil {
		var err error
		if all, err = inspect.Recording(p.Result, p.X, nil); err != nil {
			return err
		}
	}
	c.Sensors = electrode.Sensors(p.Channels)
	for _, described := range all {
		if described.Signal < 0 || described.Signal >= len(c.Components) ||
			len(described.Pattern) != len(c.Channels) {
			return fmt.Errorf("Components: signal %d with a pattern of %d channels; must be one of %d, "+
				"of %d", described.Signal, len(described.Pattern), len(c.Components), len(c.Channels))
		}
		next := &c.Components[described.Signal]
		next.Described = &described
		if c.Sensors != nil {
			next.Map = headMap(c.Sensors, described.Pattern)
		}
	}
	if m := p.Result.Moments(); m != nil {
		c.Moments = &moments{
			signal.RowsOf(mat.DenseCopyOf(m.Covariance)), m.Heavy, m.Cubes, m.ByCubes,
		}
	}
	return nil
}

// headMap returns the map of a pattern: values from −127 to 127 as bytes of two's complement, row
// by row from the nose.
func headMap(sensors []electrode.Sensor, pattern []float64) []byte {
	height := electrode.Map(sensors, pattern)
	values := make([]byte, 0, mapSize*mapSize)
	for row := range mapSize {
		for column := range mapSize {
			x, y := (2*float64(column)+1-mapSize)/mapSize, (mapSize-2*float64(row)-1)/mapSize
			v := max(-1, min(height(x, y), 1))
			values = append(values, byte(int8(math.Round(127*v))))
		}
	}
	return values
}

// facts returns the row of a report about signal i, as names and values.
func (p *Page) facts(i int) [][2]string {
	if p.Report == nil {
		return nil
	}
	r := p.Report.Row(i)
	return [][2]string{
		{"share", r.Share}, {"own R²", r.Own}, {"all contexts", r.AllContexts},
		{"stability", r.Stability}, {"halves", r.Halves}, {"error", r.Error}, {"doubts", r.Doubts},
	}
}

// reportWords is what a report says.
type reportWords struct {
	Verdict string   `json:"verdict"`
	Tone    string   `json:"tone"` // good, bad or open
	Uses    []string `json:"uses"`
	Reasons []string `json:"reasons"`
	Next    []string `json:"next"`
	Text    string   `json:"text"`
}

func wordsOf(r *report.Report) *reportWords {
	tone := map[report.Verdict]string{report.Separated: "good", report.NoEvidence: "bad"}[r.Verdict]
	if tone == "" {
		tone = "open"
	}
	return &reportWords{string(r.Verdict), tone, r.Uses(), r.Reasons, r.Next, r.String()}
}
