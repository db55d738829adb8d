package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/density"
)

const (
	// minEigenvalue bounds a pair's curvature from below, so that a step is at most 20
	// gradients. Twice of it takes more steps where signals are hardly distinguishable.
	minEigenvalue = 0.05
	// errorPositions is how many positions the errors of the demixing are computed from, at most, in
	// blocks spread over all. It makes them known to two or three hundredths, twice of it to 0.7 of that.
	errorPositions = 1 << 13
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

// lengths returns the code lengths of sixteenths of the positions, in nats. sources are those of
// sourceLengths.
func (m *demixing) lengths(sources [][]float64) []float64 {
	nats := make([]float64, evidence.Blocks)
	logDet, _ := mat.LogDet(m.b)
	for _, own := range sources {
		floats.Add(nats, own)
	}
	floats.AddConst(-logDet*float64(len(m.sources[0].u))/evidence.Blocks, nats)
	return nats
}

// rotationGains returns, for each of the given pairs of the recovered signals, by how much a rotation
// by 45°, with new models fitted, makes the code longer. The windows of these are no wider or narrower
// than those of the two signals. At 45° a rotation is furthest from the recovered signals. Signals are
// rotated in the scale of their innovations. own are those of sourceLengths.
func (s *separator) rotationGains(
	ctx context.Context, m *demixing, pairs [][2]int, own [][]float64, p *derivatives,
) ([]evidence.Gain, error) {
	moments := s.moments.Mixed(m.b)
	gains := make([]evidence.Gain, len(pairs))
	// Densities of rotated signals are similar. So all fits begin with those of the first pair.
	var start density.Fitter
	measure := func(c *coder, k int) {
		i, j := pairs[k][0], pairs[k][1]
		ratio := math.Sqrt(p.scores[j].square / p.scores[i].square) // of the scales of i and j
		c.fitter = start
		measured := s.measureRotated(c, m, moments.Pair(i, j), pairs[k], ratio)
		before := make([]float64, evidence.Blocks)
		floats.AddTo(before, own[i], own[j])
		gains[k] = evidence.NewGain(c.pairLengths(measured, c.accept), before)
		if gains[k].Evidence < certain {
			for side := range c.pair { // undoes pairLengths' normalise
				floats.Scale(c.pair[side].scale, c.pair[side].u)
			}
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
// densities, and returns their measurements. moments are those of the pair, and ratio is that of the
// signals' scales.
func (s *separator) measureRotated(
	c *coder, m *demixing, moments *past.Moments, pair [2]int, ratio float64,
) (measured [2]measurement) {
	_, positions := s.z.Dims()
	c.rotated = resize(c.rotated, positions)
	size := len(s.past.Lags) + 1
	windows := mixedWindows(s.past.N, m.sources[pair[0]].window, m.sources[pair[1]].window)
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

// pairLengths returns the code lengths of c.pair in sixteenths of the positions, in nats, with
// densities that set sets after the given measurements. It normalises the signals of c.pair.
func (c *coder) pairLengths(measured [2]measurement, set func(s *source)) []float64 {
	nats := make([]float64, evidence.Blocks)
	for side := range c.pair {
		source := &c.pair[side]
		c.measurement = measured[side]
		set(source)
		c.normalise(source)
		source.lengths(nats)
	}
	return nats
}

// groups returns the groups of signals that pairs with less evidence than enough connect.
func groups(pairs *mat.SymDense, enough float64) [][]int {
	return evidence.Groups(pairs.SymmetricDim(),
		func(i, j int) bool { return pairs.At(i, j) < enough })
}

// rotateGroup rotates the rows of b that form a group as near as possible to those of whitening, as
// the rotation of a group isn't identified. Both have rows in the scale of the innovations.
func rotateGroup(b, whitening *mat.Dense, group []int) {
	d, _ := b.Dims()
	var inverse, shares mat.Dense
	if inverse.Inverse(whitening) != nil {
		return
	}
	shares.Mul(b, &inverse) // of the whitened signals in the recovered ones
	groupShares := mat.NewDense(len(group), d, nil)
	for a, i := range group {
		groupShares.SetRow(a, shares.RawRowView(i))
	}
	part := mat.NewDense(len(group), len(group), nil)
	for c, j := range evidence.Closest(groupShares, len(group)) {
		for a := range group {
			part.Set(a, c, groupShares.At(a, j))
		}
	}
	nearest, ok := rotation.Nearest(part)
	if !ok {
		return
	}
	var rotated mat.Dense
	rows := mat.NewDense(len(group), d, nil)
	for a, i := range group {
		rows.SetRow(a, b.RawRowView(i))
	}
	rotated.Mul(nearest.T(), rows)
	for a, i := range group {
		b.SetRow(i, rotated.RawRowView(a))
	}
}

// leaks returns the standard errors of the share of signal j in the recovered signal i, both of
// variance 1, and those of the angles of the rotations, (leak_ij − leak_ji)/2.
//
// They follow from the blocks of the Fisher information. That of a pair is the curvature H =
// [[κ_ij, 1], [1, κ_ji]]; the gradients have the covariance V with V_ij = E ψ_i²·r_ij², where r_ij
// is signal j minus its prediction with the weights of signal i. So the covariance of the shares is
// H⁻¹·V·H⁻¹/n. If the density is right V_ij is κ_ij, which is used unless V_ij is larger by more
// than two standard errors. Of very long sequences V is that of a part of the positions. A share is
// at most 1, and 1 if H has no inverse.
func (s *separator) leaks(
	ctx context.Context, m *demixing, p *derivatives,
) (leaks *mat.Dense, angles *mat.SymDense, err error) {
	variances, err := s.gradientVariances(ctx, m, p)
	if err != nil {
		return nil, nil, err
	}
	n := float64(s.past.N)
	leaks, angles = mat.NewDense(s.d, s.d, nil), mat.NewSymDense(s.d, nil)
	for i := range s.d {
		for j := range i {
			a, b := p.kappa.At(i, j), p.kappa.At(j, i)
			if a*b <= 1 { // an angle at which the likelihood has no maximum
				leaks.Set(i, j, 1)
				leaks.Set(j, i, 1)
				angles.SetSym(i, j, math.Pi/4)
				continue
			}
			det := a*b - 1
			va, vb := variances.At(i, j), variances.At(j, i)
			// H⁻¹·V·H⁻¹/n with H⁻¹ = [[b, −1], [−1, a]]/det
			aa := (b*b*va - 2*b + vb) / (det * det * n)
			bb := (va - 2*a + a*a*vb) / (det * det * n)
			ab := (-b*va + a*b + 1 - a*vb) / (det * det * n)
			// Of the signals' standard deviations, as z is white.
			ratio := floats.Norm(m.b.RawRowView(j), 2) / floats.Norm(m.b.RawRowView(i), 2)
			leaks.Set(i, j, min(math.Sqrt(max(aa, 0))*ratio, 1))
			leaks.Set(j, i, min(math.Sqrt(max(bb, 0))/ratio, 1))
			variance := max(aa*ratio*ratio-2*ab+bb/(ratio*ratio), 0)
			angles.SetSym(i, j, min(math.Sqrt(variance)/2, math.Pi/4))
		}
	}
	return leaks, angles, nil
}

// gradientVariances returns the V_ij of leaks: E ψ_i²·r_ij² where that is significantly larger than
// κ_ij, and κ_ij elsewhere.
func (s *separator) gradientVariances(
	ctx context.Context, m *demixing, p *derivatives,
) (*mat.Dense, error) {
	variances := mat.NewDense(s.d, s.d, nil)
	some := s.past.Spread(errorPositions/signal.PartBlock, signal.PartBlock)
	count := float64(some.N)
	err := s.each(ctx, s.d, func(c *coder, i int) {
		c.score(&m.sources[i], c.psi)
		psi, r := c.space[:some.N], c.r[:some.N]
		s.past.Select(psi, c.psi, some)
		for j := range s.d {
			some.PredictionError(r, m.y.RawRowView(j), m.sources[i].weights)
			sum, squares := 0.0, 0.0
			for t, v := range psi {
				gradient := v * r[t]
				square := gradient * gradient
				sum += square
				squares += square * square
			}
			mean, kappa := sum/count, p.kappa.At(i, j)
			std := math.Sqrt(max(squares/count-mean*mean, 0))
			variances.Set(i, j, kappa)
			if mean-kappa > 2*std/math.Sqrt(count) {
				variances.Set(i, j, mean)
			}
		}
	})
	return variances, err
}

// curvature returns κ_ij and κ_ji, both multiplied by a factor if necessary so that the smaller
// eigenvalue of their block, √(κ_ij·κ_ji) − 1 in the scale of the signals in which both are the
// same, is at least minEigenvalue.
func (p *derivatives) curvature(i, j int) (a, b float64) {
	a, b = p.kappa.At(i, j), p.kappa.At(j, i)
	factor := max(1, (1+minEigenvalue)/math.Sqrt(max(a*b, 1e-300)))
	return factor * a, factor * b
}

// occamFactor returns the code length in nats of the angle between signals i and j, which may be
// any within 90°: the logarithm of 90° over the width of the posterior, with the information
// n·(κ_ij + κ_ji − 2) (D. J. C. MacKay, Neural Computation 4(3), 1992).
func (p *derivatives) occamFactor(i, j, n int) float64 {
	information := float64(n) * (p.kappa.At(i, j) + p.kappa.At(j, i) - 2)
	const quarter = math.Pi / 2
	return max(0, math.Log(max(information, 1e-300)*quarter*quarter/(2*math.Pi))/2)
}
