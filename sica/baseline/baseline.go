// Package baseline is the methods that SICA is compared with, behind one
// interface. Each method is a package in this folder: fastica, lica, pcl, ivae,
// sobi, jade, picard and zca. The settings of a method are the Method itself, such
// as a fastica.Config. SICA itself is one too: sica.Method.
//
// Signals are matrices of d rows × T columns: a row is a signal, a column a
// position.
package baseline

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// A Method separates mixed signals. It is its settings and its seed, so that the
// same signals give the same Model each time.
type Method interface {
	// Name is short, in lower case and without spaces, such as "fastica". It
	// names files and table rows.
	Name() string

	// Fit separates the mixed signals x, d×T, which it doesn't change. It is
	// an error if CheckSignals finds one in x, if a setting doesn't suit x, or
	// if the result isn't finite; and ctx.Err(), wrapped, once ctx has ended.
	// Not having converged is no error: see Model.Convergence.
	Fit(ctx context.Context, x *mat.Dense) (Model, error)
}

// A Model is what a Method has learned from mixed signals.
type Model interface {
	// Signals returns the signals recovered from those that Fit was given,
	// d×T. It isn't a copy.
	Signals() *mat.Dense

	// Transform returns the recovered signals at other positions of the mixed
	// signals x, d×n, of any n from 1 on. It doesn't change x.
	Transform(x *mat.Dense) (*mat.Dense, error)

	// InverseTransform returns the mixed signals, d×n, whose recovered signals
	// are z, d×n. The error wraps preprocess.ErrNotInvertible if the method learns no
	// inverse. It doesn't change z.
	InverseTransform(z *mat.Dense) (*mat.Dense, error)

	// Convergence says how the fit ended.
	Convergence() Convergence
}

// Convergence says how a fit ended.
type Convergence struct {
	// Converged is true if the method's own rule ended the fit, not the most
	// iterations that it was allowed. It is true too for a method that doesn't
	// iterate.
	Converged bool `json:"converged"`

	// Iterations is how many there were, of what the method counts; 0 for one
	// that doesn't iterate.
	Iterations int `json:"iterations"`

	// Warning says what is wrong with the fit and what to do about it. It is
	// empty if nothing is.
	Warning string `json:"warning,omitempty"`
}

// ErrNotFinite is wrapped by the error of a fit whose loss became NaN or infinite. It
// is that of package sica.
var ErrNotFinite = signal.ErrNotFinite
