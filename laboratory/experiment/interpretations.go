package experiment

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/seed-47b1e431/gosica/sica/methods"
)

// interpretationsFile has the ways to interpret what the paper leaves open, and the
// statements by which they are compared.
//
//go:embed interpretations.json
var interpretationsFile []byte

// An interpretation is one way to interpret what the paper leaves open.
type interpretation struct {
	Name     string  `json:"name"`
	Data     string  `json:"data"`
	GELU     string  `json:"gelu"` // Problem.Mixing of the nonlinear steps
	StepSize float64 `json:"step_size"`
	// Instead says which method takes the place of one with the paper's settings.
	Instead map[string]string `json:"instead"`
}

// An interpretationGroup is interpretations of one thing. They are compared at some
// problems, with some methods, by the statements that can tell which is better.
type interpretationGroup struct {
	Title           string           `json:"title"`
	Column          string           `json:"column"` // the heading of their names
	Interpretations []interpretation `json:"interpretations"`
	Steps           []int            `json:"steps"`   // of the mixing
	Mixings         []string         `json:"mixings"` // linear or GELU
	Methods         []string         `json:"methods"` // with the paper's settings
	// NonlinearMethods are more of them, after GELU steps only.
	NonlinearMethods []string    `json:"nonlinear_methods"`
	Statements       []statement `json:"statements"`
}

// linearSteps names linear mixing steps in a group's Mixings; the other name is "GELU".
const linearSteps = "linear"

// Interpretations are compared on three runs of their own, so that the figures' runs decide
// nothing.
const (
	firstInterpretationSeed = 62001
	interpretationRuns      = 3
)

var interpretationGroups = sync.OnceValue(func() []interpretationGroup {
	var file struct {
		Groups []interpretationGroup `json:"groups"`
	}
	decode(interpretationsFile, &file)
	return file.Groups
})

// problems returns the problems of an interpretation with one of the group's mixings, without
// seeds.
func (g interpretationGroup) problems(in interpretation, mixing string) []Problem {
	kind := in.GELU
	if mixing == linearSteps {
		kind = LinearMixing
	}
	var problems []Problem
	for _, steps := range g.Steps {
		p := Problem{Data: in.Data, Mixing: kind, Steps: steps, StepSize: in.StepSize}
		problems = append(problems, p)
	}
	return problems
}

// scores returns the scores of an interpretation with a mixing.
func (g interpretationGroup) scores(in interpretation, mixing string, r *Results) *scores {
	return &scores{
		results: r, problems: g.problems(in, mixing), instead: in.Instead,
		first: firstInterpretationSeed, runs: interpretationRuns, minRuns: 1,
	}
}

// methods returns the methods by which the signals of a mixing are separated.
func (g interpretationGroup) methods(mixing string) []string {
	if mixing == linearSteps {
		return g.Methods
	}
	return slices.Concat(g.Methods, g.NonlinearMethods)
}

// InterpretationTrials returns the trials by which ways to interpret the paper are
// compared, group by group and in each run by run.
func InterpretationTrials() []Trial {
	var trials []Trial
	for _, g := range interpretationGroups() {
		var group []Trial
		for _, in := range g.Interpretations {
			group = append(group, g.trials(in)...)
		}
		slices.SortStableFunc(group, func(a, b Trial) int { return cmp.Compare(a.Seed, b.Seed) })
		trials = append(trials, group...)
	}
	return trials
}

// trials returns the trials of one interpretation.
func (g interpretationGroup) trials(in interpretation) []Trial {
	var trials []Trial
	for _, mixing := range g.Mixings {
		for _, problem := range g.problems(in, mixing) {
			for run := range interpretationRuns {
				problem.Seed = firstInterpretationSeed + uint64(run)
				for _, name := range g.methods(mixing) {
					if other, ok := in.Instead[name]; ok {
						name = other
					}
					preset, _ := presetOf(name, methods.Paper)
					trials = append(trials, Trial{Problem: problem, Method: name, Preset: preset})
				}
			}
		}
	}
	return trials
}

