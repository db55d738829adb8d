package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-47b1e431/gosica/internal/stats"
)

// An estimate is the mean of n values with its standard error. The mean is NaN without a
// value, the standard error with fewer than two.
type estimate struct {
	mean, se float64
	n        int
}

func estimateOf(values []float64) estimate {
	mean, se := stats.MeanSE(values)
	return estimate{mean, se, len(values)}
}

// String returns the mean with the standard error in brackets, as far as they are known.
func (e estimate) String() string {
	if e.n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.3f%s", e.mean, inBrackets(e.se))
}

// inBrackets returns a standard error, or nothing for that of a single run.
func inBrackets(se float64) string {
	if math.IsNaN(se) {
		return ""
	}
	return fmt.Sprintf(" (%.3f)", se)
}

// scores are the MCCs with the paper's settings at some problems, in some runs.
type scores struct {
	results  *Results
	problems []Problem // without seeds, from the fewest steps to the most
	first    uint64    // seed of the first run
	runs     int
	minRuns  int // of a mean that decides something
	// instead says which method takes the place of another.
	instead map[string]string
}

// runsOf returns the MCC of a method at a problem in each run, NaN where there is none.
func (s *scores) runsOf(method string, p Problem) []float64 {
	if other, ok := s.instead[method]; ok {
		method = other
	}
	preset, _ := presetOf(method, PaperPreset)
	values := make([]float64, s.runs)
	for run := range values {
		p.Seed = s.first + uint64(run)
		values[run] = math.NaN()
		o, ok := s.results.find(Trial{Problem: p, Method: method, Preset: preset})
		if ok && o.MCC != nil {
			values[run] = *o.MCC
		}
	}
	return values
}

// runsAt returns runsOf at the problem with this number of steps.
func (s *scores) runsAt(method string, steps int) []float64 {
	k := slices.IndexFunc(s.problems, func(p Problem) bool { return p.Steps == steps })
	return s.runsOf(method, s.problems[k])
}

// mean returns the mean of a method's runs at a problem.
func (s *scores) mean(method string, p Problem) estimate {
	return estimateOf(slices.DeleteFunc(s.runsOf(method, p), math.IsNaN))
}

// difference estimates the mean of a − b over the runs that have both.
func difference(a, b []float64) estimate {
	var d []float64
	for run := range a {
		if v := a[run] - b[run]; !math.IsNaN(v) {
			d = append(d, v)
		}
	}
	return estimateOf(d)
}

// A level is a method's mean MCC at a problem.
type level struct {
	method string
	steps  int
	estimate
}

func (l level) String() string {
	return fmt.Sprintf("%s %s%s (n=%d)", labelOf(l.method), l.estimate, stepsText(l.steps), l.n)
}

// part names the level without its value.
func (l level) part() string { return labelOf(l.method) + stepsText(l.steps) }

// stepsText names the number of mixing steps, where there are any.
func stepsText(steps int) string {
	if steps == 0 {
		return ""
	}
	return fmt.Sprintf(" at J=%d", steps)
}

func labelOf(method string) string {
	m, _ := lookUp(method)
	return m.Label
}

// levels returns the mean of each method at each problem that has enough runs.
func (s *scores) levels(methods ...string) []level {
	var levels []level
	for _, method := range methods {
		for _, p := range s.problems {
			if mean := s.mean(method, p); mean.n >= s.minRuns {
				levels = append(levels, level{method, p.Steps, mean})
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

// A lead is the mean difference of one method's MCC to another's, over the runs that both
// have.
type lead struct {
	method, over string
	steps        int
	estimate
}

func (l lead) String() string {
	return fmt.Sprintf("%s %+.3f%s over %s%s (n=%d)",
		labelOf(l.method), l.mean, inBrackets(l.se), labelOf(l.over), stepsText(l.steps), l.n)
}

// part names the lead without its value.
func (l lead) part() string {
	return fmt.Sprintf("%s over %s%s", labelOf(l.method), labelOf(l.over), stepsText(l.steps))
}

// leads returns the leads of each method over each other one, at each problem that has
// enough runs of both and whose steps are among those given; nil is all.
func (s *scores) leads(methods, over []string, steps []int) []lead {
	var leads []lead
	for _, m := range methods {
		for _, o := range over {
			for _, p := range s.problems {
				if steps != nil && !slices.Contains(steps, p.Steps) {
					continue
				}
				l := lead{m, o, p.Steps, difference(s.runsOf(m, p), s.runsOf(o, p))}
				if l.n >= s.minRuns {
					leads = append(leads, l)
				}
			}
		}
	}
	return leads
}

// A fall is by how much a method's MCC falls from the fewest mixing steps to the most.
type fall struct {
	method string
	estimate
}

func (f fall) String() string {
	return fmt.Sprintf("%s %+.3f%s (n=%d)", labelOf(f.method), -f.mean, inBrackets(f.se), f.n)
}

// falls returns the fall of each method that has enough runs of both numbers of steps.
func (s *scores) falls(methods ...string) []fall {
	first, last := s.problems[0], s.problems[len(s.problems)-1]
	var falls []fall
	for _, m := range methods {
		f := fall{m, difference(s.runsOf(m, first), s.runsOf(m, last))}
		if f.n >= s.minRuns {
			falls = append(falls, f)
		}
	}
	return falls
}
