package experiment

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// A reading is a way to read the step of the paper's mixing, which it prints as
// x ← x + h(W·x).
type reading struct {
	name string
	gelu string  // the nonlinear mixing
	size float64 // Problem.StepSize
}

// readings are as printed, other sizes, and a size inside h, which in the linear
// mixing is one outside.
var readings = []reading{
	{"x + h(W·x)", GELUMixing, 0},
	{"x + 0.2·h(W·x)", GELUMixing, 0.2},
	{"x + 0.1·h(W·x)", GELUMixing, 0.1},
	{"x + 0.05·h(W·x)", GELUMixing, 0.05},
	{"x + h(0.1·W·x)", innerMixing, 0.1},
}

// The readings are tried on three runs of their own, so that the figures' decide
// nothing, and at the paper's fewest and most steps.
const (
	firstReadingSeed = 62001
	readingRuns      = 3
)

var (
	readingSteps   = []int{5, 20}
	readingMethods = []string{"mixed", "sica-wgf", "fastica", "lica", "zca"}
)

// linear returns the problems of the reading's linear mixing, without seeds.
func (r reading) linear() []Problem {
	return r.problems(LinearMixing)
}

// nonlinear returns those of its nonlinear mixing.
func (r reading) nonlinear() []Problem {
	return r.problems(r.gelu)
}

func (r reading) problems(mixing string) []Problem {
	var problems []Problem
	for _, steps := range readingSteps {
		problems = append(problems, Problem{Data: AR7, Mixing: mixing, Steps: steps, StepSize: r.size})
	}
	return problems
}

// ReadingCells returns the cells by which the readings of the mixing's step are
// compared: AR(7) by SICA-WGF and its linear rivals with the paper's settings.
func ReadingCells() []Cell {
	var cells []Cell
	for _, r := range readings {
		for _, problem := range slices.Concat(r.linear(), r.nonlinear()) {
			for run := range readingRuns {
				problem.Seed = firstReadingSeed + uint64(run)
				for _, name := range readingMethods {
					preset, _ := presetOf(name, PaperPreset)
					cells = append(cells, Cell{Problem: problem, Method: name, Preset: preset})
				}
			}
		}
	}
	return cells
}

// claims are the paper's statements on AR(7) that the reading's cells can judge.
func (r reading) claims(results *Results) ([]claim, error) {
	hardest := r.nonlinear()[len(readingSteps)-1]
	mixed, err := mixedAlike("3a: the observed signals are almost visually indistinguishable", hardest, firstReadingSeed)
	if err != nil {
		return nil, err
	}
	linear := newScores(r.linear(), firstReadingSeed, readingRuns, results.Outcomes())
	nonlinear := newScores(r.nonlinear(), firstReadingSeed, readingRuns, results.Outcomes())
	wgf := []string{"sica-wgf"}
	return []claim{
		mixed,
		linear.fall("3b: SICA falls with J", wgf...),
		linear.ahead("3b: at J = 5 it is above FastICA, LICA and the mixed signals", wgf, []string{"fastica", "lica", "mixed"}, 5),
		linear.notAhead("3b: at J = 20 it isn't", wgf, []string{"fastica", "lica", "mixed"}, 20),
		nonlinear.fall("3c: all methods fall with J", "mixed", "sica-wgf", "fastica", "lica"),
		nonlinear.ahead("3c: SICA is above FastICA and the mixed signals", wgf, []string{"fastica", "mixed"}),
	}, nil
}

// WriteReadings writes two Markdown tables of the readings of the mixing's step:
// which of the paper's statements hold with each, and the MCCs behind that.
func WriteReadings(w io.Writer, results *Results) error {
	var b strings.Builder
	var rows []string
	for k, r := range readings {
		claims, err := r.claims(results)
		if err != nil {
			return err
		}
		if k == 0 {
			b.WriteString("| mixing step |")
			for _, c := range claims {
				b.WriteString(" " + c.paper + " |")
			}
			b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(claims)) + "\n")
		}
		row := "| " + r.name + " |"
		for i, c := range claims {
			row += " " + c.agree
			if i == 0 { // the MCCs below don't say it
				row += ": " + c.measured
			}
			row += " |"
		}
		rows = append(rows, row)
	}
	b.WriteString(strings.Join(rows, "\n") + "\n\n")

	b.WriteString("| mixing, step |")
	for _, steps := range readingSteps {
		for _, m := range readingMethods {
			fmt.Fprintf(&b, " J=%d: %s |", steps, labelOf(m))
		}
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(readingSteps)*len(readingMethods)) + "\n")
	for _, r := range readings {
		for _, mixing := range []struct {
			name     string
			problems []Problem
		}{{"linear", r.linear()}, {"GELU", r.nonlinear()}} {
			s := newScores(mixing.problems, firstReadingSeed, readingRuns, results.Outcomes())
			fmt.Fprintf(&b, "| %s, %s |", mixing.name, r.name)
			for _, problem := range mixing.problems {
				for _, m := range readingMethods {
					fmt.Fprintf(&b, " %s |", s.point(m, problem))
				}
			}
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
