// Package html shows a report.Report as one HTML file: the verdict and its reasons, pictures of
// the mixed and the recovered signals, and every measure.
//
// Write makes the page. It needs no network, no script and no other file, and has layouts for
// phones, for print, and for light and dark screens.
package html

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/report"
)

//go:embed page.html
var source string

// layout returns the page's template, which is parsed when it is first needed.
var layout = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(source))
})

// The largest numbers of rows in the tables.
const (
	maxSignals = 64
	maxPairs   = 24
)

// Write writes the report as a page. The title says what was separated, such as a file's name.
// The report is about the mixed signals x and the recovered signals z, both d×n; see
// sica.Result.Transform. The error says if x or z doesn't have the report's size or has a value
// that isn't finite.
func Write(w io.Writer, title string, r *report.Report, x, z *mat.Dense) error {
	view, err := newView(title, r, x, z)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := layout().Execute(w, view); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// view is what the template shows.
type view struct {
	Title  string
	Tone   string // of the verdict, a class
	Shape  string // "" for a sequence
	Report *report.Report

	Signals     template.URL
	SignalsNote string
	Measures    []measure
	Rows        []row
	MoreRows    string
	Pairs       []pair
	MorePairs   string
	RefitsNote  string
	Halves      string // "" where they weren't compared
	Matrix      []line
	Why         string
	Progress    template.URL // "" without iterations
}

func newView(title string, r *report.Report, x, z *mat.Dense) (*view, error) {
	if r == nil {
		return nil, errors.New("report: must not be nil; make one with report.New")
	}
	for _, signals := range []struct {
		name string
		m    *mat.Dense
	}{{"x", x}, {"z", z}} {
		if signals.m == nil || signals.m.IsEmpty() {
			return nil, fmt.Errorf("%s: is empty; must be the %d×%d signals of the report",
				signals.name, r.Signals, r.Positions)
		}
		d, n := signals.m.Dims()
		if d < r.Signals || d > r.Signals && signals.name == "z" || n != r.Positions {
			return nil, fmt.Errorf("%s: is %d×%d; must be the %d×%d signals of the report",
				signals.name, d, n, r.Signals, r.Positions)
		}
	}
	if r.Recorded != nil && len(r.Recorded) != r.Positions {
		return nil, fmt.Errorf("Recorded: has %d positions; must have the %d of the report, or be nil",
			len(r.Recorded), r.Positions)
	}
	v := &view{
		Title: title, Report: r, Shape: shape(r.Shape), Tone: tones[r.Verdict],
		Measures: measures(r), Rows: rows(r), Pairs: pairs(r),
		Matrix: matrix(r), RefitsNote: refitsNote(r),
		Why: why(r),
	}
	if r.Halves != nil {
		v.Halves = sentence(r.Halves.String())
	}
	if more := r.Signals - len(v.Rows); more > 0 {
		v.MoreRows = fmt.Sprintf("And %s: see the JSON of the report or, in Go, Report.Row.",
			text.Counted(more, "more signal"))
	}
	if n := len(r.Linear.Pairs); n > len(v.Pairs) {
		v.MorePairs = fmt.Sprintf("The pairs with the least evidence, of %d.", n)
	}
	var err error
	if v.Signals, v.SignalsNote, err = signals(r, x, z); err != nil {
		return nil, err
	}
	v.Progress, err = progress(r)
	return v, err
}

var tones = map[report.Verdict]string{
	report.Separated: "good", report.NoEvidence: "bad", report.NotIdentifiable: "open",
}

// shape is such as "32×32".
func shape(dims []int) string {
	if len(dims) < 2 {
		return ""
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(dims), "[]"), " ", "×")
}

// measure is one of the divergences, of the mixed and of the recovered signals.
type measure struct {
	Name string
	Bars []bar
}

// bar is an interval, along an axis of 400.
type bar struct {
	Label, Value, Colour string
	At, Low, Width       float64
}

const axis = 400

func measures(r *report.Report) []measure {
	before, after := r.Mixed, r.Recovered
	all := []measure{{
		fmt.Sprintf("Dependence of the most dependent pair (recovered: signals %d and %d)",
			after.Pair[0]+1, after.Pair[1]+1),
		bars(before.Dependence, after.Dependence),
	}}
	if before.Classifier != nil && after.Classifier != nil {
		classified := bars(*before.Classifier, *after.Classifier)
		name := "Divergence of all signals, in nats" + r.ClassifiedNote()
		all = append(all, measure{name, classified})
	}
	return all
}

