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
func Ranks(row []float64) []float64 {
	byValue := Order(row)
	ranks := make([]float64, len(row))
	for first := 0; first < len(row); {
		next := first + 1
		for next < len(row) && row[byValue[next]] == row[byValue[first]] {
			next++
		}
		for _, t := range byValue[first:next] {
			ranks[t] = float64(first+next-1) / 2
		}
		first = next
	}
	return ranks
}

// Order returns the positions of row by increasing value, equal values by
// position.
func Order(row []float64) []int {
	type entry struct {
		value float64
		t     int
	}
	entries := make([]entry, len(row))
	for t, v := range row {
		entries[t] = entry{v, t}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		switch { // quicker than cmp.Compare, which looks for NaN
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return a.t - b.t
	})
	byValue := make([]int, len(row))
	for k, e := range entries {
		byValue[k] = e.t
	}
	return byValue
}
