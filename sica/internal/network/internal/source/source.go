// Package source has models of a signal given its own past: the density of each of its values given
// those before. Demixings are compared by the code lengths that these models give their signals.
package source

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/seed-47b1e431/gosica/internal/ar"
)

// A Model is the model of flows.Autoregressive for one signal, on the host: an autoregression whose
// innovations are drawn from a mixture of Gaussians.
type Model struct {
	coefficients               []float64
	logWeights, means, logStds []float64
}

// Components is the number of Gaussians in the mixture of which innovations are drawn.
const Components = 4

// Models returns the models of d signals with the variables of flows.Autoregressive for one run:
// coefficients [d, L] of L lags and mixture [d, 3, K], row-major.
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

// Variables returns the coefficients and the mixture of one signal, as for Models.
func (s *Model) Variables() (coefficients, mixture []float64) {
	return s.coefficients, slices.Concat(s.logWeights, s.means, s.logStds)
}

// emSteps is the number of steps of EM. The log-likelihood at held-out positions is then within
// 0.002 nats per position of that after a thousand steps for Laplace and Gaussian innovations, and
// within 0.02 for uniform ones. More steps overfit a thousand positions.
const emSteps = 40

// Fit fits a model to z at the given positions: the autoregression by least squares, then the
// mixture by EM (expectation maximisation). If ctx ends, EM ends after its next step.
func Fit(ctx context.Context, z []float64, lags, positions []int) *Model {
	e := newEM(z, lags, positions)
	e.run(ctx, emSteps)
	return e.model
}

// An em is the EM of a model's mixture.
type em struct {
	model           *Model
	values, squares []float64 // of the innovations
	minLogStd       float64   // the density of a Gaussian at a single value would have no bound
	block           *block
}

// newEM returns the EM, before its first step, of a model whose autoregression is fitted.
func newEM(z []float64, lags, positions []int) *em {
	s := &Model{}
	var std float64
	s.coefficients, std = ar.Regress(z, lags, positions)
	for k := range Components {
		s.logWeights = append(s.logWeights, -math.Log(Components))
		s.means = append(s.means, std*(-1+2*(float64(k)+0.5)/Components))
		s.logStds = append(s.logStds, math.Log(std)+0.5*(float64(k%2)*2-1))
	}
	r := s.innovations(z, lags, positions)
	return &em{
		model: s, values: r, squares: floats.MulTo(make([]float64, len(r)), r, r),
		minLogStd: math.Log(std) - 4, block: newBlock(Components),
	}
}

// innovations returns the errors of the autoregression at the positions.
func (s *Model) innovations(z []float64, lags, positions []int) []float64 {
	r := make([]float64, len(positions))
	for i, t := range positions {
		r[i] = ar.Residual(s.coefficients, z, lags, t)
	}
	return r
}

// run makes steps of EM, until ctx ends.
func (e *em) run(ctx context.Context, steps int) {
	s, n := e.model, len(e.values)
	weight, first := make([]float64, Components), make([]float64, Components)
	second := make([]float64, Components)
	for range steps {
		if ctx.Err() != nil {
			return
		}
		clear(weight)
		clear(first)
		clear(second)
		mixture := s.mixture()
		for begin := 0; begin < n; begin += blockLength {
			end := min(begin+blockLength, n)
			e.block.evaluate(mixture, e.values[begin:end])
			e.block.normalise()
			for k, shares := range e.block.terms {
				weight[k] += floats.Sum(shares)
				first[k] += floats.Dot(shares, e.values[begin:end])
				second[k] += floats.Dot(shares, e.squares[begin:end])
			}
		}
		for k, w := range weight {
			w = max(w, 1e-6)
			s.logWeights[k] = math.Log(w / float64(n))
			s.means[k] = first[k] / w
			variance := second[k]/w - s.means[k]*s.means[k]
			s.logStds[k] = max(0.5*math.Log(max(variance, 1e-300)), e.minLogStd)
		}
	}
}

func (s *Model) mixture() mixture {
	var m mixture
	for k, mean := range s.means {
		logPeak := s.logWeights[k] - s.logStds[k] - 0.5*math.Log(2*math.Pi)
		m = append(m, gaussian{mean, math.Exp(-s.logStds[k]), logPeak})
	}
	return m
}

// A mixture is a mixture of Gaussians, prepared for many values.
type mixture []gaussian

