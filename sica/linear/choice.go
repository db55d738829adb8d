package linear

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/density"
)

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
	e.model, e.nats = model, nats
	if floats.Max(model.noise) > 0 {
		e.filtered = c.noisy.filtered(filters)
	}
	e.lengths = make([]float64, len(c.scales))
	for k := range e.lengths {
		e.lengths[k] = math.NaN()
	}
	return true
}

// measure sets the code lengths of e that aren't known yet, at the scales from first on.
//
// The code length of the mixed signals at the frequencies of a scale is that of the Gaussian model
// with noise, minus the gain of signals that aren't Gaussian. For each signal the gain is by how
// much its model at that scale has a shorter code than a Gaussian one with the same past.
func (c *channels) measure(ctx context.Context, e *explanation, first int) error {
	for k := first; k < len(c.scales); k++ {
		if !math.IsNaN(e.lengths[k]) {
			continue
		}
		gain, err := c.gainOverGaussian(ctx, e, k)
		if err != nil {
			return err
		}
		e.lengths[k] = c.spectrum.sum(e.nats, c.scales[k]) - gain
	}
	return nil
}

// A choice is the model that was chosen for a signal: its order, window and density.
type choice struct {
	signal []float64 // of length 1
	source source
}

// newChoice returns the choice of the model s for the signal y.
func newChoice(y []float64, s *source) choice {
	unit := slices.Clone(y)
	floats.Scale(1/floats.Norm(unit, 2), unit)
	return choice{unit, source{weights: s.weights, window: s.window, density: s.density}}
}

// findChoice returns the choice for the signal that correlates most with y, and their correlation;
// nil if none correlates by sameChoice.
func findChoice(all []choice, y []float64) (match *choice, correlation float64) {
	length := floats.Norm(y, 2)
	for k := range all {
		r := floats.Dot(y, all[k].signal) / length
		if math.Abs(r) >= max(sameChoice, math.Abs(correlation)) {
			match, correlation = &all[k], r
		}
	}
	return match, correlation
}

// gainOverGaussian returns by how many nats the codes of the signals of e at scale k are shorter
// than with Gaussian models that have the same past. Nearly equal signals share their choices.
// Those of the rule without noise have their own, which it sets if there are none yet: their code
// must not be longer because of the choices of others.
func (c *channels) gainOverGaussian(ctx context.Context, e *explanation, k int) (float64, error) {
	y, p := c.signals(e, k), c.past(k)
	windows := scaleWindows(p.N)
	if e.mixed != nil {
		windows = mixedWindows(p.N, e.mixed.windows(k)...)
	}
	sources := make([]source, c.d)
	gains := make([]float64, c.d)
	chosen := make([]*choice, c.d)
	workers := parallel.Workers(c.d)
	coders := make([]*coder, workers)
	err := parallel.Do(ctx, workers, c.d, func(worker, i int) {
		if coders[worker] == nil {
			coders[worker] = newCoder(p)
		}
		coder, signal, s := coders[worker], y.RawRowView(i), &sources[i]
		if e.choices == nil { // which keep it
			s = &coder.pair[0]
		}
		s.q, _ = past.SelfMoments(context.Background(), p, signal)
		var match *choice
		var correlation float64
		if e.choices == nil {
			match, correlation = findChoice(c.chosen[k], signal)
		}
		switch {
		case match != nil:
			if correlation < 0 {
				floats.Scale(-1, signal)
			}
			s.keep(&match.source)
			coder.fit(s, signal)
		case e.choices != nil && e.choices[k] != nil:
			s.keep(&e.choices[k][i])
			coder.fit(s, signal)
		default:
			coder.chooseAmong(s, signal, windows, density.Rough)
		}
		if match == nil && e.mixed == nil {
			made := newChoice(signal, s)
			chosen[i] = &made
		}
		gains[i] = float64(p.N) * (coder.gaussianLength(s.q) - s.codeLength)
	})
	for _, made := range chosen {
		if made != nil {
			c.chosen[k] = append(c.chosen[k], *made)
		}
	}
	if e.choices != nil && e.choices[k] == nil && err == nil {
		e.choices[k] = sources
	}
	return floats.Sum(gains), err
}

// windows returns those of the choices at the k-th time scale.
func (e *explanation) windows(k int) (all []int) {
	for i := range e.choices[k] {
		all = append(all, e.choices[k][i].window)
	}
	return all
}

// past returns the past of a position at the k-th time scale.
func (c *channels) past(k int) *past.Past {
	return newPast(scaledShape(c.noisy.shape, c.scales[k]), c.d)
}

// distortionless returns the code lengths of the bands under the model, up to a constant, and
// for each band the filters of the signals; ok is false if a covariance is singular.
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

