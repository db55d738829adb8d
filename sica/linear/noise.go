package linear

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/internal/grid"
)

// settledPositions is the largest number of positions at the time scales that isSettled examines
// for a long sequence. More costs time only.
const settledPositions = 4096

// A comparison chooses among explanations of the channels.
type comparison struct {
	c        *channels
	base     *draft         // the rule's draft, without noise in its models
	rule     *explanation   // explanation of base
	textbook []*explanation // explanations of textbook methods
	all      []*explanation // explanations compared, rule first; none if rule is kept without
	chosen   *explanation   // nil if rule has no model
	alone    bool           // whether no other explanation counts beside chosen
	scale    int            // index of the time scale of chosen
}

// withNoise searches for a better explanation than the one of base, the draft without noise in its
// models, which channel noise or surplus sources may have misled. It returns base or the draft of
// another explanation, completed by the findings of the comparison. If mayCompare is false, the
// draft is nil where only a comparison of explanations can decide.
func (x *mixture) withNoise(ctx context.Context, base *draft, mayCompare bool) (*draft, error) {
	s := x.newComparison(base)
	if s == nil {
		return base, nil
	}
	kept, err := s.keepRule(ctx)
	if err != nil {
		return nil, err
	}
	// Images are compared even if the rule's demixing is settled, since coarser scales don't reveal
	// their noise. If it is chosen then, no other explanation counts beside it.
	if !kept || s.c.isImage() && !s.keepsUncompared() {
		if !mayCompare {
			return nil, nil
		}
		if err := s.compare(ctx); err != nil {
			return nil, err
		}
		s.alone = kept && s.chosen == s.rule
	}
	return s.result(ctx)
}

// newComparison returns a comparison whose rule is the explanation of base. It is nil, so that base
// is kept, with Config.Noiseless, for one signal, and for too few positions.
func (x *mixture) newComparison(base *draft) *comparison {
	if x.cfg.Noiseless || len(x.white.Mean) < 2 {
		return nil
	}
	c := newChannels(x)
	if c == nil {
		return nil
	}
	rule := &explanation{
		name: base.Start, b: c.demixing(base.Demixing),
		sources: make([][]source, len(c.scales)),
		doubted: len(base.likeNoise(x.white)) == 1 || base.isDependent(),
	}
	if !c.lowered && base.models != nil && c.predictsAs(base.models) {
		rule.sources[0] = base.models.sources
	}
	return &comparison{c: c, base: base, rule: rule}
}

// keepsUncompared reports whether base is kept in any case: if it is a coarse separation, which
// noise doesn't mislead, or has more than maxChannels channels.
func (s *comparison) keepsUncompared() bool { return s.base.Coarse || s.c.d > maxChannels }

// keepRule chooses the rule's explanation if it can be kept without comparing explanations, and
// reports whether that is so.
func (s *comparison) keepRule(ctx context.Context) (kept bool, err error) {
	if s.keepsUncompared() {
		if s.c.explain(s.rule) {
			s.chosen = s.rule
		}
		return true, nil
	}
	if kept, err = s.isSettled(ctx); kept {
		s.chosen = s.rule
	}
	return kept, err
}

// result returns the draft of the chosen explanation, or base if the rule's or none is chosen,
// completed by examine.
func (s *comparison) result(ctx context.Context) (*draft, error) {
	if s.chosen == nil {
		return s.base, nil
	}
	if s.chosen != s.rule {
		other, err := s.solution(ctx)
		if err != nil {
			return nil, err
		}
		if other != nil {
			return other, s.examine(ctx, other)
		}
	}
	s.chosen, s.scale = s.rule, 0
	s.base.Noise = slices.Clone(s.rule.model.noise)
	return s.base, s.examine(ctx, s.base)
}

// examine completes the draft of the chosen explanation: with the evidence for more sources than
// channels, the uncertain pairs, and the signals of a sequence that undetected noise could hide.
func (s *comparison) examine(ctx context.Context, sol *draft) (err error) {
	sol.SurplusEvidence = s.c.surplus(s.chosen)
	sol.uncertain = s.uncertainPairs()
	if !s.c.isImage() && !sol.isDependent() && !sol.hasMoreSources() {
		sol.hideable, err = s.c.hideable(ctx, sol)
	}
	return err
}

// compare chooses among the demixings of the rule and of textbook methods, and the ends of descents
// from all of these at coarser time scales and with noise in the models. With more than fewSignals
// channels descents take so long that they begin from the rule's demixing only, and without noise.
// For images, only a demixing with noise can replace the rule's: images such as digits often depend
// on each other, so a shorter code alone isn't enough.
func (s *comparison) compare(ctx context.Context) error {
	c := s.c
	var err error
	if s.textbook, err = c.textbook(ctx); err != nil {
		return err
	}
	s.all = append([]*explanation{s.rule}, s.textbook...)
	for _, add := range []func(context.Context) error{s.addCoarser, s.addNoisy} {
		if err := add(ctx); err != nil {
			return err
		}
		all, ok, err := c.measureAll(ctx, s.all)
		if err != nil || !ok {
			return err
		}
		s.all = all
	}
	s.chosen, s.scale = c.choose(s.all)
	if c.isImage() && !s.chosen.impliesNoise() {
		s.chosen, s.scale = s.rule, 0
	}
	return nil
}

