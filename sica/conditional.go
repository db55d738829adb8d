package sica

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// conditional returns x with each principal component normalised given those
// before it; see Conditional.
func conditional(x *mat.Dense) (*mat.Dense, error) {
	p, err := principal(x)
	if err != nil {
		return nil, err
	}
	y := components(p)
	d, n := y.Dims()
	for k := range d {
		row := y.RawRowView(k)
		if k > 0 {
			localStandardise(row, nearestPositions(y.Slice(0, k, 0, n).(*mat.Dense), neighbourhood(n)))
		}
		normalQuantiles(row)
	}
	var z mat.Dense
	z.Mul(p.axes, y)
	return whiten(&z)
}

// components returns the d×T principal components axesᵀ·centred. Each is summed
// in the same order at every position, so that equal columns, such as an
// image's background, keep equal components and share their ranks.
func components(p *decomposition) *mat.Dense {
	d, n := p.centred.Dims()
	y := mat.NewDense(d, n, nil)
	for k := range d {
		for i := range d {
			floats.AddScaled(y.RawRowView(k), p.axes.At(i, k), p.centred.RawRowView(i))
		}
	}
	return y
}

// neighbourhood is the number of positions that a local mean is taken over: 200,
// and of a short signal a fifth, which is fewer where T < 1000.
func neighbourhood(n int) int {
	return min(200, max(n/5, 2))
}

// localStandardise replaces each value of row by its deviation from the mean
// over its neighbours, in units of their standard deviation.
func localStandardise(row []float64, neighbours func(t int) []int) {
	// Neighbours that differ by less than this are equal up to rounding.
	_, sd := stat.PopMeanStdDev(row, nil)
	rounding := 1e-8 * sd

	z := make([]float64, len(row))
	var values []float64
	for t, v := range row {
		values = values[:0]
		for _, near := range neighbours(t) {
			values = append(values, row[near])
		}
		mean, sd := stat.PopMeanStdDev(values, nil)
		if deviation := v - mean; math.Abs(deviation) > rounding {
			z[t] = deviation / max(sd, rounding)
		}
	}
	copy(row, z)
}
