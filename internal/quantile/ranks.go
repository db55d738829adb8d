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
		switch { // quicker than cmp.Compare, which looks for NaN
		case row[a] < row[b]:
			return -1
		case row[a] > row[b]:
			return 1
		}
		return a - b
	})
	return order
}

// Select returns the k-th smallest of the values, counted from 0, and reorders them. No value may be
// NaN. It takes time in proportion to their number, where sorting takes log n times as much
// (C. A. R. Hoare, Algorithm 65: Find, Communications of the ACM 4(7), 1961).
func Select(values []float64, k int) float64 {
	for len(values) > 1 {
		a, b, c := values[0], values[len(values)/2], values[len(values)-1]
		pivot := max(min(a, b), min(max(a, b), c)) // their median
		low, high := 0, len(values)-1
		for low <= high { // values before low are at most the pivot, those behind high at least
			for values[low] < pivot {
				low++
			}
			for values[high] > pivot {
				high--
			}
			if low <= high {
				values[low], values[high] = values[high], values[low]
				low++
				high--
			}
		}
		switch {
		case k <= high:
			values = values[:high+1]
		case k >= low:
			values, k = values[low:], k-low
		default:
			return pivot
		}
	}
	return values[k]
}
