package experiment

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// scores are the MCCs of a figure's outcomes with the paper's settings.
type scores struct {
	figure Figure
	runs   int
	mcc    map[Cell]float64
}

func newScores(f Figure, outcomes []Outcome, runs int) *scores {
	s := &scores{figure: f, runs: runs, mcc: make(map[Cell]float64)}
	for _, o := range outcomes {
		if o.MCC != nil {
			s.mcc[o.Cell] = *o.MCC
		}
	}
	return s
}

// of returns the MCC of a method at one of the figure's problems in each run, NaN
// where there is none.
func (s *scores) of(method string, p Problem) []float64 {
	preset, _ := presetOf(method, PaperPreset)
	values := make([]float64, s.runs)
	for run := range values {
		p.Seed = FirstSeed + uint64(run)
		v, ok := s.mcc[Cell{Problem: p, Method: method, Preset: preset}]
		if !ok {
			v = math.NaN()
		}
		values[run] = v
	}
	return values
}

// difference returns a less b for the runs that have both.
func difference(a, b []float64) []float64 {
	var d []float64
	for run := range a {
		if v := a[run] - b[run]; !math.IsNaN(v) {
			d = append(d, v)
		}
	}
	return d
}

// A level is a method's mean MCC at a problem.
type level struct {
	method string
	steps  int
	mean   float64
	runs   int
}

func (l level) String() string {
	return fmt.Sprintf("%s %.3f%s (n=%d)", labelOf(l.method), l.mean, at(l.steps), l.runs)
}

func at(steps int) string {
	if steps == 0 {
		return ""
	}
	return fmt.Sprintf(" at J=%d", steps)
}

func labelOf(method string) string {
	m, _ := MethodNamed(method)
	return m.Label
}

// levels returns the mean of each method at each problem that has a run.
func (s *scores) levels(methods ...string) []level {
	var levels []level
	for _, method := range methods {
		for _, p := range s.figure.problems {
			values := s.of(method, p)
			if values = slices.DeleteFunc(values, math.IsNaN); len(values) > 0 {
				levels = append(levels, level{method, p.Steps, stat.Mean(values, nil), len(values)})
			}
		}
	}
	return levels
}

// extremes returns the lowest and the highest level; false if there is none.
func extremes(levels []level) (low, high level, ok bool) {
	low.mean, high.mean = math.Inf(1), math.Inf(-1)
	for _, l := range levels {
		if l.mean < low.mean {
			low = l
		}
		if l.mean > high.mean {
			high = l
		}
	}
	return low, high, len(levels) > 0
}

// A lead is by how much one method's MCC is above another's, on the mean over the
// runs that both have.
type lead struct {
	method, over string
	steps        int
	mean, se     float64 // of the differences; se is NaN for a single run
	runs         int
}

func (l lead) String() string {
	text := fmt.Sprintf("%s %+.3f", labelOf(l.method), l.mean)
	if !math.IsNaN(l.se) {
		text += fmt.Sprintf(" (%.3f)", l.se)
	}
	return fmt.Sprintf("%s over %s%s (n=%d)", text, labelOf(l.over), at(l.steps), l.runs)
}

// leads returns the leads of each method over each other one, at each problem
// that keep accepts and both have a run of.
func (s *scores) leads(methods, over []string, keep func(steps int) bool) []lead {
	var leads []lead
	for _, m := range methods {
		for _, o := range over {
			for _, p := range s.figure.problems {
				if !keep(p.Steps) {
					continue
				}
				if l, ok := s.lead(m, o, p); ok {
					leads = append(leads, l)
				}
			}
		}
	}
	return leads
}

func (s *scores) lead(method, over string, p Problem) (lead, bool) {
	differences := difference(s.of(method, p), s.of(over, p))
	l := lead{method: method, over: over, steps: p.Steps, runs: len(differences)}
	if l.runs > 0 {
		l.mean, l.se = meanSE(differences)
	}
	return l, l.runs > 0
}

// falls returns, for each method, by how much its MCC falls from the fewest
// mixing steps to the most, on the mean over the runs of both.
func (s *scores) falls(methods ...string) []fall {
	first, last := s.figure.problems[0], s.figure.problems[len(s.figure.problems)-1]
	var falls []fall
	for _, m := range methods {
		if differences := difference(s.of(m, first), s.of(m, last)); len(differences) > 0 {
			falls = append(falls, fall{m, stat.Mean(differences, nil), len(differences)})
		}
	}
	return falls
}

// A fall is by how much a method's MCC falls with the mixing steps.
type fall struct {
	method string
	mean   float64
	runs   int
}

func (f fall) String() string {
	return fmt.Sprintf("%s %+.3f (n=%d)", labelOf(f.method), -f.mean, f.runs)
}
