package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// A search is the state of the comparison of explanations with noise in the models.
type search struct {
	c *channels
	// brief is whether nothing is chosen unless the rule's demixing is settled.
	brief  bool
	all    []*explanation // the first is the rule's without noise
	chosen *explanation
	scale  int // index of the time scale of the choice
	// compared is whether all explanations were compared, those with noise among them.
	compared bool
}

// withNoise looks for a better explanation than base, the solution without noise in its models,
// since noise of the channels and surplus sources can mislead that; a coarse base, which they don't
// mislead, is kept. The others are the rule's
// demixings at coarser time scales, those of textbook methods and, if any of these contradict base,
// the rule's with noise. It returns base, with what is identified in spite of noise, or the
// solution of another demixing. If brief is true it is nil unless base can be kept without a search.
//
// Images keep base, unless the signals of another explanation imply noise. A shorter code alone isn't
// enough there, as images such as digits often depend on each other: one of 20 triples that were mixed
// without noise fell from an MCC of 0.996 to 0.785. What is identified then is up to judgeImages.
func withNoise(
	ctx context.Context, white *signal.Whitening, shape []int, power bandPower, opt Options,
	base *Solution, brief bool,
) (*Solution, error) {
	d := len(white.Mean)
	if opt.Noiseless || d < 2 || d > maxChannels || base.coarse {
		return base, nil
	}
	s := &search{c: newChannels(white, shape, power, opt.Seed), brief: brief}
	s.c.sameUnit = opt.SameUnit
	if len(s.c.scales) < 2 {
		return base, nil
	}
	doubted := !ablation.Off("noiselike") && len(base.likeNoise(white)) == 1
	if err := s.run(ctx, base, doubted); err != nil {
		return nil, err
	}
	if s.chosen == nil {
		if brief {
			return nil, nil
		}
		return base, nil
	}
	sol, err := s.result(ctx, base, len(shape) > 1)
	if err == nil && len(shape) == 1 {
		sol.hideable, err = s.c.hideable(ctx, sol)
	}
	return sol, err
}

// result returns the solution of the chosen explanation. images is whether the signals are images.
func (s *search) result(ctx context.Context, base *Solution, images bool) (*Solution, error) {
	if images && !s.chosen.impliesNoise() {
		s.judgeImages(base)
		return base, nil
	}
	if s.chosen != s.all[0] {
		if other, err := s.solution(ctx, base); err != nil || other != nil {
			return other, err
		}
		s.chosen, s.scale = s.all[0], 0
	}
	copy(base.Noise, s.chosen.model.noise)
	if images {
		s.judgeImages(base)
		return base, nil
	}
	s.judge(base)
	if base.Surplus || base.Unconfirmed {
		base.reason = newReason(s.why(base))
	}
	return base, nil
}

// run collects the explanations and chooses one, nil if there is none. hidesSource is whether a source
// may be hidden under one of base's signals.
func (s *search) run(ctx context.Context, base *Solution, hidesSource bool) error {
	c := s.c
	first := &explanation{name: base.Candidate, b: c.demixing(base.Demixing),
		sources: make([][]source, len(c.scales)), hidesSource: hidesSource,
		doubted: hidesSource || base.Doubtful || base.Dependent}
	if !c.lowered && base.models != nil && c.predictsAs(base.models) {
		first.sources[0] = base.models.sources
	}
	settled, err := s.isSettled(ctx, first, base.textbook)
	images := len(c.noisy.shape) > 1 // whose explanations are compared to judge the rule's
	if err != nil {
		return err
	}
	if settled && !images {
		s.chosen = first
		return nil
	}
	if s.brief {
		return nil
	}
	textbook, err := c.textbook(ctx)
	if err != nil {
		return err
	}
	s.all = append([]*explanation{first}, textbook...)
	// From the rule's demixing first, which suffices for most mixtures without noise, then from
	// the others. Of many signals each takes long, and the first suffice as a rule.
	begins := [][]*explanation{{first}, slices.Clone(s.all)}
	if c.d > fewSignals {
		begins = begins[:1]
	}
	for _, begin := range begins {
		if ok, err := s.addCoarser(ctx, begin); err != nil || !ok {
			return err
		}
		suffices, err := s.ruleSuffices(ctx)
		if err != nil {
			return err
		}
		if suffices && !images {
			s.chosen = first
			return nil
		}
		settled = settled || suffices
	}
	if ok, err := s.measure(ctx, 0); err != nil || !ok {
		return err
	}
	s.compared = true
	if c.d <= fewSignals && !ablation.Off("addnoisy") {
		if ok, err := s.addNoisy(ctx, textbook); err != nil || !ok {
			return err
		}
	}
	if settled {
		s.chosen = first
		return nil
	}
	s.chosen, s.scale = c.choose(s.all)
	return nil
}

