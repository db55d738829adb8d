package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/rotation"
)

// sameSpectrum returns the description lengths of sixteenths of the positions if the
// given signals of m are Gaussian with one spectrum: the only sources that stay
// unknown up to a rotation, whatever the number of positions. It returns the weights
// of their prediction, too, which they pay for together.
func (s *separator) sameSpectrum(m *demixing, signals ...int) (weights, nats []float64) {
	size := len(s.past.Lags) + 1
	sum := make([]float64, size*size) // of their moments, each at innovation variance 1
	for _, i := range signals {
		q := m.sources[i].q
		own := s.coders[0].predictor.Fit(q, s.past.N, -1)
		floats.AddScaled(sum, 1/ar.ErrorPower(q, own, size), q)
	}
	weights = s.coders[0].predictor.Fit(sum, s.past.N*len(signals), -1)
	nats = make([]float64, evidence.Blocks)
	n := float64(s.past.N)
	r := s.coders[0].r
	for _, i := range signals {
		s.past.PredictionError(r, m.y.RawRowView(i), weights)
		power := floats.Dot(r, r) / n
		for b := range nats {
			part := r[b*len(r)/evidence.Blocks : (b+1)*len(r)/evidence.Blocks]
			nats[b] += floats.Dot(part, part)/2/power + float64(len(part))/2*math.Log(2*math.Pi*power)
		}
	}
	cost := float64(len(signals))/2*math.Log(n) + // of the scales
		s.coders[0].predictor.Cost(sum, weights, 1, s.past.N)
	floats.AddConst(cost/evidence.Blocks, nats)
	return weights, nats
}

// overSameSpectrum is what the given signals of m gain over signals alike.
func (s *separator) overSameSpectrum(m *demixing, signals ...int) evidence.Gain {
	own := make([]float64, evidence.Blocks)
	for _, i := range signals {
		m.sources[i].lengths(own)
	}
	_, alike := s.sameSpectrum(m, signals...)
	return evidence.NewGain(alike, own)
}

// A whitened is the symmetric demixing under which the signals are alike.
type whitened struct {
	b       *mat.Dense // d×d; the innovations have variance 1
	nats    float64    // description length, a position
	lengths []float64  // of sixteenths of the positions
}

// whiten returns the symmetric whitening of the innovations: with one spectrum for
// all signals, it demixes a symmetric mixing of sources whose innovations have one
// variance, and it is the most likely of those. Innovations are less correlated by
// chance than the signals that ZCA makes uncorrelated, whose values repeat
// themselves.
func (s *separator) whiten(ctx context.Context) (*whitened, error) {
	m := s.acquire()
	defer s.release(m)
	m.b.Copy(rotation.Identity(s.d))
	all := make([]int, s.d)
	for i := range all {
		all[i] = i
	}
	size := len(s.past.Lags) + 1
	errors := mat.NewDense(s.d, s.past.N, nil)
	for k := 0; ; k++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m.y.Mul(m.b, s.z)
		for i := range all {
			m.sources[i].q = resize(m.sources[i].q, size*size)
			s.moments.Mixture(m.sources[i].q, m.b.RawRowView(i), m.y.RawRowView(i))
		}
		weights, nats := s.sameSpectrum(m, all...)
		if k == whiteningRounds {
			logDet, _ := mat.LogDet(m.b)
			floats.AddConst(-logDet*float64(s.past.N)/evidence.Blocks, nats)
			return &whitened{mat.DenseCopyOf(m.b), floats.Sum(nats) / float64(s.past.N), nats}, nil
		}
		for i := range all {
			s.past.PredictionError(errors.RawRowView(i), s.z.RawRowView(i), weights)
		}
		if !s.whitenErrors(m.b, errors) {
			k = whiteningRounds - 1 // as far as it got
		}
	}
}

