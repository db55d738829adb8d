package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/joint"
)

// alike returns the description lengths of sixteenths of the positions if the
// given signals of m are Gaussian with one spectrum: the only sources that stay
// unknown up to a rotation, whatever the number of positions. It returns the weights
// of their prediction, too, which they pay for together.
func (s *separator) alike(m *demixing, signals ...int) (weights, nats []float64) {
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
	cost := float64(len(signals))/2*math.Log(n) + s.coders[0].predictor.Cost(sum, weights, 1, s.past.N) // scales, weights
	floats.AddConst(cost/evidence.Blocks, nats)
	return weights, nats
}

// overAlike is what the given signals of m gain over signals alike.
func (s *separator) overAlike(m *demixing, signals ...int) evidence.Gain {
	own := make([]float64, evidence.Blocks)
	for _, i := range signals {
		m.sources[i].lengths(own)
	}
	_, alike := s.alike(m, signals...)
	return evidence.NewGain(alike, own)
}

// A whitened is the symmetric demixing under which the signals are alike.
type whitened struct {
	b       *mat.Dense // d×d; the innovations have variance 1
	nats    float64    // description length, a position
	lengths []float64  // of sixteenths of the positions
}

// whitenings are how often the prediction and the whitening of what it leaves are
// found in turn.
const whitenings = 3

// whiten returns the symmetric whitening of the innovations: with one spectrum for
// all signals, it demixes a symmetric mixing of sources whose innovations have one
// variance, and it is the most likely of those. Innovations are less correlated by
// chance than the signals that ZCA makes uncorrelated, whose values repeat
// themselves.
func (s *separator) whiten(ctx context.Context) (*whitened, error) {
	m := s.take()
	defer s.give(m)
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
		weights, nats := s.alike(m, all...)
		if k == whitenings {
			logDet, _ := mat.LogDet(m.b)
			floats.AddConst(-logDet*float64(s.past.N)/evidence.Blocks, nats)
			return &whitened{mat.DenseCopyOf(m.b), floats.Sum(nats) / float64(s.past.N), nats}, nil
		}
		for i := range all {
			s.past.PredictionError(errors.RawRowView(i), s.z.RawRowView(i), weights)
		}
		if !s.whitenErrors(m.b, errors) {
			k = whitenings - 1 // as far as it got
		}
	}
}

// whitenErrors sets b to the demixing of z that is symmetric as one of x,
// (I·C·I)^(−1/2)·I, C being the covariance of the prediction errors of z and I the
// inverse of symmetric whitening. It reports whether there is one.
func (s *separator) whitenErrors(b, errors *mat.Dense) bool {
	c := joint.Covariance(errors, 0, 0, s.past.N)
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
