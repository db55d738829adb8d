package linear

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/density"
)

// sameChoice is the correlation from which two signals share the choices of their model: an angle
// of 8 degrees. Choosing takes five times as long as fitting. It is a choice.
const sameChoice = 0.99

// An explanation is a demixing of the channels with the noise that it implies.
type explanation struct {
	name  string
	b     *mat.Dense // d×d, rows for signals of variance 1
	model *noiseModel
	nats  []float64 // code lengths of the bands under the Gaussian model
	// powers are those of the signals b·x in each band under that model, noise included.
	powers [][]float64
	// filtered are the signals with noise in the model; nil without, where they are b·x.
	filtered *cosine
	lengths  []float64 // code lengths in nats of the frequencies of each scale; NaN if not known
	// sources are the models of the signals at each scale, nil where they aren't known yet. Only the
	// rule's explanation has them.
	sources [][]source
	// doubted is whether the rule's signals hide a source, or depend on each other.
	doubted bool
}

// impliesNoise reports whether e has more than next to no noise in a channel.
func (e *explanation) impliesNoise() bool { return floats.Max(e.model.noise) >= minChannelNoise }

// measureAll explains the explanations that aren't explained yet, measures all at all scales, and
// returns those for which that is possible. ok is whether the first, the rule's, is one.
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

// explain sets the noise that the demixing e implies, its signals, and their code lengths as not
// known yet. It reports whether there are such signals.
//
// The signals are those that keep the source and, at each frequency, let as little noise and as
// little of other sources through as possible (J. Capon, Proceedings of the IEEE 57(8), 1969):
//
//	y_i(f) = a_iᵀ·S(f)⁻¹·x(f) / (a_iᵀ·S(f)⁻¹·a_i)
//
// Without noise they are taken for B·x, of which they differ by the noise of the resolution only.
func (c *channels) explain(e *explanation) bool {
	model := matchSpectra(c.spectrum, c.added, e.b)
	if model == nil {
		return false
	}
	nats, filters, ok := c.spectrum.distortionless(model, c.added)
	if !ok {
		return false
	}
	e.model, e.nats, e.powers = model, nats, nil
	for k := range model.powers {
		e.powers = append(e.powers, diagonalOf(e.covariance(k, c.added)))
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

// covariance returns that of the signals B·x in band k under e's model, noise of the channels and the
// added one included.
func (e *explanation) covariance(k int, added []float64) *mat.Dense {
	cov := new(mat.Dense)
	cov.Product(e.b, e.model.covariance(k, added), e.b.T())
	return cov
}

// distortionless returns the code lengths of the bands under the model, up to a constant, and
// for each band the filters of the signals, nil without noise; ok is false if a covariance is singular.
func (s *spectrum) distortionless(
	m *noiseModel, added []float64,
) (nats []float64, filters []*mat.Dense, ok bool) {
	d := s.d
	inverse := make([]float64, d*d)
	for k, w := range s.weights {
		cov := m.covariance(k, added)
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
// The code length of the mixed signals at the frequencies of the scale is that of the Gaussian model with
// noise and of the signals' powers, minus the gain of signals that aren't Gaussian. For each signal the
// gain is by how much its model at that scale has a shorter code than a Gaussian one with the same past.
func (c *channels) measure(ctx context.Context, e *explanation, k int) error {
	if !math.IsNaN(e.lengths[k]) {
		return nil
	}
	gain, err := c.gainOverGaussian(ctx, e, k)
	if err != nil {
		return err
	}
	s, scale := c.spectrum, c.scales[k]
	e.lengths[k] = s.sum(e.nats, scale) + s.powersLength(e.powers, scale) - gain
	return nil
}

// sum returns the sum of nats over the bands with the frequencies of a time scale.
func (s *spectrum) sum(nats []float64, scale int) float64 {
	return floats.Sum(nats[:s.bandsOf(scale)])
}

// bandsOf returns how many bands have the frequencies of a time scale.
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
// The log powers of a signal vary around that of a white one with a normal prior, whose width is the
// likeliest. If they vary less than chance lets them, the signal is white, and what the powers gain is
// taken back.
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
		chiSquare := weight*math.Log(power/weight) - logPower // over those of a white signal
		if chiSquare > degrees {
			nats += degrees / 2 * (1 + math.Log(chiSquare/degrees))
		} else {
			nats += chiSquare / 2
		}
	}
	return nats
}

// gainOverGaussian returns by how many nats the codes of the signals of e at scale k are shorter
// than with Gaussian models that have the same past. It sets the rule's models if they aren't set
// yet.
func (c *channels) gainOverGaussian(ctx context.Context, e *explanation, k int) (float64, error) {
	y, p := c.signals(e, k), c.past(k)
	isRule := e.sources != nil
	var kept []source // the rule's models; those of others are dropped
	if isRule {
		kept = make([]source, c.d)
	}
	gains := make([]float64, c.d)
	made := make([]*modelChoice, c.d)
	workers := parallel.Workers(c.d)
	coders := make([]*coder, workers)
	err := parallel.Do(ctx, workers, c.d, func(worker, i int) {
		if coders[worker] == nil {
			coders[worker] = newCoder(p)
		}
		coder, signal := coders[worker], y.RawRowView(i)
		s := &coder.pair[0]
		if isRule {
			s = &kept[i]
		}
		s.q, _ = past.SelfMoments(context.Background(), p, signal)
		isShared := c.setModel(coder, s, e, k, i, signal)
		if !isShared {
			made[i] = newModelChoice(signal, s)
		}
		gains[i] = float64(p.N) * (coder.gaussianLength(s.q) - s.codeLength)
	})
	for _, m := range made {
		if m != nil {
			c.choices[k] = append(c.choices[k], *m)
		}
	}
	if isRule && e.sources[k] == nil && err == nil {
		e.sources[k] = kept
	}
	return floats.Sum(gains), err
}

// setModel fits s to y, the i-th signal of e at scale k. Nearly equal signals share the choices of
// their models, which it reports. The rule's signals don't: their code must not be longer because of
// the choices for others.
func (c *channels) setModel(
	coder *coder, s *source, e *explanation, k, i int, y []float64,
) (isShared bool) {
	if e.sources == nil {
		if match, correlation := findModelChoice(c.choices[k], y); match != nil {
			if correlation < 0 { // a density needn't be symmetric
				floats.Scale(-1, y)
			}
			s.keep(&match.source)
			coder.fit(s, y)
			return true
		}
	} else if e.sources[k] != nil {
		s.keep(&e.sources[k][i])
		coder.fit(s, y)
		return false
	}
	coder.choose(s, y, density.Rough)
	return false
}

// A modelChoice is the model that was chosen for a signal: its order, window and density.
type modelChoice struct {
	signal []float64 // of length 1
	source source
}

// newModelChoice returns the choice of the model s for the signal y.
func newModelChoice(y []float64, s *source) *modelChoice {
	unit := slices.Clone(y)
	floats.Scale(1/floats.Norm(unit, 2), unit)
	return &modelChoice{unit, source{weights: s.weights, window: s.window, density: s.density}}
}

// findModelChoice returns the choice for the signal that correlates most with y, and their correlation;
// nil if none correlates by sameChoice.
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
