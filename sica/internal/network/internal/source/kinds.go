package source

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/parallel"
)

// Kind is a kind of model.
type Kind int

const (
	// Autoregressive is Model.
	Autoregressive Kind = iota
	// Varying is an autoregression whose innovations are strong where they were strong
	// before, as those of a voice are.
	Varying
	// Jumping is a chain of few values, as those of a telegraph are.
	Jumping
)

// ScoresOf is Scores by the kind of model that describes a signal in the fewest nats at the train
// positions, its parameters paid for; and whether that is Varying for any signal. Without
// lags all are Autoregressive.
func ScoresOf(
	z *mat.Dense, lags, train, held []int, components int, kinds ...Kind,
) (scores []float64, varies bool) {
	d, _ := z.Dims()
	scoresOf, kindOf := make([][]float64, d), make([]Kind, d)
	_ = parallel.Do(context.Background(), parallel.Workers(d), d, func(_, i int) {
		row := z.RawRowView(i)
		var m model
		m, kindOf[i] = shortest(row, lags, train, components, kinds)
		scoresOf[i] = make([]float64, len(held))
		m.LogDensities(row, lags, held, scoresOf[i])
	})
	scores = make([]float64, len(held))
	for _, more := range scoresOf {
		floats.Add(scores, more)
	}
	return scores, slices.Contains(kindOf, Varying)
}

// model gives each value of a signal a density, given the signal's past.
type model interface {
	LogDensities(z []float64, lags, positions []int, into []float64)
}

// shortest is the model of z, of one of these kinds, that describes it in the fewest nats at
// the given positions.
func shortest(
	z []float64, lags, positions []int, components int, kinds []Kind,
) (best model, kind Kind) {
	if len(lags) == 0 {
		kinds = []Kind{Autoregressive}
	}
	least := math.Inf(1)
	for _, k := range kinds {
		m, parameters := fit(k, z, lags, positions, components)
		scores := make([]float64, len(positions))
		m.LogDensities(z, lags, positions, scores)
		length := float64(parameters)*math.Log(float64(len(positions)))/2 - floats.Sum(scores)
		if length < least {
			best, kind, least = m, k, length
		}
	}
	return best, kind
}

// fit fits a model of a kind to z at the given positions. It has so many parameters.
func fit(kind Kind, z []float64, lags, positions []int, components int) (m model, parameters int) {
	switch autoregression := len(lags) + 3*components - 1; kind {
	case Varying:
		return fitVarying(z, lags, positions, components), autoregression + len(horizons)
	case Jumping:
		return fitJumps(z, lags[len(lags)-1], positions, components), components * (components + 1)
	default:
		return Fit(z, lags, positions, components), autoregression
	}
}

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

// jumps is the model of a signal that jumps among few values, such as a telegraph's: a
// mixture of Gaussians, of which the nearest value of the past says how likely each is.
// An autoregression describes such a signal so badly that to bend it would save nats.
type jumps struct {
	values mixture     // unweighted
	next   [][]float64 // of each component the shares of the components that follow it
	past   mixture     // weighted, which tells the component of a value
	lag    int
}

// fitJumps fits it to z at the given positions, the mixture by EM.
func fitJumps(z []float64, lag int, positions []int, components int) *jumps {
	s := Fit(z, nil, positions, components)
	j := &jumps{past: s.mixture(), lag: lag}
	clear(s.logWeights)
	j.values = s.mixture()
	before, now := make([]float64, components), make([]float64, components)
	for range components {
		row := make([]float64, components)
		floats.AddConst(1/float64(components), row) // as if each had been followed once by any
		j.next = append(j.next, row)
	}
	for _, t := range positions {
		j.past.share(z[t+lag], before)
		j.past.share(z[t], now)
		for k, share := range before {
			floats.AddScaled(j.next[k], share, now)
		}
	}
	for _, row := range j.next {
		floats.Scale(1/floats.Sum(row), row)
	}
	return j
}

// LogDensities adds log p(z_t | z_t+lag) at the given positions to into.
func (j *jumps) LogDensities(z []float64, _, positions []int, into []float64) {
	n := len(j.next)
	before, weights, logs := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, t := range positions {
		j.past.share(z[t+j.lag], before)
		clear(weights)
		for k, share := range before {
			floats.AddScaled(weights, share, j.next[k])
		}
		for k, g := range j.values {
			logs[k] = math.Log(weights[k]) + g.logDensity(z[t])
		}
		into[i] += floats.LogSumExp(logs)
	}
}
