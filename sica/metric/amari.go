package metric

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Amari returns how far a linear demixing w is from undoing the linear mixing a:
// the distance of P = w·a from a scaled permutation,
//
//	1/(2d(d−1)) · ( Σ_i (Σ_j |p_ij| / max_k |p_ik| − 1) + Σ_j (Σ_i |p_ij| / max_k |p_kj| − 1) ),
//
// as in Amari, Cichocki and Yang, "A new learning algorithm for blind signal
// separation" (NIPS 8, 1996), whose sum is divided by its largest value
// 2d(d−1). It is 0 for a scaled permutation, which is a perfect separation, and
// 1 when all |p_ij| are equal. With one signal it is 0.
//
// w has a row for each of the d recovered signals and a has a column for each of
// the d sources. It is an error if the sizes don't fit, or if a value of w·a
// isn't finite or a row or column of it is zero.
func Amari(w, a *mat.Dense) (float64, error) {
	if w == nil || a == nil || w.IsEmpty() || a.IsEmpty() {
		return 0, errors.New("metric: Amari: w and a must not be empty")
	}
	d, inner := w.Dims()
	if rows, columns := a.Dims(); rows != inner || columns != d {
		return 0, fmt.Errorf("metric: Amari: w is %d×%d and a is %d×%d; w must be d×p and a p×d", d, inner, rows, columns)
	}
	var p mat.Dense
	p.Mul(w, a)
	p.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, &p)

	var sum float64
	for i := range d {
		row, err := excess(mat.Row(nil, i, &p))
		if err != nil {
			return 0, fmt.Errorf("metric: Amari: row %d of w·a %w", i+1, err)
		}
		column, err := excess(mat.Col(nil, i, &p))
		if err != nil {
			return 0, fmt.Errorf("metric: Amari: column %d of w·a %w", i+1, err)
		}
		sum += row + column
	}
	if d == 1 {
		return 0, nil
	}
	return sum / float64(2*d*(d-1)), nil
}

// excess returns by how much the non-negative values add up to more than the
// largest of them alone, in units of the largest.
func excess(values []float64) (float64, error) {
	largest := floats.Max(values)
	sum := floats.Sum(values)
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return 0, errors.New("has a value that isn't finite")
	}
	if largest == 0 {
		return 0, errors.New("is zero, so a source is lost")
	}
	return sum/largest - 1, nil
}
