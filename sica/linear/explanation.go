package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/density"
)

// sameChoice is the least correlation of two signals that share a modelChoice: an angle of 8
// degrees. Choosing a model takes five times as long as fitting one. It is a choice.
const sameChoice = 0.99

// An explanation is a candidate model of the channels: a demixing and the channel noise that it
// implies. The first of a comparison is the rule's: the demixing found without noise in the models.
type explanation struct {
	name  string
	b     *mat.Dense // d×d, rows for signals of variance 1
	model *noiseModel
	nats  []float64 // code lengths of the bands under the Gaussian model
	// powers are the powers of the signals b·x in each band under the model, noise included.
	powers [][]float64
	// filtered are the signals if the model has noise; nil otherwise, when the signals are b·x.
	filtered *cosine
	lengths  []float64 // code length in nats of the frequencies of each scale; NaN if not known
	// sources are the models of the signals at each scale, nil where not known yet. Only the rule's
	// explanation has any.
	sources [][]source
	// doubted is whether exactly one of the rule's signals is noise-like, and so may hide a source,
	// or the signals depend on each other.
	doubted bool
}

// impliesNoise reports whether e has noise of a share of at least minChannelNoise in some channel.
func (e *explanation) impliesNoise() bool { return floats.Max(e.model.noise) >= minChannelNoise }

// measureAll calls explain for the explanations without a model, measures all explanations at all
// scales, and returns those for which this is possible. ok reports whether the first, the rule's,
// is among them.
func (c *channels) measureAll(
	ctx context.Context, all []*explanation,
) (valid []*explanation, ok bool, err error) {
	workers := parallel.Workers(len(all))
	err = parallel.Do(ctx, workers, len(all), func(_, k int) {
		if all[k].model == nil {
			c.explain(all[k])
		}
	})
	if err != nil {
		return nil, false, err
	}
	for _, e := range all {
		if e.model == nil {
			continue
		}
		for k := range c.scales {
			if err := c.measure(ctx, e, k); err != nil {
				return nil, false, err
			}
		}
		if !math.IsNaN(floats.Sum(e.lengths)) {
			valid = append(valid, e)
		}
	}
	return valid, len(valid) > 0 && valid[0] == all[0], nil
}

// explain sets the noise that the demixing of e implies and the signals, and marks their code
// lengths as not known. It reports whether the model could be fitted.
//
// The signals are distortionless estimates of the sources: at each frequency they pass the source
// unchanged, and as little noise and other sources as possible (J. Capon, Proceedings of the IEEE
// 57(8), 1969):
//
//	y_i(f) = a_iᵀ·S(f)⁻¹·x(f) / (a_iᵀ·S(f)⁻¹·a_i)
//
// Without channel noise the signals are B·x, from which the estimates would differ only by the
// noise of the resolution.
func (c *channels) explain(e *explanation) bool {
	model := matchSpectra(c.spectrum, c.added, e.b)
	if model == nil {
		return false
	}
	nats, filters, ok := c.spectrum.distortionless(model)
	if !ok {
		return false
	}
	e.model, e.nats, e.powers = model, nats, nil
	for k := range model.powers {
		e.powers = append(e.powers, diagonalOf(e.covariance(k)))
	}
	if filters != nil {
		e.filtered = c.noisy.filtered(filters)
	}
	e.lengths = make([]float64, len(c.scales))
	for k := range e.lengths {
		e.lengths[k] = math.NaN()
	}
	return true
}

// covariance returns the covariance of the signals B·x in band k under e's model, including the
// noise of the channels and the added noise.
func (e *explanation) covariance(k int) *mat.Dense {
	cov := new(mat.Dense)
	cov.Product(e.b, e.model.covariance(k), e.b.T())
	return cov
}

// distortionless returns the code lengths of the bands in nats under the model, up to a constant,
// and the filters of the signals in each band, nil without noise; ok is false if a covariance is
// singular.
func (s *spectrum) distortionless(
	m *noiseModel,
) (nats []float64, filters []*mat.Dense, ok bool) {
	d := s.d
	inverse := make([]float64, d*d)
	for k, w := range s.weights {
		cov := m.covariance(k)
		logDet, ok := invertSymmetric(inverse, cov.RawMatrix().Data, d)
		if !ok {
			return nil, nil, false
		}
		nats = append(nats, w/2*(logDet+floats.Dot(inverse, s.covariances[k])))
		if floats.Max(m.noise) == 0 {
			continue
		}
		f := new(mat.Dense)
		f.Mul(m.mixing.T(), mat.NewDense(d, d, inverse))
		for i := range d {
			through := 0.0
			for l := range d {
				through += f.At(i, l) * m.mixing.At(l, i)
			}
			floats.Scale(1/through, f.RawRowView(i))
		}
		filters = append(filters, f)
	}
	return nats, filters, true
}

