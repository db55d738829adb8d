package linear

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/lbfgs"
	"github.com/seed-47b1e431/gosica/internal/parallel"
)

const (
	// matchSteps bounds the quasi-Newton steps of spectral matching, which ends if five steps gain
	// less than matchTolerance nats, a quarter of sameLength.
	matchSteps, matchTolerance = 150, 0.05
	// minScoreGain is the least gain that the score promises, as a share of noiseCost, for noise to
	// be fitted. Chance promises an eighth at 3,000 positions. More misses gains that the
	// derivatives underestimate. It is a choice.
	minScoreGain = 0.25
	// noiseSimilarity is the prior precision of log N of each channel around their mean: a standard
	// deviation of 0.5. More makes the noise of the channels more equal.
	noiseSimilarity = 4
	// initialNoise is the initial noise of each channel in the search, as a share of the channel's
	// variance: an amplitude of 5 %. minPower bounds the initial powers of the signals from below.
	initialNoise, minPower = 0.003, 1e-12
)

// A noiseModel is a Gaussian model of mixed signals x with white noise in each channel,
//
//	cov x̂(f) = A·diag(P(f))·Aᵀ + diag(N) + F,
//
// where x̂(f) is the cosine transform at frequency f, A = B⁻¹ the mixing, and F the covariance of
// the noise that was added for estimation. P and N maximise the likelihood of the covariances in
// frequency bands by spectral matching (J.-F. Cardoso, M. Le Jeune, J. Delabrouille, M. Betoule, G.
// Patanchon, IEEE J. Selected Topics in Signal Processing 2(5), 2008; P. Ablin, J.-F. Cardoso, A.
// Gramfort, J. Neuroscience Methods 357, 2021), with the mixing of a candidate.
type noiseModel struct {
	mixing *mat.Dense  // A, d×d
	powers [][]float64 // P of each signal in each band
	noise  []float64   // N of each channel
	added  []float64   // F, row-major
}

// matchSpectra returns the model of the bands s of the mixed signals for the demixing b; nil if b
// is singular. added is F, row-major. The noise is 0 unless it shortens the code by more than
// noiseCost.
func matchSpectra(s *spectrum, added []float64, b *mat.Dense) *noiseModel {
	d := s.d
	m := &noiseModel{mixing: new(mat.Dense), noise: make([]float64, d), added: added}
	if m.mixing.Inverse(b) != nil {
		return nil
	}
	loss := newMatchLoss(s, added, b)
	x := loss.noiseless()
	if loss.scoreGain(x) > minScoreGain*s.noiseCost() {
		noisy := lbfgs.Minimise(loss.value, loss.initial(), matchSteps, matchTolerance)
		if loss.value(x, nil)-loss.value(noisy, nil) > s.noiseCost() {
			x = noisy
			exponentials(m.noise, x[len(x)-d:])
		}
	}
	for k := range s.weights {
		m.powers = append(m.powers, exponentials(make([]float64, d), x[k*d:(k+1)*d]))
	}
	return m
}

// covariance returns the covariance of the mixed signals in band k under the model, d×d.
func (m *noiseModel) covariance(k int) *mat.Dense {
	cov := new(mat.Dense)
	cov.Product(m.mixing, diagonal(m.powers[k]), m.mixing.T())
	data := cov.RawMatrix().Data
	floats.Add(data, m.added)
	for i, v := range m.noise {
		data[i*len(m.noise)+i] += v
	}
	return cov
}

// noiseCost returns the code length in nats of the noise parameters of all channels, ½·log n each.
func (s *spectrum) noiseCost() float64 { return float64(s.d) / 2 * math.Log(floats.Sum(s.weights)) }

// initial returns the starting point of the search: the powers of the signals B·x, and initialNoise
// in the channels.
func (f *matchLoss) initial() []float64 {
	return f.parameters(make([]float64, len(f.added)), initialNoise)
}

// noiseless returns the parameters without channel noise: the powers of the signals B·x minus those
// of the added noise.
func (f *matchLoss) noiseless() []float64 { return f.parameters(f.added, minPower) }