// A gaussian is a weighted component of a mixture. logPeak is the logarithm of its highest density.
type gaussian struct{ mean, precision, logPeak float64 }

// logDensities sets logs to the logarithms of the component's weighted density at the values.
func (g gaussian) logDensities(logs, values []float64) {
	for i, v := range values {
		u := (v - g.mean) * g.precision
		logs[i] = g.logPeak - u*u/2
	}
}

// addLogDensities adds the logarithms of the density at the values to scores.
func (m mixture) addLogDensities(values, scores []float64) {
	b := newBlock(len(m))
	for first := 0; first < len(values); first += blockLength {
		end := min(first+blockLength, len(values))
		b.evaluate(m, values[first:end])
		b.addLogs(scores[first:end])
	}
}

// A block has the densities of a mixture at values, of which it takes at most blockLength at once.
type block struct {
	largest []float64   // the logarithm of the largest of the components' weighted densities
	terms   [][]float64 // of each component, its weighted density as a multiple of the largest
	sum     []float64   // of the terms
}

// blockLength is small enough for a block of four components to stay in the processor's nearest
// cache: 12 KiB.
const blockLength = 256

func newBlock(components int) *block {
	b := &block{
		largest: make([]float64, blockLength), sum: make([]float64, blockLength),
		terms: make([][]float64, components),
	}
	for k := range b.terms {
		b.terms[k] = make([]float64, blockLength)
	}
	return b
}

// evaluate sets the block to the densities of the mixture at the values.
func (b *block) evaluate(m mixture, values []float64) {
	n := len(values)
	b.largest, b.sum = b.largest[:n], b.sum[:n]
	for k, g := range m {
		b.terms[k] = b.terms[k][:n]
		g.logDensities(b.terms[k], values)
	}
	copy(b.largest, b.terms[0])
	for _, logs := range b.terms[1:] {
		for i, l := range logs {
			b.largest[i] = max(b.largest[i], l)
		}
	}
	clear(b.sum)
	for _, term := range b.terms {
		floats.Sub(term, b.largest)
		exponentiate(term)
		floats.Add(b.sum, term)
	}
}

// exponentiate replaces each value, of at most 0, by its exponential, in half the time of math.Exp.
// The relative error is about 2⁻⁵²·(1 − v). Results below 10⁻³⁰⁰ are 0. It uses
//
//	exp(v) = 2^(k/powerSteps)·exp(b)
//
// with the integer k for which b is nearest to 0, and the Taylor polynomial of exp(b).
func exponentiate(values []float64) {
	for i, v := range values {
		if v < -690 {
			values[i] = 0
			continue
		}
		// Adding 1.5·2⁵² rounds to an integer and leaves it in the low bits.
		const rounder = 3 << 51
		rounded := v*(powerSteps/math.Ln2) + rounder
		b := v - (rounded-rounder)*(math.Ln2/powerSteps) // at most 0.0014
		polynomial := b + b*b*(1./2+b*(1./6+b*(1./24)))
		// The exponent of a float64 begins at bit 52.
		bits := math.Float64bits(rounded)
		power := math.Float64frombits(powers[bits%powerSteps] + bits/powerSteps<<52)
		values[i] = power + power*polynomial
	}
}

// powerSteps is the number of powers from 1 to 2: more take more of the nearest cache, fewer make
// the polynomial less exact.
const powerSteps = 256

// powers are the bits of 2^(k/powerSteps).
var powers = func() (bits [powerSteps]uint64) {
	for k := range bits {
		bits[k] = math.Float64bits(math.Exp2(float64(k) / powerSteps))
	}
	return bits
}()

// normalise divides the terms by their sum, so that they are the components' shares in the density.
func (b *block) normalise() {
	for i, s := range b.sum {
		b.sum[i] = 1 / s
	}
	for _, term := range b.terms {
		floats.Mul(term, b.sum)
	}
	for i := range b.sum {
		b.sum[i] = 1
	}
}

// addLogs adds the logarithms of the densities to scores.
func (b *block) addLogs(scores []float64) {
	for i, s := range b.sum {
		scores[i] += b.largest[i] + math.Log(s)
	}
}

// LogDensities adds log p(z_t | own past) at each of the positions to scores.
func (s *Model) LogDensities(z []float64, lags, positions []int, scores []float64) {
	s.mixture().addLogDensities(s.innovations(z, lags, positions), scores)
}
