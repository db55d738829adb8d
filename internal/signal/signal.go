// Package signal checks signal matrices, d signals in rows × n positions in columns, and has
// operations on signals that several packages share, such as centring, mixing and norms.
package signal

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// ErrNotFinite is wrapped by the error for a number that became NaN or infinite.
var ErrNotFinite = errors.New("a loss or a signal is not finite")

// ErrSignals is wrapped by the error for mixed signals that can't be separated or mapped.
var ErrSignals = errors.New("signals that can't be separated")

// AsErrSignals is OfKind for ErrSignals.
func AsErrSignals(err error) error { return OfKind(err, ErrSignals) }

// OfKind returns an error with the text of err that wraps both err and kind; nil if err is nil.
func OfKind(err, kind error) error {
	if err == nil {
		return nil
	}
	return kindError{err, kind}
}

type kindError struct {
	error
	kind error
}

func (e kindError) Is(target error) bool { return target == e.kind }
func (e kindError) Unwrap() error        { return e.error }

// ErrConstant is wrapped by the error for a constant signal.
var ErrConstant = errors.New("has the same value at every position; must vary")

// Largest is the largest absolute value that a signal may have. Its square, 1e300, can be summed
// over 10⁸ positions in float64.
const Largest = 1e150

// Check returns an error unless x, called name in the error, is a signal matrix with
// at least two positions, finite values up to ±Largest and no constant signal.
func Check(name string, x *mat.Dense) error {
	if x == nil || x.IsEmpty() {
		return fmt.Errorf("%s: is empty; must have a row for each signal and a column for each position",
			name)
	}
	d, n := x.Dims()
	if n < 2 {
		return fmt.Errorf("%s: has %d position; must have at least 2", name, n)
	}
	for i := range d {
		if err := checkSignal(x.RawRowView(i)); err != nil {
			return fmt.Errorf("%s: signal %d: %w", name, i+1, err)
		}
	}
	return nil
}

func checkSignal(row []float64) error {
	constant := true
	for t, v := range row {
		if !(math.Abs(v) <= Largest) { // NaN, too
			return checkValue(v, t)
		}
		constant = constant && v == row[0]
	}
	if constant {
		return ErrConstant
	}
	return nil
}

func checkValue(v float64, t int) error {
	if !Finite(v) {
		return fmt.Errorf("has the value %g at position %d; must be finite", v, t+1)
	}
	if math.Abs(v) > Largest {
		return fmt.Errorf("has the value %g at position %d; must be within ±%g: rescale the signal",
			v, t+1, Largest)
	}
	return nil
}

// CheckNew returns an error unless x, called name in the error, is valid input for a map fitted to
// d signals: d signals at one position or more, with finite values up to ±Largest.
func CheckNew(name string, x *mat.Dense, d int) error {
	if x == nil || x.IsEmpty() {
		return fmt.Errorf("%s: is empty; must have %d rows, one for each signal, and a column for "+
			"each position", name, d)
	}
	rows, columns := x.Dims()
	if rows != d {
		return fmt.Errorf("%s: has %d signals; must have %d, as in the fit%s", name, rows, d,
			Transposed(name, columns == d))
	}
	for i := range rows {
		for t, v := range x.RawRowView(i) {
			if err := checkValue(v, t); err != nil {
				return fmt.Errorf("%s: signal %d: %w", name, i+1, err)
			}
		}
	}
	return nil
}

// Transposed returns the end of an error about the size of x, called name in the error: advice to
// transpose x if looksSo, else "".
func Transposed(name string, looksSo bool) string {
	if !looksSo {
		return ""
	}
	return fmt.Sprintf(": a row is a signal, a column a position; transpose %s "+
		"(mat.DenseCopyOf(%[1]s.T())) if it is the other way round", name)
}

// CheckFinite returns an error that wraps ErrNotFinite unless all values are finite.
func CheckFinite(x *mat.Dense) error {
	if i, t, isFound := NotFinite(x); isFound {
		return fmt.Errorf("signal %d has the value %g at position %d: %w", i+1, x.At(i, t), t+1,
			ErrNotFinite)
	}
	return nil
}

// NotFinite returns the place of the first value of x that is NaN or infinite, if there is one.
func NotFinite(x *mat.Dense) (i, t int, isFound bool) {
	d, _ := x.Dims()
	for i := range d {
		for t, v := range x.RawRowView(i) {
			if !Finite(v) {
				return i, t, true
			}
		}
	}
	return 0, 0, false
}

// Finite reports whether v is neither NaN nor infinite.
func Finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Positive reports whether v is finite and above 0.
func Positive(v float64) bool { return v > 0 && Finite(v) }

// RMS returns the root mean square of all values.
func RMS(x *mat.Dense) float64 {
	return mat.Norm(x, 2) / math.Sqrt(float64(len(x.RawMatrix().Data)))
}

// MaxAbs returns the largest absolute value.
func MaxAbs(x *mat.Dense) float64 { return max(mat.Max(x), -mat.Min(x)) }

// Added returns x with sign·constants[i] added to signal i.
func Added(x *mat.Dense, constants []float64, sign float64) *mat.Dense {
	y := mat.DenseCopyOf(x)
	for i, c := range constants {
		floats.AddConst(sign*c, y.RawRowView(i))
	}
	return y
}

// Centred returns x minus the mean of each signal, and the means.
func Centred(x *mat.Dense) (centred *mat.Dense, means []float64) {
	d, _ := x.Dims()
	means = make([]float64, d)
	for i := range means {
		means[i] = stat.Mean(x.RawRowView(i), nil)
	}
	return Added(x, means, -1), means
}

// Columns returns the values of the signals x at the positions, d×len(positions).
func Columns(x *mat.Dense, positions []int) *mat.Dense {
	d, _ := x.Dims()
	selected := mat.NewDense(d, len(positions), nil)
	for i := range d {
		from, to := x.RawRowView(i), selected.RawRowView(i)
		for k, t := range positions {
			to[k] = from[t]
		}
	}
	return selected
}

// WithoutColumns returns x without its columns [begin, end).
func WithoutColumns(x *mat.Dense, begin, end int) *mat.Dense {
	d, n := x.Dims()
	rest := mat.NewDense(d, n-(end-begin), nil)
	for i := range d {
		row := rest.RawRowView(i)
		copy(row, x.RawRowView(i)[:begin])
		copy(row[begin:], x.RawRowView(i)[end:])
	}
	return rest
}
