package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline"
)

// Options are what Separate can be told. The zero value is a sequence with seed 0.
type Options struct {
	// Shape is that of the position index, row-major: of an image its rows and
	// columns, of a video its frames, rows and columns. Its product is the number
	// of positions. Nil is a sequence.
	Shape []int
	// Seed is that of the noise of the resolution and of FastICA's start.
	Seed uint64
}

const (
	// resolution is the noise, in standard deviations, that is added to the
	// whitened signals for estimation only: signals without noise of their own,
	// like a square wave, have densities and predictions that know no bound. Sine,
	// square and sawtooth end at .40 without it and at .999 with it.
	resolution = 0.03

	// leaving is the evidence for a rotation, in nats, that it takes to leave
	// whitening: 20 to 1.
	leaving = 3
	// plainPair is the least evidence of all pairs that is enough alone.
	plainPair = 15
	// identified is the least evidence of a pair that counts as identified.
	identified = 4

	whiteningSteps = 30
	mostSteps      = 60
	firstSteps     = 6  // of the starts after the first, before the best go on
	promising      = 20 // nats a signal by which such a start may lie behind
	level          = 0.2
)

// Separate finds the linear demixing of x, d×T, whose signals have the least
// description length together.
func Separate(ctx context.Context, x *mat.Dense, opt Options) (*Solution, error) {
	s, err := separate(ctx, x, opt)
	if err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	return s, nil
}

func separate(ctx context.Context, x *mat.Dense, opt Options) (*Solution, error) {
	if x == nil {
		return nil, errors.New("no signals: x is nil")
	}
	white, err := baseline.Whiten(x)
	if err != nil {
		return nil, err
	}
	d, positions := x.Dims()
	shape, err := opt.shape(positions)
	if err != nil {
		return nil, err
	}
	whitening := symmetric(white)
	z := new(mat.Dense)
	z.Mul(towards(white, whitening), white.Signals)
	blur(z, opt.Seed)

	p := newPast(shape, d)
	s, err := newSeparator(ctx, z, &p)
	if err != nil {
		return nil, err
	}
	starts, err := s.starts(ctx, opt.Seed)
	if err != nil {
		return nil, err
	}
	null, err := s.null(ctx)
	if err != nil {
		return nil, err
	}
	best, err := s.best(ctx, starts)
	if err != nil {
		return nil, err
	}
	pulls, err := s.pulls(ctx, best)
	if err != nil {
		return nil, err
	}
	pairs, err := s.turned(ctx, best, pulls)
	if err != nil {
		return nil, err
	}
	gain := evidence(null.lengths(), best.lengths())
	all := make([]int, d)
	for i := range all {
		all[i] = i
	}
	logDet, _ := mat.LogDet(null.b)
	same := s.alike(null, all)
	for b := range same {
		same[b] -= logDet * float64(p.n) / evidenceBlocks
	}
	gain2 := evidence(same, best.lengths())
	al := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i {
			own := make([]float64, evidenceBlocks)
			best.sources[i].lengths(own)
			best.sources[j].lengths(own)
			al.SetSym(i, j, evidence(s.alike(best, []int{i, j}), own))
		}
	}
	nullPulls, err := s.pulls(ctx, null)
	if err != nil {
		return nil, err
	}
	sol, err := s.solution(best, null, pulls, nullPulls, pairs, gain, white.Mean, whitening)
	sol.Gain2, sol.Alike = gain2, al
	return sol, err
}

func (o Options) shape(positions int) ([]int, error) {
	if o.Shape == nil {
		return []int{positions}, nil
	}
	total := 1
	for _, side := range o.Shape {
		if side < 1 || side > positions {
			return nil, fmt.Errorf("shape %v: every side must be between 1 and the %d positions of x", o.Shape, positions)
		}
		total *= side
		if total > positions {
			break
		}
	}
	if len(o.Shape) == 0 || total != positions {
		return nil, fmt.Errorf("shape %v: the product of its sides must be the %d positions of x", o.Shape, positions)
	}
	return o.Shape, nil
}

