package network

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/mapping"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/nonlinear"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// A Separation is the outcome of a method for mixed signals.
type Separation struct {
	// Name is the name of a custom method; empty for others.
	Name string
	// Transforms are the first steps, whitening included.
	Transforms []preprocess.Transform
	// Maps are all steps from the mixed signals to Z, d×n.
	Maps []mapping.Map
	Z    *mat.Dense
	// Linear is what the data say about the linear rule's demixing after the transforms; nil for
	// other separations. Demixing is that demixing, d×d, for the signals before whitening.
	Linear   *linear.Findings
	Demixing *mat.Dense
	// Network is what the data say about a network's signals, if the last step is one; empty for
	// one that wasn't chosen, nil for other separations.
	Network *nonlinear.Findings

	nonlinear.Score
	// Failed says why there are no signals.
	Failed string
}

// Demix returns the linear rule's separation of x after the transforms of white except whitening,
// which the rule considers itself.
func Demix(
	ctx context.Context, x *ica.Signals, white Separation, o linear.Config,
) (Separation, error) {
	if before := white.Maps[:len(white.Maps)-1]; len(before) > 0 {
		transformed, err := mapping.ApplyAll(x.X(), before)
		if err != nil {
			return Separation{}, err
		}
		if x, err = x.WithX(transformed); err != nil {
			return Separation{}, err
		}
	}
	solution, err := linear.Separate(ctx, x, o)
	if err != nil {
		return Separation{}, err
	}
	demixing := mapping.LinearMap(solution.FromWhite, make([]float64, len(solution.Mean)))
	z, err := demixing.Apply(white.Z)
	return Separation{
		Transforms: white.Transforms, Maps: append(slices.Clone(white.Maps), demixing),
		Z: z, Linear: &solution.Findings, Demixing: solution.Demixing,
	}, err
}

// An Improvement is the result of Improve.
type Improvement struct {
	Chosen Separation
	// All are the separations that were compared, in order; nil if nothing was compared.
	All []Separation
	// Why says in sentences what was chosen, and why.
	Why []string
}

// Identified and Dependent stand for sentences that name recovered signals by their numbers, and so
// are worded once the order is known: Why and MutualInformation of the linear findings.
const (
	Identified = "{identified}"
	Dependent  = "{dependent}"
)

// minLevels is the least number of different values of each channel for networks: six standard
// deviations have 200 steps of the resolution, 0.03. A network would model the gaps between larger
// steps, and seem useful for linear mixings.
const minLevels = 200

// Improve looks for a nonlinear separation of the mixed signals x that is better than the linear
// rule's. x must have no outliers, and o.Shape must be the shape of x. white and demixed are the
// separations by whitening and by the linear rule, after the transforms.
//
// The linear rule is first compared with the linear rule after straightening the channels, if that
// promises enough. For sequences for which the gate finds reason to, it is also compared with
// whitening, conditional normalisation, and networks fitted to the signals of both. All are
// compared by the code length at held-out positions. A nonlinear separation replaces the linear
// rule's only if noise can't explain its shorter code.
//
// Nothing is compared for a coarse separation with more sources than channels, for sequences of
// which no signal is predictable from its own past, and for sequences with a channel of fewer than
// minLevels different values. No network is fitted if all would take longer than maxSeconds.
//
// The result is nil if the linear rule's separation stays and there is nothing to say about others.
// If ctx ends, Improve returns the error of ctx.
func Improve(ctx context.Context, x *ica.Signals,
	transforms []preprocess.Transform, white, demixed Separation, o Options,
) (*Improvement, error) {
	if demixed.Linear.Coarse && demixed.Linear.Reason == linear.MoreSources {
		return nil, nil // as for an EEG: a network learns what the coarse separation leaves out
	}
	imp := &improver{x: x, transforms: transforms, white: white, demixed: demixed, options: o}
	return imp.improve(ctx)
}

// IsEnd reports whether err is the error of ctx, which has ended.
func IsEnd(ctx context.Context, err error) bool { return err != nil && errors.Is(err, ctx.Err()) }

// An improver holds the arguments of Improve.
type improver struct {
	x              *ica.Signals
	transforms     []preprocess.Transform
	white, demixed Separation
	options        Options
}

func (imp *improver) improve(ctx context.Context) (*Improvement, error) {
	if len(imp.x.Shape()) > 1 {
		// Networks didn't improve digits after GELU steps (docs/evaluation/nonlinear.md).
		return imp.straighten(ctx)
	}
	screening, open, err := imp.gate(ctx)
	switch {
	case errors.Is(err, signal.ErrSignals):
		return nil, nil // with too few positions to examine, the rule's separation stays
	case err != nil:
		return nil, err
	}
	coarse := coarseChannel(imp.x.X())
	var straight *Improvement
	if coarse < 0 && screening.predicted { // else mixtures of white signals look curved
		if straight, err = imp.straighten(ctx); err != nil {
			return nil, err
		}
	}
	switch {
	case open && coarse >= 0:
		objection := fmt.Sprintf("But channel %d has too few different values for networks.", coarse+1)
		return imp.keep(screening, objection), nil
	case open:
		return imp.withNetworks(ctx, screening, straight)
	case straight != nil:
		return straight, nil
	case imp.isUnexplained(screening):
		return imp.keep(screening), nil
	}
	return nil, nil
}

