package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/signal"
)

// minScoreShare is the share of a pair's score that angles must leave unexplained for it to say something
// of noise; of two Gaussian signals it is 0.
const minScoreShare = 0.01

// A noiseEstimate is what the dependence of recovered signals says about noise of the channels that
// their models miss.
type noiseEstimate struct {
	variance      float64 // in each channel
	standardError float64
}

// excess returns by how many nats the dependence has a longer code with noise of the given variance
// than with the estimate, or than without noise if that is negative; 0 for a smaller variance, or
// if there is no estimate.
func (e noiseEstimate) excess(variance float64) float64 {
	if e.standardError == 0 {
		return 0
	}
	deviation := max(variance-max(e.variance, 0), 0) / e.standardError
	return deviation * deviation / 2
}

// estimateNoise estimates the variance v of white noise, the same in all channels, from the dependence
// of m's signals. p are the derivatives at m, whose adjoints s holds. The standard error is infinite
// if the signals say nothing, as Gaussian ones of the same spectrum.
//
// Under noise of the channels the recovered signals y = B·x have noise of the covariance v·B·Bᵀ. To
// first order in v that changes the log-likelihood by
//
//	v·Σ_{i>j} (B·Bᵀ)_ij·S_ij,   S_ij = Σ_t a_it·a_jt,   a_it = −∂ log p/∂y_it,
//
// besides a term for each signal alone, which another density or spectrum could have caused as well.
// So could other angles in part: what S_ij shares with the slopes Σ_t a_it·y_jt and Σ_t a_jt·y_it is
// subtracted, which leaves the efficient score. The estimate is one step of Fisher's scoring from
// v = 0 (C. R. Rao, Proc. Cambridge Phil. Soc. 44(1), 1948; J. Neyman's C(α) test, 1959). For
// independent signals all covariances needed follow from E a_it·y_is = 1 for t = s, else 0, and the
// autocorrelations of a_i.
//
// Spectra don't show noise beside white sources. This does, unless they are Gaussian.
func (s *separator) estimateNoise(m *demixing, p *derivatives) noiseEstimate {
	if !s.past.Sequence() {
		return noiseEstimate{standardError: math.Inf(1)}
	}
	n := float64(s.past.N)
	products := mat.NewDense(s.d, s.d, nil)
	signal.Products(products, s.adjoint, s.adjoint)
	var covariance mat.Dense
	channels := s.fromMixed(m.b)
	covariance.Mul(channels, channels.T()) // of the noise in the signals, for v = 1
	correlations := make([][]float64, s.d) // of a_i
	for i := range correlations {
		correlations[i] = filterCorrelations(m.sources[i].weights)
		floats.Scale(p.scores[i].square, correlations[i])
	}
	score, information := 0.0, 0.0
	for i := range s.d {
		for j := range i {
			own, other := correlations[i], correlations[j]
			variance := own[0] * other[0] // of S_ij for a position
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

// filterCorrelations returns Σ_l h_l·h_{l+k} for k = 0, 1, … of the filter h = (1, −w_1, −w_2, …), which
// makes the innovations of a sequence.
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