func bars(before, after report.Interval) []bar {
	end := max(before.High, after.High, 1e-3)
	newBar := func(label, colour string, i report.Interval) bar {
		return bar{
			Label: label, Colour: colour, Value: i.String(),
			At:  (axis - 4) * i.Estimate / end,
			Low: axis * i.Low / end, Width: axis * (i.High - i.Low) / end,
		}
	}
	return []bar{newBar("mixed", "var(--own)", before), newBar("recovered", "var(--all)", after)}
}

// row is a recovered signal. Its bars are along an axis of 176.
type row struct {
	report.Row
	Number             int
	OwnWidth, AllWidth float64
	SelfSufficient     bool
}

const cell = 176

func rows(r *report.Report) []row {
	var all []row
	for i, p := range r.Predictability[:min(len(r.Predictability), maxSignals)] {
		next := row{
			Row: r.Row(i), Number: i + 1, SelfSufficient: p.SelfSufficient(),
			OwnWidth: cell * max(p.Own, 0), AllWidth: cell * max(p.All, 0),
		}
		next.Own, next.All = minus(next.Own), minus(next.All)
		all = append(all, next)
	}
	return all
}

// minus returns a number with a minus sign in place of a hyphen.
func minus(number string) string { return strings.ReplaceAll(number, "-", "−") }

// pair is a pair of recovered signals.
type pair struct {
	Pair, Evidence, Angle, Dependence string
	Identified                        bool
}

func pairs(r *report.Report) []pair {
	sorted := slices.Clone(r.Linear.Pairs)
	if len(sorted) > maxPairs {
		slices.SortStableFunc(sorted,
			func(a, b linear.Pair) int { return cmp.Compare(a.Evidence, b.Evidence) })
		sorted = sorted[:maxPairs]
	}
	var all []pair
	for _, p := range sorted {
		next := pair{
			Pair: fmt.Sprintf("%d, %d", p.J+1, p.I+1), Angle: "–",
			Evidence:   minus(text.Fixed(p.Evidence, 1)),
			Dependence: minus(text.Fixed(p.Dependence, 2)), Identified: p.Identified,
		}
		if p.Identified {
			next.Angle = fmt.Sprintf("± %.1f°", p.AngleError*180/math.Pi)
		}
		all = append(all, next)
	}
	return all
}

// line is a row of the matrix of recoveries.
type line struct {
	Name  string
	Cells []shaded
}

type shaded struct {
	Value string
	Shade float64 // 0 to 1
}

func matrix(r *report.Report) []line {
	if r.Stability == nil {
		return nil
	}
	var lines []line
	for a, values := range r.Stability.Recoveries {
		next := line{Name: "fit"}
		if a > 0 {
			next.Name = fmt.Sprintf("refit %d", a)
		}
		for _, v := range values {
			next.Cells = append(next.Cells,
				shaded{fmt.Sprintf("%.3f", v), math.Round(100*max(0, v-0.5)) / 100})
		}
		lines = append(lines, next)
	}
	return lines
}

func refitsNote(r *report.Report) string {
	s := r.Stability
	if s == nil {
		return ""
	}
	note := sentence(s.String()) + " "
	if s.LeftOut == 0 {
		note += "Each has another seed, and all positions"
		if s.WhyAll != "" {
			note += ", as " + s.WhyAll + ": that tests the seed only"
		}
		return note + "."
	}
	return note +
		fmt.Sprintf("Each has another seed, was fitted to %d of the %d positions, others than "+
			"the next, and then applied to all.", r.Positions-s.LeftOut, r.Positions)
}

// why returns what the fit did and why it ended.
func why(r *report.Report) string {
	var said []string
	if r.Iterations > 0 { // of a flow
		said = append(said, "The flow made "+text.Counted(r.Iterations, "iteration")+".")
	}
	if r.Why != "" {
		said = append(said, sentence(r.Why))
	}
	return strings.Join(said, " ")
}

// sentence returns a text with a capital at its beginning and a full stop at its end.
func sentence(text string) string {
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
