package mapping

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/quantile"
)

// normalised maps each signal to normal quantiles by a curve.
type normalised struct {
	signals *mat.Dense // of the fit, d×n
	curves  []quantileCurve
}

// newNormalised returns the signals with their values replaced by normal quantiles, and the map. No
// signal may be constant.
func newNormalised(signals *mat.Dense) (*mat.Dense, *normalised) {
	z, n := mat.DenseCopyOf(signals), &normalised{signals: signals}
	d, _ := signals.Dims()
	for i := range d {
		quantile.Normal(z.RawRowView(i))
		n.curves = append(n.curves, newQuantileCurve(signals.RawRowView(i), z.RawRowView(i)))
	}
	return z, n
}

func (n *normalised) Apply(x *mat.Dense) (*mat.Dense, error) {
	return n.mapped(x, quantileCurve.quantile)
}

func (n *normalised) Invert(z *mat.Dense) (*mat.Dense, error) {
	return n.mapped(z, quantileCurve.value)
}

// LogDet returns log|det ∂z/∂x| at each position of x, d×n; see quantileCurve.logSlope.
func (n *normalised) LogDet(x *mat.Dense) ([]float64, error) {
	_, positions := x.Dims()
	logDet := make([]float64, positions)
	for i, c := range n.curves {
		for t, v := range x.RawRowView(i) {
			logDet[t] += c.logSlope(v)
		}
	}
	return logDet, nil
}

// mapped returns f of each value of x and the curve of its signal.
func (n *normalised) mapped(
	x *mat.Dense, f func(quantileCurve, float64) float64,
) (*mat.Dense, error) {
	y := mat.DenseCopyOf(x)
	for i, c := range n.curves {
		row := y.RawRowView(i)
		for t, v := range row {
			if row[t] = f(c, v); math.IsInf(row[t], 0) || math.IsNaN(row[t]) {
				return nil, fmt.Errorf("signal %d: overflows float64 at position %d", i+1, t+1)
			}
		}
	}
	return y, nil
}
