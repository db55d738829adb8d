package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/evidence"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/past"
	"github.com/seed-47b1e431/gosica/internal/rotation"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/linear/internal/localscale"
)

const (
	// whiteningRounds is how often the prediction and the whitening of its errors are estimated in
	// turn. The second round usually changes the code by less than sameLength.
	whiteningRounds = 3
	// maxNonlinearity is the largest componentwise nonlinearity |c| that is tried: at 1 the slope
	// would vanish on one side.
	maxNonlinearity = 0.9
)

// nonlinearitySteps are the step sizes of the search for a nonlinearity, which finds c to 0.05.
var nonlinearitySteps = []float64{0.4, 0.2, 0.1, 0.05}

// sameSpectrum returns the code lengths in nats of sixteenths of the positions under the model that
// the given signals of m are Gaussian with the same spectrum. Only the rotation of such sources
// remains unidentified however many positions there are. It also returns the weights of their
// common prediction, whose code length is included once.
func (s *separator) sameSpectrum(m *demixing, signals ...int) (weights, nats []float64) {
	size := len(s.past.Lags) + 1
	sum := make([]float64, size*size) // sum of the signals' moments at innovation variance 1
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
			part := equalPart(r, b, evidence.Blocks)
			nats[b] += floats.Dot(part, part)/2/power +
				float64(len(part))/2*math.Log(2*math.Pi*power)
		}
	}
	cost := float64(len(signals))/2*math.Log(n) + // of the scales
		s.coders[0].predictor.Cost(sum, weights, 1, s.past.N)
	floats.AddConst(cost/evidence.Blocks, nats)
	return weights, nats
}

// gainOverSameSpectrum returns the gain of the models of the given signals of m over sameSpectrum.
// own is the result of sourceLengths.
func (s *separator) gainOverSameSpectrum(
	m *demixing, own [][]float64, signals ...int,
) evidence.Gain {
	_, same := s.sameSpectrum(m, signals...)
	nats := make([]float64, evidence.Blocks)
	for _, i := range signals {
		floats.Add(nats, own[i])
	}
	return evidence.NewGain(same, nats)
}

// A whitened is the symmetric whitening of the innovations, with the code lengths under the model
// that all signals are Gaussian with the same spectrum.
type whitened struct {
	b          *mat.Dense // d×d; the innovations have variance 1
	codeLength float64    // in nats per position
	lengths    []float64  // code lengths of sixteenths of the positions
}

// whiten returns the symmetric whitening of the innovations. If all signals have the same spectrum,
// it is the most likely demixing of a symmetric mixing of sources with equal innovation variances.
// It differs from ZCA, which decorrelates the signals themselves: autocorrelated signals correlate
// by chance more than their innovations do.
func (s *separator) whiten(ctx context.Context) (*whitened, error) {
	m := s.acquire()
	defer s.release(m)
	m.b.Copy(rotation.Identity(s.d))
	all := grid.Range(s.d)
	size := len(s.past.Lags) + 1
	for k := 0; ; k++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		signal.Mix(m.y, m.b, s.z)
		for i := range all {
			m.sources[i].q = resize(m.sources[i].q, size*size)
			s.moments.Mixture(m.sources[i].q, m.b.RawRowView(i), m.y.RawRowView(i))
		}
		weights, nats := s.sameSpectrum(m, all...)
		if k == whiteningRounds || !s.whitenErrors(m.b, weights) {
			logDet, _ := mat.LogDet(m.b)
			floats.AddConst(-logDet*float64(s.past.N)/evidence.Blocks, nats)
			return &whitened{mat.DenseCopyOf(m.b), floats.Sum(nats) / float64(s.past.N), nats}, nil
		}
	}
}

// whitenErrors sets b to the demixing of z that is symmetric as a demixing of x, and whose
// prediction errors with the weights are white: (I·C·I)^(−1/2)·I, where C is the covariance of the
// prediction errors of z and I the inverse of symmetric whitening. It reports false, and leaves b
// unchanged, if C is singular.
func (s *separator) whitenErrors(b *mat.Dense, weights []float64) bool {
	r := s.adjoint.Slice(0, s.d, 0, s.past.N).(*mat.Dense) // as workspace
	for i := range s.d {
		s.past.PredictionError(r.RawRowView(i), s.z.RawRowView(i), weights)
	}
	c := covariance(r, 0, 0, s.past.N)
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
	u.Apply(func(_, j int, v float64) float64 { return v / values[j] }, &v)
	b.Product(&u, v.T(), s.inverse)
	return true
}

