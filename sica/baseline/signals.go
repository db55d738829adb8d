package baseline

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// CheckSignals returns an error unless x can be separated: it must have at least
// one signal, more positions than signals and at least two, and no value that is
// NaN, infinite or beyond ±1e150, whose square might be; and no signal may be
// constant.
func CheckSignals(x *mat.Dense) error { return signal.CheckMixed(x) }

// Demixed returns the model whose recovered signals are w·White, in a fit that ended so.
// The inverse is that of w, d×d.
func Demixed(white *signal.Whitening, w, inverse mat.Matrix, end Convergence) *LinearModel {
	var unmixing, mixing, signals mat.Dense
	unmixing.Mul(w, white.Matrix)
	mixing.Mul(white.Inverse, inverse)
	signals.Mul(w, white.White)
	return NewLinearModel(white.Mean, &unmixing, &mixing, &signals, end)
}
