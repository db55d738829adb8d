// Package nonlinear has what sica.Fit says of a nonlinear separation by invertible networks: whether
// its signals are the sources as far as the data say, and by how much one code is shorter than
// another. It is to networks what linear.Findings are to the linear rule:
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

// MinAgreement is the agreement from which two models have recovered the same signals. It is that
// of models in which a pair is rotated by 18°, and a choice: two models whose signals correlate by
// 0.975 with the sources agree by about as much.
const MinAgreement = 0.95

// Findings say what the data tell about the signals of an invertible network.
type Findings struct {
	// Identified is whether the signals are the sources, as far as the data say: each is predicted
	// by its own past, each pair would have a longer code if it were rotated, and other networks
	// recovered the same signals.
	Identified bool `json:"identified"`
	// Agreement is the smallest agreement with the signals of other runs, Agreeing of them: of the
	// chosen run's fold those whose code isn't significantly longer, of each other fold the best.
	// The agreement of two runs is the mean of the two smallest absolute correlations of their
	// matched signals. If one pair is rotated by θ it is cos θ. If rotations aren't identified, the
	// signals of all runs are rotated as near to the whitened ones as possible before.
	Agreement float64 `json:"agreement"`
	Agreeing  int     `json:"agreeing"`
	// PastGain is, for each signal, by how much its own past shortens its code at the held-out
	// positions of all folds, before the Groups were rotated. A signal without a significant gain
	// can't be identified after a nonlinear mixing.
	PastGain []Difference `json:"past_gain"`
	// Groups are the signals whose rotations among themselves the data don't identify. They are
	// rotated as near to the whitened signals as possible.
	Groups [][]int `json:"groups"`
	// OverWhitening is by how much the code of the whitened signals is longer at the held-out
	// positions of the chosen run. It includes the cost of the choice among the runs and steps.
	OverWhitening Difference `json:"over_whitening"`
	// HeldOut is the code length at the held-out positions during training, in nats per position of
	// the whitened signals: at step 0 and every 50 steps. Of more than eight signals it is that of
	// every fiftieth of the steps, at least 50 steps apart, and of the end of each stage.
	HeldOut klflow.Curve `json:"held_out"`
}

// Unpredicted returns the signals, counted from 0, that their own past doesn't predict
// significantly, before the Groups were rotated. Such a signal may be a nonlinear function of its
// source that varies with other sources, and the data can't show it.
func (f *Findings) Unpredicted() []int {
	var signals []int
	for i, g := range f.PastGain {
		if !g.Significant() {
			signals = append(signals, i)
		}
	}
	return signals
}

// Reproduced reports whether there are other runs whose code is as short, and all of them recovered
// the same signals, with an Agreement of at least 0.95.
func (f *Findings) Reproduced() bool { return f.Agreeing > 0 && f.Agreement >= MinAgreement }

// A Difference is a mean difference of code lengths in nats per position, with its standard
// error.
type Difference struct {
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"`
}

// significance is how many standard errors a difference must be above 0 to count: for a normal
// error, one in a thousand is by chance. Half of it is one in 15; at twice, a difference has
// to be measured at four times the positions.
const significance = 3

// Significant reports whether the difference is more than three standard errors above 0.
func (d Difference) Significant() bool { return d.Mean > significance*d.SE }
