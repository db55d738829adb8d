// Package dependence measures how far signals are from self-sufficient, without networks and
// without the true sources: by the dependence of two signals at a position, given the neighbours of
// each. A small dependence doesn't prove that the signals are the sources: see Measure.
package dependence

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/pairwise"
)

// Dependence is the dependence of two signals at a position, given the neighbours of each. It is a
// sum of squared correlations of bounded features, without unit, minus the same sum for signals
// shifted against each other. It is about 0 for self-sufficient signals and some tenths for clearly
// dependent ones; for the coordinates of points on a ring it is about 2.
type Dependence struct {
	// Residuals is the dependence between the prediction residuals of the two signals.
	Residuals float64 `json:"residuals"`
	// Contexts is the dependence between the residual of one signal and the prediction of the
	// other, both ways.
	Contexts float64 `json:"contexts"`
}

// Total returns Residuals + Contexts.
func (d Dependence) Total() float64 { return d.Residuals + d.Contexts }

// String returns the total and its parts, to three decimals.
func (d Dependence) String() string {
	return fmt.Sprintf("%.3f (residuals %.3f, contexts %.3f)", d.Total(), d.Residuals, d.Contexts)
}

// MinPositions is the minimum number of positions: four for each block of the jackknife of Measure.
const MinPositions = 64

// Measure returns the dependence of the most dependent pair of the signals z, d×n, with a position
// index of the given shape (none for a sequence). It is for white signals: correlation at a
// position isn't counted, so two signals that are copies of each other up to noise give about 0.
// For signals that may be correlated use sica.EstimateDivergence.
//
// The result is about 0 if white signals are self-sufficient: p(z_t | contexts) = Π_i p(z_i,t | own
// context). The same z gives the same result. Measure trains no network and takes 35 to 90 ms of
// one core for 8 signals at 4096 positions.
//
// A wrong demixing of coloured signals can give about 0, too. So Measure can't test whether a saved
// separation still fits a new window; docs/how-to/save-stop-resume.md has such a test.
//
// Each signal is predicted from its own neighbours by ridge regression. If the signals are
// self-sufficient, the residual of a signal is independent of the predictions of the others, and
// the whitened residuals are independent of each other. Residuals and predictions are mapped to
// normal quantiles u, and the features sin u, cos u, sin 2u and cos 2u are correlated. These
// frequencies of the characteristic function also detect nonlinear dependence, and are robust to
// outliers. The result is the minimum over a jackknife that leaves out a sixteenth of the positions
// at a time.
//
// If the residual of every signal is below a tenth of the signal, every mixture is as predictable,
// and the criterion doesn't distinguish mixtures. Then the signals themselves replace their
// residuals.
//
// It is an error if z has fewer than two signals or 64 positions, or if signals are constant or
// linearly dependent.
func Measure(z *mat.Dense, shape ...int) (Dependence, error) {
	d, err := measure(z, shape)
	if err != nil {
		return Dependence{}, fmt.Errorf("dependence: %w", err)
	}
	return d, nil
}

func measure(z *mat.Dense, shape []int) (Dependence, error) {
	if err := pairwise.Check(z); err != nil {
		return Dependence{}, err
	}
	_, n := z.Dims()
	if n < MinPositions {
		return Dependence{}, fmt.Errorf("z: has %d positions; must have at least %d", n, MinPositions)
	}
	g, err := grid.New(shape, n)
	if err != nil {
		return Dependence{}, fmt.Errorf("shape: %w", err)
	}
	analysis, err := pairwise.Analyse(context.Background(), z, g)
	if err != nil {
		return Dependence{}, err
	}
	worst, err := analysis.Worst(context.Background(), pairwise.JackknifeBlocks)
	return Dependence(worst.Dependence), err
}
