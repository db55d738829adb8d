package baseline

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// CheckStart returns an error unless the demixing of d white signals that iterations
// begin with is d×d, finite and invertible. Nil, for one that is drawn, is fine.
func CheckStart(start *mat.Dense, d int) error {
	if start == nil {
		return nil
	}
	if rows, columns := start.Dims(); rows != d || columns != d {
		return fmt.Errorf("start is %d×%d: want %d×%d for %d signals", rows, columns, d, d, d)
	}
	for i := range d {
		for j, v := range start.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("start has the value %g in row %d, column %d: every value must be finite", v, i+1, j+1)
			}
		}
	}
	if !(mat.Cond(start, 2) < 1e12) { // beyond, its inverse has few digits
		return errors.New("start is singular, or nearly: want an invertible matrix")
	}
	return nil
}
