// Package evidence compares demixings by the code lengths that they give, position by
// position, and says which pairs of signals a rotation would not change.
//
// The names to know are Gain and Groups. A Gain is of codes with the parameters' cost in them,
// fitted to the same positions that they are compared at: the total, in nats. Of held-out positions
// nonlinear.Difference is the mean with its standard error. Neither can replace the other: in-sample
// totals have no standard error of use, and held-out means no cost.
//
// References: J. Rissanen, Annals of Statistics 11(2), 1983 (description length).
package evidence

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

// Blocks is how many equal parts of the positions code lengths are kept of. It is a choice:
// evidence is what is left without the part that favours it most. With half as many, an
// eighth of true evidence is given up; with twice as many, an outlier at a boundary of two
// parts is left in one of them more often.
const Blocks = 16

// A Gain is by how many nats in all one code is shorter than another.
type Gain struct {
	All float64 // over all positions
	// Evidence is All without the part of the positions that favours it most, so that a
	// few outliers are no evidence.
	Evidence float64
}

// NewGain returns the gain of code lengths after over before, each of equal parts of the
// positions, in nats.
func NewGain(before, after []float64) Gain {
	parts := make([]float64, len(before))
	floats.SubTo(parts, before, after)
	all := floats.Sum(parts)
	return Gain{all, all - floats.Max(parts)}
}

// Rotate sets y to (a + share·b)/√2: with shares of ±1 the signals a and b, of innovations of
// one variance, are rotated by 45°, where they would be mixed most.
func Rotate(y, a, b []float64, share float64) {
	for t, v := range a {
		y[t] = (v + share*b[t]) * math.Sqrt2 / 2
	}
}

// Groups returns the groups of d signals that pairs for which joined is true connect, each in
// order, by their first signals. A signal that no pair joins is a group by itself.
func Groups(d int, joined func(i, j int) bool) [][]int {
	label := grid.Range(d)
	for i := range d {
		for j := range i {
			if label[i] == label[j] || !joined(i, j) {
				continue
			}
			from, to := max(label[i], label[j]), min(label[i], label[j])
			for k := range label {
				if label[k] == from {
					label[k] = to
				}
			}
		}
	}
	return byLabel(label)
}

// byLabel returns the places of each label, in the order of the labels, which are at most as many
// as places and count from 0.
func byLabel(label []int) (all [][]int) {
	for l := range label {
		var group []int
		for i, v := range label {
			if v == l {
				group = append(group, i)
			}
		}
		if group != nil {
			all = append(all, group)
		}
	}
	return all
}

// Closest returns the k reference signals that have most in common with a group, the closest
// last: those columns of shares with the largest sums of squares. Shares has a row for each
// signal of the group and a column for each reference.
func Closest(shares *mat.Dense, k int) []int {
	rows, d := shares.Dims()
	weight := make([]float64, d)
	for i := range rows {
		for j := range d {
			weight[j] += shares.At(i, j) * shares.At(i, j)
		}
	}
	order := make([]int, d)
	floats.Argsort(weight, order)
	return order[d-k:]
}
