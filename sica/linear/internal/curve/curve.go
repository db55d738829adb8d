// Package curve has the curve that straightens a channel, and its derivatives with respect to its
// slopes.
package curve

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/seed-47b1e431/gosica/internal/stats"
)

const (
	// A curve has knots at the normal quantiles of its channel from −lastKnot to lastKnot standard
	// deviations, knotDistance apart, and cells of cellWidth from −lastCell to lastCell. All are
	// choices.
	lastKnot, knotDistance = 3, 0.5
	lastCell, cellWidth    = 4, 1. / 32
)

// A Curve is an increasing piecewise linear map of a channel. The log slope in a cell is linearly
// interpolated between the nearest knots.
type Curve struct {
	edges  []float64   // bounds of the cells
	Knots  int         // number of knots
	weight [][]float64 // for each cell, weights of the knots at its middle
	cell   []int32     // of each position
	within []float64   // distance of each position's value from its cell's lower edge
	share  []float64   // share of the positions in each cell
	slopes []float64   // of each cell
	levels []float64   // values of the curve at the edges
}

// New returns a curve for the values of a channel, without slopes, and the log slopes at its knots
// that make the values Gaussian.
func New(values []float64) (c *Curve, logSlopes []float64) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	last := len(sorted) - 1
	c = &Curve{}
	c.edges, _ = distinctQuantiles(sorted, lastCell, cellWidth)
	if sorted[0] < c.edges[0] {
		c.edges = slices.Insert(c.edges, 0, sorted[0])
	}
	if sorted[last] > c.edges[len(c.edges)-1] {
		c.edges = append(c.edges, sorted[last])
	}
	places, quantiles := distinctQuantiles(sorted, lastKnot, knotDistance)
	c.Knots = len(places)
	for k := range places {
		before, after := max(k-1, 0), min(k+1, len(places)-1)
		logSlopes = append(logSlopes,
			math.Log((quantiles[after]-quantiles[before])/(places[after]-places[before])))
	}
	cells := len(c.edges) - 1
	c.share, c.slopes = make([]float64, cells), make([]float64, cells)
	c.levels = make([]float64, cells+1)
	for k := range cells {
		c.weight = append(c.weight, hats(places, c.edges[k]+c.width(k)/2))
	}
	c.cell, c.within = make([]int32, len(values)), make([]float64, len(values))
	for t, v := range values {
		k := min(max(sort.SearchFloat64s(c.edges, v)-1, 0), cells-1)
		c.cell[t], c.within[t] = int32(k), v-c.edges[k]
		c.share[k] += 1 / float64(len(values))
	}
	return c, logSlopes
}

// distinctQuantiles returns the distinct values of sorted at the normal quantiles from −end to end,
// distance apart, and these quantiles.
func distinctQuantiles(sorted []float64, end, distance float64) (values, quantiles []float64) {
	for q := -end; q <= end; q += distance {
		v := stats.QuantileOfSorted(distuv.UnitNormal.CDF(q), sorted)
		if k := len(values) - 1; k < 0 || v > values[k] {
			values, quantiles = append(values, v), append(quantiles, q)
		}
	}
	return values, quantiles
}

// hats returns the weight of each place in linear interpolation at v; beyond the ends the nearest
// place has weight 1.
func hats(places []float64, v float64) []float64 {
	weights := make([]float64, len(places))
	k := sort.SearchFloat64s(places, v)
	switch {
	case k == 0:
		weights[0] = 1
	case k == len(places):
		weights[k-1] = 1
	default:
		weights[k] = (v - places[k-1]) / (places[k] - places[k-1])
		weights[k-1] = 1 - weights[k]
	}
	return weights
}

// Points returns the values at which the slope changes, and the last, and what Set maps these to.
func (c *Curve) Points() (values, straight []float64) { return c.edges, c.levels }

func (c *Curve) width(cell int) float64 { return c.edges[cell+1] - c.edges[cell] }

// Set sets the slopes of c, and straight to the straightened values minus their mean. It
// returns the mean of the log slopes over the positions.
func (c *Curve) Set(logSlopes, straight []float64) (mean float64) {
	for k, w := range c.weight {
		logSlope := floats.Dot(w, logSlopes)
		mean += c.share[k] * logSlope
		c.slopes[k] = math.Exp(logSlope)
		c.levels[k+1] = c.levels[k] + c.slopes[k]*c.width(k)
	}
	for t, k := range c.cell {
		straight[t] = c.levels[k] + c.slopes[k]*c.within[t]
	}
	floats.AddConst(-stat.Mean(straight, nil), straight)
	return mean
}

// Differentiate sets gradient to the derivative of the loss with respect to the log slopes. slope
// has the derivative with respect to each straightened value.
func (c *Curve) Differentiate(gradient, slope []float64) {
	cells := len(c.slopes)
	inside, lever := make([]float64, cells), make([]float64, cells)
	for t, k := range c.cell {
		inside[k] += slope[t]
		lever[k] += slope[t] * c.within[t]
	}
	clear(gradient)
	above := 0. // sum of slope over higher cells, which a steeper cell shifts
	for k := cells - 1; k >= 0; k-- {
		g := c.slopes[k]*(above*c.width(k)+lever[k]) - c.share[k]
		floats.AddScaled(gradient, g, c.weight[k])
		above += inside[k]
	}
}
