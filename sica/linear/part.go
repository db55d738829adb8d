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
	// minLong is from how many positions on a sequence is long. The part that decides has
	// partPositions, or partPerSignal for each signal if that is more, and at most half of all.
	// More takes longer for the same groups.
	minLong, partPositions, partPerSignal = 16384, 4096, 128
	// noisePart is in how many times as many positions noise is looked for. Fewer show noise more
	// often where there is none. If there are fewer than an eighth more positions than that, it is
	// looked for in all.
	noisePart = 4
	// polishSteps bounds the steps with all positions, which end when the next, which is the last,
	// promises less than polishGain nats for each entry of the demixing: half of what chance gains.
	polishSteps, polishGain = 8, 0.25
	// unusualErrors and unusualNats are by how many standard deviations of the part's blocks, and
	// nats per position in addition, the code of a block may be longer than theirs. Longer ones are
	// of what doesn't occur in the part. Less finds chance. Both are choices.
	unusualErrors, unusualNats = 8, 0.1
)

// separateByPart separates a long sequence in two steps. A part of its positions, in blocks,
// decides on the models and has the evidence. With these models all positions decide on the
// demixing. The result is nil if the sequence is short, if the part leaves a doubt, or if the
// models don't describe a block of the positions. Of more than fewSignals signals some are always
// doubted: then all positions are separated, beginning with the part's demixing (separateMany).
// Noise is looked for in the middle of very long sequences, and in all positions if there seems to
// be some.
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
		return x.withNoise(ctx, further)
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
	return x.withNoise(ctx, polished)
}

// partBlocks returns how many blocks the part has that decides for n positions of d signals; 0 if
// none does.
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

// examineMiddle completes the findings of polished by a stretch of positions about the middle, if
// that suffices to see that there is no noise, which it reports. It does if there are an eighth
// more positions, and the demixing of all of them is kept there, and as certain as the part's.
// Noise is estimated from spectra, which the blocks of the part would blur.
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
	if n < 2*stretch { // a comparison is left to all positions
		sufficient, err = middle.keeps(ctx, &base)
	} else {
		var found *draft
		found, err = middle.withNoise(ctx, &base)
		sufficient = found == &base
	}
	if !sufficient || err != nil || !base.isCertain() {
		return false, err
	}
	polished.Noise, polished.hideable = base.Noise, base.hideable
	polished.SurplusEvidence = base.SurplusEvidence
	return true, nil
}

// A knownPart is the solution of a part of the positions, with its rotation.
type knownPart struct {
	*draft
	past *past.Past
}

// pairs returns the evidence of the pairs, in proportion for n positions; nil if k is nil or if its
// models don't describe best's signals.
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

// isCertain reports whether the evidence identifies all signals beyond doubt. A small Independence
// doesn't count, as more positions wouldn't change it.
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

// polish returns the solution of a part of the positions as one of all of them, which has the same
// choices of models. It is nil if these don't describe all positions as well, or the signals depend
// on each other there.
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
	drift := s.estimateDrift(m, slopes)
	v := &verdict{cost: mat.NewSymDense(d, nil), evidence: mat.NewSymDense(d, nil)}
	if v.leaks, v.angles, err = s.leaks(ctx, m, slopes); err != nil {
		return nil, err
	}
	// Evidence is proportional to the number of positions. The code length of an angle grows with
	// its logarithm.
	times := float64(s.past.N) / float64(part.past.N)
	for _, pair := range part.Pairs {
		v.evidence.SetSym(pair.I, pair.J, times*pair.Evidence)
		v.cost.SetSym(pair.I, pair.J, slopes.occamFactor(pair.I, pair.J, s.past.N))
	}
	polished := &draft{models: m, unseen: part.unseen, drift: drift}
	polished.Findings, polished.Mean, polished.Symmetric = part.Findings, part.Mean, part.Symmetric
	polished.FromWhite, polished.Leak = unitRows(b), mat.NewDense(d, d, nil)
	polished.Demixing = s.fromMixed(polished.FromWhite)
	logDet, _ := mat.LogDet(s.whitening)
	polished.DecidedOn = part.past.N
	polished.CodeLength, polished.Evidence = m.codeLength-logDet, times*part.Evidence
	polished.Sources = m.publicSources()
	polished.Pairs = nil // the part's; setGroups appends those of all positions
	s.setGroups(polished, v, true)
	polished.setPairDependence(dependence)
	return polished, nil
}

// approach descends from m by quasi-Newton steps, with the model choices of m, until a step
// promises a smaller gain than chance gives. It returns the end, the derivatives there, and the
// demixing b after one more step, which is so small that the models need not be fitted again.
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

// unusual reports whether the models describe a block of the positions badly: whether its code is
// much longer than the codes of the part on which they were chosen, which has number blocks.
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

// blocks returns the code length per position in each of number equal parts of the positions.
func (s *source) blocks(number int) []float64 {
	nats := make([]float64, number)
	s.lengths(nats)
	for b := range nats {
		first, end := b*len(s.u)/number, (b+1)*len(s.u)/number
		nats[b] = (nats[b] - s.cost/float64(number)) / float64(end-first)
	}
	return nats
}
