package baselinetest

import "gonum.org/v1/gonum/mat"

// A Generator is Knuth's 64-bit linear congruential generator (MMIX), which is
// its state. It draws what the one of scripts/baselines/problem.py does, to the
// last bit.
type Generator uint64

// Values returns n numbers from [−1, 1).
func (g *Generator) Values(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		*g = *g*6364136223846793005 + 1442695040888963407
		values[i] = float64(*g>>11)*0x1p-52 - 1
	}
	return values
}

// Matrix returns a matrix of numbers from [−1, 1), drawn row by row.
func (g *Generator) Matrix(rows, columns int) *mat.Dense {
	return mat.NewDense(rows, columns, g.Values(rows*columns))
}
