package linear

import (
	"cmp"
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/evidence"
)

const (
	// maxRotations is how often pairs of signals that a descent left mixed are rotated. Of 64 signals
	// at 20,000 positions one is enough. It is a choice.
	maxRotations = 3
	// basinShare is the share of a signal's power from which two demixings recover the same
	// one: an angle of 13 degrees, a third of that to the boundary of two basins.
	basinShare = 0.95
)

// knownPairs are the pairs of signals of another demixing, in the same order.
type knownPairs struct {
	b        *mat.Dense // d×d
	evidence *mat.SymDense
}

// certainEvidence returns the evidence of signals i and j of the demixing b. ok is false unless it
// identifies them beyond doubt and both are the same signals in the other demixing. k may be nil.
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
	return nats, nats >= certain
}

// rotateMixed rotates pairs of best's signals by 45° whose code is then shorter, beyond doubt, and
// descends again. Among many signals some descents end with two sources mixed. It returns the last
// demixing whose code is shorter than the one before, and its verdict. v is that of best.
func (s *separator) rotateMixed(
	ctx context.Context, best *demixing, null *whitened, v *verdict,
) (*demixing, *verdict, error) {
	for range maxRotations {
		b, rotated := v.withRotations()
		if !rotated {
			break
		}
		m := s.acquire()
		if err := s.estimate(ctx, m, b); err != nil {
			return nil, nil, err
		}
		m, err := s.descend(ctx, m, maxSteps)
		if err != nil {
			return nil, nil, err
		}
		if m.codeLength >= best.codeLength {
			s.release(m)
			break
		}
		if v, err = s.judge(ctx, m, null, &knownPairs{best.b, v.evidence}); err != nil {
			return nil, nil, err
		}
		s.release(best)
		best = m
	}
	return best, v, nil
}

// withRotations returns the demixing with the pairs rotated by 45° whose code is then shorter beyond
// doubt, each signal in one pair, and whether there are any.
func (v *verdict) withRotations() (b *mat.Dense, rotated bool) {
	d, _ := v.scaled.Dims()
	var pairs [][2]int
	for i := range d {
		for j := range i {
			if v.rotated.At(i, j) < -certain {
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
