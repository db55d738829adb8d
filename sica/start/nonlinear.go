package start

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/network"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// mostConditioned is the most signals that a conditional normalisation is tried on just to
// see whether it describes them in fewer nats than a linear demixing, and glance the most
// positions, about the middle, that are looked at for it first: it takes long on many.
const mostConditioned, glance = 4, 2048

// orNetwork is the start of LinearRule; or, of sequences, where its signals depend on each
// other or conditional normalisation describes the mixed signals in fewer nats, and the
// past predicts them, whichever of these and networks takes the fewest. The code lengths
// are those of positions held out, with the Jacobian determinant.
//
// Images and many signals are left to LinearRule: behind GELU steps networks made digits no
// better, in minutes (docs/nonlinear.md).
func (c chooser) orNetwork(ctx context.Context, white, linear Start) (Start, error) {
	d, _ := c.x.Dims()
	if c.grid.Axes() > 1 || d > network.MostSignals {
		return linear, nil
	}
	o := c.networkOptions()
	call, err := network.Called(ctx, linear.Z, o)
	if err != nil || !call.Network && (!call.Predicted || d > mostConditioned) {
		return linear, nil // too few positions to tell, if it is an error
	}
	if !call.Network {
		gain, err := c.conditionalGain(ctx, white, linear, o)
		if err != nil || gain == nil {
			return linear, nil
		}
		call.Why = fmt.Sprintf("Conditional normalisation describes the mixed signals in %.3f ± %.3f nats a position fewer.", gain.Mean, gain.SE)
	}
	x, seen := part(c.x), white
	_, n := x.Dims()
	o.Shape = []int{n}
	if seen.Z, err = preprocess.ApplyAll(x, white.Maps); err != nil {
		return Start{}, err
	}
	starts, err := c.starts(ctx, x, seen, linear, o)
	if ctx.Err() != nil {
		return linear, nil
	}
	if err != nil {
		return Start{}, err
	}
	starts.all[whitenedStart] = white // of all positions
	for k := range starts.compared {
		starts.compared[k].Network = k != linearStart // its rotation is for a linear mixing
	}
	chosen, err := network.Choose(ctx, starts.compared, o)
	if ctx.Err() != nil {
		return linear, nil
	}
	if err != nil {
		return Start{}, err
	}
	found, err := c.found(ctx, starts, chosen, call)
	if err != nil {
		return Start{}, err
	}
	found.Candidates = nil
	for _, k := range chosen.Candidates {
		of := starts.all[k.Start].Taken
		if k.Network {
			of.Rule = NetworkRule
		}
		of.CodeLength, of.Longer, of.Failed = k.CodeLength, k.Longer, k.Failed
		found.Candidates = append(found.Candidates, of)
	}
	return found, nil
}

// Networks and their rivals are fitted to and compared on so many blocks of so many
// positions, where there are more: time grows with them, and from 16,384 on networks recover
// signals to .9996 and better (docs/nonlinear.md).
const comparedBlocks, comparedBlock = 4, 8192

// part is those blocks of the sequences x, spread evenly, or x if it is shorter.
func part(x *mat.Dense) *mat.Dense {
	d, t := x.Dims()
	if t <= comparedBlocks*comparedBlock {
		return x
	}
	y := mat.NewDense(d, comparedBlocks*comparedBlock, nil)
	for b := range comparedBlocks {
		from := b * (t - comparedBlock) / (comparedBlocks - 1)
		block := y.Slice(0, d, b*comparedBlock, (b+1)*comparedBlock).(*mat.Dense)
		block.Copy(x.Slice(0, d, from, from+comparedBlock))
	}
	return y
}

// conditionalGain is how many nats fewer conditional normalisation describes the middle
// of the mixed signals in than the linear rule does; nil if it doesn't. That needn't be
// beyond chance: it only calls for networks, which must be.
func (c chooser) conditionalGain(ctx context.Context, white, linear Start, o network.Options) (*Difference, error) {
	x, g := c.grid.Middle(c.x, glance)
	o.Shape = g.Shape()
	o.ConstantStrength = true // a bend may look like a strength that varies
	var err error
	if white.Z, err = preprocess.ApplyAll(x, white.Maps); err != nil {
		return nil, err
	}
	starts, err := c.starts(ctx, x, white, linear, o)
	if err != nil {
		return nil, err
	}
	chosen, err := network.Choose(ctx, starts.compared[linearStart:], o)
	if err != nil || chosen.Candidates[0].Longer.Mean <= 0 {
		return nil, err
	}
	return &chosen.Candidates[0].Longer, nil
}