// covariance returns the covariance of the mixed signals in band k, d×d.
func (m *noiseModel) covariance(k int, added []float64) *mat.Dense {
	cov := new(mat.Dense)
	cov.Product(m.mixing, diagonal(m.powers[k]), m.mixing.T())
	data := cov.RawMatrix().Data
	floats.Add(data, added)
	for i, v := range m.noise {
		data[i*len(m.noise)+i] += v
	}
	return cov
}

// sum returns the sum of nats over the bands with the frequencies of a time scale.
func (s *spectrum) sum(nats []float64, scale int) float64 {
	sum, first, end := 0.0, s.first, s.end()
	for k, w := range s.weights {
		if first+w/2 <= end/float64(scale) {
			sum += nats[k]
		}
		first += w
	}
	return sum
}

// measureAll explains the explanations that aren't explained yet, measures all at the scales from
// first on, and returns those for which that is possible.
func (c *channels) measureAll(
	ctx context.Context, all []*explanation, first int,
) ([]*explanation, error) {
	workers := parallel.Workers(len(all))
	err := parallel.Do(ctx, workers, len(all), func(_, k int) {
		if all[k].model == nil {
			c.explain(all[k])
		}
	})
	if err != nil {
		return nil, err
	}
	var valid []*explanation
	for _, e := range all {
		if e.model == nil {
			continue
		}
		if err := c.measure(ctx, e, first); err != nil {
			return nil, err
		}
		if !math.IsNaN(floats.Sum(e.lengths[first:])) {
			valid = append(valid, e)
		}
	}
	return valid, nil
}

// shortest returns the explanation with the shortest code at each scale from first on.
func (c *channels) shortest(all []*explanation, first int) []*explanation {
	best := make([]*explanation, len(c.scales))
	for k := first; k < len(best); k++ {
		for _, e := range all {
			if best[k] == nil || e.lengths[k] < best[k].lengths[k] {
				best[k] = e
			}
		}
	}
	return best
}

// tolerance returns by how many nats a code may be longer than the shortest by chance. For two
// channels it is that of three pairs: the shortest of a dozen codes is short by chance, too.
func (c *channels) tolerance() float64 { return rejection * max(float64(c.d*(c.d-1))/2, 3) }

// isRejected reports whether, at a scale from first on, the code of e is longer than the shortest
// by more than times the tolerance.
func (c *channels) isRejected(e *explanation, best []*explanation, first int, times float64) bool {
	return e.misfit(best, first) > times*c.tolerance()
}

// misfit returns by how many nats the code of e is longer than the shortest, at the scale from first
// on at which that is most.
func (e *explanation) misfit(best []*explanation, first int) float64 {
	most := 0.0
	for k := first; k < len(best); k++ {
		most = max(most, e.lengths[k]-best[k].lengths[k])
	}
	return most
}

// isInconsistent reports whether each explanation has a much longer code than another at some time
// scale, so that none is right. That is so with surplus sources, and for waves in noise, whose models
// are wrong. It is false for images.
func (c *channels) isInconsistent(all []*explanation) bool {
	best := c.shortest(all, 0)
	return len(c.parts) > 0 && !slices.ContainsFunc(all, func(e *explanation) bool {
		return !c.isRejected(e, best, 0, inconsistency)
	})
}

// isComparable reports whether the misfit of e isn't much larger than the smallest of all.
func (c *channels) isComparable(e *explanation, all []*explanation) bool {
	best := c.shortest(all, 0)
	least := math.Inf(1)
	for _, other := range all {
		least = min(least, other.misfit(best, 0))
	}
	return e.misfit(best, 0) <= comparableMisfit*least
}

// choose returns the explanation to keep and the index of its time scale. Explanations of sequences whose
// signals correlate are left out: signals that were separated at a coarse time scale may be uncorrelated at
// that scale only. Sources of images, such as digits, can be correlated.
//
// If there seem to be surplus sources, it is that of chooseCoarse; else, if the explanations are
// inconsistent, FastICA's, which has no model of the signals' pasts that could be wrong, unless its code
// is far longer. Otherwise it is that of chooseRobust. If this has next to no noise, it is the one with
// the shortest code at the finest scale, as nothing hides the fastest parts of the signals.
func (c *channels) choose(all []*explanation, inconsistent bool) (*explanation, int) {
	if len(c.parts) > 0 {
		all = slices.DeleteFunc(slices.Clone(all), func(e *explanation) bool {
			return e != all[0] && c.largestCorrelation(e) > maxCorrelation
		})
	}
	coarse, scale := c.chooseCoarse(all)
	if c.surplus(coarse) > surplusErrors {
		return coarse, scale
	}
	isFastICA := func(e *explanation) bool { return e.textbook && e.name == fastICAName }
	if k := slices.IndexFunc(all, isFastICA); inconsistent && k >= 0 && c.isComparable(all[k], all) {
		return all[k], c.closestScale(all[k], c.shortest(all, 0))
	}
	chosen, scale := c.chooseRobust(all)
	if floats.Max(chosen.model.noise) >= minChannelNoise {
		return chosen, scale
	}
	first, shortest := all[0], c.shortest(all, 0)[0]
	if first.lengths[0]-shortest.lengths[0] <= c.tolerance() {
		return first, 0
	}
	return shortest, 0
}

