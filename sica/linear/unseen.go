package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// minScoreShare is the least share of the variance of a pair's score, unexplained by angles, with
// which the pair is informative about noise; for two Gaussian signals the share is 0.
const minScoreShare = 0.01

// A noiseEstimate is an estimate of channel noise missing from the models, from the dependence of
// the recovered signals.
type noiseEstimate struct {
	variance      float64 // of the noise in each channel
	standardError float64
}

// excess returns how many nats longer the code of the dependence is with noise of the given
// variance than with the estimated variance, or without noise if the estimate is negative. It is 0
// below the estimate, and without one.
func (e noiseEstimate) excess(variance float64) float64 {
	if e.standardError == 0 {
		return 0
	}
	deviation := max(variance-max(e.variance, 0), 0) / e.standardError
	return deviation * deviation / 2
}

// estimateNoise estimates the variance v of white noise, the same in all channels, from the
// dependence of m's signals. p are the derivatives at m, and s.adjoint must have the adjoints
// there. The standard error is infinite if the signals aren't informative, such as Gaussian signals
// with the same spectrum, and for images.
//
// Under channel noise the recovered signals y = B·x have noise of covariance v·B·Bᵀ. To first order
// in v this changes the log-likelihood by
//
//	v·Σ_{i>j} (B·Bᵀ)_ij·S_ij,   S_ij = Σ_t a_it·a_jt,   a_it = −∂ log p/∂y_it,
//
// besides a term for each signal alone, which a different density or spectrum could cause as well.
// Different angles could cause a part of the sum: what S_ij shares with the slopes Σ_t a_it·y_jt
// and Σ_t a_jt·y_it is subtracted, which leaves the efficient score. The estimate is one step of
// Fisher's scoring from v = 0 (C. R. Rao, Proc. Cambridge Phil. Soc. 44(1), 1948; J. Neyman's C(α)
// test, 1959). For independent signals all covariances needed follow from E a_it·y_is = 1 for t =
// s, else 0, and the autocorrelations of a_i.
//
// Unlike spectra, this estimate reveals noise even if the sources are white, unless they are
// Gaussian.
func (s *separator) estimateNoise(m *demixing, p *derivatives) noiseEstimate {
	if !s.past.Sequence() {
		return noiseEstimate{standardError: math.Inf(1)}
	}
	n := float64(s.past.N)
	products := mat.NewDense(s.d, s.d, nil)
	signal.Products(products, s.adjoint, s.adjoint)
	var covariance mat.Dense
	channels := s.fromMixed(m.b)
	covariance.Mul(channels, channels.T()) // of the noise in the signals for v = 1
	correlations := make([][]float64, s.d) // of a_i
	for i := range correlations {
		correlations[i] = filterCorrelations(m.sources[i].weights)
		floats.Scale(p.scores[i].square, correlations[i])
	}
	score, information := 0.0, 0.0
	for i := range s.d {
		for j := range i {
			own, other := correlations[i], correlations[j]
			variance := own[0] * other[0] // of S_ij per position
			for lag := 1; lag < min(len(own), len(other)); lag++ {
				variance += 2 * own[lag] * other[lag]
			}
			// The slopes have the covariance [[κ_ij, 1], [1, κ_ji]], and own[0] and other[0] with S_ij.
			a, b := p.kappa.At(i, j), p.kappa.At(j, i)
			if a*b <= 1 { // an angle at which the likelihood has no maximum
				continue
			}
			byOwn, byOther := (b*own[0]-other[0])/(a*b-1), (a*other[0]-own[0])/(a*b-1)
			unexplained := variance - byOwn*own[0] - byOther*other[0]
			if unexplained < minScoreShare*variance {
				continue
			}
			efficient := products.At(i, j) - n*(byOwn*p.gradient.At(i, j)+byOther*p.gradient.At(j, i))
			weight := covariance.At(i, j)
			score += weight * efficient
			information += weight * weight * n * unexplained
		}
	}
	if information == 0 {
		return noiseEstimate{standardError: math.Inf(1)}
	}
	return noiseEstimate{variance: score / information, standardError: 1 / math.Sqrt(information)}
}

// filterCorrelations returns Σ_l h_l·h_{l+k} for k = 0, 1, …, where h = (1, −w_1, −w_2, …) is the
// filter that maps a sequence to its innovations.
func filterCorrelations(weights []float64) []float64 {
	h := make([]float64, len(weights)+1)
	floats.SubTo(h[1:], h[1:], weights)
	h[0] = 1
	all := make([]float64, len(h))
	for k := range all {
		all[k] = floats.Dot(h[k:], h[:len(h)-k])
	}
	return all
}
