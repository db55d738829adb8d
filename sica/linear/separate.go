package linear

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/noise"
)

// Options are the settings of the linear rule, which is an ica.Method. The zero value has
// seed 0.
type Options struct {
	// Seed gives the noise of the resolution and the first axes of FastICA.
	Seed uint64
}

// Name returns "linear".
func (o Options) Name() string { return "linear" }

// Fit separates the mixed signals x as Separate does. The model's Details are a *Solution.
func (o Options) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	s, err := Separate(ctx, x, o)
	if err != nil {
		return nil, err
	}
	white, err := x.Whitening()
	if err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	var rotation mat.Dense // of the principal components
	rotation.Mul(s.FromWhite, white.Axes().T())
	m, err := ica.Demixing(x, &rotation, ica.Convergence{Converged: true})
	if err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	m.Why, m.Details = s.Why, s
	return m, nil
}

// resolution is the noise, in standard deviations, that is added to the
// whitened signals for estimation only: signals without noise of their own,
// like a square wave, have densities and predictions that know no bound. Sine,
// square and sawtooth end at .40 without it and at .999 with it.
const resolution = 0.03

// Separate finds the linear demixing of the mixed signals x, d×n, whose signals
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
// It is an error if x can't be whitened or if ctx ends.
func Separate(ctx context.Context, x *ica.Signals, opt Options) (*Solution, error) {
	s, err := separate(ctx, x, opt)
	if err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	return s, nil
}

func separate(ctx context.Context, x *ica.Signals, opt Options) (*Solution, error) {
	white, err := x.Whitening()
	if err != nil {
		return nil, err
	}
	d, _ := x.Dims()
	shape := x.Shape()
	solution, shared, err := separateWith(ctx, noise.Spherical(d, resolution), white, shape, opt.Seed)
	if err == nil && shared != nil {
		solution, _, err = separateWith(ctx, shared, white, shape, opt.Seed)
	}
	if err != nil {
		return nil, err
	}
	solution.Resolution = resolution
	coarse, gain, err := coarserResolution(ctx, white, shape, opt.Seed, solution.FromWhite)
	if err != nil || coarse == 0 {
		return solution, err
	}
	if solution, _, err = separateWith(ctx, noise.Spherical(d, coarse), white, shape, opt.Seed); err != nil {
		return nil, err
	}
	solution.Resolution = coarse
	solution.Why += fmt.Sprintf(" It was found at a resolution of %.2g standard deviations: how the powers vary is described in %.0f nats fewer "+
		"if what is finer, such as noise of the channels, is left out.", coarse, gain)
	return solution, nil
}

// separateWith is Separate of signals with the noise of the resolution, which blur, d×d,
// makes of white noise. If what it found may be made by that, it returns one that can't.
func separateWith(ctx context.Context, blur *mat.Dense, white *signal.Whitening, shape []int, seed uint64) (*Solution, *mat.Dense, error) {
	s, err := prepare(ctx, blur, white, shape, seed)
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
		if err := s.evaluate(ctx, best, another.b, nil); err != nil {
			return nil, nil, err
		}
	}
	v, err := s.judge(ctx, best, null)
	if err != nil {
		return nil, nil, err
	}
	v.leastDependent = another != nil
	solution, err := s.solution(ctx, best, null, v, name, white.Mean)
	if err == nil && v.worthIt() && best.mayBeNoise(s.past.N) {
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
		added := resolution * floats.Norm(m.b.RawRowView(i), 2)
		share := added * added * (1 + floats.Dot(s.weights, s.weights)) / (s.scale * s.scale)
		most = max(most, share)
	}
	return float64(n)*most*most/4 > angleGain
}

// noise makes, of white noise, that which is the same share of all innovations under w, and
// on average over the white signals as large as the resolution.
func (w *whitened) noise() *mat.Dense {
	var blur mat.Dense
	if blur.Inverse(w.b) != nil {
		return nil
	}
	d, _ := blur.Dims()
	blur.Scale(resolution*math.Sqrt(float64(d))/mat.Norm(&blur, 2), &blur)
	return &blur
}

// prepare whitens x symmetrically and adds the noise of the resolution, that which blur,
// d×d, makes of white noise.
func prepare(ctx context.Context, blur *mat.Dense, white *signal.Whitening, shape []int, seed uint64) (*separator, error) {
	a := white.Axes()
	z, whitening, inverse := new(mat.Dense), new(mat.Dense), new(mat.Dense)
	z.Mul(a.T(), white.White)
	whitening.Mul(a.T(), white.Matrix)
	inverse.Mul(white.Inverse, a)
	noise.Add(z, blur, seed)
	p := newPast(shape, len(white.Mean))
	s, err := newSeparator(ctx, z, p)
	if err != nil {
		return nil, err
	}
	s.whitening, s.inverse = whitening, inverse
	return s, nil
}
