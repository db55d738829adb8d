package linear

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/internal/pca"
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

// resolution is the noise, in standard deviations, that is added to the
// whitened signals for estimation only: signals without noise of their own,
// like a square wave, have densities and predictions that know no bound. Sine,
// square and sawtooth end at .40 without it and at .999 with it.
const resolution = 0.03

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
	white, err := pca.Whiten(x)
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
	best, name, ends, err := s.best(ctx, starts)
	if err != nil {
		return nil, err
	}
	another, err := s.leastDependent(ctx, shape, best, append(ends, start{name: "whitening", b: null.b}))
	if err != nil {
		return nil, err
	}
	if another != nil {
		name = another.name
		if err := s.evaluate(ctx, best, another.b, true, nil); err != nil {
			return nil, err
		}
	}
	v, err := s.judge(ctx, best, null)
	if err != nil {
		return nil, err
	}
	v.leastDependent = another != nil
	return s.solution(ctx, best, null, v, name, white.Mean)
}

// prepare whitens x symmetrically and adds the noise of the resolution.
func prepare(ctx context.Context, white *pca.Components, shape []int, seed uint64) (*separator, error) {
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