// chooseRobust returns the explanation that the fewest time scales reject, of several the one with the
// shortest code at the finest scale, and the index of the scale at which its code is longer than the
// shortest by the least. So a single scale can't decide alone, such as one with 250 positions of a
// square wave.
//
// A scale's frequencies are those of all coarser ones, too. So what the coarser ones leave to chance
// mustn't be added up: of 160 mixtures of three and four AR(1) with noise of 0.2 and 0.3 the mean MCC
// was 0.806 with the sum of all differences, up to the tolerance at each scale, and 0.825 so.
func (c *channels) chooseRobust(all []*explanation) (*explanation, int) {
	best := c.shortest(all, 0)
	first := all[0]
	if len(all) == 1 {
		return first, c.closestScale(first, best)
	}
	rejections := func(e *explanation) int {
		count := 0
		for k, b := range best {
			if e.lengths[k]-b.lengths[k] > c.tolerance() {
				count++
			}
		}
		return count
	}
	chosen := slices.MinFunc(all[1:], func(a, b *explanation) int {
		return cmp.Or(cmp.Compare(rejections(a), rejections(b)), cmp.Compare(a.lengths[0], b.lengths[0]))
	})
	more := rejections(first) - rejections(chosen)
	if more < 0 || more == 0 && first.lengths[0]-chosen.lengths[0] < c.preference(first, chosen) {
		chosen = first
	}
	return chosen, c.closestScale(chosen, best)
}

// closestScale returns the index of the scale at which the code of e is longer than the shortest by
// the least.
func (c *channels) closestScale(e *explanation, best []*explanation) int {
	scale := 0
	for k, b := range best {
		if e.lengths[k]-b.lengths[k] < e.lengths[scale]-best[scale].lengths[scale] {
			scale = k
		}
	}
	return scale
}

// chooseCoarse returns the explanation with the shortest code at a scale, the finest at which that
// explanation isn't rejected at any coarser scale, and the index of that scale. If there is no such
// scale it is chooseRobust.
//
// At fine scales noise or surplus sources can give wrong signals the shortest code. The slower
// parts of the sources, which are larger, then reject them. The idea is that of J. A. Hausman,
// Econometrica 46(6), 1978: an efficient estimate is kept unless a robust one contradicts it.
//
// With surplus sources no explanation is right. Their codes differ by an amount at each position
// then, so from misfitPositions on the tolerance grows with the positions.
func (c *channels) chooseCoarse(all []*explanation) (*explanation, int) {
	first := all[0]
	best := c.shortest(all, 0)
	last := len(best) - 1
	_, n := c.white.White.Dims()
	misfit := max(1, float64(n)/misfitPositions)
	for _, times := range []float64{misfit, 2 * misfit} {
		for k, e := range best[:last] {
			if first.lengths[k]-e.lengths[k] < c.preference(first, e) &&
				!c.isRejected(first, best, k+1, times) {
				return first, k
			}
			if !c.isRejected(e, best, k+1, times) {
				return e, k
			}
		}
	}
	return c.chooseRobust(all)
}

// preference returns by how many nats the code of e must be shorter for e to be preferred to first:
// the gain by chance at the angles and, if only e implies noise, the code length of the noise. If
// first may hide a source, it has no model of noise where one is needed: then it is preferred to an
// e with noise only if its code is significantly shorter.
func (c *channels) preference(first, e *explanation) float64 {
	nats := sameLength * float64(c.d*(c.d-1)) / 2
	switch {
	case floats.Sum(first.model.noise) > 0 || floats.Sum(e.model.noise) == 0:
		return nats
	case first.doubted:
		return -c.tolerance()
	default:
		return nats + c.spectrum.noiseCost()
	}
}

// largestCorrelation returns the largest correlation of two signals of e that its noise doesn't explain.
func (c *channels) largestCorrelation(e *explanation) float64 {
	covariance := mat.NewSymDense(c.d, nil) // of the channels without the noise
	covariance.CopySym(c.covariance)
	for i, v := range e.model.noise {
		covariance.SetSym(i, i, covariance.At(i, i)-v)
	}
	var cov mat.Dense // of the signals
	cov.Product(e.b, covariance, e.b.T())
	largest := 0.0
	for i := range c.d {
		for j := range i {
			power := max(cov.At(i, i), minSignal) * max(cov.At(j, j), minSignal)
			largest = max(largest, math.Abs(cov.At(i, j))/math.Sqrt(power))
		}
	}
	return largest
}
