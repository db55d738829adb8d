// Package ica has what all methods of independent component analysis share: the mixed signals
// that they fit, the interface that they implement and the model that they return.
//
// The names to know are Method, Signals and Model:
//
//	x, err := ica.New(mixed)                    // checks the signals, d×n
//	model, err := fastica.Default().Fit(ctx, x) // fits any number of methods
//	z := model.Signals                          // the recovered signals, d×n
//
// Separate is both calls for a single method.
//
// The methods of this module are the linear rule (package linear), the rivals (the packages
// below baseline) and sica.AsMethod, which makes a method of any sica.Config: sica.Default
// compares candidates by code length, sica.Direct fits an invertible network. A custom method is
// any type with Name and Fit.
//
// Signals are matrices of d rows × n columns: a row is a signal, a column a position.
//
// Reference: A. Hyvärinen, J. Karhunen and E. Oja, Independent Component Analysis, Wiley, 2001.
package ica

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// ErrSignals is wrapped by the errors of New, Separate, Transform and InverseTransform for signals
// that can't be separated or mapped. It is the same error as sica.ErrSignals. Whitening
// wraps it for linearly dependent signals, and so do methods that whiten.
var ErrSignals = signal.ErrSignals

// ErrConfig is wrapped by the error for a setting of a method that is out of range. It is the same
// error as sica.ErrConfig.
var ErrConfig = errors.New("a setting is out of range")

// A Method separates mixed signals. Its value holds all settings, including the seed, so the same
// signals give the same Model each time.
type Method interface {
	// Name returns a short name in lower case without spaces, such as "fastica"; sica.Fit refuses
	// other names. Errors begin with the name, and sica.Candidate.Name is the name.
	Name() string

	// Fit separates the mixed signals x without changing them. It is an error if a setting doesn't
	// suit x or if the result isn't finite. If ctx ends, Fit returns no model and an error that
	// wraps ctx.Err(). Not having converged is no error: see Model.Convergence.
	Fit(ctx context.Context, x *Signals) (*Model, error)
}

// Separate checks the mixed signals x, d×n, and fits the method m to them. It combines New,
// Method.Fit and Model.Validate, and returns their errors. To fit several methods to the same
// signals, call New once, so that the signals are checked and whitened once.
func Separate(ctx context.Context, m Method, x *mat.Dense, shape ...int) (*Model, error) {
	if m == nil {
		return nil, errors.New("ica: separate: m is nil; must be a method")
	}
	signals, err := New(x, shape...)
	if err != nil {
		return nil, err
	}
	model, err := m.Fit(ctx, signals)
	if err == nil {
		err = model.Validate()
	}
	if err != nil {
		return nil, err
	}
	return model, nil
}

// A Model is what a Method has learned from mixed signals.
type Model struct {
	// Signals are the signals recovered from those of the fit, d×n.
	Signals *mat.Dense
	// Map maps mixed signals to recovered signals. Its Invert returns an error that wraps
	// preprocess.ErrNotInvertible if the method learns no inverse.
	Map preprocess.Map
	// Convergence says how the fit ended.
	Convergence Convergence
	// Why says in at most three sentences what was done and how certain the result is; it may be
	// empty.
	Why string
	// Details has a type specific to the method, such as *lica.Details; it may be nil.
	Details any
}

// Validate returns an error if m, its Signals or its Map is nil. A Method that returns no error
// must set them.
func (m *Model) Validate() error {
	switch {
	case m == nil:
		return errors.New("ica: the model is nil; must be set if there is no error")
	case m.Signals == nil:
		return errors.New("ica: Model.Signals is nil; must be the recovered signals")
	case m.Map == nil:
		return errors.New("ica: Model.Map is nil; must be one, such as Demix makes")
	}
	return nil
}

// Convergence says how a fit ended. A method that doesn't iterate returns Convergence{Converged:
// true}; the zero value means that the fit didn't converge. "sica compare" shows the Convergence
// but accepts any model.
type Convergence struct {
	// Converged is whether the method's own criterion ended the fit, not the maximum number
	// of iterations.
	Converged bool `json:"converged"`
	// Iterations is the number of iterations made; 0 for a method that has none, such as the linear
	// rule or sica.AsMethod without a Flow.
	Iterations int `json:"iterations"`
	// Warning says what is wrong with the fit and what to do about it; empty if nothing is.
	Warning string `json:"warning,omitempty"`
}

// ErrNotFinite is wrapped by the error of a fit whose loss became NaN or infinite.
var ErrNotFinite = signal.ErrNotFinite

// Demix returns the linear model with the recovered signals z = w·White, where w is d×d and White
// is that of x.Whitening. It is an error if x can't be whitened or if w isn't d×d.
func Demix(x *Signals, w mat.Matrix, c Convergence) (*Model, error) {
	if dense, ok := w.(*mat.Dense); w == nil || ok && dense == nil {
		return nil, errors.New("ica: demix: w is nil; must be a d×d matrix")
	}
	white, err := x.Whitening()
	if err != nil {
		return nil, err
	}
	d, _ := x.Dims()
	if rows, columns := w.Dims(); rows != d || columns != d {
		return nil, fmt.Errorf("ica: demix: w is %d×%d; must be %d×%d", rows, columns, d, d)
	}
	var unmixing, z mat.Dense
	unmixing.Mul(w, white.Matrix)
	z.Mul(w, white.White)
	return &Model{
		Signals:     &z,
		Map:         preprocess.LinearMap(&unmixing, white.Mean),
		Convergence: c,
	}, nil
}

// Transform returns the recovered signals, d×m, for other mixed signals x, d×m with m ≥ 1, without
// changing x. It is an error if the number of signals differs from that of the fit or if a value
// isn't finite.
//
// If the Map has a method Channels() int, as after a fit with fewer components, x must have that
// number of signals.
func (m *Model) Transform(x *mat.Dense) (*mat.Dense, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	channels, _ := m.Signals.Dims()
	if c, ok := m.Map.(interface{ Channels() int }); ok {
		channels = c.Channels()
	}
	return apply("transform", "x", x, channels, m.Map.Apply)
}

// InverseTransform returns the mixed signals, d×m, whose recovered signals are z, d×m. It returns
// the errors of Transform, and an error that wraps preprocess.ErrNotInvertible if the method learns
// no inverse.
func (m *Model) InverseTransform(z *mat.Dense) (*mat.Dense, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	d, _ := m.Signals.Dims()
	return apply("inverse transform", "z", z, d, m.Map.Invert)
}

// apply maps d signals x by f, and checks them before and after. operation and argument are names
// for errors.
func apply(
	operation, argument string, x *mat.Dense, d int, f func(*mat.Dense) (*mat.Dense, error),
) (*mat.Dense, error) {
	err := signal.AsErrSignals(signal.CheckNew(argument, x, d))
	var y *mat.Dense
	if err == nil {
		y, err = f(x)
	}
	if err == nil {
		err = signal.CheckFinite(y)
	}
	if err != nil {
		return nil, fmt.Errorf("ica: %s: %w", operation, err)
	}
	return y, nil
}
