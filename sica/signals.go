package sica

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// checkSignals returns an error unless x, called name in the error, is a signal
// matrix with at least two positions, finite values and no constant signal.
func checkSignals(name string, x *mat.Dense) error {
	if x == nil || x.IsEmpty() {
		return fmt.Errorf("%s is empty; it must have a row for each signal and a column for each position", name)
	}
	d, n := x.Dims()
	if n < 2 {
		return fmt.Errorf("%s has %d position; it must have at least 2", name, n)
	}
	for i := range d {
		if err := checkSignal(x.RawRowView(i)); err != nil {
			return fmt.Errorf("%s: signal %d (counted from 0): %w", name, i, err)
		}
	}
	return nil
}

var errConstant = errors.New("has the same value at every position; it must vary")

func checkSignal(row []float64) error {
	constant := true
	for t, v := range row {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("has the value %g at position %d (counted from 0); it must be finite", v, t)
		}
		constant = constant && v == row[0]
	}
	if constant {
		return errConstant
	}
	return nil
}
