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

// hideable returns which of the identified signals of sol undetected noise may hide: white Gaussian
// noise, the same in all channels, with a share hidingShare of the signal's variance.
//
// If the channels are weak in one direction, noise affects mostly one signal. It is then
// independent of the others, so every model takes it for a part of the source. Noise is ruled out
// if it makes the code longer by more than minEvidence, odds of 20 to 1. Three effects make the
// code longer:
//
//   - with noise, the channels have at least its power at all frequencies in every direction:
//     floorCost;
//   - noise makes the signals depend on each other: noiseEstimate.excess;
//   - noise smooths the density of the signal's innovations: smoothingCost.
//
// For a white signal, noise is considered up to maxUnseenNoise of the channels' mean variance, or
// up to the estimate from the dependence of the signals less its standard error, if that is more.
// Otherwise nothing would rule out noise as strong as a white Gaussian signal itself.
func (c *channels) hideable(ctx context.Context, sol *draft) ([]bool, error) {
	eigenvalues, b := c.bandEigenvalues(), c.demixing(sol.Demixing)
	mean := floats.Dot(c.sd, c.sd) / float64(c.d) // mean variance of the channels
	hideable := make([]bool, c.d)
	err := parallel.Do(ctx, parallel.Workers(c.d), c.d, func(_, i int) {
		if !sol.Identified(i) {
			return
		}
		row, square := b.RawRowView(i), 0.0 // squared norm of the row for the mixed signals
		for j, v := range row {
			square += v * v / (c.sd[j] * c.sd[j])
		}
		variance := hidingShare / square
		shown := sol.unseen.variance - sol.unseen.standardError
		if sol.Sources[i].Order == 0 && variance > max(maxUnseenNoise*mean, shown) {
			return
		}
		nats := c.spectrum.floorCost(eigenvalues, variance) + sol.unseen.excess(variance)
		if nats <= minEvidence {
			nats += c.smoothingCost(row, hidingShare)
		}
		hideable[i] = nats <= minEvidence
	})
	return hideable, err
}

// bandEigenvalues returns the eigenvalues of the covariance of the mixed signals in each band; nil
// for a band where they don't converge.
func (c *channels) bandEigenvalues() [][]float64 {
	all := make([][]float64, len(c.spectrum.covariances))
	raw := mat.NewSymDense(c.d, nil)
	for k, cov := range c.spectrum.covariances {
		for i := range c.d {
			for j := range i + 1 {
				raw.SetSym(i, j, c.sd[i]*c.sd[j]*cov[i*c.d+j])
			}
		}
		var e mat.EigenSym
		if e.Factorize(raw, false) {
			all[k] = e.Values(nil)
		}
	}
	return all
}

// floorCost returns how many nats longer the code of the bands is if each band has at least the
// power v in every direction. The most likely such covariance is the band's own with eigenvalues λ
// < v raised to v. Each of these costs w/2·(log(v/λ) + λ/v − 1) for w coefficients.
//
// By chance the smallest eigenvalue of d channels with the power v in every direction is about (1 −
// √(d/w))²·v (V. A. Marčenko, L. A. Pastur, Mathematics of the USSR-Sbornik 1(4), 1967). So this
// value replaces v, and bands of at most d coefficients don't count.
func (s *spectrum) floorCost(eigenvalues [][]float64, v float64) (nats float64) {
	for k, w := range s.weights {
		byChance := 1 - math.Sqrt(float64(s.d)/w)
		if byChance <= 0 {
			continue
		}
		for _, l := range eigenvalues[k] {
			if q := max(l, 0) / (v * byChance * byChance); q < 1 {
				nats += w / 2 * (q - 1 - math.Log(q))
			}
		}
	}
	return nats
}

// smoothingCost returns how many nats longer the code of a signal's innovations is if white
// Gaussian noise has the given share of its variance. The prediction filter passes the noise to the
// innovations, whose density then has no detail finer than the noise. The signal is row·x, for
// channels x of standard deviation 1.
func (c *channels) smoothingCost(row []float64, share float64) float64 {
	coder := newCoder(c.past(0))
	n := float64(coder.past.N)
	var y mat.VecDense
	y.MulVec(c.x[0].T(), mat.NewVecDense(c.d, row))
	signal := y.RawVector().Data
	q, _ := past.SelfMoments(context.Background(), coder.past, signal)
	weights := coder.predictor.Fit(q, coder.past.N, -1)
	coder.predict(signal, weights)
	deviation := floats.Norm(coder.r, 2) / math.Sqrt(n)
	length := func(share float64) float64 {
		passed := share * (1 + floats.Dot(weights, weights))
		return density.MixtureLength(coder.r, 1/deviation, passed/(deviation*deviation))
	}
	smooth := length(share)
	return n * max(smooth-length(resolution*resolution), 0)
}
