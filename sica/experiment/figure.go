package experiment

import (
	"fmt"
	"slices"
	"strings"
)

// FirstSeed is the seed of a figure's first run; the others follow. None of them
// was used to choose a setting.
const FirstSeed = 20001

// PaperRuns is how many runs stand behind a point of the paper's figures.
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
	// MaxRuns is the most runs that the figure shows; 0 is any number.
	MaxRuns int

	problems []Problem // without seeds, their steps as printed
	methods  []string
}

// Figures returns the paper's figures, all but the second, which shows no
// separation.
func Figures() []Figure {
	every := []string{"mixed", "zca", "gaussianise+zca", "fastica", "lica", "sica", "pcl", "ivae", "sica-wgf", "sica-rf"}
	example := []string{"mixed", "zca", "fastica", "sica", "sica-wgf", "sica-rf", "sica-rf-standardised"}
	return []Figure{
		{"1", "Two dependent signals, linearly mixed", true, 0, []Problem{{Data: Heart, Mixing: MatrixMixing}}, every},
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
// docs/paper.md.
const PaperStepSize = 0.1

// at returns the figure's problems for a preset, without seeds.
func (f Figure) at(p Preset) []Problem {
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
	var names []string
	for _, f := range Figures() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Figure{}, fmt.Errorf("experiment: unknown figure %q: want one of %s", name, strings.Join(names, ", "))
}

// Cells returns the figure's cells for a number of runs, run by run, so that
// every point of a figure that was cut short has about as many.
//
//   - PaperPreset is what the paper shows: every method with the paper's settings, and
//     beside them SICA with this project's.
//   - PrintedPreset is the same behind mixing steps of 1, as the paper prints them, in
//     place of PaperStepSize.
//   - DefaultPreset is every method with its default settings, without the paper's
//     two flows, which have none.
//   - SmokePreset is every method for a few steps.
func (f Figure) Cells(p Preset, runs int) []Cell {
	if f.MaxRuns > 0 {
		runs = min(runs, f.MaxRuns)
	}
	var cells []Cell
	for run := range runs {
		for _, name := range f.methods {
			preset, ok := presetOf(name, p)
			if !ok {
				continue
			}
			for _, problem := range f.at(p) {
				problem.Seed = FirstSeed + uint64(run)
				cells = append(cells, Cell{Problem: problem, Method: name, Preset: preset})
			}
		}
	}
	return cells
}

// presetOf returns the preset of the method called name for a figure of p, and
// whether the figure shows the method.
func presetOf(name string, p Preset) (Preset, bool) {
	m, err := lookUp(name)
	if err != nil {
		return "", false
	}
	settings := m.Settings(p)
	return settings, p != DefaultPreset || settings != PaperPreset
}

// Keeps says whether the recovered signals of a cell of the figure are kept.
func (f Figure) Keeps(c Cell) bool {
	problem := c.Problem
	problem.Seed = 0
	return f.Example && c.Seed == FirstSeed && slices.Contains(slices.Concat(f.at(PaperPreset), f.at(PrintedPreset)), problem)
}
