package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/density"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/localscale"
)

// sourceLengths returns the code lengths of each signal in sixteenths of the positions, in nats.
func (m *demixing) sourceLengths() [][]float64 {
	all := make([][]float64, len(m.sources))
	for i := range all {
		all[i] = make([]float64, evidence.Blocks)
		m.sources[i].lengths(all[i])
	}
	return all
}

// lengths returns the code lengths of all signals together in sixteenths of the positions, in nats,
// including the log-determinant. sources is the result of sourceLengths.
func (m *demixing) lengths(sources [][]float64) []float64 {
	nats := make([]float64, evidence.Blocks)
	logDet, _ := mat.LogDet(m.b)
	for _, own := range sources {
		floats.Add(nats, own)
	}
	floats.AddConst(-logDet*float64(len(m.sources[0].u))/evidence.Blocks, nats)
	return nats
}

// rotationGains returns, for each of the given pairs of recovered signals, the gain over the pair
// rotated by 45°, which is as far from the recovered signals as a rotation can be, with newly
// fitted models. The windows of these models lie between the windows of the two signals. Signals
// are rotated in the scale of their innovations. own is the result of sourceLengths.
func (s *separator) rotationGains(
	ctx context.Context, m *demixing, pairs [][2]int, own [][]float64, p *derivatives,
) ([]evidence.Gain, error) {
	moments := s.moments.Mixed(m.b)
	gains := make([]evidence.Gain, len(pairs))
	// Densities of rotated signals are similar, so all fits begin with the density of the first
	// pair.
	var start density.Fitter
	measure := func(c *coder, k int) {
		i, j := pairs[k][0], pairs[k][1]
		ratio := math.Sqrt(p.scores[j].square / p.scores[i].square) // of the innovation scales
		c.fitter = start
		measured := s.measureRotated(c, m, moments.Pair(i, j), pairs[k], ratio)
		before := make([]float64, evidence.Blocks)
		floats.AddTo(before, own[i], own[j])
		gains[k] = evidence.NewGain(c.pairLengths(measured, c.accept), before)
		if gains[k].Evidence < certain() {
			refine := func(s *source) { c.refine(s, density.Rough) }
			gains[k] = evidence.NewGain(c.pairLengths(measured, refine), before)
		}
		if k == 0 {
			start = measured[1].fitter
		}
	}
	if len(pairs) > 0 {
		measure(s.coders[0], 0)
	}
	err := s.each(ctx, max(0, len(pairs)-1), func(c *coder, k int) { measure(c, k+1) })
	return gains, err
}

// measureRotated sets c.pair to models of a pair of m's signals rotated by 45°, still without
// densities, and returns the measurements. moments are the moments of the pair, and ratio is the
// ratio of the scales of the two signals' innovations.
func (s *separator) measureRotated(
	c *coder, m *demixing, moments *past.Moments, pair [2]int, ratio float64,
) (measured [2]measurement) {
	_, positions := s.z.Dims()
	c.rotated = resize(c.rotated, positions)
	size := len(s.past.Lags) + 1
	windows := localscale.MixedWindows(s.past.N, m.sources[pair[0]].window, m.sources[pair[1]].window)
	for side, factor := range []float64{-ratio, 1 / ratio} {
		source := &c.pair[side]
		evidence.Rotate(c.rotated, m.y.RawRowView(pair[side]), m.y.RawRowView(pair[1-side]), factor)
		weights := make([]float64, 2) // of the pair's signals
		weights[side], weights[1-side] = math.Sqrt2/2, factor*math.Sqrt2/2
		source.q = resize(source.q, size*size)
		moments.Mixture(source.q, weights, c.rotated)
		c.measureAmong(source, c.rotated, windows)
		measured[side] = c.measurement
	}
	return measured
}

// pairLengths returns the code lengths of c.pair in sixteenths of the positions, in nats. set must
// set the density of a source according to c.measurement.
func (c *coder) pairLengths(measured [2]measurement, set func(s *source)) []float64 {
	nats := make([]float64, evidence.Blocks)
	for side := range c.pair {
		source := &c.pair[side]
		c.measurement = measured[side]
		set(source)
		c.normalise(source)
		source.lengths(nats)
		floats.Scale(source.scale, source.u) // undoes normalise, for another call
	}
	return nats
}
