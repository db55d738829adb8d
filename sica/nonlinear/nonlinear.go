// Package nonlinear has the findings of sica.Fit about a separation by invertible networks: whether
// the data identify the signals, and by how much one code is shorter than another. It is the
// counterpart of linear.Findings:
//
//	result, err := sica.Fit(ctx, x, sica.Default())
//	if f := result.Network; f != nil && f.Identified {
//		fmt.Println("a nonlinear mixture; the sources came back")
//	}
//
// Code lengths are negative log-likelihoods in nats per position, at positions that the networks
// weren't trained on.
package nonlinear

import (
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// MinAgreement is the least agreement of two models that recovered the same signals. A pair rotated
// by 18° has this agreement. It is a choice: two models whose signals correlate by 0.975 with the
// sources agree by about as much.
const MinAgreement = 0.95

// Findings are what the data say about the signals of an invertible network.
type Findings struct {
	// Identified is whether the data identify the signals as the sources: each is predicted by its
	// own past, each pair would have a longer code if rotated, and other networks recovered the
	// same signals.
	Identified bool `json:"identified"`
	// Agreement is the smallest agreement with the signals of other runs, and Agreeing the number
	// of these: the runs in the fold of the chosen run whose code isn't significantly longer, and
	// the best run of each other fold. The agreement of two runs is the mean of the two smallest
	// absolute correlations of their matched signals: cos θ if one pair is rotated by θ.
	// Unidentified rotations are first rotated, in all runs, as near to the whitened signals as
	// possible.
	Agreement float64 `json:"agreement"`
	Agreeing  int     `json:"agreeing"`
	// PastGain is, for each signal, the reduction of its code length by its own past, at the
	// held-out positions of all folds, before the Groups were rotated. A signal without a
	// significant gain can't be identified after a nonlinear mixing.
	PastGain []Difference `json:"past_gain"`
	// Groups are groups of signals whose rotation among themselves the data don't identify. They
	// were rotated as near to the whitened signals as possible.
	Groups [][]int `json:"groups"`
	// OverWhitening is the excess code length of the whitened signals at the held-out positions of
	// the chosen run, less the cost of choosing among runs and steps.
	OverWhitening Difference `json:"over_whitening"`
	// HeldOut is the code length of the whitened signals at the held-out positions during training,
	// in nats per position, at step 0 and every 50 steps. With more than eight signals it is
	// measured after every fiftieth of the steps, at least 50 steps apart, and at the end of each
	// stage.
	HeldOut klflow.Curve `json:"held_out"`
}

// Unpredicted returns the signals, counted from 0, whose PastGain isn't significant. Such a signal
// may be a function of its source that varies with other sources, which the data can't reveal.
func (f *Findings) Unpredicted() []int {
	var signals []int
	for i, g := range f.PastGain {
		if !g.Significant() {
			signals = append(signals, i)
		}
	}
	return signals
}

// Reproduced reports whether there are Agreeing runs, and all recovered the same signals, with an
// Agreement of at least MinAgreement.
func (f *Findings) Reproduced() bool { return f.Agreeing > 0 && f.Agreement >= MinAgreement }

// A Difference is a mean difference of code lengths in nats per position, with its standard
// error.
type Difference struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

// A Score is the code length of a separation, compared with others.
type Score struct {
	// Compared is whether CodeLength and Excess were measured; they are 0 otherwise.
	Compared bool `json:"compared"`
	// CodeLength is the code length of the mixed signals in nats per position, including the
	// log-Jacobian, at held-out positions: two folds of a fifth of all positions each, the same for
	// all separations. For a network it includes the cost of its choice among restarts and steps.
	CodeLength float64 `json:"code_length"`
	// Excess is the excess over the shortest code, in nats per position, with a standard error from
	// blocks of positions. It omits positions that don't fill a block, so it isn't exactly the
	// difference of the CodeLengths, and can be negative. Custom methods are first compared with
	// the linear rule alone.
	Excess Difference `json:"excess"`
}

// significance is the number of standard errors by which a significant difference exceeds 0: with
// normal errors, chance does so once in a thousand. With half as many it is once in 15; twice as
// many require four times the positions.
const significance = 3

// Significant reports whether the difference is more than three standard errors above 0.
func (d Difference) Significant() bool { return d.Mean > significance*d.SE }
