package mapping

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/quantile"
)

// nearest finds the positions of the fit whose components are nearest to given ones.
//
// Several components are compared by their Euclidean distance, and count positions are found. For a
// single component the positions are sorted by value: the nearest are the place of the given value
// and count others next to it, half on each side except at the ends.
type nearest interface {
	ofFit(t int) []int         // nearest to the components at position t of the fit; includes t or its equals
	ofValue(u []float64) []int // nearest to the components u, which aren't those of a position
	// same returns a position of the fit with the components u, if there is one.
	same(u []float64) (t int, ok bool)
}

// sameComponents is the distance below which components count as those of a position of the fit. It
// is a choice, far below any step between normal quantiles and far above the rounding error of a
// map and its inverse, so half or twice of it makes no difference.
const sameComponents = 1e-9

func newNearest(y *mat.Dense, count int) nearest {
	if d, _ := y.Dims(); d == 1 {
		return newNearestInOrder(y.RawRowView(0), count)
	}
	return newNearestInSpace(y, count)
}

type nearestInOrder struct {
	row     []float64 // the component at the positions of the fit
	byValue []int     // the positions, by increasing value
	place   []float64 // of each position in byValue; equal values share it, and so their neighbours
	count   int       // see nearest
}

func newNearestInOrder(row []float64, count int) *nearestInOrder {
	return &nearestInOrder{
		row: row, byValue: quantile.Order(row), place: quantile.Ranks(row), count: count,
	}
}

func (n *nearestInOrder) ofFit(t int) []int { return n.neighbours(int(n.place[t])) }

func (n *nearestInOrder) ofValue(u []float64) []int { return n.neighbours(n.next(u[0])) }

// next returns the place of the first position whose component is at least v.
func (n *nearestInOrder) next(v float64) int {
	compare := func(t int, v float64) int { return cmp.Compare(n.row[t], v) }
	next, _ := slices.BinarySearchFunc(n.byValue, v, compare)
	return next
}

func (n *nearestInOrder) same(u []float64) (t int, ok bool) {
	next := n.next(u[0])
	for k := max(next-1, 0); k <= min(next, len(n.row)-1); k++ {
		if t := n.byValue[k]; math.Abs(n.row[t]-u[0]) <= sameComponents {
			return t, true
		}
	}
	return 0, false
}

func (n *nearestInOrder) neighbours(place int) []int {
	width := min(n.count+1, len(n.row))
	first := min(max(place-n.count/2, 0), len(n.row)-width)
	return n.byValue[first : first+width]
}

// nearestInSpace holds the positions in the order of their first component. The nearest to given
// components are searched among the nearest in that order. For 2,048 positions this takes two
// fifths of the time of gonum's k-d tree, for 65,536 about the same.
type nearestInSpace struct {
	first   *nearestInOrder
	ordered [][]float64 // all components at the positions first.byValue
	places  []int       // of each position in that order
	count   int         // see nearest
}

func newNearestInSpace(y *mat.Dense, count int) *nearestInSpace {
	_, n := y.Dims()
	s := &nearestInSpace{first: newNearestInOrder(y.RawRowView(0), count),
		ordered: make([][]float64, n), places: make([]int, n), count: count}
	for place, t := range s.first.byValue {
		s.ordered[place], s.places[t] = mat.Col(nil, t, y), place
	}
	return s
}

func (n *nearestInSpace) ofFit(t int) []int {
	return n.neighbours(n.ordered[n.places[t]], n.places[t])
}

func (n *nearestInSpace) ofValue(u []float64) []int {
	return n.neighbours(u, n.first.next(u[0]))
}

func (n *nearestInSpace) same(u []float64) (t int, ok bool) {
	for place := n.first.next(u[0] - sameComponents); place < len(n.ordered); place++ {
		y := n.ordered[place]
		if y[0] > u[0]+sameComponents {
			break
		}
		if squaredDistance(y, u) <= sameComponents*sameComponents {
			return n.first.byValue[place], true
		}
	}
	return 0, false
}

// neighbours returns the count positions nearest to u, whose place in the order is given. It visits
// places on both sides, the nearer in the first component first, until this component alone is as
// far away as the farthest of the count nearest so far.
func (n *nearestInSpace) neighbours(u []float64, place int) []int {
	near := make([]neighbour, 0, 2*n.count)
	bound := math.Inf(1) // of the squared distance
	visit := func(place int) {
		d := squaredDistance(n.ordered[place], u)
		if d >= bound {
			return
		}
		near = append(near, neighbour{d, n.first.byValue[place]})
		if len(near) == cap(near) {
			selectNearest(near, n.count)
			near = near[:n.count]
			bound = near[n.count-1].squared
		}
	}
	below, above := place-1, place
	for below >= 0 || above < len(n.ordered) {
		down, up := math.Inf(1), math.Inf(1)
		if below >= 0 {
			down = u[0] - n.ordered[below][0]
		}
		if above < len(n.ordered) {
			up = n.ordered[above][0] - u[0]
		}
		if nearer := min(down, up); nearer*nearer >= bound {
			break
		}
		if down < up {
			visit(below)
			below--
		} else {
			visit(above)
			above++
		}
	}
	if len(near) > n.count {
		selectNearest(near, n.count)
		near = near[:n.count]
	}
	positions := make([]int, len(near))
	for k, v := range near {
		positions[k] = v.position
	}
	return positions
}

// A neighbour is a position with its squared distance.
type neighbour struct {
	squared  float64
	position int
}

// selectNearest reorders all so that the count nearest, count < len(all), come first, the farthest
// of them last. It is C. A. R. Hoare's algorithm 65, Find (Communications of the ACM 4(7), 1961).
func selectNearest(all []neighbour, count int) {
	for first, last := 0, len(all)-1; first < last; {
		pivot := all[(first+last)/2].squared
		i, j := first, last
		for i <= j {
			for all[i].squared < pivot {
				i++
			}
			for pivot < all[j].squared {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i, j = i+1, j-1
			}
		}
		if j < count-1 {
			first = i
		}
		if count-1 < i {
			last = j
		}
	}
}

// squaredDistance returns |y − u|².
func squaredDistance(y, u []float64) float64 {
	sum := 0.0
	for k, v := range y {
		sum += (v - u[k]) * (v - u[k])
	}
	return sum
}
