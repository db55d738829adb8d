package network

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/grid"
)

// logOffsets are the distances of the smallest value from the pole of a logarithm, in standard
// deviations, for a steep to a nearly linear logarithm.
var logOffsets = []float64{0.003, 0.01, 0.03, 0.1, 0.3, 1}

// logLags are the lags from which a logarithm is predicted to choose its offset.
var logLags = []int{-1, -2, -3}

// addLogarithms adds the code of the linear rule with the logarithms of those signals that have
// shorter codes with them: sources whose changes grow with their values, such as rates, prices and
// concentrations. A network can model that in a shorter code than the source models although the
// mixing is linear, so it must have a shorter code than this one, too. Nothing is added if no
// signal has a shorter code.
func (c *codeSet) addLogarithms() {
	rule := c.codes[linearPlace]
	if len(rule.logDet) != 1 {
		return // a transform isn't linear
	}
	d, n := rule.signals.Dims()
	logDet := slices.Repeat(rule.logDet, n)
	signals := mat.NewDense(d, n, nil)
	changed := false
	for i := range d {
		y := logarithm(rule.signals.RawRowView(i))
		if y == nil {
			y = rule.signals.RawRowView(i)
		} else {
			changed = true
			floats.Sub(logDet, y) // the log slope is −y
		}
		signals.SetRow(i, y)
	}
	if changed {
		rule.name, rule.signals, rule.logDet = "the linear rule with logarithms", signals, logDet
		c.codes = append(c.codes, rule)
	}
}

// logarithm returns y = log(±z − min(±z) + c), with the sign and the offset c of the shortest code
// as a Gaussian autoregression. It is nil unless this shortens the code of z by more than the code
// length of c. The logarithm of the slope |dy/dz| is −y.
func logarithm(z []float64) (y []float64) {
	positions := grid.Range(len(z))[len(logLags):]
	_, shortest := ar.Regress(z, logLags, positions)
	shortest = math.Log(shortest) - math.Log(float64(len(z)))/2/float64(len(z))
	sd := stat.StdDev(z, nil)
	for _, sign := range []float64{-1, 1} {
		v := slices.Clone(z)
		floats.Scale(sign, v)
		floats.AddConst(-floats.Min(v), v)
		for _, offset := range logOffsets {
			u := make([]float64, len(v))
			for t, w := range v {
				u[t] = math.Log(w + offset*sd)
			}
			_, deviation := ar.Regress(u, logLags, positions)
			if length := math.Log(deviation) + stat.Mean(u, nil); length < shortest {
				y, shortest = u, length
			}
		}
	}
	return y
}
