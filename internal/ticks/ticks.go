// Package ticks chooses the marks of axes.
package ticks

import (
	"math"
	"slices"
	"strconv"

	gplot "gonum.org/v1/plot"
)

// Round marks four to eight multiples of 1, 2 or 5 times a power of ten.
// gonum's default chooses multiples such as 0.8 and 12 as well.
type Round struct{}

// Ticks are the marks of the range from low to high.
func (Round) Ticks(low, high float64) []gplot.Tick {
	step := roundStep((high - low) / 7)
	if !(step > 0) || math.IsInf(step, 0) {
		return nil
	}
	first, last := math.Ceil(low/step), math.Floor(high/step)
	digits := 1 + int(math.Ceil(math.Log10(max(math.Abs(first), math.Abs(last), 1))))
	var ticks []gplot.Tick
	for i := range 12 { // never more, whatever the rounding
		multiple := first + float64(i)
		if multiple > last {
			break
		}
		value := multiple*step + 0 // turns −0 into 0
		ticks = append(ticks, gplot.Tick{Value: value, Label: tickLabel(value, step, digits)})
	}
	return ticks
}

// roundStep returns the smallest 1, 2 or 5 times a power of ten that is at least
// least.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= least {
			return factor * power
		}
	}
	return 10 * power
}

// RoundOut returns the smallest range between multiples of a roundStep, of which
// it has some twenty, that holds low to high; or this itself if it is too wide or
// too narrow for that.
func RoundOut(low, high float64) (float64, float64) {
	step := roundStep((high - low) / 20)
	if !(step > 0) || math.IsInf(step, 0) {
		return low, high
	}
	// What is a multiple but for rounding stays.
	return step * math.Floor(low/step+1e-9), step * math.Ceil(high/step-1e-9)
}

// Log marks the powers of ten, and their multiples without a label, along an
// axis of decimal logarithms; in a range with fewer than two powers 2 and 5 times
// a power have labels too.
type Log struct{}

// Ticks are the marks of the range from low to high, both logarithms.
func (Log) Ticks(low, high float64) []gplot.Tick {
	const rounding = 1e-9
	few := math.Floor(high+rounding)-math.Ceil(low-rounding) < 1
	var ticks []gplot.Tick
	for power := math.Floor(low); power <= high+rounding; power++ {
		for factor := 1.0; factor < 10; factor++ {
			at := power + math.Log10(factor)
			if at < low-rounding || at > high+rounding {
				continue
			}
			tick := gplot.Tick{Value: at}
			if factor == 1 || few && (factor == 2 || factor == 5) {
				tick.Label = SILabel(factor * math.Pow(10, power))
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// RoundOutLog returns, for a range of decimal logarithms, the smallest range that
// holds it between those of 1, 2 or 5 times powers of ten.
func RoundOutLog(low, high float64) (float64, float64) {
	const rounding = 1e-9
	low = -math.Log10(roundStep(math.Pow(10, -low-rounding)))
	high = math.Log10(roundStep(math.Pow(10, high-rounding)))
	if high-low < rounding {
		return low - 0.3, high + 0.3 // twice as much on each side
	}
	return low, high
}

// SILabel writes a value, positive and with few digits, with a k, M or G for
// thousands, millions or billions.
func SILabel(value float64) string {
	for _, unit := range []struct {
		size   float64
		symbol string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if multiple := value / unit.size; multiple >= 1 && multiple < 1e3 {
			return strconv.FormatFloat(multiple, 'g', 3, 64) + " " + unit.symbol
		}
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}

// tickLabel writes value with the decimals that step needs, or with an exponent
// and the given digits if it would be long otherwise.
func tickLabel(value, step float64, digits int) string {
	if step < 1e-4 || math.Abs(value) >= 1e5 {
		return strconv.FormatFloat(value, 'g', digits, 64)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	return strconv.FormatFloat(value, 'f', decimals, 64)
}

// Integers marks the given values themselves if they are whole and at most
// ten different ones.
func Integers(values []float64) gplot.Ticker {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if len(values) > 10 {
		return Round{}
	}
	var ticks gplot.ConstantTicks
	for _, v := range values {
		if v != math.Trunc(v) {
			return Round{}
		}
		ticks = append(ticks, gplot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return ticks
}

// Least marks the lowest value that is shown with a label of its own, and then what
// Ticker marks above it.
type Least struct {
	gplot.Ticker
	Value float64
	Label string
}

// Ticks are the marks of the range from low to high.
func (l Least) Ticks(low, high float64) []gplot.Tick {
	ticks := []gplot.Tick{{Value: l.Value, Label: l.Label}}
	for _, t := range l.Ticker.Ticks(low, high) {
		if t.Value > l.Value {
			ticks = append(ticks, t)
		}
	}
	return ticks
}
