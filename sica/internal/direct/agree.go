package direct

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// MeanCorrelation is the MCC of a and b, both d×T: the mean absolute correlation
// under the one-to-one assignment that makes it largest.
func MeanCorrelation(a, b *mat.Dense) float64 {
	value := correlations(a, b)
	sum := 0.
	columns := assign(value)
	for i, j := range columns {
		sum += value.At(i, j)
	}
	return sum / float64(len(columns))
}

// correlations are the absolute correlations of each signal of a with each of b.
func correlations(a, b *mat.Dense) *mat.Dense {
	d, _ := a.Dims()
	values := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			values.Set(i, j, math.Abs(stat.Correlation(a.RawRowView(i), b.RawRowView(j), nil)))
		}
	}
	return values
}

// assign returns, for each row, the column of the one-to-one assignment with the
// largest sum, by shortest augmenting paths (R. Jonker, A. Volgenant, Computing
// 38, 1987), in O(d³).
func assign(value *mat.Dense) []int {
	d, _ := value.Dims()
	rowPrice, columnPrice := make([]float64, d), make([]float64, d)
	rowOf := make([]int, d) // of each column, -1 if free
	for j := range rowOf {
		rowOf[j] = -1
	}
	for first := range d {
		distance, previous, done := make([]float64, d), make([]int, d), make([]bool, d)
		for j := range distance {
			distance[j], previous[j] = math.Inf(1), -1
		}
		row, column, length := first, -1, 0.
		for {
			nearest := -1
			for j := range d {
				if done[j] {
					continue
				}
				if l := length - value.At(row, j) - rowPrice[row] - columnPrice[j]; l < distance[j] {
					distance[j], previous[j] = l, column
				}
				if nearest < 0 || distance[j] < distance[nearest] {
					nearest = j
				}
			}
			column, length = nearest, distance[nearest]
			done[column] = true
			if rowOf[column] < 0 {
				break
			}
			row = rowOf[column]
		}
		rowPrice[first] += length
		for j := range d {
			if done[j] && j != column {
				rowPrice[rowOf[j]] += length - distance[j]
				columnPrice[j] -= length - distance[j]
			}
		}
		for column >= 0 { // along the path, each column takes its predecessor's row
			before := previous[column]
			if before < 0 {
				rowOf[column] = first
			} else {
				rowOf[column] = rowOf[before]
			}
			column = before
		}
	}
	columns := make([]int, d)
	for j, i := range rowOf {
		columns[i] = j
	}
	return columns
}
