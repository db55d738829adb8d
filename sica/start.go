package sica

import (
	"context"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/compute"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Rule is how signals are separated before the first iteration, by the fewest nats
// that describe them.
type Rule string

const (
	// NoRule leaves the signals as Preparation.Start left them.
	NoRule Rule = ""
	// LinearRule takes the linear demixing of least description length, or symmetric
	// whitening if nothing speaks for another; see linear.Separate.
	LinearRule Rule = "linear"
	// NetworkRule takes the invertible network, on whitened signals, of least
	// description length: SICA's criterion minimised itself, which undoes nonlinear
	// mixings of signals whose own pasts predict them (docs/nonlinear.md).
	NetworkRule Rule = "network"
	// AnyRule is LinearRule and, where that leaves a sign of a nonlinear mixing of at
	// most eight sequences, whichever describes the mixed signals in the fewest nats: that, a conditional
	// normalisation (preprocess.Conditional), or networks on either.
	AnyRule Rule = "any"
)

var rules = []Rule{NoRule, LinearRule, NetworkRule, AnyRule}

// Candidate is a start that a fit considered.
type Candidate struct {
	Start []preprocess.Transform `json:"start"`
	// Rule is what came after the transforms.
	Rule Rule `json:"rule,omitempty"`
	// CodeLength is that of the mixed signals at positions held out, in nats a position,
	// and Longer by how much it is more than the shortest; both are 0 if nothing was
	// compared.
	CodeLength float64    `json:"code_length"`
	Longer     Difference `json:"longer"`
	// Failed says why the start gave no signals, if it didn't.
	Failed string `json:"failed,omitempty"`
}

// String names the start.
func (c Candidate) String() string {
	var names []string
	for _, t := range c.Start {
		names = append(names, string(t))
	}
	if c.Rule != NoRule {
		names = append(names, string(c.Rule)+" rule")
	}
	if names == nil {
		return "as given"
	}
	return strings.Join(names, ", ")
}

// choice is the start of a run.
type choice struct {
	z          *mat.Dense
	maps       []preprocess.Map // that made z
	taken      Candidate
	candidates []Candidate
	findings   *linear.Findings // of LinearRule
	network    *Network         // of NetworkRule
	why        string           // "" without a rule
}

// start is what the run begins with. If ctx ends, that is whitening, or as far as the
// rule had come.
func (c Config) start(ctx context.Context, backend compute.Backend, place int, run Run, g *grid.Grid) (choice, error) {
	switch c.Rule {
	case NoRule:
		z, maps, start, err := preprocess.Begin(ctx, run.X, c.Start)
		return choice{z: z, maps: maps, taken: Candidate{Start: start}}, err
	case NetworkRule:
		return c.network(ctx, backend, place, run, g)
	}
	white, err := c.whiten(ctx, run)
	if err != nil {
		return choice{}, err
	}
	demixed, err := c.demix(ctx, place, run, g, white)
	if err == nil && ctx.Err() == nil && len(c.Starts) > 0 {
		var own bool
		if demixed, own, err = c.orOwn(ctx, place, run, g, white, demixed); own {
			return demixed, err
		}
	}
	if err != nil || c.Rule == LinearRule || ctx.Err() != nil {
		return demixed, err
	}
	return c.orNetwork(ctx, backend, place, run, g, white, demixed)
}

// whiten is the start of every rule.
func (c Config) whiten(ctx context.Context, run Run) (choice, error) {
	z, maps, start, err := preprocess.Begin(ctx, run.X, append(slices.Clone(c.Start), preprocess.ZCA))
	return choice{z: z, maps: maps, taken: Candidate{Start: start}}, err
}

// demix is the start by the linear rule. It is given the signals before they are
// whitened, as its symmetric form is one of them.
func (c Config) demix(ctx context.Context, place int, run Run, g *grid.Grid, white choice) (choice, error) {
	if c.OnStart != nil {
		c.OnStart(place, "separating linearly", 0)
	}
	x, err := follow(run.X, white.maps[:len(white.maps)-1])
	if err != nil {
		return choice{}, err
	}
	found, err := linear.Separate(ctx, x, linear.Options{Shape: g.Shape(), Seed: run.Seed})
	if ctx.Err() != nil {
		return white, nil
	}
	if err != nil {
		return choice{}, err
	}
	turn := preprocess.LinearMap(found.FromWhite, make([]float64, len(found.Mean)))
	z, err := turn.Apply(white.z)
	if err != nil {
		return choice{}, err
	}
	taken := Candidate{Start: white.taken.Start, Rule: LinearRule}
	maps := append(slices.Clone(white.maps), turn)
	return choice{z: z, maps: maps, taken: taken, candidates: []Candidate{taken}, findings: &found.Findings, why: found.Why}, nil
}
