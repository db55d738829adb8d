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

// settledPositions is the most positions of the time scales of a long sequence that isSettled looks
// at. More costs time only.
const settledPositions = 4096

// A comparison chooses among explanations of the channels.
type comparison struct {
	c        *channels
	base     *draft         // without noise in its models: the rule's
	rule     *explanation   // by base
	textbook []*explanation // by textbook methods
	all      []*explanation // those compared, of which rule is the first; nil if there is no need
	chosen   *explanation   // nil if rule can't be explained
	scale    int            // index of the time scale of the choice
}

// withNoise looks for a better explanation than base, the solution without noise in its models, since
// noise of the channels and more sources than channels can mislead that. It returns base, or the
// solution of another explanation, with what the comparison says of it.
func (x *mixture) withNoise(ctx context.Context, base *draft) (*draft, error) {
	s := x.newComparison(base)
	if s == nil {
		return base, nil
	}
	kept, err := s.keepRule(ctx)
	if err != nil {
		return nil, err
	}
	// Images are compared even if the rule's demixing is settled, as their coarser scales don't show
	// noise. If it is chosen then, no other explanation counts beside it.
	if !kept || s.c.isImage() && !s.keepsUncompared() {
		if err := s.compare(ctx); err != nil {
			return nil, err
		}
		if kept && s.chosen == s.rule {
			s.all = nil
		}
	}
	return s.result(ctx)
}

// keeps reports whether base can be kept without comparing explanations. It then completes base as
// withNoise does.
func (x *mixture) keeps(ctx context.Context, base *draft) (bool, error) {
	s := x.newComparison(base)
	if s == nil {
		return true, nil
	}
	if kept, err := s.keepRule(ctx); !kept || err != nil {
		return false, err
	}
	_, err := s.result(ctx)
	return true, err
}

