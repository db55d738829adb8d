// Package evidence compares demixings by their code lengths in parts of the positions, and groups
// the signals whose rotations aren't identified.
//
// The names to know are Gain and Groups. A Gain compares total code lengths, in nats, that include
// the cost of parameters fitted to the same positions. nonlinear.Difference, in contrast, is a mean
// with a standard error at held-out positions. Neither can replace the other: in-sample totals have
// no useful standard error, and held-out means no cost.
//
// References: J. Rissanen, Annals of Statistics 11(2), 1983 (description length).
package evidence

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
)

// Blocks is the number of equal parts of the positions with separate code lengths. It is a choice:
// Evidence omits the part that favours it most. With half as many, an eighth of true evidence is
// lost; with twice as many, an outlier at the boundary of two parts more often remains in one of
// them.
const Blocks = 16

// A Gain is the number of nats by which one code is shorter than another.
type Gain struct {
	All float64 // over all positions
	// Evidence is All without the part of the positions that favours it most, so that a few
	// outliers don't count.
	Evidence float64
}

// NewGain returns the gain of the code lengths after over before, both in nats for equal parts of
// the positions.
func NewGain(before, after []float64) Gain {
	parts := make([]float64, len(before))
	floats.SubTo(parts, before, after)
	all := floats.Sum(parts)
	return Gain{all, all - floats.Max(parts)}
}

// Rotate sets y to (a + share·b)/√2: with shares of ±1, signals a and b of the same innovation
// variance are rotated by 45°, which mixes them most.
func Rotate(y, a, b []float64, share float64) {
	for t, v := range a {
		y[t] = (v + share*b[t]) * math.Sqrt2 / 2
	}
}

// Groups returns the groups of d signals that the pairs with joined(i, j) connect, each in order,
// sorted by their first signals. A signal that no pair joins forms its own group.
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

// byLabel returns the indices with each label, in the order of the labels, which must be from 0 to
// len(label)−1. Unused labels are omitted.
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

// Closest returns the k reference signals that have most in common with a group, the closest last:
// the columns of shares with the largest sums of squares. shares has a row for each signal of the
// group and a column for each reference.
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
