package start

import (
	"strings"

	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// Rule is how signals are separated before the first iteration, by the fewest nats
// that describe them.
type Rule string

const (
	// NoRule leaves the signals as the transforms left them.
	NoRule Rule = ""
	// LinearRule takes the linear demixing of least description length, or symmetric
	// whitening if nothing speaks for another; see linear.Separate.
	LinearRule Rule = "linear"
	// NetworkRule takes the invertible network, on whitened signals, of least
	// description length: SICA's criterion minimised itself, which undoes nonlinear
	// mixings of signals whose own pasts predict them (docs/nonlinear.md).
	NetworkRule Rule = "network"
	// AnyRule is LinearRule and, where that leaves a sign of a nonlinear mixing of at
	// most eight sequences, whichever describes the mixed signals in the fewest nats:
	// that, a conditional normalisation (preprocess.Conditional), or networks on either.
	AnyRule Rule = "any"
)

// Rules are those that there are.
var Rules = []Rule{NoRule, LinearRule, NetworkRule, AnyRule}

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
