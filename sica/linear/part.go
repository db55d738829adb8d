package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

const (
	// minLong is the least number of positions of a long sequence. The part that decides has
	// partPositions positions, or partPerSignal per signal if that is more, and at most half of
	// all. More takes longer for the same groups.
	minLong, partPositions, partPerSignal = 16384, 4096, 128
	// noisePart times as many positions as in the part are searched for noise. Fewer show noise
	// more often where there is none. All positions are searched if there are fewer than an eighth
	// more.
	noisePart = 4
	// polishSteps bounds the steps with all positions. These end with the first step that promises
	// less than polishGain nats per entry of the demixing: half of what chance gains.
	polishSteps, polishGain = 8, 0.25
	// unusualErrors, in standard deviations of the part's blocks, plus unusualNats, in nats per
	// position, bound the code length of a block relative to the mean of the part's blocks. A
	// longer block contains something that doesn't occur in the part. Less is exceeded by chance.
	// Both are choices.
	unusualErrors, unusualNats = 8, 0.1
)

// separateByPart separates a long sequence in two steps. A part of the positions, in blocks,
// determines the models and the evidence. With these models all positions determine the demixing.
// The result is nil if the sequence is short, if the evidence of the part isn't certain, or if the
// models don't fit a block of the positions. With more than fewSignals signals the evidence is
// hardly ever certain: then separateMany separates all positions, beginning with the part's
// demixing. Noise is searched for in the middle of very long sequences, and in all positions if
// there seems to be some.
func (x *mixture) separateByPart(ctx context.Context) (*draft, error) {
	d, n := x.white.White.Dims()
	blocks := partBlocks(x.shape, d, n)
	if blocks == 0 {
		return nil, nil
	}
	length := blocks * signal.PartBlock
	z := signal.SpreadBlocks(x.white.White, blocks, signal.PartBlock)
	p := newPast([]int{length}, d).Blocks(signal.PartBlock)
	sol, err := x.replaced(z).separateWith(ctx, sphericalNoise(d, resolution), p)
	if err != nil || sol.otherNoise != nil {
		return nil, err
	}
	part := &knownPart{sol, p}
	if !sol.isCertain() || sol.isDependent() && d > fewSignals {
		if d <= fewSignals || sol.KeptWhitening {
			return nil, nil
		}
		further, err := x.separateMany(ctx, part)
		if further == nil || err != nil {
			return nil, err
		}
		return x.withNoise(ctx, further, true)
	}
	polished, err := x.polish(ctx, part)
	if polished == nil || err != nil {
		return nil, err
	}
	sufficient, err := x.examineMiddle(ctx, noisePart*length, sol, polished)
	if err != nil {
		return nil, err
	}
	if sufficient {
		return polished, nil
	}
	return x.withNoise(ctx, polished, true)
}

// partBlocks returns the number of blocks in the part that decides for n positions of d signals; 0
// if no part does.
func partBlocks(shape []int, d, n int) int {
	if len(shape) > 1 || d < 2 {
		return 0
	}
	blocks := (max(partPositions, partPerSignal*d) + signal.PartBlock - 1) / signal.PartBlock
	if n < max(minLong, 2*blocks*signal.PartBlock) {
		return 0
	}
	return blocks
}

// examineMiddle reports whether a stretch of positions in the middle suffices to rule out noise,
// and if so completes the findings of polished. That requires an eighth more positions than the
// stretch, and that the demixing of polished is kept and certain there. Noise is estimated from
// spectra, which the blocks of the part would blur.
func (x *mixture) examineMiddle(
	ctx context.Context, stretch int, part, polished *draft,
) (sufficient bool, err error) {
	d, n := x.white.White.Dims()
	if n < stretch+stretch/8 {
		return false, nil
	}
	first := (n - stretch) / 2
	middle := x.replaced(x.white.White.Slice(0, d, first, first+stretch).(*mat.Dense))
	base := *part
	base.Demixing = polished.Demixing
	mayCompare := n >= 2*stretch // with fewer, a comparison is better made with all positions
	found, err := middle.withNoise(ctx, &base, mayCompare)
	if err != nil || found != &base || !base.isCertain() {
		return false, err
	}
	polished.Noise, polished.hideable = base.Noise, base.hideable
	polished.SurplusEvidence = base.SurplusEvidence
	return true, nil
}

// A knownPart is the draft of a part of the positions, with the past of that part.
type knownPart struct {
	*draft
	past *past.Past
}

// pairs returns the evidence of the pairs of k, scaled to n positions; nil if k is nil or if its
// models don't fit best's signals.
func (k *knownPart) pairs(best *demixing, n int) *knownPairs {
	if k == nil || best.unusual(k.models, len(k.past.Runs)) {
		return nil
	}
	d := len(k.Mean)
	known := &knownPairs{k.models.b, mat.NewSymDense(d, nil)}
	for _, p := range k.Pairs {
		known.evidence.SetSym(p.I, p.J, p.Evidence*float64(n)/float64(k.past.N))
	}
	return known
}