// The places of the starts.
const (
	whitenedStart = iota
	linearStart
	conditionalStart
)

// starts are whitening, the linear rule and, if it is possible, conditional
// normalisation.
type starts struct {
	all      []Start
	compared []network.Start // in the same order
}

// starts makes the starts of the mixed signals x. All are compared by what they make of
// them at the same resolution.
func (c chooser) starts(ctx context.Context, x *mat.Dense, white, linear Start, o network.Options) (*starts, error) {
	x, err := resolved(x, white, o)
	if err != nil {
		return nil, err
	}
	s := &starts{}
	if err := s.add(ctx, x, white, "whitening"); err != nil {
		return nil, err
	}
	if err := s.add(ctx, x, linear, "the linear rule"); err != nil {
		return nil, err
	}
	s.markLinear()
	if slices.Contains(c.Transforms, preprocess.Conditional) {
		return s, nil // both are conditionally normalised
	}
	var conditional Start
	conditional.Z, conditional.Maps, conditional.Taken.Start, err = preprocess.Begin(ctx, x, append(slices.Clone(c.Transforms), preprocess.Conditional))
	if err == nil {
		s.add(ctx, x, conditional, "conditional normalisation") // of signals that can't be normalised so, a start less
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return s, nil
}

// found is the start that was chosen; or, if that is a network that isn't taken, what would
// have been chosen without networks.
func (c chooser) found(ctx context.Context, of *starts, chosen *network.Choice, call *network.Call) (Start, error) {
	white, linear := of.all[whitenedStart], of.all[linearStart]
	network, take := chosen.Network(), chosen.Chosen
	why, unless := chosen.Why, " But nothing nonlinear describes the mixed signals in fewer nats beyond chance."
	if failed := chosen.Failed(); failed != "" {
		unless = " But networks failed: " + failed + "."
	}
	if network != nil && !taken(network, chosen.Start, linear.Linear) {
		network, take = nil, chosen.Start
		unless = " But no network is known to undo that: " + chosen.Model.Why()
		why = "Took conditional normalisation, which describes the mixed signals in fewer nats than a linear demixing. " + call.Why + unless
	}
	if take <= linearStart {
		linear.Why += " " + call.Why + unless
		return linear, nil
	}
	found := of.all[chosen.Candidates[take].Start]
	var err error
	if found.Z, err = preprocess.ApplyAll(c.x, found.Maps); err != nil {
		return Start{}, err
	}
	if network != nil {
		if found, err = c.followed(ctx, found, network, white); err != nil {
			return Start{}, err
		}
	}
	found.Why = why
	return found, nil
}

// taken tells whether a network with a shorter code is taken in the place of a start. One that
// isn't known to be right doesn't replace a linear demixing that is, as far as the signals
// tell: that may be right for sources that nobody could know behind a nonlinear mixing, such
// as white ones. It does replace what isn't known either, conditional normalisation or a
// rotation that nothing tells from others, if other networks recovered the same signals or
// something tells them from their own rotations.
func taken(network *network.Model, start int, found *linear.Findings) bool {
	if network.Known() {
		return true
	}
	told := !slices.ContainsFunc(found.Groups, func(group []int) bool { return len(group) > 1 })
	if start != conditionalStart && told {
		return false
	}
	return network.Reproduced() || len(network.Groups) == 0
}

// markLinear keeps one log-determinant of the starts whose are all equal: they are linear,
// which need not win beyond chance.
func (s *starts) markLinear() {
	for k, start := range s.compared {
		if l := start.LogDet; !slices.ContainsFunc(l, func(v float64) bool { return v != l[0] }) {
			s.compared[k].LogDet = l[:1]
		}
	}
}

// add adds a start of the mixed signals x.
func (s *starts) add(ctx context.Context, x *mat.Dense, of Start, name string) error {
	z, logDet, err := preprocess.ApplyLogDet(ctx, x, of.Maps)
	if err != nil {
		return err
	}
	s.all = append(s.all, of)
	s.compared = append(s.compared, network.Start{Name: name, Signals: z, LogDet: logDet})
	return nil
}
