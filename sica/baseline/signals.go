package baseline

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// CheckSignals returns an error unless x can be separated: it must have at least
// one signal, more positions than signals and at least two, and no value that is
// NaN, infinite or beyond ±1e150, whose square might be; and no signal may be
// constant. That the signals are linearly independent is for Whiten to say.
//
// Like all errors of this package it has no prefix: the method that was asked
// puts its own.
func CheckSignals(x *mat.Dense) error {
	if x == nil || x.IsEmpty() {
		return errors.New("no mixed signals: want a row for each signal and a column for each position")
	}
	d, n := x.Dims()
	if least := max(2, d+1); n < least {
		return fmt.Errorf("%d mixed signals at %d positions: want at least %d positions", d, n, least)
	}
	if err := checkFinite("mixed", x); err != nil {
		return err
	}
	for i := range d {
		if row := x.RawRowView(i); constant(row) {
			return fmt.Errorf("mixed signal %d (counted from 0) has the value %g at every position: leave it out, there is nothing in it", i, row[0])
		}
	}
	return nil
}

// CheckNew returns an error unless x is d signals at one position or more, with
// finite values up to ±1e150: what Transform and InverseTransform of a model of d signals
// take. The error calls the signals by kind, such as "mixed" or "recovered".
func CheckNew(kind string, x *mat.Dense, d int) error {
	if x == nil || x.IsEmpty() {
		return fmt.Errorf("no %s signals: want %d rows, one for each signal, and a column for each position", kind, d)
	}
	if rows, _ := x.Dims(); rows != d {
		return fmt.Errorf("%d %s signals: want %d, as in the fit", rows, kind, d)
	}
	return checkFinite(kind, x)
}

// largest is the greatest size of a value. Sums of its square are finite.
const largest = 1e150

func checkFinite(kind string, x *mat.Dense) error {
	d, _ := x.Dims()
	for i := range d {
		for t, v := range x.RawRowView(i) {
			if !(math.Abs(v) <= largest) { // or NaN
				return fmt.Errorf("%s signal %d has the value %g at position %d (both counted from 0): every value must be finite and within ±%g", kind, i, v, t, largest)
			}
		}
	}
	return nil
}

func constant(row []float64) bool {
	for _, v := range row {
		if v != row[0] {
			return false
		}
	}
	return true
}
