package direct

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// source is the model of flows.Autoregressive for one signal, on the host: an
// autoregression whose innovations are a mixture of Gaussians.
type source struct {
	coefficients               []float64
	logWeights, means, logStds []float64
}

// regress returns the least-squares coefficients of z on the values lags away,
// at the given positions, and the deviation of what remains.
func regress(z []float64, lags, positions []int) (coefficients []float64, std float64) {
	p := len(lags)
	coefficients = make([]float64, p)
	if p > 0 {
		gram, cross := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
		for _, t := range positions {
			for i, lag := range lags {
				cross.SetVec(i, cross.AtVec(i)+z[t+lag]*z[t])
				for j := i; j < p; j++ {
					gram.SetSym(i, j, gram.At(i, j)+z[t+lag]*z[t+lags[j]])
				}
			}
		}
		for i := range p { // a ridge of one part in a thousand of unit variance
			gram.SetSym(i, i, gram.At(i, i)+1e-3*float64(len(positions)))
		}
		var chol mat.Cholesky
		solution := mat.NewVecDense(p, coefficients)
		if !chol.Factorize(gram) || chol.SolveVecTo(solution, cross) != nil {
			clear(coefficients)
		}
	}
	s := source{coefficients: coefficients}
	sum, square := 0., 0.
	for _, t := range positions {
		r := s.residual(z, lags, t)
		sum += r
		square += r * r
	}
	n := float64(len(positions))
	return coefficients, math.Sqrt(max(square/n-sum/n*sum/n, 1e-12))
}

func (s *source) residual(z []float64, lags []int, t int) float64 {
	r := z[t]
	for k, a := range s.coefficients {
		r -= a * z[t+lags[k]]
	}
	return r
}

// emSteps come to within .002 nats a position of what a thousand steps reach at
// held-out positions on Laplace and Gaussian innovations, T = 1024 and 4096, and
// to within .02 on uniform ones. More would overfit the first at T = 1024.
const emSteps = 40

// fitSource fits a source to z at the given positions: the autoregression by
// least squares, then the mixture by EM.
func fitSource(z []float64, lags, positions []int, components int) *source {
	s := &source{}
	var std float64
	s.coefficients, std = regress(z, lags, positions)
	for k := range components {
		s.logWeights = append(s.logWeights, -math.Log(float64(components)))
		s.means = append(s.means, std*(-1+2*(float64(k)+.5)/float64(components)))
		s.logStds = append(s.logStds, math.Log(std)+.5*(float64(k%2)*2-1))
	}
	residuals := make([]float64, len(positions))
	for i, t := range positions {
		residuals[i] = s.residual(z, lags, t)
	}
	weight, first, second := make([]float64, components), make([]float64, components), make([]float64, components)
	logs := make([]float64, components)
	floor := math.Log(std) - 4 // a Gaussian on one value would have no bound
	for range emSteps {
		clear(weight)
		clear(first)
		clear(second)
		for _, r := range residuals {
			total := s.components(r, logs)
			for k, l := range logs {
				w := math.Exp(l - total)
				weight[k] += w
				first[k] += w * r
				second[k] += w * r * r
			}
		}
		for k, w := range weight {
			w = max(w, 1e-6)
			s.logWeights[k] = math.Log(w / float64(len(residuals)))
			s.means[k] = first[k] / w
			s.logStds[k] = max(.5*math.Log(max(second[k]/w-s.means[k]*s.means[k], 1e-300)), floor)
		}
	}
	return s
}

// components sets logs to the log-densities of the weighted components at r and
// returns that of the mixture.
func (s *source) components(r float64, logs []float64) float64 {
	largest := math.Inf(-1)
	for k := range logs {
		u := (r - s.means[k]) * math.Exp(-s.logStds[k])
		logs[k] = s.logWeights[k] - s.logStds[k] - u*u/2 - .5*math.Log(2*math.Pi)
		largest = max(largest, logs[k])
	}
	sum := 0.
	for _, l := range logs {
		sum += math.Exp(l - largest)
	}
	return largest + math.Log(sum)
}

// logDensities adds log p(z_t | own past) at the given positions to into.
func (s *source) logDensities(z []float64, lags, positions []int, into []float64) {
	logs := make([]float64, len(s.means))
	for i, t := range positions {
		into[i] += s.components(s.residual(z, lags, t), logs)
	}
}

// scoreSignals fits a source to each signal of z on the train positions and
// returns Σ_i log p(z_i,t | own past) at the others.
func scoreSignals(z *mat.Dense, lags, train, held []int, components int) []float64 {
	scores := make([]float64, len(held))
	d, _ := z.Dims()
	for i := range d {
		row := z.RawRowView(i)
		fitSource(row, lags, train, components).logDensities(row, lags, held, scores)
	}
	return scores
}