// parameters returns (log P, log N), where P are the powers of the signals B·x minus those of other
// noise, a covariance, and N is the same noise in each channel.
func (f *matchLoss) parameters(other []float64, noise float64) []float64 {
	d := f.s.d
	var x []float64
	for _, cov := range f.s.covariances {
		for i := range d {
			x = append(x, math.Log(max(cov[i*d+i]-other[i*d+i], minPower)))
		}
	}
	for range d {
		x = append(x, math.Log(noise))
	}
	return x
}

// scoreGain returns the gain in nats from channel noise, of either sign, that the derivatives at
// the noiseless parameters x predict: half of Rao's score statistic, with the powers as nuisance
// parameters (C. R. Rao, Mathematical Proceedings of the Cambridge Philosophical Society 44(1),
// 1948). It is +Inf if the information is singular.
func (f *matchLoss) scoreGain(x []float64) float64 {
	d := f.s.d
	score, information := mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
	for k := range f.s.weights {
		f.setBand(k, x[k*d:(k+1)*d], f.added)
		if !f.addScore(score, information, k) {
			return math.Inf(1)
		}
	}
	var factor mat.Cholesky
	var step mat.VecDense
	if !factor.Factorize(information) || factor.SolveVecTo(&step, score) != nil {
		return math.Inf(1)
	}
	return mat.Dot(&step, score) / 2
}

// addScore adds the efficient score and information of band k about the channel noise, without what
// the powers may explain. The S of the band must be set. It reports whether both are determined.
//
// With M = S⁻¹·B the information of a band of weight w is w/2 times the squares of the entries of
// S⁻¹ for the powers P, of M for P and N, and of Bᵀ·M for N.
func (f *matchLoss) addScore(score *mat.VecDense, information *mat.SymDense, k int) bool {
	d, w := f.s.d, f.s.weights[k]
	band := &f.bands[k]
	if _, ok := invertSymmetric(band.inv, band.cov, d); !ok {
		return false
	}
	square := func(_, _ int, v float64) float64 { return v * v }
	inverse := mat.NewDense(d, d, band.inv)
	var m, byNoise, slope, slopeB, nuisance, shares mat.Dense
	m.Mul(inverse, f.b)
	byNoise.Mul(f.b.T(), &m)
	byNoise.Apply(square, &byNoise)
	slope.Product(inverse, mat.NewDense(d, d, f.s.covariances[k]), inverse)
	slope.Sub(inverse, &slope)
	slopeB.Mul(&slope, f.b)
	m.Apply(square, &m)
	nuisance.Apply(square, inverse)
	if shares.Solve(&nuisance, &m) != nil {
		return false
	}
	for l := range d {
		v := 0.0
		for i := range d {
			v += f.b.At(i, l)*slopeB.At(i, l) - shares.At(i, l)*slope.At(i, i)
		}
		score.SetVec(l, score.AtVec(l)+w/2*v)
		for j := l; j < d; j++ {
			v := byNoise.At(l, j)
			for i := range d {
				v -= m.At(i, l) * shares.At(i, j)
			}
			information.SetSym(l, j, information.At(l, j)+w/2*v)
		}
	}
	return true
}

// exponentials sets y to exp x, at most e⁴⁰, and returns it.
func exponentials(y, x []float64) []float64 {
	for i, v := range x {
		y[i] = math.Exp(min(v, 40))
	}
	return y
}

// A matchLoss is the negative log-likelihood of the frequency bands of the signals B·x,
//
//	Σ_k w_k/2·(log det S_k + tr(S_k⁻¹·C_k)),  S_k = diag(P_k) + B·(diag(N) + F)·Bᵀ,
//
// plus a penalty (noiseSimilarity) that keeps the noise of the channels, as a share of their
// variance, similar.
type matchLoss struct {
	s        *spectrum  // of B·x
	b        *mat.Dense // B
	added    []float64  // B·F·Bᵀ
	noise    []float64  // N
	noiseCov []float64  // B·(diag(N) + F)·Bᵀ
	bands    []bandLoss
}

// A bandLoss is the contribution of one band to the loss.
type bandLoss struct {
	power    []float64 // P
	cov, inv []float64 // S and its inverse
	product  []float64 // S⁻¹·C
	slope    []float64 // derivative with respect to S
	nats     float64
	ok       bool // whether S is positive definite
}