// isCertain reports whether all signals are identified with certain evidence. A small Independence
// doesn't matter here, since more positions wouldn't change it.
func (s *draft) isCertain() bool {
	if s.KeptWhitening || s.leastDependent || s.hasMoreSources() || s.Evidence < certain() ||
		len(s.Groups) < len(s.Mean) || s.dependent != nil || s.uncertain != nil {
		return false
	}
	for _, p := range s.Pairs {
		if p.Evidence < certain() {
			return false
		}
	}
	return true
}

// polish extends the draft of a part to all positions, with the same orders, windows and densities.
// The result is nil if these models don't fit all positions as well, or if the signals depend on
// each other there.
func (x *mixture) polish(ctx context.Context, part *knownPart) (*draft, error) {
	d, order := len(x.white.Mean), 0
	for _, s := range part.models.sources {
		order = max(order, len(s.weights))
	}
	s, err := x.separator(ctx, sphericalNoise(d, resolution),
		past.New(x.shape, past.Nearest(x.shape, order)))
	if err != nil {
		return nil, err
	}
	m := s.acquire()
	if err := s.evaluate(ctx, m, part.models.b, part.models); err != nil {
		return nil, err
	}
	m, slopes, b, err := s.approach(ctx, m)
	if err != nil {
		return nil, err
	}
	dependence := m.dependence()
	if m.unusual(part.models, len(part.past.Runs)) || isDoubtful(dependence, s.past.N) {
		return nil, nil
	}
	v := newVerdict(d)
	if v.leaks, v.angles, err = s.leaks(ctx, m, slopes); err != nil {
		return nil, err
	}
	// Evidence is proportional to the number of positions; the code length of an angle grows
	// logarithmically.
	times := float64(s.past.N) / float64(part.past.N)
	for _, pair := range part.Pairs {
		v.evidence.SetSym(pair.I, pair.J, times*pair.Evidence)
		v.cost.SetSym(pair.I, pair.J, slopes.occamFactor(pair.I, pair.J, s.past.N))
	}
	polished := &draft{models: m, unseen: part.unseen, drift: s.estimateDrift(m, slopes)}
	polished.Findings, polished.Mean, polished.Symmetric = part.Findings, part.Mean, part.Symmetric
	polished.FromWhite = unitRows(b)
	polished.Demixing = s.fromMixed(polished.FromWhite)
	polished.DecidedOn = part.past.N
	polished.CodeLength, polished.Evidence = m.codeLength, times*part.Evidence
	polished.Sources = m.publicSources()
	polished.setGroups(v, true)
	polished.setPairDependence(dependence)
	return polished, nil
}

// approach descends from m by quasi-Newton steps, with the model choices of m, until a step
// promises less than chance gains. It returns the end, the derivatives there, and the demixing b
// after that last step, which is too small to require new fits.
func (s *separator) approach(
	ctx context.Context, m *demixing,
) (end *demixing, slopes *derivatives, b *mat.Dense, err error) {
	next := s.acquire()
	defer func() { s.release(next) }()
	gain := polishGain * float64(s.d*s.d) / float64(s.past.N)
	for step := 0; ; step++ {
		if slopes, err = s.differentiate(ctx, m); err != nil {
			return nil, nil, nil, err
		}
		if e := slopes.step(); slopes.promised(e) < gain {
			return m, slopes, applyStep(e, m.b), nil
		}
		if step == polishSteps {
			return m, slopes, m.b, nil
		}
		shorter, err := s.shorten(ctx, next, m, slopes, gain)
		if err != nil {
			return nil, nil, nil, err
		}
		if !shorter {
			return m, slopes, m.b, nil
		}
		m, next = next, m
	}
}

// unusual reports whether the models fit a block of m's positions badly: whether its code is much
// longer than the codes of the blocks, number in all, of the part on which they were chosen.
func (m *demixing) unusual(part *demixing, number int) bool {
	for i := range m.sources {
		known, all := &part.sources[i], &m.sources[i]
		usual := known.blocks(number)
		mean, sd := stat.MeanStdDev(usual, nil)
		deviation := func(d *demixing) float64 { return math.Log(floats.Norm(d.b.RawRowView(i), 2)) }
		mean += deviation(m) - deviation(part)
		blocks := all.blocks(len(all.u) / signal.PartBlock)
		if floats.Max(blocks) > mean+unusualErrors*sd+unusualNats {
			return true
		}
	}
	return false
}

// blocks returns the code length in nats per position, without parameters, of each of number equal
// parts of the positions.
func (s *source) blocks(number int) []float64 {
	nats := make([]float64, number)
	s.lengths(nats)
	for b := range nats {
		count := float64(len(equalPart(s.u, b, number)))
		nats[b] = (nats[b] - s.cost/float64(number)) / count
	}
	return nats
}
