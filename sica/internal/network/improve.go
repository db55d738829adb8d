package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// An Alternative is a separation that Improve compares.
type Alternative struct {
	// Transforms came first, whitening among them.
	Transforms []preprocess.Transform
	// Maps made Z, d×n, of the mixed signals.
	Maps []mapping.Map
	Z    *mat.Dense
	// Linear is what the data say about the linear rule's demixing behind the transforms;
	// nil if it isn't one.
	Linear *linear.Findings
	// IsNetwork is whether it is a network behind the transforms. Network is what the data
	// say about its signals; nil for one that wasn't taken.
	IsNetwork bool
	Network   *Findings

	// CodeLength is that of the mixed signals at held-out positions, in nats per position,
	// including the log-Jacobian term. Excess is by how much it is more than the shortest.
	CodeLength float64
	Excess     Difference
	// Failed says why there are no signals.
	Failed string
}

// An Improvement is the outcome of Improve.
type Improvement struct {
	Chosen Alternative
	// All are the alternatives that were compared, in order.
	All []Alternative
	// Why says what was chosen, and why. If the linear rule was, it says what to add to its
	// own reason.
	Why string
}

// Conditional normalisation is tried on at most maxConditioned signals if nothing else calls
// for networks. It is first evaluated on the glancePositions about the middle, as its time
// grows with the positions. Both are choices: fewer miss weakly nonlinear mixings, more cost
// seconds in each linear fit.
const maxConditioned, glancePositions = 4, 2048

// Improve compares the linear rule's demixing of the mixed signals x, which may not have
// outliers, with whitening, conditional normalisation and networks behind these, where its
// signals call for it (see Called): sequences that their past predicts, and that depend on each
// other as noise and surplus sources don't explain, or that conditional normalisation gives a
// shorter code. It chooses by the code length at held-out positions. A network replaces the linear
// rule only if it is known to be right (see accepted) and removes the Curvature. No number of
// signals is too large, but for maxSeconds.
//
// White and linear came after the transforms. If nothing calls for networks, the
// result is nil, and so it is if ctx ends. The Shape of o is that of x.
func Improve(ctx context.Context, x *signal.Signals,
	transforms []preprocess.Transform, white, linear Alternative, o Options) (*Improvement, error) {
	if x.Grid().Axes() > 1 {
		// After GELU steps networks made digits no better (docs/evaluation/nonlinear.md).
		return nil, nil
	}
	i := &improver{x, transforms, white, linear, o}
	improvement, err := i.improve(ctx)
	if ctx.Err() != nil {
		return nil, nil
	}
	return improvement, err
}

// improver is a call of Improve.
type improver struct {
	x             *signal.Signals
	transforms    []preprocess.Transform
	white, linear Alternative
	options       Options
}

func (i *improver) improve(ctx context.Context) (*Improvement, error) {
	d, _ := i.x.Dims()
	call, err := Called(ctx, i.linear.Z, i.options)
	if err != nil || !call.Network && (call.Dependent || !call.Predicted || d > maxConditioned) {
		return nil, nil // an error is too few positions to say
	}
	if noisy(i.linear.Linear) && !(call.Network && call.Curvature.evidentInNoise()) {
		return nil, nil // that explains what is left
	}
	if !call.Network {
		gain, err := i.conditionalGain(ctx)
		if err != nil || gain == nil {
			return nil, nil
		}
		call.Why = fmt.Sprintf("Conditional normalisation describes the mixed signals in %.3f ± %.3f "+
			"nats a position fewer.", gain.Mean, gain.SE)
	}
	x := signal.SpreadBlocks(i.x.X(), comparedBlocks, comparedBlock)
	o := i.options
	_, n := x.Dims()
	o.Shape = []int{n}
	cost, err := o.Cost(d, n)
	if err != nil {
		return nil, err
	}
	if cost.Seconds > maxSeconds {
		unless := fmt.Sprintf(" But networks of %d signals would take about %s, and weren't fitted.",
			d, cost)
		return &Improvement{Chosen: i.linear, Why: call.Why + unless}, nil
	}
	seen := i.white
	if seen.Z, err = mapping.ApplyAll(x, seen.Maps); err != nil {
		return nil, err
	}
	c, err := i.compared(ctx, x, seen, o)
	if err != nil {
		return nil, err
	}
	c.all[whitenedPlace] = i.white // of all positions
	for k := range c.starts {      // the linear rule's rotation is for a linear mixing
		c.starts[k].Network = k != linearPlace && (k == whitenedPlace || !o.many(d))
	}
	if err := c.addNoisy(ctx, o.Seed); err != nil {
		return nil, err
	}
	choice, err := Choose(ctx, c.starts, o)
	if err != nil {
		return nil, err
	}
	improvement, err := i.taken(ctx, c, choice, call)
	if err != nil {
		return nil, err
	}
	improvement.All = append(c.scored(choice), c.failed...)
	return improvement, nil
}

