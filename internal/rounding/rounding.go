// Package rounding finds the step to which the values of a signal were rounded when they were
// recorded or written.
package rounding

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Eps is the distance of 1 from the next float64.
const Eps = 0x1p-52

// MaxStep is the largest step, in standard deviations, that counts as a channel's rounding. A
// channel with larger steps is discrete by nature. At this step the rounding errors are 0.03
// standard deviations.
const MaxStep = 0.1

// Step returns the step to which the values of a channel were rounded, over which their errors are
// uniform. It is the largest step that applies: the step of which all values are multiples, if
// below a tenth of the standard deviation; the step of float32, if all values are float32; the step
// of the significant digits, if all values have few; and the step of float64 at the largest value.
func Step(values []float64) float64 {
	least := Eps * floats.Norm(values, math.Inf(1))
	_, scale := stat.PopMeanStdDev(values, nil)
	if step := resolution(values); step/scale < MaxStep {
		return max(least, step)
	}
	return least
}

// resolution returns the step of which all values, minus their minimum, are multiples, or the step
// of float32 or of few digits if all values have such precision; 0 if there is none.
func resolution(values []float64) float64 {
	single := true
	for _, v := range values {
		single = single && v == float64(float32(v))
	}
	step := gridStep(values)
	if single {
		step = max(step, 0x1p-23*floats.Norm(values, math.Inf(1)))
	}
	return max(step, stepOfDigits(values))
}

const (
	tolerance     = 1e-3    // of a step, for decimal fractions
	finestStep    = 1e-9    // of the range; nearer values are due to the resolution of float64
	glancedValues = 1 << 12 // examined first; a choice
)

// gridStep returns the step of which all values, minus their minimum, are multiples; 0 if there is
// none.
func gridStep(values []float64) float64 {
	if !mayHaveStep(sortedValues(values[:min(len(values), glancedValues)])) {
		return 0
	}
	return stepOfAll(sortedValues(values))
}

// stepOfAll is gridStep for sorted values.
func stepOfAll(sorted []float64) float64 {
	step := smallestStep(sorted)
	for _, v := range sorted {
		if steps := (v - sorted[0]) / step; !(math.Abs(steps-math.Round(steps)) <= tolerance) {
			return 0
		}
	}
	return step
}

// mayHaveStep reports whether the gaps between sorted values can be multiples of one step, which
// must be a whole part of the smallest gap. Between continuous values that gap is so small that few
// parts aren't finer than finestStep, and each is tried. Sorting all values would take longer.
func mayHaveStep(sorted []float64) bool {
	const (
		maxParts = 1000 // tried, a choice: more take as long as all values
		near     = 10   // gaps up to this many times the smallest are compared, a choice
		// inexact bounds how far such a gap can be from a whole number of steps: each value is off by
		// the tolerance, and the error of the smallest gap counts near times.
		inexact = 2 * tolerance * (near + 1)
	)
	step := smallestStep(sorted)
	finest := finestStep * (sorted[len(sorted)-1] - sorted[0])
	if step > maxParts*finest {
		return true // there are too many
	}
	var gaps []float64
	for k := 1; k < len(sorted); k++ {
		if gap := sorted[k] - sorted[k-1]; gap <= near*step {
			gaps = append(gaps, gap)
		}
	}
	for parts := 1.0; step/parts >= finest; parts++ {
		if !slices.ContainsFunc(gaps, func(gap float64) bool {
			steps := gap / step * parts
			return math.Abs(steps-math.Round(steps)) > inexact
		}) {
			return true
		}
	}
	return false
}

// sortedValues returns the different values in increasing order.
func sortedValues(values []float64) []float64 {
	return slices.Compact(slices.Sorted(slices.Values(values)))
}

// smallestStep returns the smallest difference between sorted values; +Inf for a single value, and
// 0 if the difference is near the resolution of float64, so that there is no grid.
func smallestStep(sorted []float64) float64 {
	step := math.Inf(1)
	for k := 1; k < len(sorted); k++ {
		step = min(step, sorted[k]-sorted[k-1])
	}
	if step < finestStep*(sorted[len(sorted)-1]-sorted[0]) {
		return 0
	}
	return step
}

// maxDigits is the largest number of significant decimal digits that counts as rounding. A float64
// has 15, whose last three are 0 by chance in one value of a thousand, never in all of a channel.
const maxDigits = 12

// stepOfDigits returns the root mean square step between numbers with as many significant digits as
// the values; 0 if a value has more than maxDigits.
func stepOfDigits(values []float64) float64 {
	digits, power := 1, 0.0
	for _, v := range values {
		for ; ; digits++ {
			if digits > maxDigits {
				return 0
			}
			text := strconv.FormatFloat(v, 'e', digits-1, 64)
			if rounded, _ := strconv.ParseFloat(text, 64); rounded == v {
				break
			}
		}
	}
	for _, v := range values {
		if v != 0 {
			step := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))+1-float64(digits))
			power += step * step
		}
	}
	return math.Sqrt(power / float64(len(values)))
}
