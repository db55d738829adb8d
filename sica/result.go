package sica

import (
	"slices"
	"time"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
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
	// Step is the η that was used: less than the config's where MaxMove cut the move.
	Step float64
	// Z are the signals after the move, d×T. It must not be changed.
	Z *mat.Dense
	// Elapsed is the time since Fit began.
	Elapsed time.Duration
}

// Status says why a fit ended.
type Status string

const (
	// StoppedIterations: all iterations were made.
	StoppedIterations Status = "iterations"
	// StoppedPlateau: the held-out divergence stopped falling.
	StoppedPlateau Status = "plateau"
	// StoppedStart: the config makes no iterations, and the start is the result.
	StoppedStart Status = "start"
	// StoppedAsked: Running.Stop said so.
	StoppedAsked Status = "asked"
	// StoppedBudget: Running.Budget was used up.
	StoppedBudget Status = "budget"
	// StoppedCancelled: the caller's context ended.
	StoppedCancelled Status = "cancelled"
	// StoppedDiverged: the held-out divergence or the signals' size grew beyond
	// doubt, iteration after iteration. Z is of before.
	StoppedDiverged Status = "diverged"
	// StoppedCheckpoint: Running.Checkpoint couldn't be written.
	StoppedCheckpoint Status = "checkpoint"
	// StoppedNotFinite: a loss or a signal became NaN or infinite, or the signals so alike
	// or so still that no next iterate could be computed.
	StoppedNotFinite Status = "not finite"
)

// A Curve has a value for each iteration, NaN where none was measured. JSON has null
// for what isn't finite.
type Curve = signal.Curve

// A Summary is all of a Result but its signals and maps.
type Summary struct {
	// Shape is that of the positions.
	Shape []int `json:"shape"`
	// Iterations is the number of iterations made and Best the one that Z is
	// of, 0 for the start.
	Iterations int `json:"iterations"`
	Best       int `json:"best"`
	// Loss and Divergence hold one value an iteration made; see Iteration.
	Loss       Curve `json:"loss"`
	Divergence Curve `json:"divergence"`
	// Stopped says why the fit ended and Why explains it in a sentence.
	Stopped Status `json:"stopped"`
	Why     string `json:"why"`

	// Prepared is whether Preparation.Prepare came first.
	Prepared bool `json:"prepared,omitempty"`
	// Start are the transforms that led from there to Initial, and Rule what came after
	// them.
	Start []preprocess.Transform `json:"start"`
	Rule  Rule                   `json:"rule,omitempty"`
	// Candidates are the starts that were compared, in order.
	Candidates []Candidate `json:"candidates"`
	// Linear is what the data say about the linear rule's demixing, which pairs of
	// signals they tell apart among it; nil if Rule isn't LinearRule. Its pairs and
	// errors are of Initial's signals.
	Linear *linear.Findings `json:"linear,omitempty"`
	// Network is what they say about a network's signals; nil if Rule isn't
	// NetworkRule.
	Network *Network `json:"network,omitempty"`
	// Outliers are the positions, from 0, in the signals of the fit, of what was taken for
	// accidents, so that Rule learned nothing from it: of sequences, what moves their
	// covariance by more than chance and is in one channel only or alone in its direction.
	// Z has them all the same.
	Outliers []int `json:"outliers,omitempty"`
	// Dependence is that of Z, where the config keeps the best iterate.
	Dependence dependence.Dependence `json:"dependence"`

	// Channels are the names of the mixed signals, nil unless who made the fit set them:
	// Fit doesn't know them, Save keeps them.
	Channels []string `json:"channels,omitempty"`

	Config Config `json:"config"`
	// Own are the names of Config's functions that had a part in the fit: Starts, Network,
	// NewOptimizer and Stop. Save doesn't keep them; see Result.Missing.
	Own     []string      `json:"own,omitempty"`
	Seed    uint64        `json:"seed"`
	Backend string        `json:"backend"` // its compute.Backend.Name
	Elapsed time.Duration `json:"elapsed_ns"`
	// Versions are those of what the fit was made with, by name: "go", this
	// module and the libraries that compute.
	Versions map[string]string `json:"versions"`
}

// Result is what a fit found. In JSON it is its Summary: signals and maps, which would
// be long there, are kept by Save.
type Result struct {
	// Z are the recovered signals, d×T, in the order and sign that the flow
	// left them in.
	Z *mat.Dense `json:"-"`
	// Initial are the signals that the flow began with, d×T: Z, if none of its
	// iterates was better.
	Initial *mat.Dense `json:"-"`
	Summary

	flow    iterate.Chain   // that made Z; nil unless Fit or Load made the result
	backend compute.Backend // nil for pure Go
}

// Missing are the names of those functions of the fit that Config lacks, as in a result that
// was loaded: a fit by it would be another one. Set them to make it again.
func (r *Result) Missing() []string {
	set := r.Config.own()
	return slices.DeleteFunc(slices.Clone(r.Own), func(name string) bool { return slices.Contains(set, name) })
}

// own are the names of the caller's functions in the settings, as far as these use them.
func (c Config) own() []string {
	var names []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"Starts", len(c.Starts) > 0},
		{"Network", c.Network != nil && c.Iterations > 0},
		{"NewOptimizer", c.NewOptimizer != nil && c.Iterations > 0},
		{"Stop", c.Stop != nil && c.Iterations > 0},
	} {
		if f.set {
			names = append(names, f.name)
		}
	}
	return names
}
