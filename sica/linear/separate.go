package linear

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// Config is the settings of the linear rule, which is an ica.Method. The zero value is Default with
// the seed 0.
//
// sica.Default begins with Default, and adds three things: it excludes outliers from fitting,
// reduces linearly dependent signals to their principal components, and examines nonlinear mixings
// afterwards, which can leave fewer signals identified.
type Config struct {
	// Seed determines the noise of the resolution and the initial axes of FastICA.
	Seed uint64
	// Noiseless excludes channel noise and surplus sources from consideration. It is for signals
	// that aren't channels of sensors, such as those that a network recovered. It requires Noise 0.
	Noiseless bool
	// Noise is the known variance of the white noise in each channel, in the channels' unit
	// squared: the same for all, and below each channel's variance. With PrincipalComponents, give
	// the mean variance of the components that were left out. Noise changes no signal, only Noise,
	// ExpectedError and Groups of the Findings. Signals that correlate less than 0.95 with their
	// sources because of it aren't identified. The default 0 means unknown; Noiseless allows no
	// other value.
	Noise float64
	// PrincipalComponents is whether the mixed signals are principal components. These share a
	// unit, so they aren't divided by their standard deviations when the recovered signals are
	// ordered. Noise may exceed the variance of a component, since that variance may be without
	// outliers.
	PrincipalComponents bool
}

// Default returns the settings to begin with: seed 1, and noise in the models.
func Default() Config { return Config{Seed: 1} }

// Name returns "linear".
func (c Config) Name() string { return "linear" }

// Fit separates the mixed signals x as Separate does. The model's Details are a *Solution.
func (c Config) Fit(ctx context.Context, x *ica.Signals) (*ica.Model, error) {
	s, err := Separate(ctx, x, c)
	if err != nil {
		return nil, err
	}
	white, err := x.Whitening()
	if err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	var rotation mat.Dense // of the principal components
	rotation.Mul(s.FromWhite, white.Axes().T())
	m, err := ica.Demix(x, &rotation, ica.Convergence{Converged: true})
	if err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	m.Why, m.Details = s.Why, s
	return m, nil
}

// Separate finds the linear demixing of the mixed signals x, d×n, whose signals have the shortest
// code together, and how certain it is. If the signals might as well be Gaussian with the same
// spectrum, the demixing is symmetric whitening. A different demixing is returned if noise, surplus
// sources or time scales speak against the shortest code: see Findings.
//
// The recovered signals are numbered by the share of the channels' variance that they explain,
// largest first, after each channel is divided by its standard deviation (see
// Config.PrincipalComponents). Each has the sign with which the channels where it is strongest rise
// with it. Whitened signals keep the order and the signs of the channels.
//
// The same x, Config and machine give the same Solution. Offsets of x and a common scale of all
// channels don't affect which signals are identified. Scales of single channels can, since noise of
// the same strength in all channels is considered.
//
// A step costs O(d·n·(d + p)) for p past values, and there are some dozens of steps. The evidence
// of the pairs costs O(d²·n·p), once. For a long sequence a part of the positions decides if its
// evidence is certain, and a few steps with all positions follow: see Findings.DecidedOn.
//
// Separate returns an error if x can't be whitened, if Noise is out of range or set with Noiseless,
// or if ctx ends. A single signal is valid: there is nothing to separate.
func Separate(ctx context.Context, x *ica.Signals, cfg Config) (*Solution, error) {
	if err := x.Validate(); err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	if err := cfg.checkNoise(x.X()); err != nil {
		err = fmt.Errorf("linear: Noise: is %g; %w", cfg.Noise, err)
		return nil, signal.OfKind(err, ica.ErrConfig)
	}
	s, err := separate(ctx, x, cfg)
	if err != nil {
		return nil, fmt.Errorf("linear: %w", err)
	}
	solution := s.Solution // without what the draft keeps, which is large
	return &solution, nil
}

// checkNoise returns an error unless Noise is a possible noise variance of all channels x.
func (c Config) checkNoise(x *mat.Dense) error {
	if !(c.Noise >= 0) || math.IsInf(c.Noise, 1) {
		return errors.New("must be 0 or more, and finite")
	}
	if c.Noise > 0 && c.Noiseless {
		return errors.New("must be 0 with Noiseless")
	}
	if c.Noise == 0 || c.PrincipalComponents {
		return nil
	}
	for i := range x.RawMatrix().Rows {
		if variance := stat.PopVariance(x.RawRowView(i), nil); c.Noise >= variance {
			return fmt.Errorf("must be below %.4g, the variance of channel %d", variance, i+1)
		}
	}
	return nil
}

