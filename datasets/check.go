package datasets

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

var (
	errNilRand   = errors.New("datasets: rng is nil; must be a *rand.Rand")
	errNoSignals = errors.New("no signals; must be at least one signal and one position")
)

// newSignals returns a d×n matrix of zeros.
func newSignals(d, n int) (*mat.Dense, error) {
	if err := signal.CheckSize(d, n); err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	return mat.NewDense(d, n, nil), nil
}

// checkSignals returns the dimensions of z, or an error if z is empty or an entry is NaN or
// infinite.
func checkSignals(z *mat.Dense) (d, n int, err error) {
	if z == nil || z.IsEmpty() {
		return 0, 0, errNoSignals
	}
	if err := checkValues(z, 0); err != nil {
		return 0, 0, err
	}
	d, n = z.Dims()
	return d, n, nil
}

// checkValues returns an error if a value of z is NaN or infinite. first is the index of z's first
// position in the recording.
func checkValues(z *mat.Dense, first int) error {
	i, t, isFound := signal.NotFinite(z)
	if !isFound {
		return nil
	}
	v, more, advice := z.At(i, t), "", ""
	if math.IsNaN(v) {
		advice = ", or be filled in (MissingInterpolate) or left out (MissingDrop)"
	}
	if count := countNotFinite(z); count > 1 {
		more = fmt.Sprintf(", and %d more entries aren't finite", count-1)
	}
	return fmt.Errorf("signal %d is %v at position %d%s; every entry must be finite%s",
		i+1, v, first+t+1, more, advice)
}

// countNotFinite returns how many values of z are NaN or infinite.
func countNotFinite(z *mat.Dense) (count int) {
	d, _ := z.Dims()
	for i := range d {
		for _, v := range z.RawRowView(i) {
			if !signal.Finite(v) {
				count++
			}
		}
	}
	return count
}