// withNetworks is improve with an open gate, which also compares networks. straight is the
// improvement by curves, nil if there is none.
func (imp *improver) withNetworks(
	ctx context.Context, screening *Screening, straight *Improvement,
) (*Improvement, error) {
	x, shape := compared(imp.x, comparedBlocks)
	o := imp.options
	d, n := x.Dims()
	o.Shape = shape
	cost := o.expectedCost(d, n)
	if cost.seconds > maxSeconds {
		limit := fmt.Sprintf("But networks of %d signals would take about %s, and weren't fitted.",
			d, cost)
		return imp.keep(screening, limit), nil
	}
	c, err := imp.codes(ctx, x, o)
	if err != nil {
		return nil, err
	}
	for k := range c.codes {
		// No network is fitted to the linear rule's signals: their rotation is for a linear mixing.
		c.codes[k].network = k != linearPlace && (k == whitenedPlace || !o.many(d))
	}
	if err := c.addNoisy(ctx, o.Seed); err != nil {
		return nil, err
	}
	c.addLogarithms()
	if straight != nil {
		if err := c.add(ctx, c.x, straight.Chosen, straightName); err != nil {
			return nil, err
		}
	}
	choice, err := Choose(ctx, c.codes, o)
	if err != nil {
		return nil, err
	}
	improvement, err := imp.accept(ctx, c, choice, screening)
	if err != nil {
		return nil, err
	}
	improvement.All = append(c.withCodeLengths(choice), c.failed...)
	return improvement, nil
}

// coarseChannel returns the index of the first channel of x with fewer than minLevels different
// values, and at most a quarter as many as positions; −1 if there is none.
func coarseChannel(x *mat.Dense) int {
	d, n := x.Dims()
	for i := range d {
		levels := make(map[float64]bool, minLevels)
		for _, v := range x.RawRowView(i) {
			if levels[v] = true; len(levels) == minLevels {
				break
			}
		}
		if len(levels) < minLevels && 4*len(levels) <= n {
			return i
		}
	}
	return -1
}

// unexplainedSentence ends the reason of a linear demixing whose signals depend on each other.
const unexplainedSentence = "So no signal is identified: more sources than channels, noise that " +
	"wasn't found, dependent sources, a nonlinear mixing, or interpolated or repeated values may be " +
	"the reason."

// keep returns the linear rule's separation, with sentences against others. If its signals depend
// on each other and nothing was found to explain that, none is identified: the rule's own evidence
// assumes independent sources.
func (imp *improver) keep(s *Screening, objections ...string) *Improvement {
	chosen, why := imp.demixed, slices.Concat(s.why, objections)
	if s.Dependent {
		findings := *chosen.Linear
		findings.MutualInformation = s.dependence()
		chosen.Linear = &findings
	}
	if imp.isUnexplained(s) {
		chosen.Linear = linear.Unidentified(chosen.Linear, linear.Dependence)
		return &Improvement{Chosen: chosen, Why: append(why, unexplainedSentence)}
	}
	return &Improvement{Chosen: chosen, Why: slices.Insert(why, 0, Identified)}
}

// Separations are fitted and compared on at most comparedBlocks blocks of comparedBlock positions.
// The time grows with the number of positions, of which 16,384 are enough
// (docs/evaluation/nonlinear.md).
const comparedBlocks, comparedBlock = 4, 8192

// The indices of the codes in a codeSet.
const (
	whitenedPlace = iota
	linearPlace
	conditionalPlace
)

// A codeSet holds the codes of the separations without a network: whitening, the linear rule and,
// if possible, conditional normalisation.
type codeSet struct {
	x      *mat.Dense // the mixed signals, with resolution noise if they need it
	codes  []Code
	failed []Separation // failed separations, without signals
}

// linearCodes returns the codes of whitening and of the linear rule for the mixed signals x, with
// the same resolution noise.
func (imp *improver) linearCodes(
	ctx context.Context, x *mat.Dense, o Options,
) (*codeSet, error) {
	white, err := mapping.ApplyAll(x, imp.white.Maps)
	if err != nil {
		return nil, err
	}
	x, err = AddResolution(ctx, x, white, imp.white.Maps, o)
	if err != nil {
		return nil, err
	}
	c := &codeSet{x: x}
	if err := c.add(ctx, x, imp.white, "whitening"); err != nil {
		return nil, err
	}
	if err := c.add(ctx, x, imp.demixed, "the linear rule"); err != nil {
		return nil, err
	}
	return c, nil
}

