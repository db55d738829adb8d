package network

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
)

// A Model is the result of Fit: the network with the shortest code, and what the data say about its
// signals. Code lengths, the negatives of log-likelihoods, are in nats per position. The code
// length of a network that was chosen among others by held-out positions includes the cost of the
// choice (see chargeChoice).
type Model struct {
	// Map maps the mixed signals to the recovered ones, which have mean 0 and variance 1 at the
	// positions of the fit.
	Map *mapping.Invertible
	// runs are all restarts on all folds. chosen is the index of the run whose network is in Map.
	runs   []fittedRun
	chosen int
	// CodeLength is the code length of x at the held-out positions of the chosen run, including the
	// log-Jacobian term but not the cost of the choice.
	CodeLength float64

	nonlinear.Findings

	// likelihoods are, for each fold, the log-likelihoods of x under the fold's best run at its
	// held-out positions, including the cost of the choice among restarts and steps.
	likelihoods []likelihoods
}

// A fittedRun is one restart on one fold.
type fittedRun struct {
	record
	fold int
	// overWhitening is the gain over the code of the whitened signals, in nats per position, at the
	// held-out positions.
	overWhitening float64
	z             *mat.Dense // the recovered signals, d×n
	logDet        []float64  // log-determinants of its network at the held-out positions
}

// known reports whether the model's signals are the sources, as far as the data say, up to
// rotations that aren't identified: each is predictable from its own past, and other runs recovered
// the same signals.
func (m *Model) known() bool { return len(m.Unpredicted()) == 0 && m.Reproduced() }

// Why returns a sentence about the evidence for the model.
func (m *Model) Why() string {
	if signals := m.Unpredicted(); len(signals) > 0 {
		name := text.Signals(signals[:1])
		if len(m.Groups) > 0 {
			name = "one of them, before their rotation,"
		}
		gain := m.PastGain[signals[0]]
		return fmt.Sprintf("Its signals aren't identified: the code of %s isn't significantly shorter "+
			"with its own past (by %.3f ± %.3f nats per position; it takes three standard errors).",
			name, gain.Mean, gain.SE)
	}
	if len(m.Groups) > 0 {
		return fmt.Sprintf("The rotation of signals %s is not identified by the data; the one "+
			"nearest to the whitened signals was kept.", text.Groups(m.Groups))
	}
	switch {
	case m.Agreeing == 0:
		return "No other run is as good, so nothing says that its signals are the only ones."
	case m.Agreement < nonlinear.MinAgreement:
		return fmt.Sprintf("Its signals aren't identified: as good a run recovered others "+
			"(agreement %.2f).", m.Agreement)
	}
	others := "1 other run"
	if m.Agreeing > 1 {
		others = fmt.Sprintf("%d other runs", m.Agreeing)
	}
	return fmt.Sprintf("Its signals are identified: each is predicted by its own past, every pair "+
		"would lose by a rotation, and %s recovered the same (agreement at least %.3f).",
		others, math.Floor(1000*m.Agreement)/1000)
}
