package plot

import (
	"math"
	"slices"
	"strconv"

	gplot "gonum.org/v1/plot"
)

// roundTicks marks four to eight multiples of 1, 2 or 5 times a power of ten.
// gonum's default chooses multiples such as 0.8 and 12 as well.
type roundTicks struct{}

// Ticks returns the marks of the range from low to high.
func (roundTicks) Ticks(low, high float64) []gplot.Tick {
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

// roundStep returns the smallest 1, 2 or 5 times a power of ten that is at least minimum.
func roundStep(minimum float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(minimum)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= minimum {
			return factor * power
		}
	}
	return 10 * power
}

// roundOut returns the smallest range that holds low to high between multiples of a roundStep,
// some twenty of which it spans. A range that is too wide or too narrow for that is returned as
// it is.
func roundOut(low, high float64) (float64, float64) {
	step := roundStep((high - low) / 20)
	if !(step > 0) || math.IsInf(step, 0) {
		return low, high
	}
	// A multiple up to rounding stays.
	return step * math.Floor(low/step+1e-9), step * math.Ceil(high/step-1e-9)
}

// logTicks marks the powers of ten, and their multiples without a label, along an
// axis of decimal logarithms; in a range with fewer than two powers 2 and 5 times
// a power have labels too.
type logTicks struct{}

// Ticks returns the marks of the range from low to high, both logarithms.
func (logTicks) Ticks(low, high float64) []gplot.Tick {
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
				tick.Label = siLabel(factor * math.Pow(10, power))
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// roundOutLog returns, for a range of decimal logarithms, the smallest range that
// holds it between those of 1, 2 or 5 times powers of ten.
func roundOutLog(low, high float64) (float64, float64) {
	const rounding = 1e-9
	low = -math.Log10(roundStep(math.Pow(10, -low-rounding)))
	high = math.Log10(roundStep(math.Pow(10, high-rounding)))
	if high-low < rounding {
		return low - 0.3, high + 0.3 // twice as much on each side
	}
	return low, high
}

// siLabel returns a positive value of few digits with k, M or G for thousands, millions or
// billions.
func siLabel(value float64) string {
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

// tickLabel returns value with the decimals that step needs, or with an exponent and as many
// digits if it would be long otherwise.
func tickLabel(value, step float64, digits int) string {
	if step < 1e-4 || math.Abs(value) >= 1e5 {
		return strconv.FormatFloat(value, 'g', digits, 64)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	return strconv.FormatFloat(value, 'f', decimals, 64)
}

// integerTicks marks the values themselves if they are integers and at most ten different ones.
func integerTicks(values []float64) gplot.Ticker {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if len(values) > 10 {
		return roundTicks{}
	}
	var ticks gplot.ConstantTicks
	for _, v := range values {
		if v != math.Trunc(v) {
			return roundTicks{}
		}
		ticks = append(ticks, gplot.Tick{Value: v, Label: strconv.FormatFloat(v, 'f', -1, 64)})
	}
	return ticks
}