// codes returns linearCodes and the code of conditional normalisation.
func (imp *improver) codes(ctx context.Context, x *mat.Dense, o Options) (*codeSet, error) {
	c, err := imp.linearCodes(ctx, x, o)
	if err != nil {
		return nil, err
	}
	x = c.x
	if d, _ := x.Dims(); slices.Contains(imp.transforms, preprocess.Conditional) || o.many(d) {
		return c, nil // conditional normalisation is among the transforms, or would take minutes
	}
	var conditional Separation
	steps := append(slices.Clone(imp.transforms), preprocess.Conditional)
	conditional.Z, conditional.Maps, conditional.Transforms, err = mapping.Begin(ctx, x, steps)
	if err == nil {
		err = c.add(ctx, x, conditional, "conditional normalisation")
	}
	if IsEnd(ctx, err) {
		return nil, err
	}
	if err != nil {
		conditional.Failed = err.Error()
		c.failed = append(c.failed, conditional)
	}
	return c, nil
}

// add adds the code of a separation for the mixed signals x.
func (c *codeSet) add(ctx context.Context, x *mat.Dense, s Separation, name string) error {
	code, err := NewCode(ctx, name, x, s.Maps)
	if err != nil {
		return err
	}
	code.separation, code.place = s, len(c.codes)
	c.codes = append(c.codes, code)
	return nil
}

// addNoisy adds the code of the linear rule with noise, for mixings with sensor noise or surplus
// sources: the signals of the linear rule are predicted jointly from the pasts of all, and the
// linear rule demixes the innovations again. A network must have a shorter code than this one, too.
// The prediction has the determinant 1 at each position. Nothing is added if there is no
// prediction.
func (c *codeSet) addNoisy(ctx context.Context, seed uint64) error {
	rule := c.codes[linearPlace]
	if len(rule.logDet) != 1 {
		return nil // a transform isn't linear
	}
	signals, _ := signal.Centred(rule.signals)
	residuals, order := ar.JointResiduals(signals, jointOrders)
	if residuals == nil {
		return nil
	}
	d, n := signals.Dims()
	signals.Slice(0, d, order, n).(*mat.Dense).Copy(residuals)
	x, err := ica.New(signals)
	if err != nil {
		return nil // too few positions
	}
	found, err := linear.Separate(ctx, x, linear.Config{Seed: seed, Noiseless: true})
	if IsEnd(ctx, err) {
		return err
	}
	if err != nil {
		return nil // the innovations can't be whitened
	}
	z := mat.NewDense(d, n, nil)
	z.Mul(found.Demixing, signals)
	logDet, _ := mat.LogDet(found.Demixing)
	// The prediction is fitted to all positions: by chance, each coefficient shortens the code
	// there by half a nat, and lengthens it as much at new positions (H. Akaike, IEEE Transactions
	// on Automatic Control 19(6), 1974).
	logDet -= float64(d*d*order) / float64(n)
	rule.name, rule.signals = "the linear rule with noise", z
	rule.logDet = []float64{rule.logDet[0] + logDet}
	c.codes = append(c.codes, rule)
	return nil
}

// NewCode returns the code of the mixed signals x by maps that are applied to them. It has one
// log-determinant if all maps are linear. Choose takes it for linear then, and it needn't be
// significantly shorter than another.
func NewCode(
	ctx context.Context, name string, x *mat.Dense, maps []mapping.Map,
) (Code, error) {
	z, logDet, err := mapping.ApplyLogDet(ctx, x, maps)
	if err == nil && mapping.IsLinear(mapping.Sequence(maps)) {
		logDet = logDet[:1]
	}
	return Code{name: name, signals: z, logDet: logDet}, err
}

// IsFinite reports whether all log-determinants are finite. A singular map has none.
func (c Code) IsFinite() bool {
	return !slices.ContainsFunc(c.logDet, func(v float64) bool { return !signal.Finite(v) })
}

// withCodeLengths returns the separations of the choice's codes, networks included, with their code
// lengths. The linear rule gets the code length of the best of its models if its own code is
// significantly longer than the shortest.
func (c *codeSet) withCodeLengths(choice *Choice) []Separation {
	var all []Separation
	for _, k := range choice.Scored {
		b := c.codes[k.code]
		if b.place != k.code {
			rule := &all[linearPlace]
			if rule.Excess.Significant() &&
				(!k.Excess.Significant() || k.CodeLength < rule.CodeLength) {
				rule.Score = k.Score
			}
			continue // another model of the linear rule's signals
		}
		s := b.separation
		if k.network {
			s.Linear, s.Network = nil, new(nonlinear.Findings)
		}
		s.Score = k.Score
		if k.err != nil {
			s.Failed = k.err.Error()
		}
		all = append(all, s)
	}
	return all
}