// complete reports whether all trials of an interpretation have been made.
func (g interpretationGroup) complete(in interpretation, r *Results) bool {
	return !slices.ContainsFunc(g.trials(in), func(t Trial) bool {
		_, ok := r.find(t)
		return !ok
	})
}

// begun reports whether any trial of the group's interpretations has been made.
func (g interpretationGroup) begun(r *Results) bool {
	return slices.ContainsFunc(g.Interpretations, func(in interpretation) bool {
		return slices.ContainsFunc(g.trials(in), func(t Trial) bool {
			_, ok := r.find(t)
			return ok
		})
	})
}

// WriteInterpretations writes two Markdown tables for each thing that the paper leaves
// open: which of its statements hold with each interpretation whose trials are all made,
// and the MCCs with it. It writes nothing of those of which no trial is made.
func WriteInterpretations(w io.Writer, r *Results) error {
	measured := slices.Clone(interpretationGroups())
	measured = slices.DeleteFunc(measured, func(g interpretationGroup) bool {
		return !g.begun(r)
	})
	for k, g := range measured {
		if k > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := g.write(w, r); err != nil {
			return err
		}
	}
	return nil
}

func (g interpretationGroup) write(w io.Writer, r *Results) error {
	held, err := g.heldTable(r)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w, "## %s\n\n", g.Title); err != nil {
		return err
	}
	if err := held.write(w); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return g.meanTable(r).write(w)
}

// heldTable says which statements hold, with a row for each interpretation.
func (g interpretationGroup) heldTable(r *Results) (*table, error) {
	head := []string{g.Column}
	for _, st := range g.Statements {
		head = append(head, st.Text)
	}
	held := newTable(head...)
	for _, in := range g.Interpretations {
		row := []string{in.Name}
		complete := g.complete(in, r)
		for _, st := range g.Statements {
			c, err := g.scores(in, st.Mixing, r).claim(st)
			if err != nil {
				return nil, err
			}
			switch {
			case !complete: // some of it could be of others than the interpretation's
				c.agree = unmeasured
			case st.Test == mixedAlike: // a correlation, which the MCCs below don't have
				c.agree += ": " + c.measured
			}
			row = append(row, c.agree)
		}
		held.add(row...)
	}
	return held, nil
}

// meanTable has the mean MCCs, with a row for each interpretation and mixing. Cells say where they
// are the same as in the mixing's first row.
func (g interpretationGroup) meanTable(r *Results) *table {
	methods := slices.Concat(g.Methods, g.NonlinearMethods)
	head := []string{"mixing, " + g.Column}
	for _, steps := range g.Steps {
		for _, m := range methods {
			head = append(head, fmt.Sprintf("J=%d: %s", steps, labelOf(m)))
		}
	}
	means := newTable(head...).numbersFrom(1)
	firstRows := make(map[string][]string) // by mixing, of what isn't changed
	for _, in := range g.Interpretations {
		for _, mixing := range g.Mixings {
			row := append([]string{mixing + ", " + in.Name}, g.scores(in, mixing, r).means(methods)...)
			first, ok := firstRows[mixing]
			if !ok {
				firstRows[mixing] = row
			}
			shown := slices.Clone(row)
			for i := 1; ok && i < len(row); i++ {
				if row[i] == first[i] && row[i] != "–" {
					shown[i] = "same"
				}
			}
			means.add(shown...)
		}
	}
	return means
}

// means are the mean MCCs of the methods on each problem, with the number of runs if some lack.
func (s *scores) means(methods []string) (cells []string) {
	for _, problem := range s.problems {
		for _, m := range methods {
			mean := s.mean(m, problem)
			text := mean.String()
			if mean.n > 0 && mean.n < interpretationRuns {
				text += fmt.Sprintf(" n=%d", mean.n)
			}
			cells = append(cells, text)
		}
	}
	return cells
}
