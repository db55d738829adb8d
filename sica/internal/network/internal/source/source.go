// Package source describes a signal by its own past: how likely each of its values is to one
// who knows those before. What that takes, in nats, is what demixings are compared by.
package source

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
)

// Model is the model of flows.Autoregressive for one signal, on the host: an
// autoregression whose innovations are a mixture of Gaussians.
type Model struct {
	coefficients               []float64
	logWeights, means, logStds []float64
}

// Models are those of d signals with the variables of flows.Autoregressive of one run, as
// they lie in the store: coefficients [d, p] and a mixture [d, 3, K].
func Models(d int, coefficients, mixture []float64) []*Model {
	p, k := len(coefficients)/d, len(mixture)/(3*d)
	models := make([]*Model, d)
	for i := range models {
		row := func(j int) []float64 { return mixture[(3*i+j)*k : (3*i+j+1)*k] }
		logWeights := append([]float64(nil), row(0)...)
		floats.AddConst(-floats.LogSumExp(logWeights), logWeights)
		models[i] = &Model{coefficients[i*p : (i+1)*p], logWeights, row(1), row(2)}
	}
	return models
}

// Variables returns what Models takes for one signal.
func (s *Model) Variables() (coefficients, mixture []float64) {
	return s.coefficients, slices.Concat(s.logWeights, s.means, s.logStds)
}

// emSteps come to within .002 nats a position of what a thousand steps reach at
// held-out positions on Laplace and Gaussian innovations, T = 1024 and 4096, and
// to within .02 on uniform ones. More would overfit the first at T = 1024.
const emSteps = 40

// Fit fits a model to z at the given positions: the autoregression by least squares,
// then the mixture of so many components by EM.
func Fit(z []float64, lags, positions []int, components int) *Model {
	s := &Model{}
	var std float64
	s.coefficients, std = ar.Regress(z, lags, positions)
	for k := range components {
		s.logWeights = append(s.logWeights, -math.Log(float64(components)))
		s.means = append(s.means, std*(-1+2*(float64(k)+.5)/float64(components)))
		s.logStds = append(s.logStds, math.Log(std)+.5*(float64(k%2)*2-1))
	}
	residuals := make([]float64, len(positions))
	for i, t := range positions {
		residuals[i] = ar.Residual(s.coefficients, z, lags, t)
	}
	weight, first := make([]float64, components), make([]float64, components)
	second := make([]float64, components)
	shares := make([]float64, components)
	floor := math.Log(std) - 4 // a Gaussian on one value would have no bound
	for range emSteps {
		clear(weight)
		clear(first)
		clear(second)
		mixture := s.mixture()
		for _, r := range residuals {
			mixture.share(r, shares)
			for k, w := range shares {
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

// mixture is that of a model's innovations, ready for many values.
type mixture []gaussian

// gaussian is a weighted component, with the logarithm of its highest density.
type gaussian struct{ mean, precision, highest float64 }

// logDensity is that of r, with the component's weight.
func (g gaussian) logDensity(r float64) float64 {
	u := (r - g.mean) * g.precision
	return g.highest - u*u/2
}

func (s *Model) mixture() mixture {
	var m mixture
	for k, mean := range s.means {
		m = append(m,
			gaussian{mean, math.Exp(-s.logStds[k]), s.logWeights[k] - s.logStds[k] - .5*math.Log(2*math.Pi)})
	}
	return m
}

// logDensity is that of r, and sets shares to what each component has of its density.
func (m mixture) logDensity(r float64, shares []float64) float64 {
	largest, sum := m.share(r, shares)
	return largest + math.Log(sum)
}

// share sets shares to what each component has of the density of r, which is exp(largest)·sum.
func (m mixture) share(r float64, shares []float64) (largest, sum float64) {
	largest = math.Inf(-1)
	for k, g := range m {
		shares[k] = g.logDensity(r)
		largest = max(largest, shares[k])
	}
	for k, l := range shares {
		share := 1.0
		if l != largest { // an exponential takes most of the time
			share = math.Exp(l - largest)
		}
		shares[k] = share
		sum += share
	}
	for k := range shares {
		shares[k] /= sum
	}
	return largest, sum
}

// LogDensities adds log p(z_t | own past) at the given positions to into.
func (s *Model) LogDensities(z []float64, lags, positions []int, into []float64) {
	mixture, shares := s.mixture(), make([]float64, len(s.means))
	for i, t := range positions {
		into[i] += mixture.logDensity(ar.Residual(s.coefficients, z, lags, t), shares)
	}
}

// Scores fits a model to each signal of z, d×T, on the train positions and returns
// Σ_i log p(z_i,t | own past) at the others.
func Scores(z *mat.Dense, lags, train, held []int, components int) []float64 {
	scores := make([]float64, len(held))
	d, _ := z.Dims()
	for i := range d {
		row := z.RawRowView(i)
		Fit(row, lags, train, components).LogDensities(row, lags, held, scores)
	}
	return scores
}
