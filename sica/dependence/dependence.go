// Package dependence measures how far signals are from self-sufficient, without networks and
// without the true sources: by the dependence of two signals at a position beyond that of each on
// its own neighbours. A small one doesn't say that the signals are the sources: see Measure.
package dependence

import (
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/dependence"
)

// Dependence is the dependence of two signals at a position, given the neighbours of each. It is a
// sum of squared correlations of bounded features, without unit, minus its value for signals
// shifted against one another. It is about 0 for self-sufficient signals, and some tenths for
// clearly dependent ones; for the coordinates of points on a ring it is about 2. Its fields and methods are
//
//	Residuals float64 // between the residuals of the two signals' predictions
//	Contexts  float64 // between the residual of one and the prediction of the other, both ways
//	Total() float64   // Residuals + Contexts
//	String() string   // all three
type Dependence = dependence.Dependence

// Measure returns the dependence of the most dependent pair of the signals z, d×n, with a position
// index of the given shape (none for a sequence). It is for white signals. Correlation at a
// position isn't counted: two signals that are copies of each other up to noise give about 0. For
// signals that may be correlated use sica.EstimateDivergence.
//
// The result is about 0 if white signals are self-sufficient: p(z_t | contexts) =
// Π_i p(z_i,t | own context). The same z gives the same result. No network is trained. It
// takes 35 to 90 ms of a processor for 8 signals at 4096 positions.
//
// A wrong demixing of coloured signals can give about 0, too. So it is no test of whether a saved
// separation still fits a new window; docs/how-to/save-stop-resume.md has one.
//
// Each signal is predicted from its own neighbours by ridge regression. If the signals are
// self-sufficient, the residual of a signal is independent of the predictions of the others, and
// the whitened residuals are independent of each other. Residuals and predictions are mapped to
// normal quantiles u, and their features sin u, cos u, sin 2u and cos 2u are correlated. These are
// frequencies of the characteristic function, which detect nonlinear dependence too and are robust
// to outliers. The result is the minimum over a jackknife that leaves out a sixteenth of the
// positions at a time.
//
// If the residual of every signal is below a tenth of the signal, every mixture of the signals is
// as predictable, and the criterion doesn't distinguish them. The signals themselves are then
// compared in place of their residuals.
//
// It is an error if z has fewer than two signals or 64 positions, or if signals are constant or
// linearly dependent.
func Measure(z *mat.Dense, shape ...int) (Dependence, error) {
	return dependence.Measure(z, shape...)
}