// predictsAs reports whether the past at the finest time scale is as long as the models of m need.
// Its length depends on the number of positions, and some may have been left out.
func (c *channels) predictsAs(m *demixing) bool {
	lags := len(c.past(0).Lags)
	return !slices.ContainsFunc(m.sources, func(s source) bool { return len(s.weights) > lags })
}

// addCoarser adds the ends of descents from the explanations so far at the coarser time scales.
func (s *comparison) addCoarser(ctx context.Context) error {
	c := s.c
	begin := slices.Clone(s.all)
	if c.d > fewSignals {
		begin = begin[:1]
	}
	for k := 1; k < len(c.scales); k++ {
		e, err := c.descent(ctx, "coarser time scale", k, make([]float64, c.d), begin)
		if err != nil {
			return err
		}
		s.all = c.appendNew(s.all, e)
	}
	return nil
}

// addNoisy adds the ends of descents with noise, from explanations that are measured: at each time
// scale with the noise that the best explanation at the coarsest scale implies, and at the finest
// scale with mostNoise, since the spectra of white sources don't reveal noise.
func (s *comparison) addNoisy(ctx context.Context) error {
	c := s.c
	if c.d > fewSignals {
		return nil
	}
	best := c.shortest(s.all)
	coarsest := best[len(best)-1]
	for k := range c.scales {
		e, err := c.descent(ctx, "with noise", k, coarsest.model.noise,
			[]*explanation{best[k], coarsest})
		if err != nil {
			return err
		}
		s.all = c.appendNew(s.all, e)
	}
	if ablation.Off(ablation.MostNoise) {
		return nil
	}
	begin := slices.Concat([]*explanation{best[0], coarsest}, s.textbook[:min(1, len(s.textbook))])
	e, err := c.descent(ctx, "most noise", 0, c.mostNoise(), begin)
	if err != nil {
		return err
	}
	s.all = c.appendNew(s.all, e)
	return nil
}

// isSettled reports whether the rule's demixing can be kept without comparing explanations: it
// isn't doubted, it implies no noise above the resolution, no step at a coarser time scale, from
// settledScale on, promises a much shorter code, and no candidate that recovers other signals would
// be chosen instead.
func (s *comparison) isSettled(ctx context.Context) (bool, error) {
	c, rule := s.c, s.rule
	if !c.explain(rule) || rule.doubted || c.exceedsResolution(rule.model.noise) {
		return false, nil
	}
	finest := c.settledScale()
	for k := len(c.scales) - 1; k >= finest; k-- {
		promised, err := c.promised(ctx, rule, k)
		if err != nil || promised > settledShare*c.tolerance() {
			return false, err
		}
	}
	if len(s.base.others) == 0 {
		return true, nil
	}
	var others []*explanation
	for _, o := range s.base.others {
		others = c.appendNew(others, &explanation{name: o.name, b: c.sorted(c.demixing(o.b))})
	}
	all, ok, err := c.measureAll(ctx, append([]*explanation{rule}, c.withCorrected(others)...))
	if err != nil || !ok {
		return false, err
	}
	chosen, _ := c.choose(all)
	return chosen == rule, nil
}

// settledScale returns the index of the finest time scale that isSettled examines: the first, after
// index 0, with at most settledPositions positions, or the third from the last if that comes
// earlier.
func (c *channels) settledScale() int {
	n := grid.Product(c.noisy.shape)
	finest := 1
	for finest < len(c.scales)-3 && n/c.scales[finest] > settledPositions {
		finest++
	}
	return finest
}

// promised returns the gain in nats that a quasi-Newton step from e, the rule's explanation,
// promises at the k-th time scale. It measures e at that scale.
func (c *channels) promised(ctx context.Context, e *explanation, k int) (float64, error) {
	if err := c.measure(ctx, e, k); err != nil {
		return 0, err
	}
	y := c.signals(e, k)
	s := newDifferentiator(y, c.past(k))
	p, err := s.differentiate(ctx, &demixing{y: y, sources: e.sources[k]})
	if err != nil {
		return 0, err
	}
	return float64(s.past.N) * p.promised(p.step()), nil
}

