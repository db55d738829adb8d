// Package assignment finds the one-to-one assignment with the largest sum of values.
package assignment

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Max returns, for each row of value, its column in the one-to-one assignment with the maximum sum of
// values, which must be finite. There are at least as many columns as rows. It is the Hungarian method
// with shortest augmenting paths (R. Jonker, A. Volgenant, "A shortest augmenting path algorithm for
// dense and sparse linear assignment problems", Computing 38, 1987) and costs O(d²·m) for d rows and m
// columns.
//
// The cost of a pair is −value. Rows are assigned one by one. A price for each row and column keeps
// every reduced cost, −value[i][j] − rowPrice[i] − columnPrice[j], non-negative, and zero for the
// pairs assigned so far, which makes those optimal. It is one function, as each of the algorithm's steps
// needs the prices and the paths of all.
//
//gocognit:ignore
func Max(value mat.Matrix) []int {
	const none = -1
	d, m := value.Dims()
	rowPrice := make([]float64, d)
	columnPrice := make([]float64, m)
	rows := slices.Repeat([]int{none}, m)
	columns := slices.Repeat([]int{none}, d)

	for start := range d {
		// Dijkstra's shortest path, in reduced cost, from start to a free column.
		distance := slices.Repeat([]float64{math.Inf(1)}, m)
		before := make([]int, m) // the row before each column on its path
		reached := make([]bool, m)
		row, length, end := start, 0.0, none
		for end == none {
			nearest := none
			for j := range m {
				if reached[j] {
					continue
				}
				via := length - value.At(row, j) - rowPrice[row] - columnPrice[j]
				if via < distance[j] {
					distance[j], before[j] = via, row
				}
				if nearest == none || distance[j] < distance[nearest] {
					nearest = j
				}
			}
			reached[nearest] = true
			length = distance[nearest]
			row = rows[nearest]
			if row == none {
				end = nearest
			}
		}

		// The prices move so that the whole path has reduced cost zero.
		rowPrice[start] += length
		for j := range m {
			if reached[j] && j != end {
				rowPrice[rows[j]] += length - distance[j]
				columnPrice[j] -= length - distance[j]
			}
		}

		// Each row on the path takes the column after it.
		for j := end; j != none; {
			i := before[j]
			rows[j] = i
			columns[i], j = j, columns[i]
		}
	}
	return columns
}
