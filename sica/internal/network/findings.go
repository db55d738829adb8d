package network

import (
	"math"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Findings say what the data tell about the signals of an invertible network.
type Findings struct {
	// Identified is whether the signals are the sources, as far as the data say: each is predicted
	// by its own past, each pair would have a longer code if it were rotated, and other networks
	// recovered the same signals.
	Identified bool `json:"identified"`
	// Agreement is the smallest agreement with another network whose code is as short. The
	// agreement of two networks is the mean of the two smallest absolute correlations of their
	// matched signals. If one pair is rotated by θ it is cos θ. Agreeing is the number of these
	// networks.
	Agreement float64 `json:"agreement"`
	Agreeing  int     `json:"agreeing"`
	// PastGain is, for each signal, by how much its own past shortens its code at held-out
	// positions, before the Groups were rotated. A signal without a significant gain can't be
	// identified after a nonlinear mixing.
	PastGain []Difference `json:"past_gain"`
	// Groups are the signals whose rotations among themselves the data don't identify. They are
	// rotated as near to the whitened signals as possible.
	Groups [][]int `json:"groups"`
	// OverWhitening is by how much the code of the whitened signals is longer.
	OverWhitening Difference `json:"over_whitening"`
	// HeldOut is the code length at the held-out positions during training, every 50 steps,
	// in nats per position of the whitened signals.
	HeldOut signal.Curve `json:"held_out"`
}

// Unpredicted returns the signals, counted from 0, that their own past doesn't predict
// significantly, before the Groups were rotated. Such a signal may be a nonlinear function of its
// source that varies with other sources, and the data can't show it.
func (f *Findings) Unpredicted() []int { return Unpredicted(f.PastGain) }

// Reproduced returns whether other networks with as short a code recovered the same
// signals, with an Agreement of at least 0.95.
func (f *Findings) Reproduced() bool { return Reproduced(f.Agreeing, f.Agreement) }

// Findings returns what the model says about its signals.
func (m *Model) Findings() *Findings {
	f := &Findings{
		Identified: m.Identified(), Agreement: m.Agreement, Agreeing: m.Agreeing,
		PastGain: m.PastGain, Groups: m.Groups, OverWhitening: m.OverWhitening,
	}
	for _, e := range m.Runs[m.Chosen].Curve {
		length := -e.HeldOut
		if math.IsInf(length, 0) {
			length = math.NaN() // the map has no finite likelihood
		}
		f.HeldOut = append(f.HeldOut, length)
	}
	return f
}