// noisy reports whether the linear rule found noise in a channel, or there may be surplus sources.
func noisy(found *linear.Findings) bool {
	return found.SurplusSuspected() || slices.ContainsFunc(found.Noise, func(share float64) bool {
		return share > leastNoise
	})
}

// Networks and their rivals are fitted to and compared on comparedBlocks blocks of
// comparedBlock positions, where there are more. The time grows with the positions, and from
// 16,384 on networks recover signals to an MCC of 0.9996 and better (docs/evaluation/nonlinear.md).
const comparedBlocks, comparedBlock = 4, 8192

// conditionalGain returns by how many nats per position conditional normalisation gives the
// middle of the mixed signals a shorter code than the linear rule does; nil if it doesn't.
// That needn't be significant: it only calls for networks, which must be.
func (i *improver) conditionalGain(ctx context.Context) (*Difference, error) {
	x, g := i.x.Grid().Middle(i.x.X(), glancePositions)
	o := i.options
	o.Shape = g.Shape()
	o.ConstantStrength = true // a nonlinearity may look like a strength that varies
	white := i.white
	var err error
	if white.Z, err = mapping.ApplyAll(x, white.Maps); err != nil {
		return nil, err
	}
	c, err := i.compared(ctx, x, white, o)
	if err != nil {
		return nil, err
	}
	choice, err := Choose(ctx, c.starts[linearPlace:], o)
	if err != nil || choice.Candidates[0].Longer.Mean <= 0 {
		return nil, err
	}
	return &choice.Candidates[0].Longer, nil
}

// The places of the alternatives without a network.
const (
	whitenedPlace = iota
	linearPlace
	conditionalPlace
)

// comparison is whitening, the linear rule and, if it is possible, conditional
// normalisation.
type comparison struct {
	all    []Alternative
	starts []Start       // in the same order
	failed []Alternative // that gave no signals
	// noisy is the place of the linear rule as a mixture with noise; 0 if there is none.
	noisy int
}

// compared returns the alternatives of the mixed signals x. All are compared by what they
// make of them at the same resolution.
func (i *improver) compared(
	ctx context.Context, x *mat.Dense, white Alternative, o Options,
) (*comparison, error) {
	x, err := AtResolution(x, white.Z, white.Maps, o)
	if err != nil {
		return nil, err
	}
	c := &comparison{}
	if err := c.add(ctx, x, white, "whitening"); err != nil {
		return nil, err
	}
	if err := c.add(ctx, x, i.linear, "the linear rule"); err != nil {
		return nil, err
	}
	MarkLinear(c.starts)
	if d, _ := x.Dims(); slices.Contains(i.transforms, preprocess.Conditional) || o.many(d) {
		return c, nil // all are conditionally normalised, or that would take minutes
	}
	var conditional Alternative
	steps := append(slices.Clone(i.transforms), preprocess.Conditional)
	conditional.Z, conditional.Maps, conditional.Transforms, err = mapping.Begin(ctx, x, steps)
	if err == nil {
		err = c.add(ctx, x, conditional, "conditional normalisation")
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		conditional.Failed = err.Error()
		c.failed = append(c.failed, conditional)
	}
	return c, nil
}

// add adds an alternative, as it is for the mixed signals x.
func (c *comparison) add(ctx context.Context, x *mat.Dense, a Alternative, name string) error {
	start, err := NewStart(ctx, name, x, a.Maps)
	if err != nil {
		return err
	}
	c.all, c.starts = append(c.all, a), append(c.starts, start)
	return nil
}

