package experiment

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// A point is the mean of a method's MCC at one number of mixing steps.
type point struct {
	steps int
	// mean and se are the mean and its standard error over runs runs. The mean
	// is NaN without a run, the standard error with fewer than two.
	mean, se float64
	runs     int
	// failed is how many more runs gave no signals.
	failed int
	// seconds is the mean time of a run.
	seconds float64
}

// A line is a method's points for a figure, in the order of their steps.
type line struct {
	method Method
	preset Preset
	points []point
}

// summarise returns the figure's lines for a preset, made of the outcomes that
// there are for its first runs; a method without an outcome has no line.
func (f Figure) summarise(r *Results, p Preset, runs int) []line {
	var lines []line
	for _, name := range f.methods {
		preset, ok := presetOf(name, p)
		if !ok {
			continue
		}
		l := line{preset: preset}
		l.method, _ = MethodNamed(name)
		found := false
		for _, problem := range f.at(p) {
			at := point{steps: problem.Steps}
			var scores, seconds []float64
			for run := range runs {
				problem.Seed = FirstSeed + uint64(run)
				o, ok := r.find(Cell{Problem: problem, Method: name, Preset: preset})
				if !ok {
					continue
				}
				found = true
				if o.MCC == nil {
					at.failed++
					continue
				}
				scores = append(scores, *o.MCC)
				seconds = append(seconds, o.Seconds)
			}
			at.runs = len(scores)
			at.mean, at.se = meanSE(scores)
			at.seconds = stat.Mean(seconds, nil)
			l.points = append(l.points, at)
		}
		if found {
			lines = append(lines, l)
		}
	}
	return lines
}

// meanSE returns the mean and its standard error, NaN for what too few values
// don't tell.
func meanSE(values []float64) (mean, se float64) {
	mean, sd := stat.MeanStdDev(values, nil)
	if len(values) < 2 {
		return mean, math.NaN()
	}
	return mean, sd / math.Sqrt(float64(len(values)))
}
