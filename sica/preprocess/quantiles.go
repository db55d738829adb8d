package preprocess

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/quantile"
)

// gaussianise returns x with each signal mapped to normal quantiles.
func gaussianise(x *mat.Dense) (*mat.Dense, error) {
	z := mat.DenseCopyOf(x)
	d, _ := z.Dims()
	for i := range d {
		quantile.Normal(z.RawRowView(i))
	}
	return z, nil
}

// newCurve is the curve of a signal that isn't constant to its normal quantiles.
func newCurve(signal []float64) quantile.Curve {
	quantiles := slices.Clone(signal)
	quantile.Normal(quantiles)
	return quantile.NewCurve(signal, quantiles)
}

// normalised takes each signal to normal quantiles along a curve of its own.
type normalised struct {
	signals *mat.Dense // that the curves are of
	curves  []quantile.Curve
}

func newNormalised(signals *mat.Dense) *normalised {
	n := &normalised{signals: signals}
	d, _ := signals.Dims()
	for i := range d {
		n.curves = append(n.curves, newCurve(signals.RawRowView(i)))
	}
	return n
}

func (n *normalised) Apply(x *mat.Dense) (*mat.Dense, error) {
	return n.along(x, quantile.Curve.Quantile)
}

func (n *normalised) Invert(z *mat.Dense) (*mat.Dense, error) {
	return n.along(z, quantile.Curve.Value)
}

// LogDet returns log|det ∂z/∂x| at each position of x, d×n; see quantile.Curve.LogSlope.
func (n *normalised) LogDet(x *mat.Dense) ([]float64, error) {
	_, positions := x.Dims()
	logDet := make([]float64, positions)
	for i, c := range n.curves {
		for t, v := range x.RawRowView(i) {
			logDet[t] += c.LogSlope(v)
		}
	}
	return logDet, nil
}

func (n *normalised) along(x *mat.Dense, to func(quantile.Curve, float64) float64) (*mat.Dense, error) {
	y := mat.DenseCopyOf(x)
	for i, c := range n.curves {
		row := y.RawRowView(i)
		for t, v := range row {
			if row[t] = to(c, v); math.IsInf(row[t], 0) || math.IsNaN(row[t]) {
				return nil, fmt.Errorf("signal %d leaves float64's range at position %d", i+1, t+1)
			}
		}
	}
	return y, nil
}
