package preprocess

import (
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// gaussianise returns x with each signal mapped to normal quantiles.
func gaussianise(x *mat.Dense) (*mat.Dense, error) {
	z := mat.DenseCopyOf(x)
	d, _ := z.Dims()
	for i := range d {
		NormalQuantiles(z.RawRowView(i))
	}
	return z, nil
}

// NormalQuantiles replaces each value by the standard normal quantile of
// (rank + ½)/len(row).
func NormalQuantiles(row []float64) {
	n := float64(len(row))
	for t, rank := range Ranks(row) {
		row[t] = distuv.UnitNormal.Quantile((rank + 0.5) / n)
	}
}

// Ranks returns the rank of each value, from 0. Equal values share the mean of
// their ranks.
func Ranks(row []float64) []float64 {
	byValue := order(row)
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

// order returns the positions of row by increasing value, equal values by
// position.
func order(row []float64) []int {
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
