// Package assign pairs two lists of as many items.
package assign

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Largest returns, for each row of the square matrix value, its column in the
// one-to-one assignment with the largest sum of values, which must be finite. It is
// the Hungarian method with shortest augmenting paths (Jonker and Volgenant, "A
// shortest augmenting path algorithm for dense and sparse linear assignment
// problems", Computing 38:325–340, 1987) and costs O(d³).
//
// The cost of a pair is −value. Rows are assigned one by one. A price for each row
// and column keeps every reduced cost, −value[i][j] − rowPrice[i] − columnPrice[j],
// non-negative, and zero for the pairs assigned so far, which makes those optimal.
func Largest(value mat.Matrix) []int {
	const none = -1
	d, _ := value.Dims()
	rowPrice := make([]float64, d)
	columnPrice := make([]float64, d)
	rowOf := slices.Repeat([]int{none}, d)
	columnOf := slices.Repeat([]int{none}, d)

	for start := range d {
		// Dijkstra's shortest path, in reduced cost, from start to a free column.
		distance := slices.Repeat([]float64{math.Inf(1)}, d)
		from := make([]int, d) // the row before each column on its path
		reached := make([]bool, d)
		row, length, end := start, 0.0, none
		for end == none {
			nearest := none
			for j := range d {
				if reached[j] {
					continue
				}
				if via := length - value.At(row, j) - rowPrice[row] - columnPrice[j]; via < distance[j] {
					distance[j], from[j] = via, row
				}
				if nearest == none || distance[j] < distance[nearest] {
					nearest = j
				}
			}
			reached[nearest] = true
			length = distance[nearest]
			row = rowOf[nearest]
			if row == none {
				end = nearest
			}
		}

		// The prices move so that the whole path has reduced cost zero.
		rowPrice[start] += length
		for j := range d {
			if reached[j] && j != end {
				rowPrice[rowOf[j]] += length - distance[j]
				columnPrice[j] -= length - distance[j]
			}
		}

		// Each row on the path takes the column after it.
		for j := end; j != none; {
			i := from[j]
			rowOf[j] = i
			columnOf[i], j = j, columnOf[i]
		}
	}
	return columnOf
}
