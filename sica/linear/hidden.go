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

// hideable returns which of the identified signals of sol noise may hide although nothing shows it:
// white Gaussian noise, the same in all channels, which is hidingShare of the signal's variance.
//
// Where the channels are weak in one direction, noise reaches mostly one signal. It is independent
// of the others then, so that it is part of a source for every model. But it isn't possible if the
// code with it is longer by more than identified, odds of 20 to 1. Three things make it longer:
//
//   - the channels have at least the power of the noise at all frequencies, in every direction:
//     floorCost;
//   - noise makes signals depend on each other: noiseEstimate.excess;
//   - the density of the signal's innovations is one that noise has smoothed: smoothingCost.
//
// For a white signal the noise may be maxUnseenNoise of the channels' variance at most, or the estimate
// from the dependence of the signals less its standard error. If it is Gaussian, too, nothing else would
// exclude noise as strong as itself.
func (c *channels) hideable(ctx context.Context, sol *draft) ([]bool, error) {
	eigenvalues, unit := c.bandEigenvalues(), c.demixing(sol.Demixing)
	deviation := floats.Norm(c.sd, 2)
	mean := deviation * deviation / float64(c.d) // of the channels' variances
	hideable := make([]bool, c.d)
	err := parallel.Do(ctx, parallel.Workers(c.d), c.d, func(_, i int) {
		if !sol.Identified(i) {
			return
		}
		row, square := unit.RawRowView(i), 0.0 // square is that of the row for raw channels
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

// bandEigenvalues returns the eigenvalues of the covariances of the raw channels in the bands, of
// which one may be nil if it can't be computed.
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

// floorCost returns by how many nats the code of the bands is longer if each has at least the power
// v in every direction. The likeliest such covariance of a band is the band's own with the
// eigenvalues λ < v raised to v. For w coefficients each of these costs w/2·(log(v/λ) + λ/v − 1).
//
// By chance the smallest eigenvalue of d channels with the power v in every direction is about
// (1 − √(d/w))²·v (V. A. Marčenko, L. A. Pastur, Mathematics of the USSR-Sbornik 1(4), 1967). So the
// floor is that in place of v, and bands of at most d coefficients don't count.
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

// smoothingCost returns by how many nats the code of a signal's innovations is longer if the signal
// has the given share of white Gaussian noise. The filter that makes the innovations passes the
// noise on, and the density of the sum has no detail finer than that. The signal is row·x, of the
// channels of standard deviation 1.
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
