package source

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
)

// varying is the model of a signal whose innovations are strong where they were strong
// before, such as a voice's: an autoregression whose innovations are a mixture of Gaussians
// times
//
//	Π_k m_k,t^b_k,   m_k,t the root mean square of those at the horizons[k] positions before t
//
// (F. Corsi, Journal of Financial Econometrics 7(2), 2009).
type varying struct {
	coefficients []float64
	std          float64   // of all innovations
	exponents    []float64 // b
	mixture      mixture
}

// On voices of 8000 positions these horizons saved .37 nats a position, as more of them did to .003,
// and more than fewer; at 1000 positions, more than any other that were tried.
var horizons = [...]int{4, 16, 64}

// presumed is how many innovations of the usual strength there are presumed to have been
// before each horizon, so that there is a strength after silence: a floor of .025 to .0016 of
// the variance. Floors of .03 to .001 saved the same to .011 nats.
const presumed = .1

// fitVarying fits it to z at the given positions: the autoregression and the exponents by
// least squares, the latter on the logarithms of the innovations' sizes, the mixture by EM.
func fitVarying(z []float64, lags, positions []int, components int) *varying {
	v := &varying{}
	v.coefficients, v.std = ar.Regress(z, lags, positions)
	r, logs := v.innovations(z, lags)
	sizes := mat.NewVecDense(len(positions), nil)
	features := mat.NewDense(len(positions), 1+len(horizons), nil)
	for i, t := range positions {
		sizes.SetVec(i, math.Log(math.Abs(r[t])+1e-3*v.std))
		features.SetRow(i, append([]float64{1}, logs[t]...))
	}
	v.exponents = make([]float64, len(horizons))
	var solution mat.VecDense
	if solution.SolveVec(features, sizes) == nil { // else of constant strength
		copy(v.exponents, solution.RawVector().Data[1:])
	}
	for _, t := range positions {
		r[t] *= math.Exp(-floats.Dot(v.exponents, logs[t]))
	}
	v.mixture = Fit(r, nil, positions, components).mixture()
	return v
}

// innovations are, at all positions of z that have a past, what the past doesn't predict, and the
// logarithms of its root mean squares at the horizons before.
func (v *varying) innovations(z []float64, lags []int) (r []float64, logs [][]float64) {
	first := 0
	for _, lag := range lags {
		first = max(first, -lag)
	}
	r, logs = make([]float64, len(z)), make([][]float64, len(z))
	squares := make([]float64, len(z)+1) // the sum of those before a position
	for t := range z {
		if t >= first {
			r[t] = ar.Residual(v.coefficients, z, lags, t)
			logs[t] = make([]float64, len(horizons))
		}
		squares[t+1] = squares[t] + r[t]*r[t]
		for k := range logs[t] {
			begin := max(first, t-horizons[k])
			sum := squares[t] - squares[begin] + presumed*v.std*v.std
			logs[t][k] = math.Log(sum/(float64(t-begin)+presumed)) / 2
		}
	}
	return r, logs
}

// LogDensities adds log p(z_t | own past) at the given positions to into.
func (v *varying) LogDensities(z []float64, lags, positions []int, into []float64) {
	r, logs := v.innovations(z, lags)
	shares := make([]float64, len(v.mixture))
	for i, t := range positions {
		strength := floats.Dot(v.exponents, logs[t])
		into[i] += v.mixture.logDensity(r[t]*math.Exp(-strength), shares) - strength
	}
}
