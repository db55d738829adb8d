package baselinetest

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Distance returns how far the matrices a and b, such as unmixing ones, are apart
// but for the order and the signs of their rows: the largest difference of an entry over the
// largest entry of b. It is +Inf if two rows of a are nearest to one of b.
func Distance(a, b *mat.Dense) float64 {
	taken := make(map[int]bool)
	worst := 0.0
	d, columns := a.Dims()
	for i := range d {
		nearest, which := math.Inf(1), -1
		for j := range d {
			row := b.RawRowView(j)
			minus := make([]float64, columns)
			floats.ScaleTo(minus, -1, row)
			if v := min(floats.Distance(a.RawRowView(i), row, math.Inf(1)), floats.Distance(a.RawRowView(i), minus, math.Inf(1))); v < nearest {
				nearest, which = v, j
			}
		}
		if which < 0 || taken[which] {
			return math.Inf(1)
		}
		taken[which] = true
		worst = max(worst, nearest)
	}
	return worst / max(mat.Max(b), -mat.Min(b))
}
