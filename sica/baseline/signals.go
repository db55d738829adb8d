package baseline

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// CheckSignals returns an error unless x can be separated: it must have at least
// one signal, more positions than signals and at least two, and no value that is
// NaN, infinite or beyond ±1e150, whose square might be; and no signal may be
// constant. That the signals are linearly independent is for a method to find out
// that needs it.
//
// The error has no prefix: the method that was asked puts its own.
func CheckSignals(x *mat.Dense) error {
	if err := signal.Check("x", x); err != nil {
		return err
	}
	if d, n := x.Dims(); n <= d {
		return fmt.Errorf("x has %d signals at %d positions: want at least %d positions", d, n, d+1)
	}
	return nil
}
