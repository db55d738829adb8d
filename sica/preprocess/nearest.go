package preprocess

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/kdtree"
)

// nearestPositions returns a function from a position t to the positions where
// the components y are nearest to those at t, t itself among them.
//
// Of one component they are t and count others next to it in its order, half on
// each side but at the ends. Of more they are count in Euclidean distance.
func nearestPositions(y *mat.Dense, count int) func(t int) []int {
	return newNearest(y, count).at
}

// nearest finds the positions where components are nearest to given ones; see
// nearestPositions.
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
	return &nearestInOrder{row: row, byValue: order(row), place: Ranks(row), count: count}
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
