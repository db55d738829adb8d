package datasets

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

var errNilRand = errors.New("datasets: rng is nil: give a *rand.Rand")

// newSignals returns a d×T matrix of zeros.
func newSignals(d, T int) (*mat.Dense, error) {
	if err := checkSize(d, T); err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	return mat.NewDense(d, T, nil), nil
}

// checkSize reports whether a matrix of d signals by T positions may be made.
func checkSize(d, T int) error {
	if d < 1 || T < 1 {
		return fmt.Errorf("%d signals by %d positions: need at least one of each", d, T)
	}
	if d > MaxEntries/T {
		return fmt.Errorf("%d signals by %d positions: more than the limit of %d entries", d, T, MaxEntries)
	}
	return nil
}

// checkSignals returns the dimensions of z, or an error if it has no entries
// or one of them is NaN or infinite.
func checkSignals(z *mat.Dense) (d, T int, err error) {
	if z == nil || z.IsEmpty() {
		return 0, 0, errors.New("no signals: need at least one signal and one position")
	}
	if err := checkValues(z, 0); err != nil {
		return 0, 0, err
	}
	d, T = z.Dims()
	return d, T, nil
}

// checkValues returns an error if a value of z, whose positions are those from first on,
// is NaN or infinite.
func checkValues(z *mat.Dense, first int) error {
	d, _ := z.Dims()
	for i := range d {
		for t, v := range z.RawRowView(i) {
			if !finite(v) {
				return fmt.Errorf("signal %d is %v at position %d: every entry must be finite", i+1, v, first+t+1)
			}
		}
	}
	return nil
}

// fromPositions turns values in order of position, d of them for each, into
// the d×T matrix of the signals.
func fromPositions(values []float64, d int) *mat.Dense {
	return mat.DenseCopyOf(mat.NewDense(len(values)/d, d, values).T())
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
