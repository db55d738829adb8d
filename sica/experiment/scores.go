package experiment

import (
	"fmt"
	"math"
	"slices"
)

// scores are the MCCs with the paper's settings at some problems, in some runs.
type scores struct {
	problems []Problem // without seeds, from the fewest steps to the most
	first    uint64    // seed of the first run
	runs     int
	fewest   int // runs of a mean that says something
	mcc      map[Cell]float64
}

func newScores(problems []Problem, first uint64, runs, fewest int, outcomes []Outcome) *scores {
	s := &scores{problems: problems, first: first, runs: runs, fewest: fewest, mcc: make(map[Cell]float64)}
	for _, o := range outcomes {
		if o.MCC != nil {
			s.mcc[o.Cell] = *o.MCC
		}
	}
	return s
}

// of returns the MCC of a method at a problem in each run, NaN where there is none.
func (s *scores) of(method string, p Problem) []float64 {
	preset, _ := presetOf(method, PaperPreset)
	values := make([]float64, s.runs)
	for run := range values {
		p.Seed = s.first + uint64(run)
		v, ok := s.mcc[Cell{Problem: p, Method: method, Preset: preset}]
		if !ok {
			v = math.NaN()
		}
		values[run] = v
	}
	return values
}

// point returns the mean of a method's runs at a problem.
func (s *scores) point(method string, p Problem) point {
	values := slices.DeleteFunc(s.of(method, p), math.IsNaN)
	at := point{steps: p.Steps, runs: len(values)}
	at.mean, at.se = meanSE(values)
	return at
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
	method   string
	steps    int
	mean, se float64 // se is NaN for a single run
	runs     int
}

func (l level) String() string {
	return fmt.Sprintf("%s %.3f%s%s (n=%d)", labelOf(l.method), l.mean, inBrackets(l.se), at(l.steps), l.runs)
}

func at(steps int) string {
	if steps == 0 {
		return ""
	}
	return fmt.Sprintf(" at J=%d", steps)
}

func labelOf(method string) string {
	m, _ := lookUp(method)
	return m.Label
}

// levels returns the mean of each method at each problem that has the fewest runs.
func (s *scores) levels(methods ...string) []level {
	var levels []level
	for _, method := range methods {
		for _, p := range s.problems {
			values := s.of(method, p)
			if values = slices.DeleteFunc(values, math.IsNaN); len(values) >= s.fewest {
				mean, se := meanSE(values)
				levels = append(levels, level{method, p.Steps, mean, se, len(values)})
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
	return fmt.Sprintf("%s %+.3f%s over %s%s (n=%d)", labelOf(l.method), l.mean, inBrackets(l.se), labelOf(l.over), at(l.steps), l.runs)
}

// leads returns the leads of each method over each other one, at each problem that
// both have the fewest runs of and whose steps are among those given; nil are all.
func (s *scores) leads(methods, over []string, steps []int) []lead {
	var leads []lead
	for _, m := range methods {
		for _, o := range over {
			for _, p := range s.problems {
				if steps != nil && !slices.Contains(steps, p.Steps) {
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
	l.mean, l.se = meanSE(differences)
	return l, l.runs >= s.fewest
}

// falls returns, for each method, by how much its MCC falls from the fewest
// mixing steps to the most, on the mean over the runs of both.
func (s *scores) falls(methods ...string) []fall {
	first, last := s.problems[0], s.problems[len(s.problems)-1]
	var falls []fall
	for _, m := range methods {
		if differences := difference(s.of(m, first), s.of(m, last)); len(differences) >= s.fewest {
			mean, se := meanSE(differences)
			falls = append(falls, fall{m, mean, se, len(differences)})
		}
	}
	return falls
}

// A fall is by how much a method's MCC falls with the mixing steps.
type fall struct {
	method   string
	mean, se float64 // se is NaN for a single run
	runs     int
}

func (f fall) String() string {
	return fmt.Sprintf("%s %+.3f%s (n=%d)", labelOf(f.method), -f.mean, inBrackets(f.se), f.runs)
}

// inBrackets is a standard error, or nothing for that of a single run.
func inBrackets(se float64) string {
	if math.IsNaN(se) {
		return ""
	}
	return fmt.Sprintf(" (%.3f)", se)
}