// newComparison returns the comparison with base's explanation. It is nil with Config.Noiseless,
// for one signal, and for too few positions: then base is kept.
func (x *mixture) newComparison(base *draft) *comparison {
	if x.cfg.Noiseless || len(x.white.Mean) < 2 {
		return nil
	}
	c := newChannels(x)
	if len(c.scales) < 2 {
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

// keepsUncompared reports whether base is kept in any case: if it is coarse, which noise doesn't
// mislead, or of more than maxChannels channels.
func (s *comparison) keepsUncompared() bool { return s.base.Coarse || s.c.d > maxChannels }

// keepRule chooses the rule's explanation if it can be kept without a comparison, and reports
// whether it can.
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

// result returns the solution of the chosen explanation, or base if that is the rule's or none,
// with what the comparison says of it.
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

// examine sets what the comparison says of the solution of the chosen explanation: the evidence for more
// sources than channels, the pairs that aren't certain, and the signals of a sequence that noise could
// hide.
func (s *comparison) examine(ctx context.Context, sol *draft) (err error) {
	sol.SurplusEvidence = s.c.surplus(s.chosen)
	sol.uncertain = s.uncertainPairs()
	if !s.c.isImage() && !sol.isDependent() && !sol.hasMoreSources() {
		sol.hideable, err = s.c.hideable(ctx, sol)
	}
	return err
}

// compare chooses among the rule's demixing, those of textbook methods, those at which descents
// from all of these end at coarser time scales, and those at which they end with noise in the
// models. Of more than fewSignals channels a descent takes so long that there are only those from
// the rule's, without noise. Of images only one with noise is chosen beside the rule's: images such
// as digits often depend on each other, so that a shorter code alone isn't enough.
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

// predictsAs reports whether the signals at the finest time scale have as long a past as the models of
// m. The length depends on the positions, of which some may be left out.
func (c *channels) predictsAs(m *demixing) bool {
	lags := len(c.past(0).Lags)
	return !slices.ContainsFunc(m.sources, func(s source) bool { return len(s.weights) > lags })
}

// addCoarser adds the explanations at which descents from those before end at the coarser time
// scales.
func (s *comparison) addCoarser(ctx context.Context) error {
	if ablation.Off(ablation.CoarserDescents) {
		return nil
	}
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

// addNoisy adds explanations with noise to those that are measured at each time scale: with the noise
// that the signals of the coarsest scale imply, and with nearly the most that there can be, as the
// spectra of white sources don't show any.
func (s *comparison) addNoisy(ctx context.Context) error {
	c := s.c
	if ablation.Off(ablation.AddNoisy) || c.d > fewSignals {
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

// isSettled reports whether the rule's demixing can be kept without a comparison: it isn't doubted,
// its signals imply no noise above that of the resolution, no step at a coarser time scale promises a
// much shorter code, and none of the candidates that recover other signals would be chosen for it. Of a
// long sequence the coarser scales from settledScale on have enough positions for a step.
func (s *comparison) isSettled(ctx context.Context) (bool, error) {
	c, rule := s.c, s.rule
	if !c.explain(rule) || ablation.Off(ablation.Settled) ||
		rule.doubted || c.exceedsResolution(rule.model.noise) {
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

// settledScale returns the index of the first time scale that decides whether the rule's demixing is
// settled: the finest but one of those with at most settledPositions positions, or of the last three.
func (c *channels) settledScale() int {
	n := grid.Product(c.noisy.shape)
	finest := 1
	for finest < len(c.scales)-3 && n/c.scales[finest] > settledPositions {
		finest++
	}
	return finest
}

// promised returns by how many nats a quasi-Newton step from e, the rule's demixing, shortens the
// code at the k-th time scale, as far as gradient and curvature say. It measures e at that scale.
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

// denoised returns the best linear estimate of the sources of e, with variance 1, and the
// correlation of each with its source that the model expects. For sources of powers P it is
// Wiener's filter,
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
// models: each signal of low confidence with the one of lowest confidence among the others.
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

// confidence returns, for each chosen signal, the smallest of two correlations:
//
//   - with its source, as the noise lets expect;
//   - if explanations were compared, with the nearest signal of each that is nearly as good
//     at most scales, and of that signal with its source, as its noise lets expect.
func (s *comparison) confidence() []float64 {
	c := s.c
	_, confidence := c.denoised(s.chosen)
	if s.all == nil {
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

// isNearlyAsGood reports whether e's signals count beside the chosen ones: whether its codes over the
// time scales are hardly longer. Images, which often depend on each other, must say more: its code
// isn't clearly longer at any scale.
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

// solution returns the solution of the chosen explanation. It is nil if base is whitening and the
// explanation isn't better than that.
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
	if len(sol.Groups) < c.d { // its noise is in the models
		sol.Reason = Noise
	}
	w, fidelity := c.denoised(s.chosen)
	for i, f := range fidelity {
		sol.ExpectedError[i] = min(sol.ExpectedError[i]+1-f, 1)
	}
	w.Apply(func(_, j int, v float64) float64 { return v / c.sd[j] }, w)
	var root mat.Dense // Σ^(1/2)
	root.Mul(c.white.Inverse, c.white.Axes())
	sol.Demixing, sol.FromWhite = w, new(mat.Dense)
	sol.FromWhite.Mul(w, &root)
	return sol, nil
}

// isClearlyShorter reports whether the code of the chosen signals is so much shorter than that of
// the rule's demixing, at half of the scales or more, that whitening is left for it. A nonlinear
// mixing of signals whose rotation isn't identified can gain much at a single scale, and seem to be
// noise.
func (s *comparison) isClearlyShorter() bool {
	if ablation.Off(ablation.ClearlyShorter) {
		return false
	}
	scales := 0
	for k, v := range s.chosen.lengths {
		if s.rule.lengths[k]-v > clearlyShorter*s.c.tolerance() {
			scales++
		}
	}
	return 2*scales >= len(s.chosen.lengths)
}