// symmetric is the symmetric whitening (ZCA), Σ^(−1/2), from that by principal
// components.
func symmetric(white *baseline.Whitening) *mat.Dense {
	var m mat.Dense
	m.Mul(axes(white).T(), white.Matrix)
	return &m
}

// towards turns signals that are white by principal components into those of
// symmetric whitening.
func towards(white *baseline.Whitening, _ *mat.Dense) mat.Matrix { return axes(white).T() }

// axes are the principal axes, a row each.
func axes(white *baseline.Whitening) *mat.Dense {
	a := mat.DenseCopyOf(white.Matrix)
	d, _ := a.Dims()
	for i := range d {
		axis := a.RowView(i).(*mat.VecDense)
		axis.ScaleVec(1/axis.Norm(2), axis)
	}
	return a
}

func blur(z *mat.Dense, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x6c696e656172)) // "linear"
	d, _ := z.Dims()
	for i := range d {
		row := z.RawRowView(i)
		for t := range row {
			row[t] += resolution * rng.NormFloat64()
		}
	}
}

// null is whitening with the least description length: without a rotation.
func (s *separator) null(ctx context.Context) (*demixing, error) {
	m := s.newDemixing()
	if err := s.evaluate(ctx, m, mat.NewDiagDense(s.d, ones(s.d)), true, nil); err != nil {
		return nil, err
	}
	return s.descend(ctx, m, noRotation, whiteningSteps)
}

func ones(d int) []float64 {
	v := make([]float64, d)
	for i := range v {
		v[i] = 1
	}
	return v
}

// best is the demixing with the least description length that the descents from
// the starts end at.
func (s *separator) best(ctx context.Context, starts []start) (*demixing, error) {
	type candidate struct {
		start
		nats float64
	}
	candidates := make([]candidate, len(starts))
	m := s.newDemixing()
	for k, start := range starts {
		if err := s.evaluate(ctx, m, start.b, true, nil); err != nil {
			return nil, err
		}
		candidates[k] = candidate{start, m.nats}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.nats, b.nats) })
	var ends []*mat.Dense
	var best *demixing
	n := float64(s.past.n)
	for k, c := range candidates {
		if slices.ContainsFunc(ends, func(b *mat.Dense) bool { return sameBasin(c.b, b) }) {
			continue
		}
		m := s.newDemixing()
		if err := s.evaluate(ctx, m, c.b, true, nil); err != nil {
			return nil, err
		}
		steps := mostSteps
		if k > 0 {
			steps = firstSteps
		}
		m, err := s.descend(ctx, m, anyMap, steps)
		if err != nil {
			return nil, err
		}
		if best != nil && n*(m.nats-best.nats) < promising*float64(s.d) && n*math.Abs(m.nats-best.nats) > level {
			if m, err = s.descend(ctx, m, anyMap, mostSteps); err != nil {
				return nil, err
			}
		}
		ends = append(ends, mat.DenseCopyOf(m.b))
		if best == nil || m.nats < best.nats {
			best = m
		}
	}
	return best, nil
}

// sameBasin says whether b and c recover the same signals, but for order, sign,
// scale and small angles.
func sameBasin(b, c *mat.Dense) bool {
	const share = 0.95 // of a signal's power: an angle of 13 degrees
	d, _ := b.Dims()
	var shares mat.Dense
	if shares.Solve(c.T(), b.T()) != nil { // b·c⁻¹, transposed
		return false
	}
	taken := make([]bool, d)
	for i := range d {
		total, largest, at := 0.0, 0.0, 0
		for j := range d {
			v := shares.At(j, i) * shares.At(j, i)
			total += v
			if v > largest {
				largest, at = v, j
			}
		}
		if largest < share*total || taken[at] {
			return false
		}
		taken[at] = true
	}
	return true
}
