package start

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/network"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Difference is one of code lengths, in nats a position, with its standard error.
type Difference = network.Difference

// Network is what the data say about the signals of an invertible network.
type Network struct {
	// Identified is whether they are the sources as far as can be told: each is
	// predicted by its own past, each pair would be described in more nats if it was
	// rotated, and networks from other beginnings recovered the same.
	Identified bool `json:"identified"`
	// Agreement is the least MCC between these signals and those of other networks
	// that describe them in as few nats, of which there are Agreeing.
	Agreement float64 `json:"agreement"`
	Agreeing  int     `json:"agreeing"`
	// PastGain is by how much its own past shortens the code of each signal at positions
	// held out. Signals of which it doesn't can't be known behind a nonlinear mixing. It is
	// of the signals before those of Groups were turned.
	PastGain []Difference `json:"past_gain"`
	// Groups are those signals that nothing tells from their rotations; they are
	// turned towards the whitened ones.
	Groups [][]int `json:"groups"`
	// OverWhitening is by how much whitened signals take more nats a position.
	OverWhitening Difference `json:"over_whitening"`
	// HeldOut is the code length of the held-out positions while the network was
	// trained, every 50 steps, in nats a position of the whitened signals.
	HeldOut signal.Curve `json:"held_out"`
}

// Unpredicted are the signals, counted from 0, that their own past doesn't predict beyond
// chance; of Groups, as they were before they were turned. They may be bent differently wherever another signal is large, and nothing shows
// it: behind a nonlinear mixing they can't be known for right.
func (n *Network) Unpredicted() []int { return network.Unpredicted(n.PastGain) }

// Reproduced is whether other networks that describe the signals in as few nats recovered
// the same, with an MCC of at least .95.
func (n *Network) Reproduced() bool { return network.Reproduced(n.Agreeing, n.Agreement) }

// newNetwork is what a model says of itself.
func newNetwork(m *network.Model) *Network {
	n := &Network{
		Identified: m.Identified(), Agreement: m.Agreement, Agreeing: m.Agreeing,
		PastGain: m.PastGain, Groups: m.Groups, OverWhitening: m.OverWhitening,
	}
	for _, e := range m.Runs[m.Chosen].Curve {
		if n.HeldOut = append(n.HeldOut, -e.HeldOut); math.IsInf(e.HeldOut, 0) {
			n.HeldOut[len(n.HeldOut)-1] = math.NaN() // no map of finite likelihood yet
		}
	}
	return n
}

// networkOptions are those of the networks, and of the code lengths that starts are
// compared by.
func (c chooser) networkOptions() network.Options {
	return network.Options{Backend: c.backend, Shape: c.Shape, Seed: c.Seed, Steps: c.NetworkSteps, OnProgress: func(p network.Progress) {
		if c.OnProgress != nil {
			c.OnProgress(string(p.Stage), p.Fraction)
		}
	}}
}

// network is the start by NetworkRule.
func (c chooser) network(ctx context.Context) (Start, error) {
	white, err := c.whiten(ctx)
	if err != nil {
		return Start{}, err
	}
	signals, err := ica.New(white.Z, c.Shape...)
	if err != nil {
		return Start{}, err
	}
	fitted, err := c.networkOptions().Fit(ctx, signals)
	if ctx.Err() != nil {
		return white, nil
	}
	if err != nil {
		return Start{}, err
	}
	m := fitted.Details.(*network.Model)
	found, err := c.followed(ctx, white, m, white)
	if err != nil {
		return Start{}, err
	}
	found.Why = fmt.Sprintf("An invertible network describes the signals in %.3f ± %.3f nats a position fewer than whitening does. %s",
		m.OverWhitening.Mean, m.OverWhitening.SE, m.Why())
	found.Candidates = []Candidate{found.Taken}
	return found, nil
}

// followed is the start s, followed by a network. If the linear rule finds nothing that
// tells its signals from their rotations, they are turned towards the whitened ones,
// which are right if the mixing was nearly symmetric: what a network leaves of a bend
// can look like a reason to turn them otherwise.
func (c chooser) followed(ctx context.Context, s Start, by *network.Model, white Start) (Start, error) {
	z, err := by.Map.Apply(s.Z)
	if err != nil {
		return Start{}, err
	}
	s.Maps = append(slices.Clip(s.Maps), by.Map)
	s.Z, s.Taken.Rule, s.Linear, s.Network = z, NetworkRule, nil, newNetwork(by)
	var found *linear.Solution
	signals, err := ica.New(z, c.Shape...)
	if err == nil {
		found, err = linear.Separate(ctx, signals, linear.Options{Seed: c.Seed})
	}
	if err != nil {
		s.Network.Identified = false // what its signals are told by isn't known
		return s, nil
	}
	if len(found.Groups) > 1 {
		return s, nil // as the network has it
	}
	turn, err := towards(white.Z, z)
	if err != nil {
		return Start{}, err
	}
	if s.Z, err = turn.Apply(z); err != nil {
		return Start{}, err
	}
	s.Maps = append(s.Maps, turn)
	s.Network.Identified, s.Network.Groups = false, found.Groups
	return s, nil
}

// towards is the orthogonal map that brings the signals z nearest to those of w.
func towards(w, z *mat.Dense) (*preprocess.Affine, error) {
	centred, means := signal.Centred(z)
	var cross mat.Dense
	cross.Mul(w, centred.T())
	turn, ok := rotation.Nearest(&cross)
	if !ok {
		return nil, errors.New("the singular value decomposition of the signals' covariances didn't converge")
	}
	return preprocess.LinearMap(turn, means), nil
}