// denoised returns the demixing for the best linear estimate of e's sources, with variance 1, and
// the correlation of each estimate with its source under the model. For sources of powers P the
// estimate is Wiener's filter,
//
//	ŝ = P·(P + B·N·Bᵀ)⁻¹·B·x,
//
// which is B·x without noise.
func (c *channels) denoised(e *explanation) (w *mat.Dense, fidelity []float64) {
	var noise, inverse, gain mat.Dense
	noise.Product(e.b, diagonal(e.model.noise), e.b.T())
	power := make([]float64, c.d)
	total := mat.DenseCopyOf(&noise)
	for i := range power {
		power[i] = max(1-noise.At(i, i), minSignal/4)
		total.Set(i, i, total.At(i, i)+power[i])
	}
	fidelity = make([]float64, c.d)
	if inverse.Inverse(total) != nil {
		return mat.DenseCopyOf(e.b), fidelity
	}
	gain.Mul(diagonal(power), &inverse)
	for i := range fidelity {
		fidelity[i] = math.Sqrt(min(1, gain.At(i, i)))
	}
	w = new(mat.Dense)
	w.Mul(&gain, e.b)
	return c.unit(w), fidelity
}

// uncertainPairs returns the pairs of the chosen signals that aren't identified with noise in the
// models: each signal whose confidence is below minFidelity, with the other signal of lowest
// confidence.
func (s *comparison) uncertainPairs() (pairs [][2]int) {
	confidence := s.confidence()
	for i, v := range confidence {
		if v >= minFidelity {
			continue
		}
		lowest := (i + 1) % s.c.d
		for j, w := range confidence {
			if j != i && w < confidence[lowest] {
				lowest = j
			}
		}
		pairs = append(pairs, [2]int{i, lowest})
	}
	return pairs
}

// confidence returns, for each signal of the chosen explanation, the smallest of these
// correlations:
//
//   - of the signal with its source, as expected from the noise;
//   - if explanations were compared, for each that isNearlyAsGood: of the signal with the nearest
//     signal there, and of that signal with its source, as expected from its noise.
func (s *comparison) confidence() []float64 {
	c := s.c
	_, confidence := c.denoised(s.chosen)
	if s.alone {
		return confidence
	}
	for _, e := range s.all {
		if e == s.chosen || !s.isNearlyAsGood(e) {
			continue
		}
		correlations, places := c.matches(s.chosen, e)
		_, fidelity := c.denoised(e)
		for i, r := range correlations {
			confidence[i] = min(confidence[i], r, fidelity[places[i]])
		}
	}
	return confidence
}

// isNearlyAsGood reports whether e counts beside the chosen explanation: whether its distance is
// less than nearlyAsGood larger. For images, which often depend on each other, its code must not be
// longer than the chosen one's by more than clearlyLonger tolerances at any scale.
func (s *comparison) isNearlyAsGood(e *explanation) bool {
	if ablation.Off(ablation.NearlyAsGood) {
		return false
	}
	c := s.c
	if !c.isImage() {
		return c.distance(e, s.all)-c.distance(s.chosen, s.all) < nearlyAsGood
	}
	longer := c.excess(e, s.all)
	floats.Sub(longer, c.excess(s.chosen, s.all))
	return floats.Max(longer) <= clearlyLonger*c.tolerance()
}

// solution returns the draft of the chosen explanation. It is nil if the channels can't be whitened
// without the noise, or if base is whitening and the explanation isn't better.
func (s *comparison) solution(ctx context.Context) (*draft, error) {
	c, base := s.c, s.base
	noise := s.chosen.model.noise
	sep, err := c.separator(ctx, c.scales[s.scale], noise)
	if sep == nil || err != nil {
		return nil, err
	}
	null, err := sep.whiten(ctx)
	if err != nil {
		return nil, err
	}
	var b mat.Dense
	b.Mul(s.chosen.b, sep.inverse)
	best := sep.acquire()
	if err := sep.evaluate(ctx, best, &b, nil); err != nil {
		return nil, err
	}
	v, err := sep.judge(ctx, best, null, nil)
	if err != nil {
		return nil, err
	}
	sol := sep.draft(best, v, v.accepted())
	if base.KeptWhitening && !s.isClearlyShorter() && (!v.accepted() || sol.Evidence <= minEvidence) {
		return nil, nil
	}
	sol.Mean, sol.Symmetric, sol.Skipped = base.Mean, base.Symmetric, base.Skipped
	sol.CodeLength, sol.Whitening = base.CodeLength, base.Whitening
	sol.Start, sol.Scale, sol.Noise = s.chosen.name, c.scales[s.scale], slices.Clone(noise)
	if len(sol.Groups) < c.d { // channel noise is in the models
		sol.Reason = Noise
	}
	w, fidelity := c.denoised(s.chosen)
	for i, f := range fidelity {
		sol.ExpectedError[i] = min(sol.ExpectedError[i]+1-f, 1)
	}
	sol.Demixing, sol.FromWhite = c.mixedDemixing(w)
	return sol, nil
}

// isClearlyShorter reports whether the chosen code is clearly shorter than the rule's at half of
// the scales or more, so that it replaces whitening. A nonlinear mixing of signals whose rotation
// isn't identified can gain much at a single scale, and resemble noise.
func (s *comparison) isClearlyShorter() bool {
	scales := 0
	for k, v := range s.chosen.lengths {
		if s.rule.lengths[k]-v > clearlyShorter*s.c.tolerance() {
			scales++
		}
	}
	return 2*scales >= len(s.chosen.lengths)
}
