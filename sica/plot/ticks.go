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

// tickLabel writes value with the decimals that step needs, or with an exponent
// and the given digits if it would be long otherwise.
func tickLabel(value, step float64, digits int) string {
	if step < 1e-4 || math.Abs(value) >= 1e5 {
		return strconv.FormatFloat(value, 'g', digits, 64)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	return strconv.FormatFloat(value, 'f', decimals, 64)
}

// integerTicks marks the given values themselves if they are whole and at most
// ten different ones.
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
