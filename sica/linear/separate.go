package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
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

	// angleGain is what an angle must gain, in nats, to be worth estimating: half a
	// nat is gained by chance, and as much is lost elsewhere (H. Akaike, IEEE Trans.
	// Automatic Control 19(6), 1974).
	angleGain = 1

	mostSteps  = 60
	firstSteps = 6  // of the starts after the first, before the best go on
	promising  = 20 // nats a signal by which such a start may lie behind
	level      = 0.2
)

// identified is the evidence in nats that it takes to say so: 20 to 1.
var identified = math.Log(20)

// Separate finds the linear demixing of the mixed signals x, d×T, whose signals
// have the least description length together, and says how sure that is. If the
// signals might as well be Gaussian with one spectrum, it is symmetric whitening.
// The same x, Options and machine give the same Solution; the scale, offset and, but
// for rounding and the noise of the resolution, any mixing of x make no difference
// to the signals that are identified.
//
// A step costs O(d·T·(d + p)), p being the values of the past that are used, and
// there are some dozens of steps: on one core about a second for 8 signals at 50 000
// positions. The pairs' evidence costs O(d²·T·p), once.
//
// It is an error if x can't be whitened, if the shape doesn't fit, or if ctx ends.
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
	_, positions := x.Dims()
	shape, err := opt.shape(positions)
	if err != nil {
		return nil, err
	}
	s, err := prepare(ctx, white, shape, opt.Seed)
	if err != nil {
		return nil, err
	}
	null, err := s.whiten(ctx)
	if err != nil {
		return nil, err
	}
	starts, err := s.starts(ctx, opt.Seed)
	if err != nil {
		return nil, err
	}
	best, name, err := s.best(ctx, starts)
	if err != nil {
		return nil, err
	}
	v, err := s.judge(ctx, best, null)
	if err != nil {
		return nil, err
	}
	return s.solution(ctx, best, null, v, name, white.Mean)
}

