package sica

import (
	"context"
	"fmt"
	"math"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/internal/direct"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Difference is one of code lengths, in nats a position, with its standard error.
type Difference = direct.Difference

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
	// held out. Signals of which it doesn't can't be known behind a nonlinear mixing.
	PastGain []Difference `json:"past_gain"`
	// Groups are those signals that nothing tells from their rotations; they are
	// turned towards the whitened ones.
	Groups [][]int `json:"groups"`
	// OverWhitening is by how much whitened signals take more nats a position.
	OverWhitening Difference `json:"over_whitening"`
	// HeldOut is the code length of the held-out positions while the network was
	// trained, every 50 steps, in nats a position of the whitened signals.
	HeldOut Curve `json:"held_out"`
}

// newNetwork is what a model says of itself.
func newNetwork(m *direct.Model) *Network {
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

// networkOptions are those of the networks of a run.
func (c Config) networkOptions(place int, run Run, g *grid.Grid) direct.Options {
	return direct.Options{Shape: g.Shape(), Seed: run.Seed, OnProgress: func(p direct.Progress) {
		if c.OnStart != nil {
			c.OnStart(place, string(p.Stage), p.Fraction)
		}
	}}
}

// network is the start by NetworkRule.
func (c Config) network(ctx context.Context, backend compute.Backend, place int, run Run, g *grid.Grid) (choice, error) {
	white, err := c.whiten(ctx, run)
	if err != nil {
		return choice{}, err
	}
	m, err := direct.Fit(ctx, backend, white.z, c.networkOptions(place, run, g))
	if ctx.Err() != nil {
		return white, nil
	}
	if err != nil {
		return choice{}, err
	}
	found, err := white.mappedBy(ctx, m, run, g, white)
	if err != nil {
		return choice{}, err
	}
	found.why = fmt.Sprintf("An invertible network describes the signals in %.3f ± %.3f nats a position fewer than whitening does. %s",
		m.OverWhitening.Mean, m.OverWhitening.SE, m.Why())
	found.candidates = []Candidate{found.taken}
	return found, nil
}

// mappedBy is the start c, followed by a network. If the linear rule finds nothing that
// tells its signals from their rotations, they are turned towards the whitened ones,
// which are right if the mixing was nearly symmetric: what a network leaves of a bend
// can look like a reason to turn them otherwise.
func (c choice) mappedBy(ctx context.Context, m *direct.Model, run Run, g *grid.Grid, white choice) (choice, error) {
	z, err := m.Map.Apply(c.z)
	if err != nil {
		return choice{}, err
	}
	c.maps = append(c.maps[:len(c.maps):len(c.maps)], m.Map)
	c.z, c.taken.Rule, c.findings, c.network = z, NetworkRule, nil, newNetwork(m)
	found, err := linear.Separate(ctx, z, linear.Options{Shape: g.Shape(), Seed: run.Seed})
	if err != nil || len(found.Groups) > 1 {
		return c, nil // as the network has it
	}
	turn := towards(white.z, z)
	if c.z, err = turn.Apply(z); err != nil {
		return choice{}, err
	}
	c.maps = append(c.maps, turn)
	c.network.Identified, c.network.Groups = false, found.Groups
	return c, nil
}

// towards is the orthogonal map that brings the signals z nearest to those of w (the
// orthogonal Procrustes problem: P. H. Schönemann, Psychometrika 31(1), 1966).
func towards(w, z *mat.Dense) *preprocess.Affine {
	centred, means := signal.Centred(z)
	var cross, u, v, turn mat.Dense
	cross.Mul(w, centred.T())
	var svd mat.SVD
	svd.Factorize(&cross, mat.SVDFull)
	svd.UTo(&u)
	svd.VTo(&v)
	turn.Mul(&u, v.T())
	return preprocess.LinearMap(&turn, means)
}

// mostConditioned is the most signals that a conditional normalisation is tried on just to
// see whether it describes them in fewer nats than a linear demixing, and glance the most
// positions, about the middle, that are looked at for it first: it takes long on many.
const mostConditioned, glance = 4, 2048

// orNetwork is the start of LinearRule; or, of sequences, where its signals depend on each other or
// conditional normalisation describes the mixed signals in fewer nats, and the past
// predicts them, whichever of these and networks takes the fewest. The code lengths
// are those of positions held out, with the Jacobian determinant.
//
// Images and many signals are left to LinearRule: behind GELU steps networks made digits no
// better, in minutes (docs/nonlinear.md).
func (c Config) orNetwork(ctx context.Context, backend compute.Backend, place int, run Run, g *grid.Grid, white, linear choice) (choice, error) {
	d, _ := run.X.Dims()
	if g.Axes() > 1 || d > direct.MostSignals {
		return linear, nil
	}
	o := c.networkOptions(place, run, g)
	call, err := direct.Called(ctx, linear.z, o)
	if err != nil || !call.Network && (!call.Predicted || d > mostConditioned) {
		return linear, nil // too few positions to tell, if it is an error
	}
	if !call.Network {
		gain, err := conditionalGain(ctx, run.X, white, linear, g, o)
		if err != nil || gain == nil {
			return linear, nil
		}
		call.Why = fmt.Sprintf("Conditional normalisation describes the mixed signals in %.3f ± %.3f nats a position fewer.", gain.Mean, gain.SE)
	}
	starts, err := newStarts(ctx, run.X, white, linear, o)
	if ctx.Err() != nil {
		return linear, nil
	}
	if err != nil {
		return choice{}, err
	}
	for k := range starts.compared {
		starts.compared[k].Network = k != 1 // its rotation is for a linear mixing
	}
	chosen, err := direct.Choose(ctx, backend, starts.compared, o)
	if ctx.Err() != nil {
		return linear, nil
	}
	if err != nil {
		return choice{}, err
	}
	found, err := starts.found(ctx, chosen, call, run, g)
	if err != nil {
		return choice{}, err
	}
	found.candidates = nil
	for _, k := range chosen.Candidates {
		of := starts.choices[k.Start].taken
		if k.Network {
			of.Rule = NetworkRule
		}
		of.CodeLength, of.Longer, of.Failed = k.CodeLength, k.Longer, k.Failed
		found.candidates = append(found.candidates, of)
	}
	return found, nil
}

// conditionalGain is how many nats fewer conditional normalisation describes the middle
// of the mixed signals in than the linear rule does; nil if it doesn't beyond chance.
func conditionalGain(ctx context.Context, x *mat.Dense, white, linear choice, g *grid.Grid, o direct.Options) (*Difference, error) {
	x, g = g.Middle(x, glance)
	o.Shape = g.Shape()
	var err error
	if white.z, err = follow(x, white.maps); err != nil {
		return nil, err
	}
	starts, err := newStarts(ctx, x, white, linear, o)
	if err != nil {
		return nil, err
	}
	chosen, err := direct.Choose(ctx, nil, starts.compared[1:], o)
	if err != nil || chosen.Chosen == 0 {
		return nil, err
	}
	return &chosen.Candidates[0].Longer, nil
}

// starts are whitening, the linear rule and, if it is possible, conditional
// normalisation.
type starts struct {
	choices  []choice
	compared []direct.Start // in the same order
}

// newStarts makes the starts of the mixed signals x. All are compared by what they make of
// them at the same resolution.
func newStarts(ctx context.Context, x *mat.Dense, white, linear choice, o direct.Options) (*starts, error) {
	x, err := resolved(x, white, o)
	if err != nil {
		return nil, err
	}
	s := &starts{}
	if err := s.add(x, white, "whitening"); err != nil {
		return nil, err
	}
	if err := s.add(x, linear, "the linear rule"); err != nil {
		return nil, err
	}
	for k := range s.compared {
		s.compared[k].LogDet = s.compared[k].LogDet[:1] // the same everywhere
	}
	conditional := choice{taken: Candidate{Start: []preprocess.Transform{preprocess.Conditional}}}
	conditional.z, conditional.maps, conditional.taken.Start, err = preprocess.Begin(ctx, x, conditional.taken.Start)
	if err == nil {
		s.add(x, conditional, "conditional normalisation") // of signals that can't be normalised so, a start less
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return s, nil
}

// found is the start that was chosen; or, if that is a network that isn't known to be right,
// what would have been chosen without networks.
func (s *starts) found(ctx context.Context, chosen *direct.Choice, call *direct.Call, run Run, g *grid.Grid) (choice, error) {
	white, linear := s.choices[0], s.choices[1]
	network, take := chosen.Network(), chosen.Chosen
	why, unless := chosen.Why, " But nothing nonlinear describes the mixed signals in fewer nats beyond chance."
	if network != nil && !network.Known() {
		network, take = nil, chosen.Start
		unless = " But no network is known to undo that: " + chosen.Model.Why()
		why = "Took conditional normalisation, which describes the mixed signals in fewer nats than a linear demixing. " + call.Why + unless
	}
	if take < 2 {
		linear.why += " " + call.Why + unless
		return linear, nil
	}
	found := s.choices[chosen.Candidates[take].Start]
	var err error
	if found.z, err = follow(run.X, found.maps); err != nil {
		return choice{}, err
	}
	if network != nil {
		if found, err = found.mappedBy(ctx, network, run, g, white); err != nil {
			return choice{}, err
		}
	}
	found.why = why
	return found, nil
}

// add adds a start of the mixed signals x.
func (s *starts) add(x *mat.Dense, of choice, name string) error {
	z, err := follow(x, of.maps)
	if err != nil {
		return err
	}
	logDet, err := preprocess.LogDet(x, of.maps)
	if err != nil {
		return err
	}
	s.choices = append(s.choices, of)
	s.compared = append(s.compared, direct.Start{Name: name, Signals: z, LogDet: logDet})
	return nil
}