// addNoisy adds the linear rule once more, as a mixture with sensor noise or surplus sources: its
// code is that of the innovations of the joint prediction of all signals by the pasts of all,
// demixed in turn. The map from the signals to these has the determinant 1 at each position. A
// network must have a shorter code than that, too. Nothing is added if there is no prediction.
func (c *comparison) addNoisy(ctx context.Context, seed uint64) error {
	rule := c.starts[linearPlace]
	if len(rule.LogDet) != 1 {
		return nil // behind a transform that isn't linear
	}
	signals, _ := signal.Centred(rule.Signals)
	residuals, order := ar.JointResiduals(signals, jointOrders)
	if residuals == nil {
		return nil
	}
	d, n := signals.Dims()
	signals.Slice(0, d, order, n).(*mat.Dense).Copy(residuals)
	x, err := signal.New(signals)
	if err != nil {
		return nil // too few positions
	}
	found, err := linear.Separate(ctx, x, linear.Options{Seed: seed, Noiseless: true})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return nil // they can't be whitened
	}
	z := mat.NewDense(d, n, nil)
	z.Mul(found.Demixing, signals)
	logDet, _ := mat.LogDet(found.Demixing)
	// The prediction was fitted to all positions: each coefficient shortens the code at those by
	// half a nat by chance, and lengthens it as much at others (H. Akaike, IEEE Transactions on
	// Automatic Control 19(6), 1974).
	logDet -= float64(d*d*order) / float64(n)
	c.noisy = len(c.starts)
	c.all = append(c.all, c.all[linearPlace])
	c.starts = append(c.starts, Start{
		Name: "the linear rule with noise", Signals: z, LogDet: []float64{rule.LogDet[0] + logDet},
	})
	return nil
}

// NewStart returns the start that maps make of the mixed signals x.
func NewStart(
	ctx context.Context, name string, x *mat.Dense, maps []mapping.Map,
) (Start, error) {
	z, logDet, err := mapping.ApplyLogDet(ctx, x, maps)
	return Start{Name: name, Signals: z, LogDet: logDet}, err
}

// MarkLinear keeps one log-determinant of each start whose log-determinants are all equal:
// those are linear, and need not win significantly.
func MarkLinear(starts []Start) {
	for k, start := range starts {
		if l := start.LogDet; !slices.ContainsFunc(l, func(v float64) bool { return v != l[0] }) {
			starts[k].LogDet = l[:1]
		}
	}
}

// AtResolution returns the mixed signals x as all starts are compared on them. Where the
// whitened ones, white, have few different values, they have the noise of the resolution;
// maps made white of x.
func AtResolution(x, white *mat.Dense, maps []mapping.Map, o Options) (*mat.Dense, error) {
	noisy, err := Resolved(white, o)
	if err != nil || noisy == white {
		return x, err
	}
	for _, m := range slices.Backward(maps) {
		if noisy, err = m.Invert(noisy); err != nil {
			return nil, err
		}
	}
	return noisy, nil
}

// scored returns the alternatives with their code lengths, the networks behind them among
// these.
func (c *comparison) scored(choice *Choice) []Alternative {
	var all []Alternative
	for _, k := range choice.Candidates {
		if c.noisy > 0 && k.Start == c.noisy {
			continue // the linear rule, which is among them
		}
		a := c.all[k.Start]
		if k.Network {
			a.Linear, a.IsNetwork = nil, true
		}
		a.CodeLength, a.Excess, a.Failed = k.CodeLength, k.Longer, k.Failed
		all = append(all, a)
	}
	return all
}

// taken returns the alternative that was chosen; or, if that is a network that isn't
// accepted, what would have been chosen without networks.
func (i *improver) taken(
	ctx context.Context, c *comparison, choice *Choice, call *Call,
) (*Improvement, error) {
	model, place, start := choice.Network(), choice.Chosen, c.alternative(choice.Start)
	why := choice.Why
	unless := " But nothing nonlinear describes the mixed signals in a significantly shorter code."
	if failed := choice.Failed(); failed != "" {
		unless = " But networks failed: " + failed + "."
	}
	if model != nil && !accepted(model, start, i.linear.Linear) {
		model, place = nil, choice.Start
		unless = " But no network is known to undo that: " + choice.Model.Why()
		why = "Nonlinear: conditional normalisation describes the mixed signals in a shorter code than " +
			"a linear demixing. " + call.Why + unless
	}
	if model == nil && c.alternative(place) <= linearPlace {
		return &Improvement{Chosen: i.linear, Why: call.Why + unless}, nil
	}
	chosen := c.all[choice.Candidates[place].Start]
	var err error
	if chosen.Z, err = mapping.ApplyAll(i.x.X(), chosen.Maps); err != nil {
		return nil, err
	}
	if model != nil {
		if chosen, err = Follow(ctx, chosen, model, i.white.Z, i.options); err != nil {
			return nil, err
		}
	}
	after, err := i.curvature(ctx, chosen.Z)
	if err != nil {
		return nil, err
	}
	if !call.Curvature.removed(after) && !c.beyondNoise(choice, place) {
		return &Improvement{Chosen: i.linear, Why: call.Why + " But the nonlinear demixing with the " +
			"shortest code leaves that as it is, so noise or surplus sources may explain it."}, nil
	}
	return &Improvement{Chosen: chosen, Why: why}, nil
}