// predictsAs reports whether the signals at the finest time scale have as long a past as the models of
// m. The length depends on the positions, of which some may be left out.
func (c *channels) predictsAs(m *demixing) bool {
	lags := len(c.past(0).Lags)
	return !slices.ContainsFunc(m.sources, func(s source) bool { return len(s.weights) > lags })
}

// measure measures the explanations at the time scales from first on, and drops those for which that
// isn't possible. It reports whether the rule's is still there.
func (s *search) measure(ctx context.Context, first int) (ok bool, err error) {
	rule := s.all[0]
	if s.all, err = s.c.measureAll(ctx, s.all, first); err != nil {
		return false, err
	}
	return len(s.all) > 0 && s.all[0] == rule, nil
}

// addCoarser adds the explanations at which descents from the given ones end at the coarser time
// scales, and measures all there. ok is as for measure.
func (s *search) addCoarser(ctx context.Context, begin []*explanation) (ok bool, err error) {
	c := s.c
	for k := 1; k < len(c.scales) && !ablation.Off("coarserdescents"); k++ {
		e, err := c.descent(ctx, "coarser time scale", k, make([]float64, c.d), begin)
		if err != nil {
			return false, err
		}
		s.all = c.appendNew(s.all, e)
	}
	return s.measure(ctx, 1)
}

// addNoisy adds explanations with noise to those that are measured at each time scale, and measures them,
// too. ok is as for measure.
func (s *search) addNoisy(ctx context.Context, textbook []*explanation) (ok bool, err error) {
	c := s.c
	// With the noise that the signals of the coarsest scale imply.
	best := c.shortest(s.all, 0)
	coarsest := best[len(best)-1]
	for k := range c.scales {
		e, err := c.descent(ctx, "with noise", k, coarsest.model.noise,
			[]*explanation{best[k], coarsest})
		if err != nil {
			return false, err
		}
		s.all = c.appendNew(s.all, e)
	}
	// With nearly the most noise that there can be: the spectra of white sources don't show any.
	if ablation.Off("mostnoise") {
		return s.measure(ctx, 0)
	}
	begin := slices.Concat([]*explanation{best[0], coarsest}, textbook[:min(1, len(textbook))])
	e, err := c.descent(ctx, "most noise", 0, c.mostNoise(), begin)
	if err != nil {
		return false, err
	}
	s.all = c.appendNew(s.all, e)
	return s.measure(ctx, 0)
}

// isSettled reports whether the rule's demixing, first, can be kept without a descent: its signals
// imply no noise above that of the resolution, it isn't doubted, no step at a coarser time scale
// promises a much shorter code, and none of the rule's textbook candidates, or of these corrected by
// noiseCorrected, contradicts it there. At the finest scale the rule has compared the candidates. Of
// a long sequence the coarser scales from settledScale on have enough positions for that.
func (s *search) isSettled(
	ctx context.Context, first *explanation, textbook []candidate,
) (bool, error) {
	c := s.c
	if !c.explain(first) || ablation.Off("settled") ||
		first.doubted || c.exceedsResolution(first.model.noise) {
		return false, nil
	}
	from := c.settledScale()
	for k := len(c.scales) - 1; k >= from; k-- {
		promised, err := c.promised(ctx, first, k)
		if err != nil || promised > settledShare*c.tolerance() {
			return false, err
		}
	}
	var rivals []*explanation
	for _, t := range textbook {
		b := c.demixing(t.b)
		if sameBasin(b, first.b) {
			continue
		}
		e := &explanation{name: t.name, b: b, mixed: first}
		rivals = append(rivals, e)
		if corrected := c.noiseCorrected(e); corrected != nil {
			rivals = append(rivals, corrected)
		}
	}
	// One that the coarsest scale rejects can't be right, whatever its code at the others. One that
	// implies no noise contradicts the rule only by a shorter code, which would show there.
	last := len(c.scales) - 1
	rivals, err := c.measureAll(ctx, rivals, last)
	if err != nil {
		return false, err
	}
	s.all = []*explanation{first}
	for _, e := range rivals {
		limit := c.tolerance()
		if !c.exceedsResolution(e.model.noise) {
			limit *= -rivalShare
		}
		if e.lengths[last]-first.lengths[last] <= limit {
			s.all = append(s.all, e)
		}
	}
	if ok, err := s.measure(ctx, from); err != nil || !ok {
		return false, err
	}
	return !s.isContradicted(c.shortest(s.all, from), from), nil
}

