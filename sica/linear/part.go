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

// separateByPart separates a long sequence: models and evidence are those of a part of its
// positions, in blocks, and the demixing is the best with these models of all positions. It is
// nil if the sequence is short, if the part leaves any doubt, or if a block of positions
// isn't as the part is. Noise is looked for in the middle of very long
// sequences, and with all positions if it seems to be there.
func separateByPart(
	ctx context.Context, white *signal.Whitening, shape []int, power bandPower, opt Options,
) (*Solution, error) {
	d, n := white.White.Dims()
	if len(shape) > 1 || d < 2 {
		return nil, nil
	}
	blocks := (max(partPositions, partPerSignal*d) + signal.PartBlock - 1) / signal.PartBlock
	length := blocks * signal.PartBlock
	if n < max(minLong, 2*length) {
		return nil, nil
	}
	z := signal.SpreadBlocks(white.White, blocks, signal.PartBlock)
	p := newPast([]int{length}, d).Blocks(signal.PartBlock)
	part := withSignals(white, z)
	sol, shared, err := separateWith(ctx, sphericalNoise(d, resolution), part, p, opt.Seed)
	if err != nil || shared != nil || !sol.certain() {
		return nil, err
	}
	polished, err := polish(ctx, white, sol, sol.models, p, opt.Seed)
	if polished == nil || err != nil {
		return nil, err
	}
	stretch := noisePart * length
	if n < 2*stretch {
		return withNoise(ctx, white, shape, power, opt, polished)
	}
	// Noise is looked for in spectra, which blocks would blur, with the demixing of all positions.
	sol.Demixing = polished.Demixing
	middle := mat.DenseCopyOf(white.White.Slice(0, d, (n-stretch)/2, (n-stretch)/2+stretch))
	found, err := withNoise(ctx, withSignals(white, middle), []int{stretch}, power, opt, sol)
	if err != nil {
		return nil, err
	}
	if found != sol || !sol.certain() {
		return withNoise(ctx, white, shape, power, opt, polished)
	}
	polished.Scale, polished.Noise = sol.Scale, sol.Noise
	polished.SurplusEvidence = sol.SurplusEvidence
	return polished, nil
}

// withSignals returns the whitening with other white signals.
func withSignals(white *signal.Whitening, z *mat.Dense) *signal.Whitening {
	w := *white
	w.White = z
	return &w
}

// certain reports whether all signals are identified beyond doubt.
func (s *Solution) certain() bool {
	if s.whitened || s.minDependence || s.Doubtful || s.Surplus || len(s.Groups) < len(s.Mean) ||
		s.Evidence < certain*identified {
		return false
	}
	for _, p := range s.Pairs {
		if p.Evidence < certain*identified {
			return false
		}
	}
	return true
}

// polish returns the solution sol of a part of the positions as one of all of them, which has the
// same choices of models. It is nil if these don't describe all positions as well, or the signals
// depend on each other there.
func polish(
	ctx context.Context, white *signal.Whitening, sol *Solution, models *demixing, part *past.Past,
	seed uint64,
) (*Solution, error) {
	d, n := white.White.Dims()
	order := 0
	for _, s := range models.sources {
		order = max(order, len(s.weights))
	}
	all := []int{n}
	s, err := prepare(ctx, sphericalNoise(d, resolution), white,
		past.New(all, past.Nearest(all, order)), seed)
	if err != nil {
		return nil, err
	}
	m := s.acquire()
	if err := s.evaluate(ctx, m, models.b, models); err != nil {
		return nil, err
	}
	m, p, b, err := s.approach(ctx, m)
	if err != nil {
		return nil, err
	}
	dependence := m.dependence()
	if m.unusual(models, len(part.Runs)) || isDoubtful(dependence, s.past.N) {
		return nil, nil
	}
	v := &verdict{cost: mat.NewSymDense(d, nil), evidence: mat.NewSymDense(d, nil)}
	if v.leaks, v.angles, err = s.leaks(ctx, m, p); err != nil {
		return nil, err
	}
	// Evidence grows with the positions, what it costs to say an angle with their logarithm.
	times := float64(s.past.N) / float64(part.N)
	for _, pair := range sol.Pairs {
		v.evidence.SetSym(pair.I, pair.J, times*pair.Evidence)
		v.cost.SetSym(pair.I, pair.J, p.occamFactor(pair.I, pair.J, s.past.N))
	}
	polished := &Solution{
		Mean: white.Mean, FromWhite: unitRows(b), Symmetric: sol.Symmetric,
		Leak: mat.NewDense(d, d, nil), Findings: sol.Findings, textbook: sol.textbook,
	}
	polished.Demixing = s.fromMixed(polished.FromWhite)
	logDet, _ := mat.LogDet(s.whitening)
	polished.Resolution, polished.DecidedOn = resolution, part.N
	polished.CodeLength, polished.Evidence = m.codeLength-logDet, times*sol.Evidence
	polished.Sources, polished.Pairs, polished.models = nil, nil, m
	for i := range d {
		deviation := floats.Norm(m.b.RawRowView(i), 2)
		polished.Sources = append(polished.Sources, m.sources[i].public(deviation))
	}
	if err := s.setGroups(ctx, polished, m, v, true); err != nil {
		return nil, err
	}
	for k, p := range polished.Pairs {
		polished.Pairs[k].Dependence = dependence.At(p.I, p.J)
	}
	polished.Why = polished.why(true, false)
	return polished, nil
}

// approach lowers m by quasi-Newton steps with the choices that it has, until the next promises less
// than chance gains. It also returns the derivatives at the end, and the demixing after that next
// step, which is so small that the models need not be fitted again.
func (s *separator) approach(
	ctx context.Context, m *demixing,
) (end *demixing, p *derivatives, b *mat.Dense, err error) {
	next := s.acquire()
	defer func() { s.release(next) }()
	gain := polishGain * float64(s.d*s.d) / float64(s.past.N)
	for step := 0; ; step++ {
		if p, err = s.differentiate(ctx, m); err != nil {
			return nil, nil, nil, err
		}
		e, lower := p.step(), false
		if p.promised(e) < gain {
			return m, p, applyStep(e, m.b), nil
		}
		for ; step < polishSteps && !lower && p.promised(e) >= gain; e.Scale(shrink, e) {
			if err := s.evaluate(ctx, next, applyStep(e, m.b), m); err != nil {
				return nil, nil, nil, err
			}
			if lower = next.codeLength < m.codeLength; lower {
				m, next = next, m
			}
		}
		if !lower {
			return m, p, m.b, nil
		}
	}
}

// unusual reports whether a block of the positions has a longer code than the given number of blocks
// of the part that the models were chosen on.
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

// blocks returns the code lengths a position of so many equal parts of the positions.
func (s *source) blocks(number int) []float64 {
	nats := make([]float64, number)
	s.lengths(nats)
	for b := range nats {
		first, end := b*len(s.u)/number, (b+1)*len(s.u)/number
		nats[b] = (nats[b] - s.cost/float64(number)) / float64(end-first)
	}
	return nats
}