// whitenErrors sets b to the demixing of z that is symmetric as one of x,
// (I·C·I)^(−1/2)·I, C being the covariance of the prediction errors of z and I the
// inverse of symmetric whitening. It reports whether there is one.
//
// It isn't signal.Whiten, which whitens the signals: this is the symmetric whitening of their
// prediction errors, in the axes of x.
func (s *separator) whitenErrors(b, errors *mat.Dense) bool {
	c := covariance(errors, 0, 0, s.past.N)
	var factor mat.Cholesky
	if !factor.Factorize(c) {
		return false
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	var root, u, v mat.Dense // rootᵀ·root = I·C·I
	root.Mul(lower.T(), s.inverse)
	var svd mat.SVD
	if !svd.Factorize(&root, mat.SVDFull) {
		return false
	}
	svd.VTo(&v)
	values := svd.Values(nil)
	if !(values[s.d-1] > 0) {
		return false
	}
	u.CloneFrom(&v)
	for i := range s.d {
		for j, value := range values {
			u.Set(i, j, u.At(i, j)/value)
		}
	}
	b.Product(&u, v.T(), s.inverse)
	return true
}

// nonlinear returns the description lengths of sixteenths of the positions if the signals of m
// are Gaussian with one spectrum and then bent, each by itself, and whether that spectrum is
// white. Gaussian sources after a mixing that is slightly nonlinear look so in the rotation in
// which they are bent most: that one is no more right than others, though it is likelier than
// signals that aren't bent. To say the bends costs as any parameters do.
func (s *separator) nonlinear(
	ctx context.Context, m *demixing,
) (nats []float64, white bool, err error) {
	straight := s.acquire()
	defer s.release(straight)
	straight.b.Copy(m.b)
	slopes := make([]float64, s.past.N) // logarithms, of all signals together
	all := make([]int, s.d)
	bends := 0
	for i := range s.d {
		all[i] = i
		q, bend, err := s.straighten(ctx, straight.y.RawRowView(i), m.y.RawRowView(i), slopes)
		if err != nil {
			return nil, false, err
		}
		straight.sources[i].q = q
		if bend != 0 {
			bends++
		}
	}
	weights, nats := s.sameSpectrum(straight, all...)
	logDet, _ := mat.LogDet(m.b)
	floats.AddConst(float64(bends)/2*math.Log(float64(s.past.N))/evidence.Blocks, nats)
	for b := range nats {
		part := slopes[b*len(slopes)/evidence.Blocks : (b+1)*len(slopes)/evidence.Blocks]
		nats[b] -= floats.Sum(part) + logDet*float64(s.past.N)/evidence.Blocks
	}
	return nats, len(weights) == 0, nil
}

// straighten sets u to the signal y bent so that it takes the fewest nats as a Gaussian one,
// and adds the logarithm of the bend's slope to slopes, of the scored positions. It
// returns the moments of u and its past, and the bend c of
// v ↦ v + c·(√(v² + 1) − 1), v being y in standard deviations.
func (s *separator) straighten(
	ctx context.Context, u, y, slopes []float64,
) (q []float64, c float64, err error) {
	sd := stat.PopStdDev(y, nil)
	size := len(s.past.Lags) + 1
	p := s.coders[0].predictor
	length := func(c float64) (nats float64, q []float64, err error) {
		slope := 0.0
		for t, v := range y {
			v /= sd
			r := math.Sqrt(v*v + 1)
			u[t] = v + c*(r-1)
			slope += math.Log(1 + c*v/r)
		}
		floats.AddConst(-stat.Mean(u, nil), u)
		if q, err = past.SelfMoments(ctx, s.past, u); err != nil {
			return 0, nil, err
		}
		power := ar.ErrorPower(q, p.Fit(q, s.past.N, -1), size)
		return math.Log(power)/2 - slope/float64(len(y)), q, nil
	}
	least, _, err := length(0)
	if err != nil {
		return nil, 0, err
	}
	straight := least
	for _, step := range nonlinearitySteps {
		for _, change := range []float64{-step, step} {
			for math.Abs(c+change) <= maxNonlinearity { // as long as it helps
				nats, _, err := length(c + change)
				if err != nil {
					return nil, 0, err
				}
				if nats >= least {
					break
				}
				least, c = nats, c+change
			}
		}
	}
	if straight-least < math.Log(float64(s.past.N))/2/float64(s.past.N) {
		c = 0 // not worth saying
	}
	if _, q, err = length(c); err != nil {
		return nil, 0, err
	}
	at := 0
	for _, run := range s.past.Runs {
		for t := run.First; t < run.End; t++ {
			v := y[t] / sd
			slopes[at] += math.Log((1 + c*v/math.Sqrt(v*v+1)) / sd)
			at++
		}
	}
	return q, c, nil
}