// settledScale returns the index of the first time scale that decides whether the rule's demixing is
// settled: the finest but one of those with at most settledPositions positions, or of the last three.
func (c *channels) settledScale() int {
	n := grid.Product(c.noisy.shape)
	first := 1
	for first < len(c.scales)-3 && n/c.scales[first] > settledPositions {
		first++
	}
	return first
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

// ruleSuffices reports whether the rule's demixing can be kept without looking further: it isn't
// doubted, no explanation contradicts it at the coarser time scales, and none of the best there has a
// significantly shorter code at the finest.
func (s *search) ruleSuffices(ctx context.Context) (bool, error) {
	c, first := s.c, s.all[0]
	coarse := c.shortest(s.all, 1)
	if ablation.Off("suffices") || first.doubted || s.isContradicted(coarse, 1) {
		return false, nil
	}
	for _, e := range coarse[1:] {
		if sameBasin(e.b, first.b) { // the rule's has the shortest code of these
			continue
		}
		if err := errors.Join(c.measure(ctx, first, 0), c.measure(ctx, e, 0)); err != nil {
			return false, err
		}
		if first.lengths[0]-e.lengths[0] > c.tolerance() {
			return false, nil
		}
	}
	return true, nil
}

// isContradicted reports whether an explanation contradicts the rule's at the time scales from first on:
// one has a significantly shorter code, or is as good and implies noise above that of the resolution.
// shortest are the explanations with the shortest code at these scales.
func (s *search) isContradicted(shortest []*explanation, first int) bool {
	c := s.c
	return c.isRejected(s.all[0], shortest, first, 1) ||
		slices.ContainsFunc(s.all, func(e *explanation) bool {
			return !c.isRejected(e, shortest, first, 1) && c.exceedsResolution(e.model.noise)
		})
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
func (s *search) uncertainPairs() (pairs [][2]int) {
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
//   - if all explanations were compared, with the nearest signal of each that is nearly as good
//     at most scales, and of that signal with its source, as its noise lets expect.
func (s *search) confidence() []float64 {
	c := s.c
	_, confidence := c.denoised(s.chosen)
	if !s.compared {
		return confidence
	}
	best, tolerance := c.shortest(s.all, 0), c.tolerance()
	for _, e := range s.all {
		if e == s.chosen {
			continue
		}
		// By how much e's code is longer. At a scale the difference from the shortest counts up to the
		// tolerance.
		excess := 0.0
		for k, b := range best {
			excess += min(e.lengths[k]-b.lengths[k], tolerance)
			excess -= min(s.chosen.lengths[k]-b.lengths[k], tolerance)
		}
		correlations, places := c.matches(s.chosen, e)
		if excess <= nearlyAsGood && !ablation.Off("nearlyasgood") {
			_, fidelity := c.denoised(e)
			for i, r := range correlations {
				confidence[i] = min(confidence[i], r, fidelity[places[i]])
			}
		}
	}
	return confidence
}

// mixedPairs returns the pairs of the chosen signals that e mixes. A signal of e is a mixture if no
// chosen signal has basinShare of its power. The pairs are that of its two largest chosen signals,
// and those of the largest with each other one of more than 1−basinShare of its power.
func (c *channels) mixedPairs(e, chosen *explanation) (pairs [][2]int) {
	var inverse, shares mat.Dense
	if inverse.Inverse(chosen.b) != nil {
		return nil
	}
	shares.Mul(e.b, &inverse)
	for r := range c.d {
		row := shares.RawRowView(r)
		power := make([]float64, c.d)
		floats.MulTo(power, row, row)
		total, match := floats.Sum(power), floats.MaxIdx(power)
		if power[match] >= basinShare*total {
			continue
		}
		power[match] = 0
		second := floats.MaxIdx(power)
		for j, p := range power {
			pair := [2]int{max(match, j), min(match, j)}
			if (j == second || p > (1-basinShare)*total) && !slices.Contains(pairs, pair) {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

// solution returns the solution of the chosen explanation. It is nil if base is whitening and the
// explanation isn't better than that.
func (s *search) solution(ctx context.Context, base *Solution) (*Solution, error) {
	c := s.c
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
	evidence := v.rotation.Evidence - v.occamFactor
	if base.whitened && (ablation.Off("clearlyshorter") || !s.isClearlyShorter()) &&
		(!v.accepted() || evidence <= identified) {
		return nil, nil
	}
	sol := &Solution{Mean: base.Mean, Symmetric: base.Symmetric, Leak: mat.NewDense(c.d, c.d, nil)}
	sol.Resolution, sol.CodeLength, sol.Whitening = resolution, base.CodeLength, base.Whitening
	sol.Candidate, sol.Skipped, sol.Evidence = s.chosen.name, base.Skipped, evidence
	sol.Scale, sol.Noise, sol.Sources = c.scales[s.scale], slices.Clone(noise), best.publicSources()
	sep.setGroups(sol, v, v.accepted() && evidence > identified)
	s.judge(sol)
	sol.Unconfirmed = len(sol.Groups) < c.d // its noise is in the models
	w, fidelity := c.denoised(s.chosen)
	for i, f := range fidelity {
		sol.ExpectedError[i] = min(sol.ExpectedError[i]+1-f, 1)
	}
	sol.setDependence(best, sep.past)
	sol.drift = v.drift
	w.Apply(func(_, j int, v float64) float64 { return v / c.sd[j] }, w)
	var root mat.Dense // Σ^(1/2)
	root.Mul(c.white.Inverse, c.white.Axes())
	sol.Demixing, sol.FromWhite = w, new(mat.Dense)
	sol.FromWhite.Mul(w, &root)
	sol.reason = newReason(s.why(sol))
	return sol, nil
}

// isClearlyShorter reports whether the code of the chosen signals is so much shorter than that of
// the rule's demixing, at half of the scales or more, that whitening is left for it. A nonlinear
// mixing of signals whose rotation isn't identified can gain much at a single scale, and seem to be
// noise.
func (s *search) isClearlyShorter() bool {
	first, scales := s.all[0], 0
	for k, v := range s.chosen.lengths {
		if first.lengths[k]-v > clearlyShorter*s.c.tolerance() {
			scales++
		}
	}
	return 2*scales >= len(s.chosen.lengths)
}

// judge sets whether sol has surplus sources, and joins the groups of signals that aren't
// identified with noise in the models; all groups if there seem to be surplus sources. Unconfirmed is then whether it has joined any.
func (s *search) judge(sol *Solution) {
	sol.SurplusEvidence = s.c.surplus(s.chosen)
	sol.Surplus = sol.SurplusEvidence > surplusErrors
	sol.Unconfirmed = sol.merge(s.uncertainPairs(), sol.Surplus)
}

// judgeImages joins the groups of the rule's signals of images, sol, that another explanation mixes
// unless its code is clearly longer at a time scale. Images such as digits depend on each other. If
// noise hides their innovations, the shortest code can be that of independent noise, and not much
// shorter than that of the sources.
func (s *search) judgeImages(sol *Solution) {
	if ablation.Off("judgeimages") {
		return
	}
	first := s.all[0]
	var pairs [][2]int
	for _, e := range s.all[1:] {
		if floats.Min(s.c.nearest(first, e)) >= minFidelity {
			continue
		}
		mixed := s.c.mixedPairs(e, first)
		longer := math.Inf(-1)
		for k, v := range e.lengths {
			longer = max(longer, v-first.lengths[k])
		}
		if longer <= clearlyLonger*rejection*float64(len(mixed)) {
			pairs = append(pairs, mixed...)
		}
	}
	if !sol.merge(pairs, false) {
		return
	}
	sol.Unconfirmed, sol.reason = true, newReason(s.why(sol))
	sol.reason.more = sol.minDependence
}

// why explains a solution with noise in at most three sentences. They are "" for Dependent signals, as
// those of Solution.why are.
func (s *search) why(sol *Solution) (Reason, string) {
	if sol.Surplus {
		return MoreSources, "There seem to be more sources than channels, so no signal is identified."
	}
	if len(sol.Groups) == s.c.d {
		return AllIdentified, allIdentified(s.c.d)
	}
	if sol.Dependent {
		return Dependence, ""
	}
	signals := sol.identifiedBut(nil)
	if len(signals) == 0 && s.all[0].hidesSource {
		return LikeNoise, fmt.Sprintf("No signal is identified, as the weakest principal component can't be told "+
			"from noise of the channels. If you know that there are only %d sources, separate that "+
			"many components; a weak source beside them would be lost.", s.c.d-1)
	}
	what := "No signal is identified"
	switch len(signals) {
	case 0:
	case 1:
		what = "Only " + text.Signals(signals) + " is identified"
	default:
		what = "Only " + text.Signals(signals) + " are identified"
	}
	switch {
	case sol.Doubtful:
		return Dependence, fmt.Sprintf("%s: %s.", what, sol.doubt())
	case s.isHidden(sol.Groups):
		return Noise, fmt.Sprintf("%s: noise of the channels, or surplus sources, which look the same, hide the "+
			"rotation of signals %s.", what, sol.groupNames())
	}
	return Noise, fmt.Sprintf("%s: if there is noise, other rotations of signals %s explain the mixed "+
		"signals nearly as well.",
		what, sol.groupNames())
}

// isHidden reports whether noise hides each group of several signals: whether one of its signals
// has an expected correlation with its source below minFidelity.
func (s *search) isHidden(groups [][]int) bool {
	_, fidelity := s.c.denoised(s.chosen)
	for _, g := range groups {
		if len(g) > 1 && !slices.ContainsFunc(g, func(i int) bool { return fidelity[i] < minFidelity }) {
			return false
		}
	}
	return true
}