// accept returns the improvement by the choice. The linear rule stays if the choice is linear, or
// if noise may explain its shorter code.
func (imp *improver) accept(
	ctx context.Context, c *codeSet, choice *Choice, screening *Screening,
) (*Improvement, error) {
	scored := choice.Scored[choice.Chosen]
	code := c.codes[scored.code]
	if scored.model == nil && code.place <= linearPlace {
		if failed := choice.failed(); failed != "" {
			return imp.keep(screening, "But networks failed: "+failed+"."), nil
		}
		return imp.keep(screening, "But nothing nonlinear describes the mixed signals in a "+
			"significantly shorter code."), nil
	}
	if c.gain(choice, choice.Chosen) <= imp.noiseGain() {
		return imp.keep(screening,
			"But the nonlinear demixing with the shortest code may describe noise only."), nil
	}
	chosen := code.separation
	var err error
	if chosen.Z, err = mapping.ApplyAll(imp.x.X(), chosen.Maps); err != nil {
		return nil, err
	}
	why := []string{choice.Why}
	switch {
	case scored.model != nil:
		chosen, err = WithNetwork(ctx, chosen, scored.model, imp.white.Z, imp.options)
		if err != nil {
			return nil, err
		}
	case chosen.Linear != nil:
		why = append(why, Identified)
	}
	return &Improvement{Chosen: chosen, Why: why}, nil
}

// noiseGainPerSignal is the gain that noise and surplus sources can explain, in nats per position
// and signal: how much shorter the code of a nonlinear demixing is than those of the linear rule.
// They explain half of it if the rule found neither. A smaller value lets networks replace correct
// linear demixings, as of EEGs and spike trains; a larger one misses nonlinear mixings.
const noiseGainPerSignal = 0.12

// noiseGain returns the gain that noise and surplus sources can explain, in nats per position.
func (imp *improver) noiseGain() float64 {
	d, _ := imp.x.Dims()
	nats := noiseGainPerSignal * float64(d)
	if hasNoise(imp.demixed.Linear) {
		return nats
	}
	return nats / 2
}

// gain returns by how many nats per position a code is shorter than the shortest code of the linear
// rule: its own, with noise, or with logarithms.
func (c *codeSet) gain(choice *Choice, place int) float64 {
	shortest := math.Inf(1)
	for _, k := range choice.Scored {
		if !k.network && c.codes[k.code].place == linearPlace {
			shortest = min(shortest, k.CodeLength)
		}
	}
	return shortest - choice.Scored[place].CodeLength
}

// WithNetwork returns the separation s followed by a network. If the linear rule identifies no
// rotation of the network's signals, they are rotated as near as possible to the whitened signals,
// white, which is correct if the mixing was nearly symmetric. Otherwise they stay: the nonlinearity
// that a network leaves can look like evidence for another rotation, or make the signals depend on
// each other. If ctx ends, WithNetwork returns the error of ctx.
func WithNetwork(
	ctx context.Context, s Separation, model *Model, white *mat.Dense, o Options,
) (Separation, error) {
	z, err := model.Map.Apply(s.Z)
	if err != nil {
		return Separation{}, err
	}
	s.Maps = append(slices.Clip(s.Maps), model.Map)
	findings := model.Findings
	s.Z, s.Linear, s.Network = z, nil, &findings
	var found *linear.Solution
	x, err := ica.New(z, o.Shape...)
	if err == nil {
		found, err = linear.Separate(ctx, x, linear.Config{Seed: o.Seed, Noiseless: true})
	}
	if IsEnd(ctx, err) {
		return Separation{}, err
	}
	if err != nil {
		s.Network.Identified = false // the rule can't examine them
		return s, nil
	}
	if found.Reason == linear.Dependence || len(found.Groups) > 1 {
		return s, nil
	}
	nearest, err := nearestMap(white, z)
	if err != nil {
		return Separation{}, err
	}
	if s.Z, err = nearest.Apply(z); err != nil {
		return Separation{}, err
	}
	s.Maps = append(s.Maps, nearest)
	s.Network.Identified, s.Network.Groups = false, found.Groups
	return s, nil
}

// nearestMap returns the map that centres the signals z and rotates them as near as possible to
// white.
func nearestMap(white, z *mat.Dense) (*mapping.Affine, error) {
	centred, means := signal.Centred(z)
	var cross mat.Dense
	cross.Mul(white, centred.T())
	nearest, ok := rotation.Nearest(&cross)
	if !ok {
		return nil, errors.New("the singular value decomposition of the signals' covariances did " +
			"not converge")
	}
	return mapping.LinearMap(nearest, means), nil
}
