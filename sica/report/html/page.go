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

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/report"
)

//go:embed page.html
var source string

var layout = template.Must(template.New("page").Parse(source))

// How much of many signals is shown.
const (
	mostSignals = 16
	mostPairs   = 24
)

// Write writes the report as a page. Title says what was separated, such as a
// file's name. X are the mixed signals and z the recovered ones that the report
// is of, both d×T; see sica.Result.Transform.
//
// It is an error if x or z isn't of the report's size or has a value that isn't
// finite.
func Write(w io.Writer, title string, r *report.Report, x, z *mat.Dense) error {
	view, err := newView(title, r, x, z)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := layout.Execute(w, view); err != nil {
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
		return nil, errors.New("the report is nil; make one with report.Of")
	}
	for _, signals := range []struct {
		name string
		m    *mat.Dense
	}{{"x", x}, {"z", z}} {
		if signals.m == nil || signals.m.IsEmpty() {
			return nil, fmt.Errorf("%s is empty; want the %d×%d signals of the report", signals.name, r.Signals, r.Positions)
		}
		if d, t := signals.m.Dims(); d < r.Signals || d > r.Signals && signals.name == "z" || t != r.Positions {
			return nil, fmt.Errorf("%s is %d×%d; want the %d×%d signals of the report", signals.name, d, t, r.Signals, r.Positions)
		}
	}
	v := &view{
		Title: title, Report: r, Shape: shape(r.Shape), Tone: tones[r.Verdict],
		Measures: measures(r), Rows: rows(r), Pairs: pairs(r), Matrix: matrix(r), RefitsNote: refitsNote(r),
		Why: why(r),
	}
	if r.Halves != nil {
		v.Halves = strings.TrimPrefix(r.Halves.String(), "halves: ")
	}
	if more := r.Signals - len(v.Rows); more > 0 {
		v.MoreRows = fmt.Sprintf("And %d more signals.", more)
	}
	if n := len(r.Linear.Pairs); n > len(v.Pairs) {
		v.MorePairs = fmt.Sprintf("Those of %d pairs with the least evidence.", n)
	}
	var err error
	if v.Signals, v.SignalsNote, err = signals(r, x, z); err != nil {
		return nil, err
	}
	v.Progress, err = progress(r)
	return v, err
}

var tones = map[report.Verdict]string{report.Separated: "good", report.NoEvidence: "bad", report.NotIdentifiable: "open"}

// shape is such as "32×32".
func shape(dims []int) string {
	if len(dims) < 2 {
		return ""
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(dims), "[]"), " ", "×")
}

// measure is one of the divergences, before and after.
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
	found := []measure{{
		fmt.Sprintf("Dependence of the most dependent pair (recovered: signals %d and %d)", after.Pair[0]+1, after.Pair[1]+1),
		bars(before.Dependence, after.Dependence),
	}}
	if before.Judged != nil && after.Judged != nil {
		found = append(found, measure{"Divergence of all signals, in nats", bars(*before.Judged, *after.Judged)})
	}
	return found
}

func bars(before, after dependence.Interval) []bar {
	end := max(before.High, after.High, 1e-3)
	of := func(label, colour string, i dependence.Interval) bar {
		return bar{
			Label: label, Colour: colour, Value: i.String(),
			At: (axis - 4) * i.Estimate / end, Low: axis * i.Low / end, Width: axis * (i.High - i.Low) / end,
		}
	}
	return []bar{of("mixed", "var(--own)", before), of("recovered", "var(--all)", after)}
}

// row is a recovered signal. Its bars are along an axis of 176.
type row struct {
	Number             int
	Own, All, SE       string
	OwnWidth, AllWidth float64
	SelfSufficient     bool
	Stability, Error   string
	Share, Halves      string
	Relied             string // "yes" or why not
}

const cell = 176

func rows(r *report.Report) []row {
	var found []row
	for i, p := range r.Predictability[:min(len(r.Predictability), mostSignals)] {
		next := row{
			Number: i + 1, Own: decimals(p.Own), All: decimals(p.All), SE: decimals(p.SE),
			OwnWidth: cell * max(p.Own, 0), AllWidth: cell * max(p.All, 0), SelfSufficient: p.SelfSufficient(),
			Error: r.Linear.ErrorOf(i), Share: r.ShareOf(i), Relied: r.RelianceOn(i),
		}
		if r.Stability != nil {
			next.Stability = decimals(r.Stability.Signals[i])
		}
		if r.Halves != nil {
			next.Halves = decimals(r.Halves.Signals[i])
		}
		found = append(found, next)
	}
	return found
}

func decimals(v float64) string { return minus(fmt.Sprintf("%.3f", v)) }

// minus puts a true minus sign.
func minus(number string) string { return strings.ReplaceAll(number, "-", "−") }

// pair is a pair of recovered signals.
type pair struct {
	Pair, Evidence, Angle, Dependence string
	Identified                        bool
}

func pairs(r *report.Report) []pair {
	sorted := slices.Clone(r.Linear.Pairs)
	if len(sorted) > mostPairs {
		slices.SortStableFunc(sorted, func(a, b linear.Pair) int { return cmp.Compare(a.Evidence, b.Evidence) })
		sorted = sorted[:mostPairs]
	}
	var found []pair
	for _, p := range sorted {
		next := pair{
			Pair: fmt.Sprintf("%d, %d", p.J+1, p.I+1), Evidence: minus(fmt.Sprintf("%.1f", p.Evidence)), Angle: "–",
			Dependence: minus(fmt.Sprintf("%.2f", p.Dependence)), Identified: p.Identified,
		}
		if p.Identified {
			next.Angle = fmt.Sprintf("± %.1f°", p.AngleError*180/math.Pi)
		}
		found = append(found, next)
	}
	return found
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
			next.Cells = append(next.Cells, shaded{fmt.Sprintf("%.3f", v), math.Round(100*max(0, v-0.5)) / 100})
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
	note := fmt.Sprintf("%d refits and the fit agree with an MCC of %.3f. ", len(s.Recoveries)-1, s.MCC)
	if len(s.Recoveries) == 2 {
		note = fmt.Sprintf("One refit agrees with the fit: their MCC is %.3f. ", s.MCC)
	}
	if s.LeftOut == 0 {
		return note + "Each has another seed; none leaves out positions, because its networks couldn't be applied to these or too few would be left."
	}
	return note + fmt.Sprintf("Each has another seed and left out %d other positions, to which it was then applied.", s.LeftOut)
}

// why says what the fit did.
func why(r *report.Report) string {
	did := "No iteration was made"
	if r.Iterations > 0 {
		did = fmt.Sprintf("%d iterations were made", r.Iterations)
	}
	if r.Why == "" {
		return did + "."
	}
	return did + ": " + strings.TrimSuffix(r.Why, ".") + "."
}