// measure sets the code length of e at the k-th time scale if it isn't known yet.
//
// It is the code length of the mixed signals at the frequencies of the scale: that of the Gaussian
// model with noise, plus that of the signals' powers, minus the gain of non-Gaussian models. The
// gain of a signal is how much shorter its code is with its model at that scale than with a
// Gaussian model of the same past.
func (c *channels) measure(ctx context.Context, e *explanation, k int) error {
	if !math.IsNaN(e.lengths[k]) {
		return nil
	}
	gain, err := c.gainOverGaussian(ctx, e, k)
	if err != nil {
		return err
	}
	s, scale := c.spectrum, c.scales[k]
	gaussian := floats.Sum(e.nats[:s.bandsOf(scale)])
	e.lengths[k] = gaussian + s.powersLength(e.powers, scale) - gain
	return nil
}

// bandsOf returns how many bands a time scale keeps: those below its highest frequency.
func (s *spectrum) bandsOf(scale int) int {
	first, end := s.first, s.end()
	for k, w := range s.weights {
		if first+w/2 > end/float64(scale) {
			return k
		}
		first += w
	}
	return len(s.weights)
}

// powersLength returns the code length in nats of the signals' powers in the bands of a time scale.
// The log powers of a signal have a normal prior around that of a white signal, with the most
// likely width. If they vary less than by chance, the signal counts as white, and what its powers
// gained is taken back.
func (s *spectrum) powersLength(powers [][]float64, scale int) (nats float64) {
	bands := s.bandsOf(scale)
	if bands < 2 {
		return 0
	}
	degrees := float64(bands - 1)
	for i := range s.d {
		weight, power, logPower := 0.0, 0.0, 0.0
		for k, w := range s.weights[:bands] {
			weight += w
			power += w * powers[k][i]
			logPower += w * math.Log(powers[k][i])
		}
		chiSquare := weight*math.Log(power/weight) - logPower // relative to a white signal
		if chiSquare > degrees {
			nats += degrees / 2 * (1 + math.Log(chiSquare/degrees))
		} else {
			nats += chiSquare / 2
		}
	}
	return nats
}

// gainOverGaussian returns how many nats shorter the codes of the signals of e at scale k are than
// with Gaussian models of the same past. For the rule's explanation it sets the models if they
// aren't known yet.
func (c *channels) gainOverGaussian(ctx context.Context, e *explanation, k int) (float64, error) {
	y, p := c.signals(e, k), c.past(k)
	sources, made, gains := make([]source, c.d), make([]*modelChoice, c.d), make([]float64, c.d)
	coders := newCoders(p, c.d)
	err := parallel.Do(ctx, len(coders), c.d, func(worker, i int) {
		coder, s, signal := coders[worker], &sources[i], y.RawRowView(i)
		s.q, _ = past.SelfMoments(context.Background(), p, signal)
		made[i] = c.setModel(coder, s, e, k, i, signal)
		gains[i] = float64(p.N) * (coder.gaussianLength(s.q) - s.codeLength)
	})
	for _, m := range made {
		if m != nil {
			c.choices[k] = append(c.choices[k], *m)
		}
	}
	isRule := e.sources != nil
	if isRule && e.sources[k] == nil && err == nil {
		e.sources[k] = sources
	}
	return floats.Sum(gains), err
}

// setModel fits s to y, the i-th signal of e at scale k. Nearly equal signals share a modelChoice:
// then the result is nil, and otherwise the choice for y. The rule's signals share none: a choice
// made for another signal could make their code longer.
func (c *channels) setModel(
	coder *coder, s *source, e *explanation, k, i int, y []float64,
) *modelChoice {
	if e.sources == nil {
		if match, correlation := findModelChoice(c.choices[k], y); match != nil {
			if correlation < 0 { // a density needn't be symmetric
				floats.Scale(-1, y)
			}
			s.keep(&match.source)
			coder.fit(s, y)
			return nil
		}
	}
	if e.sources != nil && e.sources[k] != nil {
		s.keep(&e.sources[k][i])
		coder.fit(s, y)
	} else {
		coder.choose(s, y, density.Rough)
	}
	return newModelChoice(y, s)
}

// A modelChoice is the model that was chosen for a signal: its order, window and density.
type modelChoice struct {
	signal []float64 // of length 1
	source source
}

// newModelChoice returns the choice of the model s for the signal y.
func newModelChoice(y []float64, s *source) *modelChoice {
	return &modelChoice{
		signal: unitVector(y),
		source: source{weights: s.weights, window: s.window, density: s.density},
	}
}

// findModelChoice returns the choice for the signal that correlates most with y, and the
// correlation; nil if no absolute correlation reaches sameChoice.
func findModelChoice(all []modelChoice, y []float64) (match *modelChoice, correlation float64) {
	length := floats.Norm(y, 2)
	for k := range all {
		r := floats.Dot(y, all[k].signal) / length
		if math.Abs(r) >= max(sameChoice, math.Abs(correlation)) {
			match, correlation = &all[k], r
		}
	}
	return match, correlation
}
