package quantile

import (
	"math"
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

// An entry is a value of a row, as a key that rises with it, and its position.
type entry struct {
	key uint64
	t   int
}

const (
	// digitBits are the bits of a key that a pass of the radix sort orders: six passes. Its
	// counters, 16 KiB, stay in the first-level cache; half and twice of them take longer.
	digitBits = 11
	// radixLength is from which length the radix sort is faster than a comparison sort.
	radixLength = 1024
)

// Order returns the positions of row by increasing value, equal values by
// position. No value may be NaN.
func Order(row []float64) []int {
	entries := make([]entry, len(row))
	for t, v := range row {
		// The bits of positive floats rise with the float, those of negative ones fall. Adding 0
		// makes 0 of −0.
		key := math.Float64bits(v + 0)
		if key>>63 == 0 {
			key |= 1 << 63
		} else {
			key = ^key
		}
		entries[t] = entry{key, t}
	}
	if len(entries) < radixLength {
		slices.SortFunc(entries, func(a, b entry) int {
			switch { // quicker than cmp.Compare
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return a.t - b.t
		})
	} else {
		entries = radixSorted(entries)
	}
	order := make([]int, len(row))
	for k, e := range entries {
		order[k] = e.t
	}
	return order
}

// radixSorted returns the entries by key, equal keys in the order of before: by the lowest digit
// first, each pass keeping the order of those before where digits are equal. It overwrites them.
func radixSorted(entries []entry) []entry {
	const digits = (64 + digitBits - 1) / digitBits
	const mask = 1<<digitBits - 1
	var counts [digits][1 << digitBits]int
	for _, e := range entries {
		for k := range digits {
			counts[k][e.key>>(k*digitBits)&mask]++
		}
	}
	sorted := make([]entry, len(entries))
	for k := range digits {
		first := 0 // where the entries with a digit begin
		for digit, count := range counts[k] {
			counts[k][digit] = first
			first += count
		}
		for _, e := range entries {
			digit := e.key >> (k * digitBits) & mask
			sorted[counts[k][digit]] = e
			counts[k][digit]++
		}
		entries, sorted = sorted, entries
	}
	return entries
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