// prepare whitens x symmetrically and adds the noise of the resolution.
func prepare(ctx context.Context, white *baseline.Whitening, shape []int, seed uint64) (*separator, error) {
	// Whitening by principal components has the axes a, a row each, over their
	// standard deviations; aᵀ turns it into the symmetric one, Σ^(−1/2).
	a := mat.DenseCopyOf(white.Matrix)
	for i := range white.Mean {
		axis := a.RowView(i).(*mat.VecDense)
		axis.ScaleVec(1/axis.Norm(2), axis)
	}
	z, whitening, inverse := new(mat.Dense), new(mat.Dense), new(mat.Dense)
	z.Mul(a.T(), white.Signals)
	whitening.Mul(a.T(), white.Matrix)
	inverse.Mul(white.Inverse, a)
	blur(z, seed)
	p := newPast(shape, len(white.Mean))
	s, err := newSeparator(ctx, z, &p)
	if err != nil {
		return nil, err
	}
	s.whitening, s.inverse = whitening, inverse
	return s, nil
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

// blur adds the noise of the resolution.
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

// scaled is b with rows that bring the innovations to information 1.
func (m *demixing) scaled(p *pulls) *mat.Dense {
	b := mat.DenseCopyOf(m.b)
	for i := range m.sources {
		floats.Scale(math.Sqrt(p.pulls[i].information), b.RawRowView(i))
	}
	return b
}

func identity(d int) *mat.Dense {
	one := mat.NewDense(d, d, nil)
	for i := range d {
		one.Set(i, i, 1)
	}
	return one
}

// best is the demixing with the least description length that the descents from
// the starts end at, and the name of its start.
func (s *separator) best(ctx context.Context, starts []start) (best *demixing, name string, err error) {
	for k := range starts {
		m := s.take()
		if err := s.evaluate(ctx, m, starts[k].b, true, nil); err != nil {
			return nil, "", err
		}
		starts[k].nats = m.nats
		s.give(m)
	}
	slices.SortStableFunc(starts, func(a, b start) int { return cmp.Compare(a.nats, b.nats) })
	var ends []*mat.Dense
	n := float64(s.past.n)
	for _, start := range starts {
		if slices.ContainsFunc(ends, func(b *mat.Dense) bool { return sameBasin(start.b, b) }) {
			continue
		}
		m := s.take()
		if err := s.evaluate(ctx, m, start.b, true, nil); err != nil {
			return nil, "", err
		}
		steps := mostSteps
		if best != nil {
			steps = firstSteps
		}
		if m, err = s.descend(ctx, m, steps); err != nil {
			return nil, "", err
		}
		if best != nil && n*(m.nats-best.nats) < promising*float64(s.d) && n*math.Abs(m.nats-best.nats) > level {
			if m, err = s.descend(ctx, m, mostSteps); err != nil {
				return nil, "", err
			}
		}
		ends = append(ends, mat.DenseCopyOf(m.b))
		switch {
		case best == nil:
			best, name = m, start.name
		case m.nats < best.nats:
			s.give(best)
			best, name = m, start.name
		default:
			s.give(m)
		}
	}
	return best, name, nil
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

// A verdict is what the data say about a demixing.
type verdict struct {
	rotation  float64       // gain of the whole rotation
	occam     float64       // what its angles cost
	different *mat.SymDense // of each pair: gain over signals that are alike
	evidence  *mat.SymDense // of each pair
	leaks     *mat.Dense
	angles    *mat.SymDense
	scaled    *mat.Dense // the demixing, rows in the scale of the innovations
}

// judge compares best with whitening, and each pair of its signals with what it
// would be if nothing told them apart.
func (s *separator) judge(ctx context.Context, best *demixing, null *whitened) (*verdict, error) {
	p, err := s.pulls(ctx, best)
	if err != nil {
		return nil, err
	}
	v := &verdict{scaled: best.scaled(p), different: mat.NewSymDense(s.d, nil)}
	v.rotation = evidence(null.lengths, best.lengths())
	if v.leaks, v.angles, err = s.leaks(ctx, best, p); err != nil {
		return nil, err
	}
	if v.evidence, err = s.turned(ctx, best, p); err != nil {
		return nil, err
	}
	for i := range s.d {
		for j := range i {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			own := make([]float64, evidenceBlocks)
			best.sources[i].lengths(own)
			best.sources[j].lengths(own)
			_, alike := s.alike(best, i, j)
			v.different.SetSym(i, j, evidence(alike, own))
			cost := p.occam(i, j, s.past.n)
			v.occam += cost
			v.evidence.SetSym(i, j, min(v.evidence.At(i, j), v.different.At(i, j))-cost)
		}
	}
	return v, nil
}

// solution keeps best where that is shorter than whitening, and turns signals that
// might as well be alike towards it.
func (s *separator) solution(ctx context.Context, best *demixing, null *whitened, v *verdict, name string, mean []float64) (*Solution, error) {
	sol := &Solution{Mean: mean, Start: name, Leak: mat.NewDense(s.d, s.d, nil), ExpectedError: make([]float64, s.d)}
	sol.Evidence = v.rotation - v.occam
	left := v.rotation > angleGain*float64(s.d*(s.d-1)/2)
	b := v.scaled
	if left {
		for _, g := range groups(v.different, angleGain) {
			if len(g) > 1 {
				orient(b, null.b, g)
			}
		}
	} else if s.d > 1 {
		b = null.b
	}
	m := s.take()
	if err := s.evaluate(ctx, m, b, true, best); err != nil {
		return nil, err
	}
	enough := identified
	if !left || sol.Evidence <= identified {
		enough = math.Inf(1)
	}
	sol.Groups = groups(v.evidence, enough)
	for _, g := range sol.Groups {
		for _, i := range g {
			for j := range s.d {
				leak := v.leaks.At(i, j)
				if i != j && slices.Contains(g, j) {
					leak = 1
				}
				sol.Leak.Set(i, j, leak)
				sol.ExpectedError[i] += leak * leak / 2
			}
			if len(g) > 1 {
				sol.ExpectedError[i] = 1
			}
		}
	}
	for i := range s.d {
		for j := range i {
			e := v.evidence.At(i, j)
			sol.Pairs = append(sol.Pairs, Pair{I: i, J: j, Evidence: e, Identified: e > enough, AngleError: v.angles.At(i, j)})
		}
		deviation := floats.Norm(m.b.RawRowView(i), 2) // of white signals
		sol.Sources = append(sol.Sources, m.sources[i].public(deviation))
		floats.Scale(1/deviation, m.b.RawRowView(i))
	}
	sol.Demixing = new(mat.Dense)
	sol.Demixing.Mul(m.b, s.whitening)
	logDet, _ := mat.LogDet(s.whitening)
	sol.CodeLength, sol.Whitening = m.nats-logDet, null.nats-logDet
	sol.Why = sol.why(left)
	return sol, nil
}
