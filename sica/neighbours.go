package sica

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/spatial/kdtree"
)

// nearestPositions returns a function from a position t to the positions where
// the components y are nearest to those at t, t itself among them. What the
// function returns is valid until its next call.
//
// Of one component they are t and count others next to it in its order, half on
// each side but at the ends. Of more they are count in Euclidean distance.
func nearestPositions(y *mat.Dense, count int) func(t int) []int {
	if d, _ := y.Dims(); d == 1 {
		return nearestInOrder(y.RawRowView(0), count)
	}
	return nearestInSpace(y, count)
}

func nearestInOrder(row []float64, count int) func(t int) []int {
	byValue := order(row)
	place := ranks(row) // in byValue; equal values share it, and so their neighbours
	width := min(count+1, len(row))
	return func(t int) []int {
		first := min(max(int(place[t])-count/2, 0), len(row)-width)
		return byValue[first : first+width]
	}
}

func nearestInSpace(y *mat.Dense, count int) func(t int) []int {
	_, n := y.Dims()
	points := make(points, n)
	for t := range points {
		points[t] = point{Point: mat.Col(nil, t, y), position: t}
	}
	tree := kdtree.New(slices.Clone(points), false)
	positions := make([]int, 0, count)
	return func(t int) []int {
		nearest := kdtree.NewNKeeper(count)
		tree.NearestSet(nearest, points[t])
		positions = positions[:0]
		for _, p := range nearest.Heap {
			positions = append(positions, p.Comparable.(point).position)
		}
		return positions
	}
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
