// Package quantile has ranks and normal scores of values.
package quantile

import (
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Normal replaces each value by the standard normal quantile of
// (rank + ½)/len(row).
func Normal(row []float64) {
	n := float64(len(row))
	for t, rank := range Ranks(row) {
		row[t] = distuv.UnitNormal.Quantile((rank + 0.5) / n)
	}
}

// Ranks returns the rank of each value, from 0. Equal values share the mean of
// their ranks.
func Ranks(row []float64) []float64 { return RanksOrdered(row, Order(row)) }

// RanksOrdered returns Ranks(row) from Order(row).
func RanksOrdered(row []float64, order []int) []float64 {
	ranks := make([]float64, len(row))
	for first := 0; first < len(row); {
		next := first + 1
		for next < len(row) && row[order[next]] == row[order[first]] {
			next++
		}
		for _, t := range order[first:next] {
			ranks[t] = float64(first+next-1) / 2
		}
		first = next
	}
	return ranks
}

// Order returns the positions of row by increasing value, equal values by
// position. No value may be NaN.
func Order(row []float64) []int {
	order := make([]int, len(row))
	for t := range order {
		order[t] = t
	}
	slices.SortFunc(order, func(a, b int) int {
		switch { // faster than cmp.Compare, which checks for NaN
		case row[a] < row[b]:
			return -1
		case row[a] > row[b]:
			return 1
		}
		return a - b
	})
	return order
}
