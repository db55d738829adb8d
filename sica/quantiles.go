package sica

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// curve says what normal quantile each value of a signal goes to, see
// Gaussianise: values that were there to their own, and one between two of them
// to what is between their quantiles, in proportion. Beyond the smallest and the
// largest it goes on in proportion to the signal's standard deviation, as if the
// signal was Gaussian there. Both fields rise.
type curve struct {
	values, quantiles []float64
	sd                float64 // of the signal
}

// newCurve is the curve of a signal that isn't constant.
func newCurve(signal []float64) curve {
	_, sd := stat.PopMeanStdDev(signal, nil)
	sorted := slices.Sorted(slices.Values(signal))
	c := curve{sd: sd}
	for first, n := 0, len(sorted); first < n; {
		next := first + 1
		for next < n && sorted[next] == sorted[first] {
			next++
		}
		rank := float64(first+next-1) / 2 // as in ranks
		c.values = append(c.values, sorted[first])
		c.quantiles = append(c.quantiles, distuv.UnitNormal.Quantile((rank+0.5)/float64(n)))
		first = next
	}
	return c
}

func (c curve) quantile(v float64) float64 { return interpolate(v, c.values, c.quantiles, 1/c.sd) }

func (c curve) value(quantile float64) float64 {
	return interpolate(quantile, c.quantiles, c.values, c.sd)
}

// interpolate is the value at v of the function that is linear between the
// points (from[k], to[k]), of which from rises, and has the given slope beyond
// them.
func interpolate(v float64, from, to []float64, slope float64) float64 {
	k, found := slices.BinarySearch(from, v)
	last := len(from) - 1
	switch {
	case found:
		return to[k]
	case k == 0:
		return to[0] + (v-from[0])*slope
	case k > last:
		return to[last] + (v-from[last])*slope
	}
	part := (v - from[k-1]) / (from[k] - from[k-1])
	return to[k-1] + part*(to[k]-to[k-1])
}

// normalised takes each signal to normal quantiles along a curve of its own.
type normalised struct {
	signals *mat.Dense // that the curves are of
	curves  []curve
}

func newNormalised(signals *mat.Dense) *normalised {
	n := &normalised{signals: signals}
	d, _ := signals.Dims()
	for i := range d {
		n.curves = append(n.curves, newCurve(signals.RawRowView(i)))
	}
	return n
}

func (n *normalised) apply(x *mat.Dense, _ *follower) (*mat.Dense, error) {
	return n.along(x, curve.quantile)
}

func (n *normalised) invert(z *mat.Dense, _ *follower) (*mat.Dense, error) {
	return n.along(z, curve.value)
}

func (n *normalised) along(x *mat.Dense, to func(curve, float64) float64) (*mat.Dense, error) {
	y := mat.DenseCopyOf(x)
	for i, c := range n.curves {
		row := y.RawRowView(i)
		for t, v := range row {
			if row[t] = to(c, v); math.IsInf(row[t], 0) || math.IsNaN(row[t]) {
				return nil, fmt.Errorf("signal %d (counted from 0) leaves float64's range at position %d", i, t)
			}
		}
	}
	return y, nil
}
