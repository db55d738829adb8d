package sica

import (
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
)

// Iteration is the state of a separation after the signals have moved j times.
type Iteration struct {
	// J counts from 1.
	J int
	// Loss is the mean training loss of the iteration.
	Loss float64
	// Divergence is the held-out estimate, in nats, of how far the signals
	// were from self-sufficient when the iteration began: 2·log 2 less the
	// classifier's held-out logistic loss, which at the optimum is twice the
	// Jensen–Shannon divergence. NaN where the config measures none.
	Divergence float64
	// Step is the η that was used.
	Step float64
	// Z are the signals after the move, d×T. It must not be changed.
	Z *mat.Dense
	// Elapsed is the time since Fit began.
	Elapsed time.Duration
}

// StopReason says why a fit ended.
type StopReason string

const (
	// StoppedIterations: all iterations were made.
	StoppedIterations StopReason = "iterations"
	// StoppedPlateau: the held-out divergence stopped falling.
	StoppedPlateau StopReason = "plateau"
	// StoppedSettled: the start left no dependence to speak of.
	StoppedSettled StopReason = "settled"
	// StoppedBudget: Config.Budget was used up.
	StoppedBudget StopReason = "budget"
	// StoppedCancelled: the caller's context ended.
	StoppedCancelled StopReason = "cancelled"
	// StoppedDiverged: the held-out divergence or the signals' size grew beyond
	// doubt, iteration after iteration. Z is of before.
	StoppedDiverged StopReason = "diverged"
	// StoppedCheckpoint: Config.Checkpoint couldn't be written.
	StoppedCheckpoint StopReason = "checkpoint"
	// StoppedNotFinite: a loss or a signal became NaN or infinite.
	StoppedNotFinite StopReason = "not finite"
)

// Result is what a fit found.
type Result struct {
	// Z are the recovered signals, d×T, in the order and sign that the flow
	// left them in.
	Z *mat.Dense
	// Loss and Divergence hold one value an iteration made; see Iteration.
	Loss, Divergence []float64
	// Iterations is the number of iterations made and Best the one that Z is
	// of, 0 for the start.
	Iterations, Best int
	// Stopped says why the fit ended and Why explains it in a sentence.
	Stopped StopReason
	Why     string

	// Initial are the signals that the flow began with, d×T: Z, if none of its
	// iterates was better. Start is how they came from the mixed signals, and
	// Rotated whether they were rotated then.
	Initial *mat.Dense
	Start   []Transform
	Rotated bool
	// Candidates are the starts that were compared, in order.
	Candidates []Candidate
	// Dependence is that of Z, where the config leaves the start to the data.
	Dependence Dependence

	Config  Config
	Seed    uint64
	Backend string // its compute.Backend.Name
	Elapsed time.Duration
	// Versions are those of what the fit was made with, by name: "go", this
	// module and the libraries that compute.
	Versions map[string]string

	flow    []stage         // that made Z; nil unless Fit or Load made the result
	shape   []int           // of the positions
	backend compute.Backend // nil for pure Go
}
