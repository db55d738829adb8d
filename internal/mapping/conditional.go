package mapping

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/kdtree"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/quantile"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

// conditioned normalises each principal component given those before it, and
// whitens; see Conditional.
type conditioned struct {
	axes     *mat.Dense // d×d, the principal axes as orthonormal columns
	means    []float64
	fitted   *mat.Dense // the components that it was fitted to, d×T
	levels   []level
	whitened *Affine // what comes after
}

// level normalises one component. The first has no neighbours.
type level struct {
	near     nearest   // of the components before
	fitted   []float64 // the component that it was fitted to
	rounding float64
	curve    quantile.Curve // of the component, or of its local deviations
}

// conditional returns x with each principal component normalised given those
// before it, and the map that it is; see Conditional.
func conditional(ctx context.Context, x *mat.Dense) (*mat.Dense, *conditioned, error) {
	w, err := signal.Whiten(x)
	if err != nil {
		return nil, nil, err
	}
	axes := mat.DenseCopyOf(w.Axes().T())
	c := &conditioned{axes: axes, means: w.Mean, fitted: components(axes, signal.Added(x, w.Mean, -1))}
	y, err := c.fit(ctx)
	if err != nil {
		return nil, nil, err
	}
	var z mat.Dense
	z.Mul(axes, y)
	white, err := signal.Whiten(&z)
	if err != nil {
		return nil, nil, err
	}
	c.whitened = LinearMap(axes, make([]float64, len(w.Mean))).Then(NewSymmetric(white).Affine())
	return white.Symmetric(), c, nil
}

// fit makes the levels from the fitted components, and returns those
// normalised. It stops with ctx's error when ctx ends.
func (c *conditioned) fit(ctx context.Context) (*mat.Dense, error) {
	y := mat.DenseCopyOf(c.fitted)
	d, n := y.Dims()
	for k := range d {
		row := y.RawRowView(k)
		l := level{fitted: c.fitted.RawRowView(k)}
		if k > 0 {
			l.near = newNearest(y.Slice(0, k, 0, n).(*mat.Dense), neighbourhood(n))
			l.rounding = localRounding(row)
			if err := localStandardise(ctx, row, l.near.at); err != nil {
				return nil, err
			}
		}
		values := slices.Clone(row)
		quantile.Normal(row)
		l.curve = quantile.NewCurve(values, row)
		c.levels = append(c.levels, l)
	}
	return y, nil
}

func (c *conditioned) Apply(x *mat.Dense) (*mat.Dense, error) {
	z, _, err := c.forward(context.Background(), x)
	return z, err
}

// LogDet is that of the triangular map in the principal axes, the sum of the logarithms
// of each component's slope in itself, and of the whitening. The slopes are estimated:
// see quantile.Curve.
func (c *conditioned) LogDet(x *mat.Dense) ([]float64, error) {
	_, logDet, err := c.forward(context.Background(), x)
	return logDet, err
}

// forward is what x becomes, and its log-determinants. It stops with ctx's error when ctx ends.
func (c *conditioned) forward(ctx context.Context, x *mat.Dense) (*mat.Dense, []float64, error) {
	y := components(c.axes, signal.Added(x, c.means, -1))
	d, n := y.Dims()
	column := make([]float64, d)
	logDet := make([]float64, n)
	white, _ := mat.LogDet(c.whitened.Dense())
	for t := range n {
		if t%positionsPerLook == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		logDet[t] = white
		for k, l := range c.levels {
			v := y.At(k, t)
			if l.near != nil {
				mean, scale := l.local(column[:k])
				v = localDeviation(v, mean, scale, l.rounding)
				logDet[t] -= math.Log(max(scale, l.rounding))
			}
			column[k] = l.curve.Quantile(v)
			y.Set(k, t, column[k])
			logDet[t] += l.curve.LogSlope(v)
		}
	}
	z, err := c.whitened.Apply(y)
	return z, logDet, err
}

func (c *conditioned) Invert(z *mat.Dense) (*mat.Dense, error) {
	y, err := c.whitened.Invert(z)
	if err != nil {
		return nil, err
	}
	d, n := y.Dims()
	column := make([]float64, d)
	for t := range n {
		for k, l := range c.levels {
			column[k] = y.At(k, t)
			v := l.curve.Value(column[k])
			if l.near != nil {
				mean, scale := l.local(column[:k])
				v = mean + v*max(scale, l.rounding)
			}
			y.Set(k, t, v)
		}
	}
	var x mat.Dense
	x.Mul(c.axes, y)
	return signal.Added(&x, c.means, 1), nil
}

// local is the mean of the component where those before it are nearest to the
// given ones, and its standard deviation there.
func (l level) local(before []float64) (mean, sd float64) {
	var values []float64
	for _, near := range l.near.around(before) {
		values = append(values, l.fitted[near])
	}
	return stat.PopMeanStdDev(values, nil)
}

