package network

import (
	"math"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// Findings are what the data say about the signals of an invertible network.
type Findings struct {
	// Identified is whether they are the sources as far as the data say: each is predicted
	// by its own past, each pair would have a longer code if it was rotated, and other
	// networks recovered the same.
	Identified bool `json:"identified"`
	// Agreement is that of these signals with those of other networks with as short a code: the
	// mean of the two least absolute correlations of matched signals, of the network that agrees
	// least. A pair rotated by θ makes it cos θ. Agreeing is the number of these networks.
	Agreement float64 `json:"agreement"`
	Agreeing  int     `json:"agreeing"`
	// PastGain is by how much its own past shortens the code of each signal at held-out
	// positions. Signals of which it doesn't can't be identified after a nonlinear mixing.
	// The signals are those before the Groups were rotated.
	PastGain []Difference `json:"past_gain"`
	// Groups are the signals whose rotations among themselves the data don't identify. They
	// are rotated towards the whitened ones.
	Groups [][]int `json:"groups"`
	// OverWhitening is by how much the code of the whitened signals is longer.
	OverWhitening Difference `json:"over_whitening"`
	// HeldOut is the code length at the held-out positions during training, every 50 steps,
	// in nats per position of the whitened signals.
	HeldOut signal.Curve `json:"held_out"`
}

// Unpredicted returns the signals, counted from 0, that their own past doesn't predict
// significantly, before the Groups were rotated. Each may have a nonlinearity that changes
// where another signal is large, and nothing shows it.
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
			length = math.NaN() // no map of finite likelihood yet
		}
		f.HeldOut = append(f.HeldOut, length)
	}
	return f
}
