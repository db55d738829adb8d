package klflow

import (
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"
)

// Iteration is the state of a separation after the signals have moved J times.
type Iteration struct {
	// J is the number of the iteration, from 1.
	J int
	// Loss is the mean training loss of the iteration.
	Loss float64
	// Divergence is the held-out estimate, in nats, of how far the signals were from
	// self-sufficient when the iteration began: 2·log 2 minus the held-out logistic loss of the
	// classifier, at the optimum twice the Jensen–Shannon divergence. It is NaN without folds.
	Divergence float64
	// Step is the step size η: the value from the settings, or less if MaxMove shortened the move.
	Step float64
	// Z are the signals after the move, d×n. They must not be changed.
	Z *mat.Dense
	// Elapsed is the time since the fit began.
	Elapsed time.Duration
}

// Status says why a fit ended.
type Status string

const (
	// StoppedMethod: there are no iterations; the signals of the method are the result.
	StoppedMethod Status = "method"
	// StoppedIterations: all iterations were made.
	StoppedIterations Status = "iterations"
	// StoppedAsked: Config.Stop returned true.
	StoppedAsked Status = "asked"
	// StoppedBudget: Config.Budget was used up.
	StoppedBudget Status = "budget"
	// StoppedCancelled: the caller's context ended.
	StoppedCancelled Status = "cancelled"
	// StoppedDiverged: the held-out divergence or the size of the signals grew, iteration after
	// iteration. The result is the last iterate before the growth.
	StoppedDiverged Status = "diverged"
	// StoppedCheckpoint: the checkpoint couldn't be written.
	StoppedCheckpoint Status = "checkpoint"
	// StoppedNotFinite: a loss or a signal became NaN or infinite, or the signals became
	// nearly collinear or constant.
	StoppedNotFinite Status = "not finite"
)

// Divergence measures how far signals are from self-sufficient, in nats per position; see
// sica.EstimateDivergence.
//
// Conditional is about 0 if SICA's criterion holds (paper, equation sica), even for sources that
// depend on each other through their contexts. It isn't a mutual information, and may be smaller
// for more dependent signals. Joint and Context are twice a Jensen–Shannon divergence, at most
// 2·log 2 = 1.39, whereas SICA minimises a Kullback–Leibler divergence; both divergences are 0 for
// the same signals. Each is estimated as 2·log 2 minus the held-out logistic loss of a classifier.
type Divergence struct {
	// Joint is the divergence of (z_t, contexts) from independent signals.
	Joint float64 `json:"joint"`
	// Context is the divergence of the contexts alone.
	Context float64 `json:"context"`
	// Conditional is Joint − Context, at least 0.
	Conditional float64 `json:"conditional"`
	// Influence has the contribution of each position to Joint − Context, which is their mean.
	Influence []float64 `json:"-"`
}

// String returns the divergences in nats per position, without Influence.
func (d Divergence) String() string {
	return fmt.Sprintf("%.4f nats per position (joint %.4f, contexts %.4f)", d.Conditional, d.Joint,
		d.Context)
}
