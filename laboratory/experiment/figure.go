package experiment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// FirstSeed is the seed of a figure's first run; the others follow. None of them was used to choose a
// setting of the paper's methods. The linear rule's choice among candidates by dependence was seen on
// triples of digits of these seeds.
const FirstSeed = 20001

// PaperRuns is the number of runs averaged in a point of the paper's figures.
const PaperRuns = 20

// paperSteps are the mixing steps of the paper's figures, and paperDemoSteps
// those of its examples.
var paperSteps = []int{5, 10, 15, 20}

const paperDemoSteps = 20

// A Figure is one of the paper's whose points are separations.
type Figure struct {
	Name  string // the paper's, such as "3b"
	Title string
	// Example is true for a figure that shows signals: those of its first run
	// are kept.
	Example bool
	// MaxRuns is the largest number of runs that the figure shows; 0 is any number.
	MaxRuns int

	problems []Problem // without seeds, their steps as printed
	methods  []string
}

// Figures returns the paper's figures, all but the second, which shows no
// separation.
func Figures() []Figure {
	every := []string{
		"mixed", "zca", "gaussianise+zca", "fastica", "lica", "sica", "pcl", "ivae",
		"sica-wgf", "sica-rf",
	}
	example := []string{
		"mixed", "zca", "fastica", "sica", "sica-wgf", "sica-rf", "sica-rf-standardised",
	}
	heart := []Problem{{Data: Heart, Mixing: MatrixMixing}}
	return []Figure{
		{"1", "Two dependent signals, linearly mixed", true, 0, heart, every},
		{"3a", "AR(7), 20 nonlinear mixing steps", true, 1, demo(AR7), example},
		{"3b", "AR(7), linear mixing", false, 0, sweep(AR7, LinearMixing), every},
		{"3c", "AR(7), nonlinear mixing", false, 0, sweep(AR7, GELUMixing), every},
		{"4a", "MNIST, 20 nonlinear mixing steps", true, 1, demo(MNIST), example},
		{"4b", "MNIST, linear mixing", false, 0, sweep(MNIST, LinearMixing), every},
		{"4c", "MNIST, nonlinear mixing", false, 0, sweep(MNIST, GELUMixing), every},
	}
}

func demo(data string) []Problem {
	return []Problem{{Data: data, Mixing: GELUMixing, Steps: paperDemoSteps}}
}

func sweep(data, mixing string) []Problem {
	problems := make([]Problem, len(paperSteps))
	for i, steps := range paperSteps {
		problems[i] = Problem{Data: data, Mixing: mixing, Steps: steps}
	}
	return problems
}

// PaperStepSize is δ of the mixing's steps x ← x + δ·h(W·x) with which the figures
// come out as the paper reports them. It prints a δ of 1; why 0.1 is argued in
// docs/evaluation/paper.md.
const PaperStepSize = 0.1

// at returns the figure's problems for a preset, without seeds.
func (f Figure) at(p methods.Preset) []Problem {
	problems := slices.Clone(f.problems)
	for i := range problems {
		if problems[i].Mixing != MatrixMixing && p != PrintedPreset {
			problems[i].StepSize = PaperStepSize
		}
	}
	return problems
}

// FigureNamed returns the figure of that name. The error lists the names.
func FigureNamed(name string) (Figure, error) {
	return byName("figure", name, Figures(), func(f Figure) string { return f.Name })
}

// Trials returns the figure's trials for a number of runs, run by run, so that
// every point of a figure that was cut short has about as many.
//
//   - methods.Paper is what the paper shows: every method with the paper's settings, and
//     with them SICA with this project's.
//   - PrintedPreset is the same after mixing steps of 1, as the paper prints them, in
//     place of PaperStepSize.
//   - methods.Default is every method with its default settings, without the paper's
//     two flows, which have none.
//   - methods.Smoke is every method for a few steps.
func (f Figure) Trials(p methods.Preset, runs int) []Trial {
	if f.MaxRuns > 0 {
		runs = min(runs, f.MaxRuns)
	}
	var trials []Trial
	for run := range runs {
		for _, name := range f.methods {
			preset, ok := presetOf(name, p)
			if !ok {
				continue
			}
			for _, problem := range f.at(p) {
				problem.Seed = FirstSeed + uint64(run)
				trials = append(trials, Trial{Problem: problem, Method: name, Preset: preset})
			}
		}
	}
	return trials
}

// presetOf returns the preset of the method called name for a figure of p, and
// whether the figure shows the method.
func presetOf(name string, p methods.Preset) (methods.Preset, bool) {
	m, err := methodNamed(name)
	if err != nil {
		return "", false
	}
	settings := m.Nearest(p)
	return settings, p != methods.Default || settings != methods.Paper
}

// Keeps reports whether the recovered signals of a trial of the figure are kept.
func (f Figure) Keeps(t Trial) bool {
	problem := t.Problem
	problem.Seed = 0
	shown := slices.Concat(f.at(methods.Paper), f.at(PrintedPreset))
	return f.Example && t.Seed == FirstSeed && slices.Contains(shown, problem)
}

// shownPositions is how many positions of a sequence the pictures show: the last
// ones, where the AR(7) process has forgotten its large first values.
const shownPositions = 200

