package plot

import (
	"fmt"
	"math"

	gplot "gonum.org/v1/plot"

	"github.com/seed-47b1e431/gosica/internal/ticks"
)

// An Axis is a horizontal or a vertical one.
type Axis struct {
	Label string
	// Log makes it logarithmic, for positive values only.
	Log bool
}

func (a Axis) check(value float64) error {
	if math.IsInf(value, 0) {
		return fmt.Errorf("%g isn't finite", value)
	}
	// The bounds leave room for round numbers around the value.
	if a.Log && !(value >= 1e-300 && value <= 1e300) {
		return fmt.Errorf("%g isn't between 1e-300 and 1e300, as it must be on a logarithmic axis", value)
	}
	return nil
}

// at is where a value lies along the axis. Logarithms are taken here and not with
// gonum's LogScale, which leaves room for labels as if the axis were linear.
func (a Axis) at(value float64) float64 {
	if a.Log {
		return math.Log10(value)
	}
	return value
}

// apply sets the label and the ticks of axis.
func (a Axis) apply(axis *gplot.Axis) {
	axis.Label.Text = a.Label
	if a.Log {
		axis.Tick.Marker = ticks.Log{}
	}
}

// roundOut widens the range of axis, which holds the data, to round numbers.
func (a Axis) roundOut(axis *gplot.Axis) {
	if a.Log {
		axis.Min, axis.Max = ticks.RoundOutLog(axis.Min, axis.Max)
	} else {
		axis.Min, axis.Max = ticks.RoundOut(axis.Min, axis.Max)
	}
}
