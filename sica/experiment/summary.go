package experiment

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// A Point is the mean of a method's MCC at one number of mixing steps.
type Point struct {
	Steps int
	// Mean and SE are the mean and its standard error over Runs runs. The mean
	// is NaN without a run, the standard error with fewer than two.
	Mean, SE float64
	Runs     int
	// Failed is how many more runs gave no signals.
	Failed int
	// Seconds is the mean time of a run.
	Seconds float64
}

// A Line is a method's points for a figure, in the order of their steps.
type Line struct {
	Method Method
	Preset Preset
	Points []Point
}

// Runs returns the smallest and the largest number of runs behind the points.
func (l Line) Runs() (least, most int) {
	least = math.MaxInt
	for _, p := range l.Points {
		least, most = min(least, p.Runs), max(most, p.Runs)
	}
	return least, most
}

// Summarise returns the figure's lines for a preset, made of the outcomes that
// there are for its first runs; a method without an outcome has no line.
func (f Figure) Summarise(outcomes []Outcome, p Preset, runs int) []Line {
	of := make(map[Cell]Outcome, len(outcomes))
	for _, o := range outcomes {
		of[o.Cell] = o
	}
	var lines []Line
	for _, name := range f.methods {
		preset, ok := presetOf(name, p)
		if !ok {
			continue
		}
		line := Line{Preset: preset}
		line.Method, _ = MethodNamed(name)
		found := false
		for _, problem := range f.problems {
			point := Point{Steps: problem.Steps}
			var scores, seconds []float64
			for run := range runs {
				problem.Seed = FirstSeed + uint64(run)
				o, ok := of[Cell{Problem: problem, Method: name, Preset: preset}]
				if !ok {
					continue
				}
				found = true
				if o.MCC == nil {
					point.Failed++
					continue
				}
				scores = append(scores, *o.MCC)
				seconds = append(seconds, o.Seconds)
			}
			point.Runs = len(scores)
			point.Mean, point.SE = meanSE(scores)
			point.Seconds = stat.Mean(seconds, nil)
			line.Points = append(line.Points, point)
		}
		if found {
			lines = append(lines, line)
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