// nonlinear returns the code lengths in nats of sixteenths of the positions under the model that
// the signals of m are componentwise nonlinear functions of Gaussian signals with the same
// spectrum, and whether that spectrum is white. The parameters of the nonlinearities are included.
//
// After a slightly nonlinear mixing, Gaussian sources fit this model in the rotation in which their
// nonlinearities are largest. Models without nonlinearities prefer that rotation, although it is no
// more correct than others.
func (s *separator) nonlinear(
	ctx context.Context, m *demixing,
) (nats []float64, white bool, err error) {
	gaussian := s.acquire() // the signals without their nonlinearities
	defer s.release(gaussian)
	gaussian.b.Copy(m.b)
	slopes := make([]float64, s.past.N) // log slopes at each position, summed over the signals
	all := grid.Range(s.d)
	nonlinearities := 0
	for i := range s.d {
		q, c, err := s.removeNonlinearity(ctx, gaussian.y.RawRowView(i), m.y.RawRowView(i), slopes)
		if err != nil {
			return nil, false, err
		}
		gaussian.sources[i].q = q
		if c != 0 {
			nonlinearities++
		}
	}
	weights, nats := s.sameSpectrum(gaussian, all...)
	logDet, _ := mat.LogDet(m.b)
	cost := float64(nonlinearities) / 2 * math.Log(float64(s.past.N))
	floats.AddConst(cost/evidence.Blocks, nats)
	for b := range nats {
		nats[b] -= floats.Sum(equalPart(slopes, b, evidence.Blocks)) +
			logDet*float64(s.past.N)/evidence.Blocks
	}
	return nats, len(weights) == 0, nil
}

// removeNonlinearity sets u to the nonlinear function u = v + c·(√(v² + 1) − 1), minus its mean, of
// v = y/sd with the shortest code as a Gaussian signal. It adds the logarithms of du/dy at the
// scored positions to slopes, and returns the moments q of u and its past, and c.
func (s *separator) removeNonlinearity(
	ctx context.Context, u, y, slopes []float64,
) (q []float64, c float64, err error) {
	n, sd := len(y), stat.PopStdDev(y, nil)
	size := len(s.past.Lags) + 1
	p := s.coders[0].predictor
	// v, √(v² + 1) − 1 and the sum of both, each minus its mean.
	unit, curve, sum := make([]float64, n), make([]float64, n), make([]float64, n)
	// The derivative of √(v² + 1) − 1, and du/dv with the present c.
	derivative, slope := make([]float64, n), make([]float64, n)
	floats.ScaleTo(unit, 1/sd, y)
	for t, v := range unit {
		r := math.Sqrt(v*v + 1)
		curve[t], derivative[t] = r-1, v/r
	}
	floats.AddConst(-stat.Mean(unit, nil), unit)
	floats.AddConst(-stat.Mean(curve, nil), curve)
	floats.AddTo(sum, unit, curve)
	// The moments of u are quadratic in c, so the moments of three signals determine them.
	var moments [3][]float64
	for k, signal := range [][]float64{unit, curve, sum} {
		if moments[k], err = past.SelfMoments(ctx, s.past, signal); err != nil {
			return nil, 0, err
		}
	}
	q = make([]float64, size*size)
	// length returns the code length with c, and sets q to the moments of u.
	length := func(c float64) float64 {
		floats.ScaleTo(q, 1-c, moments[0])
		floats.AddScaled(q, c*c-c, moments[1])
		floats.AddScaled(q, c, moments[2])
		for t, v := range derivative {
			slope[t] = 1 + c*v
		}
		power := ar.ErrorPower(q, p.Fit(q, s.past.N, -1), size)
		return math.Log(power)/2 - localscale.MeanLog(slope)
	}
	c, gain := searchNonlinearity(length)
	if gain < math.Log(float64(s.past.N))/2/float64(s.past.N) {
		c = 0 // the parameter costs more than it saves
	}
	length(c) // sets q
	floats.AddScaledTo(u, unit, c, curve)
	k := 0
	for _, run := range s.past.Runs {
		for t := run.First; t < run.End; t++ {
			v := y[t] / sd
			slopes[k] += math.Log((1 + c*v/math.Sqrt(v*v+1)) / sd)
			k++
		}
	}
	return q, c, nil
}

// searchNonlinearity returns the c with the shortest code length, and the gain over c = 0. It
// continues in steps of each size and direction as long as the code gets shorter.
func searchNonlinearity(length func(c float64) float64) (c, gain float64) {
	straight := length(0)
	shortest := straight
	for _, step := range nonlinearitySteps {
		for _, change := range []float64{-step, step} {
			for math.Abs(c+change) <= maxNonlinearity {
				nats := length(c + change)
				if nats >= shortest {
					break
				}
				shortest, c = nats, c+change
			}
		}
	}
	return c, straight - shortest
}
