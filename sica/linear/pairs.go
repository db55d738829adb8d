package linear

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/signal"
)

const (
	// maxRotations bounds the rounds in which pairs of signals that a descent left mixed are
	// rotated. It is a choice.
	maxRotations = 3
	// basinShare is the least share of common power of two signals that count as the same: an angle
	// of 13 degrees, a third of the angle to the boundary between two basins.
	basinShare = 0.95
)

// knownPairs is the evidence of the pairs of another demixing, whose signals are in the same order.
type knownPairs struct {
	b        *mat.Dense // d×d
	evidence *mat.SymDense
}

// certainEvidence returns the evidence in nats of the pair i, j of the demixing b. ok is false
// unless the evidence is certain and both signals are the same in b and k.b. k may be nil.
func (k *knownPairs) certainEvidence(b *mat.Dense, i, j int) (nats float64, ok bool) {
	if k == nil {
		return 0, false
	}
	for _, l := range []int{i, j} {
		row, before := b.RawRowView(l), k.b.RawRowView(l)
		cos := floats.Dot(row, before) / floats.Norm(row, 2) / floats.Norm(before, 2)
		if cos*cos < basinShare {
			return 0, false
		}
	}
	nats = k.evidence.At(i, j)
	return nats, nats >= certain()
}

// partPairs returns the evidence of the pairs of best's signals by partPositions of the positions,
// scaled to all positions. It is nil for at most fewSignals signals, for images, and with fewer
// than twice partPositions. v is the verdict without pairs.
func (s *separator) partPairs(
	ctx context.Context, best *demixing, v *verdict,
) (*knownPairs, error) {
	if s.d <= fewSignals || !s.past.Sequence() || s.past.N < 2*partPositions {
		return nil, nil
	}
	p := newPast([]int{partPositions}, s.d).Blocks(signal.PartBlock)
	z := signal.SpreadBlocks(s.z, partPositions/signal.PartBlock, signal.PartBlock)
	part, err := newSeparator(ctx, z, p)
	if err != nil {
		return nil, err
	}
	m := part.acquire()
	if err := part.evaluate(ctx, m, best.b, nil); err != nil {
		return nil, err
	}
	slopes, err := part.differentiate(ctx, m)
	if err != nil {
		return nil, err
	}
	w := newVerdict(s.d)
	w.rotation, w.occamFactor, w.cost = v.rotation, v.occamFactor, v.cost
	if err := part.judgePairs(ctx, w, m, nil, m.sourceLengths(), slopes); err != nil {
		return nil, err
	}
	w.evidence.ScaleSym(float64(s.past.N)/float64(p.N), w.evidence)
	return &knownPairs{best.b, w.evidence}, nil
}

// rotateMixed rotates pairs of the signals of found.best by 45° where this certainly shortens the
// code, and descends again, as long as the code gets shorter. With many signals, descents can end
// with two sources mixed.
func (s *separator) rotateMixed(ctx context.Context, found *descents, null *whitened) error {
	for range maxRotations {
		b, rotated := found.verdict.withRotations()
		if !rotated {
			break
		}
		m := s.acquire()
		if err := s.estimate(ctx, m, b); err != nil {
			return err
		}
		m, err := s.descend(ctx, m)
		if err != nil {
			return err
		}
		if m.codeLength >= found.best.codeLength {
			s.release(m)
			break
		}
		v, err := s.judge(ctx, m, null, &knownPairs{found.best.b, found.verdict.evidence})
		if err != nil {
			return err
		}
		s.release(found.best)
		found.best, found.verdict = m, v
	}
	return nil
}

// withRotations returns the demixing after rotating the pairs by 45° where this certainly shortens
// the code, each signal in at most one pair, and whether there are any.
func (v *verdict) withRotations() (b *mat.Dense, rotated bool) {
	d, _ := v.scaled.Dims()
	var pairs [][2]int
	for i := range d {
		for j := range i {
			if v.rotated.At(i, j) < -certain() {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	slices.SortFunc(pairs, func(p, q [2]int) int {
		return cmp.Compare(v.rotated.At(p[0], p[1]), v.rotated.At(q[0], q[1]))
	})
	b = mat.DenseCopyOf(v.scaled)
	done := make([]bool, d)
	for _, p := range pairs {
		if done[p[0]] || done[p[1]] {
			continue
		}
		done[p[0]], done[p[1]] = true, true
		first, second := v.scaled.RawRowView(p[0]), v.scaled.RawRowView(p[1])
		evidence.Rotate(b.RawRowView(p[0]), first, second, -1)
		evidence.Rotate(b.RawRowView(p[1]), first, second, 1)
	}
	return b, len(pairs) > 0
}