// Picture draws the figure from the results that there are: the MCC against the
// mixing steps with standard errors or, for an Example, the recovered signals
// of the first run. Each label says how many runs there are.
func (f Figure) Picture(r *Results, p methods.Preset, runs int) (*plot.Picture, error) {
	if f.Example {
		return f.example(r, p)
	}
	var series []plot.Series
	for _, line := range f.summarise(r, p, runs) {
		name := line.method.Label
		s := plot.Series{Method: name, Label: fmt.Sprintf("%s (n=%s)", name, line.runs())}
		for _, point := range line.points {
			s.X = append(s.X, float64(point.steps))
			s.Y = append(s.Y, point.mean)
			s.SE = append(s.SE, point.se)
		}
		series = append(series, s)
	}
	return plot.Curve("mixing steps J", "MCC (mean ± standard error)", series...)
}

// example draws the mixed signals, what was recovered and the sources, all in
// the sources' order, sign and scale.
func (f Figure) example(r *Results, p methods.Preset) (*plot.Picture, error) {
	problem := f.at(p)[0]
	problem.Seed = FirstSeed
	sources, mixed, err := problem.Draw()
	if err != nil {
		return nil, err
	}
	var groups []plot.Group
	for _, trial := range f.Trials(p, 1) {
		z, err := r.Signals(trial)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
		if z, err = metric.Align(z, sources); err != nil {
			return nil, fmt.Errorf("experiment: %s: %w", trial, err)
		}
		method, err := methods.Named(trial.Method)
		if err != nil {
			return nil, err
		}
		groups = append(groups, plot.Group{Method: method.Label, Signals: z})
	}
	if problem.Data == AR7 {
		_, t := sources.Dims()
		return plot.TraceGrid(t-shownPositions, t, sources, groups...)
	}
	groups = append(groups, plot.Group{Method: plot.Truth, Signals: sources})
	if problem.Data == MNIST {
		return plot.Images(mixed.Shape()[0], mixed.Shape()[1], groups...)
	}
	return plot.Scatter(0, 1, groups...)
}

// A point is the mean MCC of a method at one number of mixing steps.
type point struct {
	estimate
	steps   int
	failed  int     // how many more runs gave no signals
	seconds float64 // mean time of a run
}

// String returns the estimate, or what there is in its place.
func (p point) String() string {
	if p.n == 0 && p.failed > 0 {
		return "fails"
	}
	return p.estimate.String()
}

// A line is a method's points for a figure, in the order of their steps.
type line struct {
	method methods.Entry
	preset methods.Preset
	points []point
}

// summarise returns the figure's lines for a preset, made of the outcomes that there are
// for its first runs; a method without an outcome has no line.
func (f Figure) summarise(r *Results, p methods.Preset, runs int) []line {
	var lines []line
	for _, name := range f.methods {
		preset, ok := presetOf(name, p)
		if !ok {
			continue
		}
		l := line{preset: preset}
		l.method, _ = methods.Named(name)
		outcomes := 0
		for _, problem := range f.at(p) {
			at := point{steps: problem.Steps}
			var scores, seconds []float64
			for run := range runs {
				problem.Seed = FirstSeed + uint64(run)
				o, ok := r.find(Trial{Problem: problem, Method: name, Preset: preset})
				if !ok {
					continue
				}
				outcomes++
				if o.MCC == nil {
					at.failed++
					continue
				}
				scores = append(scores, *o.MCC)
				seconds = append(seconds, o.Seconds)
			}
			at.estimate, at.seconds = estimateOf(scores), stat.Mean(seconds, nil)
			l.points = append(l.points, at)
		}
		if outcomes > 0 {
			lines = append(lines, l)
		}
	}
	return lines
}

// runs returns the number of runs averaged in the points that have any, such as "20" or "1–3",
// or "0".
func (l line) runs() string {
	minRuns, maxRuns := math.MaxInt, 0
	for _, p := range l.points {
		if p.n > 0 {
			minRuns, maxRuns = min(minRuns, p.n), max(maxRuns, p.n)
		}
	}
	if minRuns >= maxRuns {
		return fmt.Sprint(maxRuns)
	}
	return fmt.Sprintf("%d–%d", minRuns, maxRuns)
}

// seconds returns the mean time of a run, over the points that have one.
func (l line) seconds() float64 {
	var sum float64
	timed := 0
	for _, p := range l.points {
		if p.n > 0 {
			sum += p.seconds
			timed++
		}
	}
	return sum / float64(max(timed, 1))
}

// WriteTable writes a Markdown table of what the results have of the figure for a preset
// and its first runs: each method's mean MCC and standard error at each number of mixing
// steps, how many runs there are, and the mean seconds of one.
func (f Figure) WriteTable(w io.Writer, r *Results, p methods.Preset, runs int) error {
	lines := f.summarise(r, p, runs)
	if len(lines) == 0 {
		_, err := fmt.Fprintln(w, "no outcome yet")
		return err
	}
	head := []string{"method", "settings"}
	for _, at := range lines[0].points {
		if at.steps > 0 {
			head = append(head, fmt.Sprintf("J=%d", at.steps))
		} else {
			head = append(head, "MCC")
		}
	}
	t := newTable(append(head, "runs", "seconds")...).numbersFrom(2)
	for _, l := range lines {
		row := []string{labelOf(l.method.Name), string(l.preset)}
		for _, at := range l.points {
			row = append(row, at.String())
		}
		t.add(append(row, l.runs(), secondsText(l.seconds()))...)
	}
	return t.write(w)
}

// secondsText returns a time in seconds to two or three digits.
func secondsText(seconds float64) string {
	switch {
	case seconds < 0.001:
		return "<0.001"
	case seconds < 100:
		return fmt.Sprintf("%.2g", seconds)
	}
	return fmt.Sprintf("%.0f", seconds)
}
