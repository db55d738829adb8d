package klflow

import (
	"time"

	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Trace is the course of the iterations of a fit, and why it ended.
type Trace struct {
	// Iterations is the number of iterations made. Best is the iteration whose signals are the
	// result; 0 for the signals before the first iteration.
	Iterations int `json:"iterations"`
	Best       int `json:"best"`
	// Loss and Divergence have a value for each iteration; see [Iteration].
	Loss       Curve `json:"loss"`
	Divergence Curve `json:"divergence"`
	// Dependence is the dependence of the result, with Flow.KeepBest.
	Dependence dependence.Dependence `json:"dependence"`
	// Stopped says why the fit ended. Why says in a few sentences what was done and how certain the
	// result is; for a flow alone, what the flow did, such as "made all 25 iterations".
	Stopped Status `json:"stopped"`
	Why     string `json:"why"`
	// Elapsed is the time from the beginning of the fit; with FitRuns, the time of all runs until
	// the end of this run.
	Elapsed time.Duration `json:"elapsed_ns"`
}

// Convergence says how the fit ended, with a warning if the iterations led away.
func (t *Trace) Convergence() ica.Convergence {
	c := ica.Convergence{
		Converged:  t.Stopped == StoppedMethod || t.Stopped == StoppedAsked,
		Iterations: t.Iterations,
	}
	if t.Stopped == StoppedDiverged {
		c.Warning = t.Why
	}
	return c
}
