package mapping

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// Curves are a strictly increasing map of each signal. That of signal i is linear between the points
// (Values[i][k], Straight[i][k]), both of which increase with k, and continues with the slopes of
// its ends beyond them.
type Curves struct {
	Values   [][]float64 `json:"values"`
	Straight [][]float64 `json:"straight"`
}

// Apply straightens each signal of x, d×n.
func (c *Curves) Apply(x *mat.Dense) (*mat.Dense, error) { return along(x, c.Values, c.Straight) }

// Invert undoes Apply for each signal of z, d×n.
func (c *Curves) Invert(z *mat.Dense) (*mat.Dense, error) { return along(z, c.Straight, c.Values) }

// LogDet returns Σ_i log g_i′(x_i) at each position of x, d×n.
func (c *Curves) LogDet(x *mat.Dense) ([]float64, error) {
	_, n := x.Dims()
	sum := make([]float64, n)
	for i, values := range c.Values {
		straight := c.Straight[i]
		for t, v := range x.RawRowView(i) {
			k := piece(values, v)
			sum[t] += math.Log((straight[k+1] - straight[k]) / (values[k+1] - values[k]))
		}
	}
	return sum, nil
}

// along maps the signals x by the curves from the points in from to those in to.
func along(x *mat.Dense, from, to [][]float64) (*mat.Dense, error) {
	if d, _ := x.Dims(); d != len(from) {
		return nil, fmt.Errorf("x: has %d signals; must have %d", d, len(from))
	}
	y := mat.DenseCopyOf(x)
	for i := range from {
		row := y.RawRowView(i)
		for t, v := range row {
			k := piece(from[i], v)
			slope := (to[i][k+1] - to[i][k]) / (from[i][k+1] - from[i][k])
			row[t] = to[i][k] + slope*(v-from[i][k])
		}
	}
	return y, nil
}

// piece returns the index of the point where the piece that contains v begins.
func piece(points []float64, v float64) int {
	return min(max(sort.SearchFloat64s(points, v)-1, 0), len(points)-2)
}

// check returns an error unless c are curves of d signals.
func (c *Curves) check(d int) error {
	if c == nil || len(c.Values) != d || len(c.Straight) != d {
		return fmt.Errorf("curves: must be of %d signals", d)
	}
	for i := range d {
		if len(c.Values[i]) < 2 || len(c.Straight[i]) != len(c.Values[i]) ||
			!rises(c.Values[i]) || !rises(c.Straight[i]) {
			return errors.New("curves: must have two points or more, both of whose coordinates rise")
		}
	}
	return nil
}

// rises reports whether the points are finite and strictly increasing.
func rises(points []float64) bool {
	finite := !math.IsInf(points[0], 0) && !math.IsInf(points[len(points)-1], 0)
	return finite && slices.IsSortedFunc(points, func(a, b float64) int {
		if a > b {
			return 1
		}
		return -1 // equal ones, or one that isn't a number, aren't sorted
	})
}