func separate(ctx context.Context, signals *ica.Signals, cfg Config) (*draft, error) {
	x, err := newMixture(signals, cfg)
	if err != nil {
		return nil, err
	}
	s, err := x.separateByPart(ctx)
	if s == nil && err == nil { // a part doesn't suffice
		s, err = x.separateAll(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.conclude(x)
	s.orient(x.white)
	s.Bandwidth = x.bandwidth * cmp.Or(s.Bandwidth, 1)
	x.restoreUnit(&s.Solution)
	return s, nil
}

// separateAll separates the mixture by all of its positions.
func (x *mixture) separateAll(ctx context.Context) (*draft, error) {
	base, err := x.withoutNoise(ctx)
	if err != nil {
		return nil, err
	}
	if base, err = x.withCoarse(ctx, base); err != nil {
		return nil, err
	}
	return x.withNoise(ctx, base, true)
}

// withoutNoise returns the solution without noise in the models. If the noise of the resolution may
// explain the result, the mixture is separated again with noise that is the same share of all
// innovations.
func (x *mixture) withoutNoise(ctx context.Context) (*draft, error) {
	d := len(x.white.Mean)
	p := newPast(x.shape, d)
	sol, err := x.separateWith(ctx, sphericalNoise(d, resolution), p)
	if err != nil || sol.otherNoise == nil {
		return sol, err
	}
	return x.separateWith(ctx, sol.otherNoise, p)
}

// separateWith separates the mixture with the noise of noiseMatrix added, as for addNoise.
func (x *mixture) separateWith(
	ctx context.Context, noiseMatrix *mat.Dense, p *past.Past,
) (*draft, error) {
	s, err := x.separator(ctx, noiseMatrix, p)
	if err != nil {
		return nil, err
	}
	return s.separate(ctx, nil)
}

// separate separates the signals of s. known may be nil; otherwise its demixing is the only
// candidate, and its certain pairs aren't compared again.
func (s *separator) separate(ctx context.Context, known *knownPart) (*draft, error) {
	null, err := s.whiten(ctx)
	if err != nil {
		return nil, err
	}
	var found *descents
	if known == nil {
		found, err = s.search(ctx, null)
	} else {
		found = &descents{skipped: known.Skipped}
		err = s.descendAll(ctx, found, []candidate{{name: known.Start, b: known.models.b}})
	}
	if err != nil {
		return nil, err
	}
	if err := s.makeLessDependent(ctx, found, null); err != nil {
		return nil, err
	}
	if found.verdict == nil {
		if known == nil { // the pairs of known are in the order of its demixing
			s.sortByShare(found.best)
		}
		pairs := known.pairs(found.best, s.past.N)
		if found.verdict, err = s.judge(ctx, found.best, null, pairs); err != nil {
			return nil, err
		}
	}
	if s.d > fewSignals {
		if err := s.rotateMixed(ctx, found, null); err != nil {
			return nil, err
		}
	}
	sol, err := s.solution(ctx, found, null)
	if err != nil {
		return nil, err
	}
	if found.verdict.accepted() && found.best.explainedByNoise(s.past.N) {
		sol.otherNoise = null.noiseMatrix()
	}
	return sol, nil
}

// search finds the demixing with the shortest code by descents from all candidates, or from the
// most promising candidate alone if the result is certain.
func (s *separator) search(ctx context.Context, null *whitened) (*descents, error) {
	begin, err := s.candidates(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.sufficient(ctx, begin.all, null)
	if err != nil {
		return nil, err
	}
	if found.verdict == nil || !found.verdict.isCertain() {
		if err := begin.addFurther(ctx, s); err != nil {
			return nil, err
		}
		err = s.descendAll(ctx, found, begin.all)
	}
	found.candidates, found.skipped = begin.all[1:], begin.skipped // the first is whitening
	return found, err
}

// explainedByNoise reports whether only the noise of the resolution may distinguish m's signals.
// That is so if all are Gaussian, so that only their spectra differ, and the noise could shorten
// the code by more than angleGain at n positions. Noise with a share ρ of the power of a signal's
// innovations shortens the code by about n·ρ²/4 nats.
//
// Random walks are an example: they correlate by chance, whitening mixes them, and the noise of the
// resolution becomes a different share of the innovations of each.
func (m *demixing) explainedByNoise(n int) bool {
	maxShare := 0.0
	for i, s := range m.sources {
		if !s.density.Gaussian() || s.window != 0 {
			return false
		}
		added := resolution * floats.Norm(m.b.RawRowView(i), 2)
		share := added * added * (1 + floats.Dot(s.weights, s.weights)) / (s.scale * s.scale)
		maxShare = max(maxShare, share)
	}
	return float64(n)*maxShare*maxShare/4 > angleGain
}

// noiseMatrix returns the matrix, as for addNoise, of noise that is the same share of all
// innovations under w and on average as large as the resolution. It is nil if w is singular.
func (w *whitened) noiseMatrix() *mat.Dense {
	var m mat.Dense
	if m.Inverse(w.b) != nil {
		return nil
	}
	d, _ := m.Dims()
	m.Scale(resolution*math.Sqrt(float64(d))/mat.Norm(&m, 2), &m)
	return &m
}
