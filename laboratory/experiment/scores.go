package experiment

import (
	"fmt"
	"math"
	"slices"

	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/sica/methods"
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
	preset, _ := presetOf(method, methods.Paper)
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

// A quantity is an estimate that a statement is about.
type quantity struct {
	text  string // the estimate in words, such as "SICA +0.012 (0.003) over FastICA at J=20 (n=20)"
	part  string // the words without the value
	steps int    // of the mixing
	estimate
}

// stepsText names the number of mixing steps, where there are any.
func stepsText(steps int) string {
	if steps == 0 {
		return ""
	}
	return fmt.Sprintf(" at J=%d", steps)
}

// labelOf returns the method's name in tables. SICA is the paper's methods there, so
// sica.Default has another name than in pictures.
func labelOf(method string) string {
	if method == separated {
		return "Default"
	}
	m, _ := methodNamed(method)
	return m.Label
}

// levels returns the mean of each method at each problem that has enough runs.
func (s *scores) levels(methods ...string) []quantity {
	var levels []quantity
	for _, method := range methods {
		for _, p := range s.problems {
			mean, label, at := s.mean(method, p), labelOf(method), stepsText(p.Steps)
			if mean.n >= s.minRuns {
				text := fmt.Sprintf("%s %s%s (n=%d)", label, mean, at, mean.n)
				levels = append(levels, quantity{text, label + at, p.Steps, mean})
			}
		}
	}
	return levels
}

// extremes returns the lowest and the highest quantity; false if there is none.
func extremes(all []quantity) (low, high quantity, ok bool) {
	low.mean, high.mean = math.Inf(1), math.Inf(-1)
	for _, q := range all {
		if q.mean < low.mean {
			low = q
		}
		if q.mean > high.mean {
			high = q
		}
	}
	return low, high, len(all) > 0
}

// leads returns the mean difference of each method's MCC to each other one's, over the runs that
// both have, at each problem that has enough of them and whose steps are among those given; nil is
// all.
func (s *scores) leads(methods, over []string, steps []int) []quantity {
	var leads []quantity
	for _, m := range methods {
		for _, o := range over {
			for _, p := range s.problems {
				if steps != nil && !slices.Contains(steps, p.Steps) {
					continue
				}
				lead := difference(s.runsOf(m, p), s.runsOf(o, p))
				if lead.n < s.minRuns {
					continue
				}
				than := fmt.Sprintf("over %s%s", labelOf(o), stepsText(p.Steps))
				text := fmt.Sprintf("%s %+.3f%s %s (n=%d)",
					labelOf(m), lead.mean, inBrackets(lead.se), than, lead.n)
				leads = append(leads, quantity{text, labelOf(m) + " " + than, p.Steps, lead})
			}
		}
	}
	return leads
}

// falls returns by how much the MCC of each method falls from the fewest mixing steps to the most,
// of those that have enough runs of both.
func (s *scores) falls(methods ...string) []quantity {
	first, last := s.problems[0], s.problems[len(s.problems)-1]
	var falls []quantity
	for _, m := range methods {
		fall := difference(s.runsOf(m, first), s.runsOf(m, last))
		if fall.n >= s.minRuns {
			text := fmt.Sprintf("%s %+.3f%s (n=%d)", labelOf(m), -fall.mean, inBrackets(fall.se), fall.n)
			falls = append(falls, quantity{text, labelOf(m), last.Steps, fall})
		}
	}
	return falls
}
