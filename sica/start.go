package sica

import (
	"context"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/sica/start"
)

// Rule is how signals are separated before the first iteration, by the fewest nats
// that describe them.
type Rule = start.Rule

const (
	// NoRule leaves the signals as Preparation.Start left them.
	NoRule = start.NoRule
	// LinearRule takes the linear demixing of least description length, or symmetric
	// whitening if nothing speaks for another; see linear.Separate.
	LinearRule = start.LinearRule
	// NetworkRule takes the invertible network, on whitened signals, of least
	// description length: SICA's criterion minimised itself, which undoes nonlinear
	// mixings of signals whose own pasts predict them (docs/nonlinear.md).
	NetworkRule = start.NetworkRule
	// AnyRule is LinearRule and, where that leaves a sign of a nonlinear mixing of at
	// most eight sequences, whichever describes the mixed signals in the fewest nats:
	// that, a conditional normalisation (preprocess.Conditional), or networks on either.
	AnyRule = start.AnyRule
)

// Candidate is a start that a fit considered: transforms and a rule, with the nats that
// describe the mixed signals by it; see start.Candidate for its fields.
type Candidate = start.Candidate

// Network is what the data say about the signals of an invertible network; see
// start.Network for its fields.
type Network = start.Network

// Difference is one of code lengths, in nats a position: its Mean and standard error SE.
type Difference = start.Difference

// startOf is what the run at a place begins with.
func (c Config) startOf(ctx context.Context, backend compute.Backend, place int, run Run, shape []int) (start.Start, error) {
	o := start.Options{Transforms: c.Start, Rule: c.Rule, Own: c.Starts, NetworkSteps: c.NetworkSteps, Shape: shape, Seed: run.Seed}
	if c.OnStart != nil {
		o.OnProgress = func(doing string, done float64) { c.OnStart(place, doing, done) }
	}
	return start.Choose(ctx, backend, run.X, o)
}
