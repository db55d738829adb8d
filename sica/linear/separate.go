package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/rotation"
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
	spherical := rotation.Identity(len(white.Mean))
	spherical.Scale(resolution, spherical)
	solution, noise, err := separateWith(ctx, spherical, white, shape, opt.Seed)
	if err == nil && noise != nil {
		solution, _, err = separateWith(ctx, noise, white, shape, opt.Seed)
	}
	return solution, err
}

// separateWith is Separate of signals with the noise of the resolution, which noise, d×d,
// makes of white noise. If what it found may be made by that, it returns noise that can't.
func separateWith(ctx context.Context, noise *mat.Dense, white *pca.Components, shape []int, seed uint64) (*Solution, *mat.Dense, error) {
	s, err := prepare(ctx, noise, white, shape, seed)
	if err != nil {
		return nil, nil, err
	}
	null, err := s.whiten(ctx)
	if err != nil {
		return nil, nil, err
	}
	starts, err := s.starts(ctx, seed)
	if err != nil {
		return nil, nil, err
	}
	best, name, ends, err := s.best(ctx, starts)
	if err != nil {
		return nil, nil, err
	}
	another, err := s.leastDependent(ctx, shape, best, append(ends, start{name: "whitening", b: null.b}))
	if err != nil {
		return nil, nil, err
	}
	if another != nil {
		name = another.name
		if err := s.evaluate(ctx, best, another.b, true, nil); err != nil {
			return nil, nil, err
		}
	}
	v, err := s.judge(ctx, best, null)
	if err != nil {
		return nil, nil, err
	}
	v.leastDependent = another != nil
	solution, err := s.solution(ctx, best, null, v, name, white.Mean)
	if err == nil && v.worthIt() && best.mayBeNoise(s.past.n) {
		return solution, null.noise(), nil
	}
	return solution, nil, err
}

// mayBeNoise is whether what tells m's signals apart may be the noise of the resolution:
// whether they are Gaussian, so that only their spectra do, and the noise, a share ρ of
// what is new in one of them, could make more than a nat of it at n positions. That is
// about n·ρ²/4. Signals that wander are so: uncorrelated by chance only over their whole
// length, they aren't a rotation of the white ones, of which the noise is the same share.
func (m *demixing) mayBeNoise(n int) bool {
	most := 0.0
	for i, s := range m.sources {
		if !s.density.Gaussian() || s.window != 0 {
			return false
		}
		noise := resolution * floats.Norm(m.b.RawRowView(i), 2)
		share := noise * noise * (1 + floats.Dot(s.weights, s.weights)) / (s.scale * s.scale)
		most = max(most, share)
	}
	return float64(n)*most*most/4 > angleGain
}

// noise makes, of white noise, that which is the same share of all innovations under w, and
// on average over the white signals as large as the resolution.
func (w *whitened) noise() *mat.Dense {
	var noise mat.Dense
	if noise.Inverse(w.b) != nil {
		return nil
	}
	d, _ := noise.Dims()
	noise.Scale(resolution*math.Sqrt(float64(d))/mat.Norm(&noise, 2), &noise)
	return &noise
}

// prepare whitens x symmetrically and adds the noise of the resolution.
func prepare(ctx context.Context, noise *mat.Dense, white *pca.Components, shape []int, seed uint64) (*separator, error) {
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
	blur(z, noise, seed)
	p := newPast(shape, len(white.Mean))
	s, err := newSeparator(ctx, z, &p)
	if err != nil {
		return nil, err
	}
	s.whitening, s.inverse = whitening, inverse
	return s, nil
}

func (o Options) shape(positions int) ([]int, error) {
	g, err := grid.New(o.Shape, positions)
	if err != nil {
		return nil, err
	}
	return g.Shape(), nil
}

// blur adds what noise makes of white noise.
func blur(z, noise *mat.Dense, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x6c696e656172)) // "linear"
	d, n := z.Dims()
	drawn := make([]float64, n)
	for j := range d {
		for t := range drawn {
			drawn[t] = rng.NormFloat64()
		}
		for i := range d {
			if noise.At(i, j) != 0 {
				floats.AddScaled(z.RawRowView(i), noise.At(i, j), drawn)
			}
		}
	}
}