func newMatchLoss(s *spectrum, added []float64, b *mat.Dense) *matchLoss {
	d := s.d
	var f mat.Dense
	f.Product(b, mat.NewDense(d, d, added), b.T())
	room := func() []float64 { return make([]float64, d*d) }
	bands := make([]bandLoss, len(s.weights))
	for k := range bands {
		bands[k] = bandLoss{
			power: make([]float64, d), cov: room(), inv: room(), product: room(), slope: room(),
		}
	}
	return &matchLoss{
		s: s.transformed(b), b: b, added: f.RawMatrix().Data,
		noise: make([]float64, d), noiseCov: room(), bands: bands,
	}
}

// value returns the loss in nats at x = (log P, log N); +Inf if an S_k isn't positive definite. It
// sets the gradient g unless g is nil.
func (f *matchLoss) value(x, g []float64) float64 {
	d := f.s.d
	logNoise := x[len(x)-d:]
	f.setNoise(logNoise)
	workers := 1
	if d > fewSignals {
		workers = parallel.Workers(len(f.bands))
	}
	parallel.Do(context.Background(), workers, len(f.bands), func(_, k int) {
		f.measureBand(k, x[k*d:(k+1)*d])
		if g != nil && f.bands[k].ok {
			f.differentiateBand(k, g[k*d:(k+1)*d])
		}
	})
	loss, mean := 0.0, floats.Sum(logNoise)/float64(d)
	for _, v := range logNoise {
		loss += noiseSimilarity / 2 * (v - mean) * (v - mean)
	}
	for k := range f.bands {
		if !f.bands[k].ok {
			return math.Inf(1)
		}
		loss += f.bands[k].nats
	}
	if g != nil {
		f.differentiateNoise(g[len(x)-d:], logNoise, mean)
	}
	return loss
}

// setNoise sets N, and B·(diag(N) + F)·Bᵀ.
func (f *matchLoss) setNoise(logNoise []float64) {
	exponentials(f.noise, logNoise)
	var cov mat.Dense
	cov.Product(f.b, diagonal(f.noise), f.b.T())
	floats.AddTo(f.noiseCov, f.added, cov.RawMatrix().Data)
}

// setBand sets P and S of band k from log P and the covariance of the noise in the signals.
func (f *matchLoss) setBand(k int, logPower, noiseCov []float64) {
	band := &f.bands[k]
	exponentials(band.power, logPower)
	copy(band.cov, noiseCov)
	for i, p := range band.power {
		band.cov[i*f.s.d+i] += p
	}
}

// measureBand sets the code length of band k.
func (f *matchLoss) measureBand(k int, logPower []float64) {
	f.setBand(k, logPower, f.noiseCov)
	band := &f.bands[k]
	var logDet float64
	logDet, band.ok = invertSymmetric(band.inv, band.cov, f.s.d)
	band.nats = f.s.weights[k] / 2 * (logDet + floats.Dot(band.inv, f.s.covariances[k]))
}

// differentiateBand sets g to the derivative with respect to log P of band k, and the band's slope
// to w/2·(S⁻¹ − S⁻¹·C·S⁻¹). The S⁻¹ of the band must be set.
func (f *matchLoss) differentiateBand(k int, g []float64) {
	d, band := f.s.d, &f.bands[k]
	multiply(band.product, band.inv, f.s.covariances[k], d)
	multiply(band.slope, band.product, band.inv, d)
	for i, v := range band.inv {
		band.slope[i] = f.s.weights[k] / 2 * (v - band.slope[i])
	}
	for i, p := range band.power {
		g[i] = band.slope[i*d+i] * p
	}
}

// differentiateNoise sets g to the derivative with respect to log N. mean is the mean of logNoise.
func (f *matchLoss) differentiateNoise(g, logNoise []float64, mean float64) {
	d := f.s.d
	slope := mat.NewDense(d, d, nil) // with respect to noiseCov
	for k := range f.bands {
		floats.Add(slope.RawMatrix().Data, f.bands[k].slope)
	}
	var slopeB mat.Dense
	slopeB.Mul(slope, f.b)
	for l, v := range f.noise {
		sum := 0.0
		for i := range d {
			sum += f.b.At(i, l) * slopeB.At(i, l)
		}
		g[l] = sum*v + noiseSimilarity*(logNoise[l]-mean)
	}
}