// components returns the d×T principal components axesᵀ·centred. Each is summed
// in the same order at every position, so that equal columns, such as an
// image's background, keep equal components and share their ranks.
func components(axes, centred *mat.Dense) *mat.Dense {
	d, n := centred.Dims()
	y := mat.NewDense(d, n, nil)
	for k := range d {
		for i := range d {
			floats.AddScaled(y.RawRowView(k), axes.At(i, k), centred.RawRowView(i))
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
func localStandardise(ctx context.Context, row []float64, neighbours func(t int) []int) error {
	rounding := localRounding(row)
	z := make([]float64, len(row))
	var values []float64
	for t, v := range row {
		if t%positionsPerLook == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		values = values[:0]
		for _, near := range neighbours(t) {
			values = append(values, row[near])
		}
		mean, sd := stat.PopMeanStdDev(values, nil)
		z[t] = localDeviation(v, mean, sd, rounding)
	}
	copy(row, z)
	return nil
}

// positionsPerLook is how many positions are made between two looks at the context:
// some hundredths of a second's.
const positionsPerLook = 256

// localRounding is what neighbours that are equal up to rounding differ by less
// than.
func localRounding(row []float64) float64 {
	_, sd := stat.PopMeanStdDev(row, nil)
	return 1e-8 * sd
}

// localDeviation is that of v from the mean in units of sd, 0 where it is
// rounding.
func localDeviation(v, mean, sd, rounding float64) float64 {
	if deviation := v - mean; math.Abs(deviation) > rounding {
		return deviation / max(sd, rounding)
	}
	return 0
}

// A nearest finds the positions where components are nearest to given ones, or to those at a
// position t, which is among them.
//
// Of one component they are t and count others next to it in its order, half on each side
// except at the ends. Of several they are the count nearest in Euclidean distance.
type nearest interface {
	at(t int) []int               // nearest to those at position t
	around(value []float64) []int // nearest to others
}

// sameComponents is the distance below which components are taken for those of a
// position: it is far below any step between normal quantiles, and far above the
// rounding of a map and its inverse.
const sameComponents = 1e-9

func newNearest(y *mat.Dense, count int) nearest {
	if d, _ := y.Dims(); d == 1 {
		return newNearestInOrder(y.RawRowView(0), count)
	}
	return newNearestInSpace(y, count)
}

type nearestInOrder struct {
	row     []float64
	byValue []int
	place   []float64 // in byValue; equal values share it, and so their neighbours
	count   int
}

func newNearestInOrder(row []float64, count int) *nearestInOrder {
	return &nearestInOrder{row: row, byValue: quantile.Order(row), place: quantile.Ranks(row), count: count}
}

func (n *nearestInOrder) at(t int) []int { return n.from(int(n.place[t])) }

func (n *nearestInOrder) around(value []float64) []int {
	next, _ := slices.BinarySearchFunc(n.byValue, value[0], func(t int, v float64) int { return cmp.Compare(n.row[t], v) })
	for k := max(next-1, 0); k <= min(next, len(n.row)-1); k++ {
		if t := n.byValue[k]; math.Abs(n.row[t]-value[0]) <= sameComponents {
			return n.at(t)
		}
	}
	return n.from(next)
}

func (n *nearestInOrder) from(place int) []int {
	width := min(n.count+1, len(n.row))
	first := min(max(place-n.count/2, 0), len(n.row)-width)
	return n.byValue[first : first+width]
}

type nearestInSpace struct {
	points points
	tree   *kdtree.Tree
	count  int
}

func newNearestInSpace(y *mat.Dense, count int) *nearestInSpace {
	_, n := y.Dims()
	points := make(points, n)
	for t := range points {
		points[t] = point{Point: mat.Col(nil, t, y), position: t}
	}
	return &nearestInSpace{points: points, tree: kdtree.New(slices.Clone(points), false), count: count}
}

func (n *nearestInSpace) at(t int) []int { return n.of(n.points[t]) }

func (n *nearestInSpace) around(value []float64) []int {
	p := point{Point: value}
	if one, squared := n.tree.Nearest(p); squared <= sameComponents*sameComponents {
		return n.of(one.(point))
	}
	return n.of(p)
}

func (n *nearestInSpace) of(p point) []int {
	keep := kdtree.NewNKeeper(n.count)
	n.tree.NearestSet(keep, p)
	positions := make([]int, 0, n.count)
	for _, near := range keep.Heap {
		positions = append(positions, near.Comparable.(point).position)
	}
	return positions
}

// A point of a k-d tree knows the position that it is of.
type point struct {
	kdtree.Point
	position int
}

func (p point) Compare(q kdtree.Comparable, d kdtree.Dim) float64 {
	return p.Point.Compare(q.(point).Point, d)
}

func (p point) Distance(q kdtree.Comparable) float64 {
	return p.Point.Distance(q.(point).Point)
}

// points are cut at their exact median, since the random one of kdtree.Points
// would make the choice among equally near positions random too.
type points []point

func (p points) Index(i int) kdtree.Comparable         { return p[i] }
func (p points) Len() int                              { return len(p) }
func (p points) Slice(start, end int) kdtree.Interface { return p[start:end] }
func (p points) Pivot(d kdtree.Dim) int {
	slices.SortFunc(p, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.Point[d], b.Point[d]), cmp.Compare(a.position, b.position))
	})
	return len(p) / 2
}
