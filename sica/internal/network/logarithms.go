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

// logOffsets are how far the smallest value is from the pole of a logarithm, in standard
// deviations, from a steep to a nearly linear one.
var logOffsets = []float64{0.003, 0.01, 0.03, 0.1, 0.3, 1}

// logLags are the values of its past that a logarithm is predicted from to choose its offset.
var logLags = []int{-1, -2, -3}

// addLogarithms adds the code of the linear rule with the logarithm of each signal that has a
// shorter code so, for sources whose changes are larger where their values are, as of rates, prices
// and concentrations. A network describes that in a shorter code than the models of signals, though
// the mixing is linear, so that it must have a shorter code than this, too. Nothing is added if no
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
			floats.Sub(logDet, y) // the logarithm of its slope is −y
		}
		signals.SetRow(i, y)
	}
	if changed {
		rule.name, rule.signals, rule.logDet = "the linear rule with logarithms", signals, logDet
		c.codes = append(c.codes, rule)
	}
}

// logarithm returns y = log(±z − min(±z) + c), with the sign and the offset c of the shortest code
// as a Gaussian autoregression. It is nil if z itself has as short a code, with that of c. The
// logarithm of the slope |dy/dz| is −y.
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
