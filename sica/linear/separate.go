package linear

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/sica/ica"
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
	solution, shared, err := separateWith(ctx, sphericalNoise(d, resolution), white, shape, opt.Seed)
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
	if solution, _, err = separateWith(ctx, sphericalNoise(d, coarse), white, shape, opt.Seed); err != nil {
		return nil, err
	}
	solution.Resolution = coarse
	solution.Why += fmt.Sprintf(" It was found at a resolution of %.2g standard deviations: without what is finer, "+
		"such as noise of the channels, the code of the varying powers is %.0f nats shorter.", coarse, gain)
	return solution, nil
}

// separateWith separates white signals with the noise that blur, d×d, makes of white noise. If
// that noise may explain the result, it also returns another blur, which can't.
func separateWith(ctx context.Context, blur *mat.Dense, white *signal.Whitening, shape []int, seed uint64) (*Solution, *mat.Dense, error) {
	s, err := prepare(ctx, blur, white, shape, seed)
	if err != nil {
		return nil, nil, err
	}
	null, err := s.whiten(ctx)
	if err != nil {
		return nil, nil, err
	}
	candidates, skipped, err := s.candidates(ctx, seed)
	if err != nil {
		return nil, nil, err
	}
	best, name, ends, err := s.best(ctx, candidates)
	if err != nil {
		return nil, nil, err
	}
	another, err := s.minDependence(ctx, shape, best, append(ends, candidate{name: "whitening", b: null.b}))
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
	v.minDependence = another != nil
	solution, err := s.solution(ctx, best, null, v, name, white.Mean)
	if err != nil {
		return nil, nil, err
	}
	solution.Skipped = skipped
	if v.accepted() && best.explainedByNoise(s.past.N) {
		return solution, null.noise(), nil
	}
	return solution, nil, nil
}

// explainedByNoise reports whether the noise of the resolution may be what distinguishes m's
// signals. That is so if they are Gaussian, so that only their spectra differ, and the noise, a
// share ρ of the innovations of one of them, could gain more than angleGain at n positions:
// about n·ρ²/4. Random walks are an example. Uncorrelated by chance only over their whole
// length, they aren't a rotation of the white signals, of which the noise is the same share.
func (m *demixing) explainedByNoise(n int) bool {
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

// noise returns the matrix that makes, of white noise, noise that is the same share of all
// innovations under w and on average as large as the resolution. It is nil if w is singular.
func (w *whitened) noise() *mat.Dense {
	var blur mat.Dense
	if blur.Inverse(w.b) != nil {
		return nil
	}
	d, _ := blur.Dims()
	blur.Scale(resolution*math.Sqrt(float64(d))/mat.Norm(&blur, 2), &blur)
	return &blur
}

// prepare returns the separator of the symmetrically white signals with the noise that blur,
// d×d, makes of white noise.
func prepare(ctx context.Context, blur *mat.Dense, white *signal.Whitening, shape []int, seed uint64) (*separator, error) {
	a := white.Axes()
	z, whitening, inverse := white.Symmetric(), new(mat.Dense), new(mat.Dense)
	whitening.Mul(a.T(), white.Matrix)
	inverse.Mul(white.Inverse, a)
	addNoise(z, blur, seed)
	p := newPast(shape, len(white.Mean))
	s, err := newSeparator(ctx, z, p)
	if err != nil {
		return nil, err
	}
	s.whitening, s.inverse = whitening, inverse
	return s, nil
}

// coarserResolution returns the coarsest resolution at which the code of the signals' varying
// powers is significantly shorter, and by how many nats. It goes from resolution to resolution
// as long as each demixing, found from the one before, shortens that code. It is 0 if none
// does, and for images. It begins with b, the demixing of the symmetrically white signals at
// the usual resolution.
//
// Noise of the channels first covers the finest structure, which is what models predict and
// scale. Where it is as large as the innovations of the sources, the noise is made independent
// in their place. The powers in windows are of the whole signals and suffer least.
func coarserResolution(ctx context.Context, white *signal.Whitening, shape []int, seed uint64, b *mat.Dense) (found, gain float64, err error) {
	d := len(white.Mean)
	if d < 2 || len(shape) > 1 {
		return 0, 0, nil
	}
	z := white.Symmetric()
	for r := coarsening * resolution; r < 1; r *= coarsening {
		before := powerLengths(b, z, r*r)
		if before == nil {
			break // too few positions
		}
		s, err := prepare(ctx, sphericalNoise(d, r), white, shape, seed)
		if err != nil {
			return 0, 0, err
		}
		m := s.acquire()
		if err := s.evaluate(ctx, m, b, nil); err != nil {
			return 0, 0, err
		}
		if m, err = s.descend(ctx, m, firstSteps); err != nil { // enough to see
			return 0, 0, err
		}
		next := unitRows(m.b)
		after := powerLengths(next, z, r*r)
		if !significantlyShorter(before, after) {
			break
		}
		found, gain, b = r, gain+floats.Sum(before)-floats.Sum(after), next
	}
	return found, gain, nil
}

// significantlyShorter reports whether the code lengths b are shorter in all than a, by more
// than five standard errors.
func significantlyShorter(a, b []float64) bool {
	gains := make([]float64, len(a))
	floats.SubTo(gains, a, b)
	mean, se := stats.MeanSE(gains)
	return mean > significance*se
}

// sphericalNoise returns the matrix that makes, of white noise, noise of the given standard
// deviation in each of d signals.
func sphericalNoise(d int, deviations float64) *mat.Dense {
	s := rotation.Identity(d)
	s.Scale(deviations, s)
	return s
}

// addNoise adds to the signals z, d×n, what shape, d×d, makes of white noise.
func addNoise(z, shape *mat.Dense, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0x6c696e656172)) // "linear"
	d, n := z.Dims()
	drawn := make([]float64, n)
	for j := range d {
		for t := range drawn {
			drawn[t] = rng.NormFloat64()
		}
		for i := range d {
			if shape.At(i, j) != 0 {
				floats.AddScaled(z.RawRowView(i), shape.At(i, j), drawn)
			}
		}
	}
}