// beyondNoise reports whether the code of a candidate is shorter than the linear rule's, with noise
// if that is among the starts, by more than noise and surplus sources can explain.
func (c *comparison) beyondNoise(choice *Choice, place int) bool {
	linear := cmp.Or(c.noisy, linearPlace)
	d, _ := c.starts[linear].Signals.Dims()
	for _, k := range choice.Candidates {
		if k.Start == linear && !k.Network {
			gain := k.CodeLength - choice.Candidates[place].CodeLength
			return gain > noiseNats*float64(d)
		}
	}
	return false
}

// curvature returns that of the signals z, of many signals that of their suspects.
func (i *improver) curvature(ctx context.Context, z *mat.Dense) (*Curvature, error) {
	if d, _ := z.Dims(); i.options.many(d) {
		o := i.options
		pairs, err := Dependences(ctx, z, o)
		if err != nil {
			return nil, err
		}
		z = suspects(z, pairs)
	}
	return MeasureCurvature(ctx, z)
}

// alternative returns the place of the alternative that a start is: the linear rule for the one
// as a mixture with noise.
func (c *comparison) alternative(start int) int {
	if c.noisy > 0 && start == c.noisy {
		return linearPlace
	}
	return start
}

// accepted returns whether a network with a shorter code is taken in the place of a start.
// One that isn't known to be right doesn't replace a linear demixing that is identified:
// that may be right for sources that can't be identified after a nonlinear mixing, such as
// white ones. It does replace what isn't known to be right either, conditional normalisation
// or a rotation that isn't identified, if other networks recovered the same signals or the
// rotations of its signals are identified.
func accepted(model *Model, start int, found *linear.Findings) bool {
	if model.Known() {
		return true
	}
	identified := !slices.ContainsFunc(found.Groups, func(group []int) bool { return len(group) > 1 })
	if start != conditionalPlace && identified {
		return false
	}
	return model.Reproduced() || len(model.Groups) == 0
}

// Follow returns the alternative a followed by a network. If the linear rule finds no
// evidence for a rotation of the network's signals, they are rotated towards the whitened
// ones, white: those are right if the mixing was nearly symmetric, and the nonlinearity that
// a network leaves can look like evidence for another rotation.
func Follow(
	ctx context.Context, a Alternative, by *Model, white *mat.Dense, o Options,
) (Alternative, error) {
	z, err := by.Map.Apply(a.Z)
	if err != nil {
		return Alternative{}, err
	}
	a.Maps = append(slices.Clip(a.Maps), by.Map)
	a.Z, a.Linear, a.IsNetwork, a.Network = z, nil, true, by.Findings()
	var found *linear.Solution
	x, err := signal.New(z, o.Shape...)
	if err == nil {
		found, err = linear.Separate(ctx, x, linear.Options{Seed: o.Seed, Noiseless: true})
	}
	if err != nil {
		a.Network.Identified = false // what identifies its signals isn't known
		return a, nil
	}
	if len(found.Groups) > 1 {
		return a, nil // as the network has it
	}
	turn, err := towards(white, z)
	if err != nil {
		return Alternative{}, err
	}
	if a.Z, err = turn.Apply(z); err != nil {
		return Alternative{}, err
	}
	a.Maps = append(a.Maps, turn)
	a.Network.Identified, a.Network.Groups = false, found.Groups
	return a, nil
}

// towards returns the orthogonal map that brings the signals z nearest to those of white.
func towards(white, z *mat.Dense) (*mapping.Affine, error) {
	centred, means := signal.Centred(z)
	var cross mat.Dense
	cross.Mul(white, centred.T())
	turn, ok := rotation.Nearest(&cross)
	if !ok {
		return nil, errors.New("the singular value decomposition of the signals' covariances did not " +
			"converge")
	}
	return mapping.LinearMap(turn, means), nil
}
