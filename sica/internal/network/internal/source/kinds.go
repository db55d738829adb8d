package source

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/parallel"
)

// A Kind is a kind of model.
type Kind int

const (
	// Autoregressive is an autoregression, Model.
	Autoregressive Kind = iota
	// Varying is an autoregression whose innovations vary in strength, as those of a voice do: they
	// are strong where they were strong before.
	Varying
	// Jumping is a Markov chain of few values, as those of a telegraph are.
	Jumping
)

// ScoresOfShortest is Scores by the kind of model that gives a signal the shortest code at the
// training positions, its parameters included: constant by one of the kinds, varying by one of
// these or Varying, and as constant if vary is false. Without lags all models are Autoregressive. It
// is an error if ctx ends.
func ScoresOfShortest(
	ctx context.Context, z *mat.Dense, lags, train, held []int, components int, vary bool, kinds ...Kind,
) (constant, varying []float64, err error) {
	d, _ := z.Dims()
	scores := make([][2][]float64, d) // of each signal, constant and varying
	err = parallel.Do(ctx, parallel.Workers(d), d, func(_, i int) {
		row := z.RawRowView(i)
		constant, length := shortest(ctx, row, lags, train, components, kinds)
		scoresOf := func(m model) []float64 {
			scores := make([]float64, len(held))
			m.LogDensities(row, lags, held, scores)
			return scores
		}
		scores[i][0] = scoresOf(constant)
		scores[i][1] = scores[i][0]
		if len(lags) == 0 || !vary {
			return
		}
		varying, varyingLength := shortest(ctx, row, lags, train, components, []Kind{Varying})
		if varyingLength < length {
			scores[i][1] = scoresOf(varying)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	constant, varying = make([]float64, len(held)), make([]float64, len(held))
	for _, s := range scores {
		floats.Add(constant, s[0])
		floats.Add(varying, s[1])
	}
	return constant, varying, nil
}

// A model gives each value of a signal a density, given the signal's past.
type model interface {
	LogDensities(z []float64, lags, positions []int, scores []float64)
}

// shortest returns the model of z, of one of the kinds, with the shortest code at the given
// positions, and the length of that code in nats, its parameters included. If ctx ends, they mean
// nothing.
func shortest(
	ctx context.Context, z []float64, lags, positions []int, components int, kinds []Kind,
) (best model, minLength float64) {
	if len(lags) == 0 {
		kinds = []Kind{Autoregressive}
	}
	minLength = math.Inf(1)
	for _, k := range kinds {
		m, parameters := fit(ctx, k, z, lags, positions, components)
		scores := make([]float64, len(positions))
		m.LogDensities(z, lags, positions, scores)
		length := float64(parameters)*math.Log(float64(len(positions)))/2 - floats.Sum(scores)
		if length < minLength {
			best, minLength = m, length
		}
	}
	return best, minLength
}

// fit fits a model of a kind to z at the given positions, and returns it with the number of its
// parameters.
func fit(
	ctx context.Context, kind Kind, z []float64, lags, positions []int, components int,
) (m model, parameters int) {
	switch autoregression := len(lags) + 3*components - 1; kind {
	case Varying:
		return fitVarying(ctx, z, lags, positions, components), autoregression + len(horizons)
	case Jumping:
		return fitJumps(ctx, z, lags[len(lags)-1], positions, components), components * (components + 1)
	default:
		return Fit(ctx, z, lags, positions, components), autoregression
	}
}

// varying is the model of a signal whose innovations vary in strength, such as a voice's: an
// autoregression whose innovations are drawn from a mixture of Gaussians and multiplied by
//
//	Π_k m_k,t^b_k
//
// with the root mean square m_k,t of the innovations at the horizons[k] positions before t (F.
// Corsi, Journal of Financial Econometrics 7(2), 2009).
type varying struct {
	coefficients []float64
	std          float64   // of all innovations
	exponents    []float64 // b
	mixture      mixture
}

// horizons are the numbers of positions over which strengths are measured. For voices of 8,000
// positions they shorten the code by 0.37 nats per position. Fewer horizons shorten it less; more
// by 0.003 more. At 1,000 positions they shorten it by more than any others that were tried.
var horizons = [...]int{4, 16, 64}

// priorCount is the number of innovations of the usual strength that are assumed before each
// horizon. It gives silence a strength: from 0.025 to 0.0016 of the variance, by the horizon.
// Floors from 0.03 to 0.001 gave the same code lengths up to 0.011 nats.
const priorCount = 0.1

// fitVarying fits a varying model to z at the given positions: the autoregression by least squares,
// the exponents by least squares of the logarithms of the innovations' absolute values, the mixture
// by EM.
func fitVarying(
	ctx context.Context, z []float64, lags, positions []int, components int,
) *varying {
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
	if solution.SolveVec(features, sizes) == nil { // otherwise the strength is constant
		copy(v.exponents, solution.RawVector().Data[1:])
	}
	for _, t := range positions {
		r[t] *= math.Exp(-floats.Dot(v.exponents, logs[t]))
	}
	v.mixture = Fit(ctx, r, nil, positions, components).mixture()
	return v
}

// innovations returns, for each position of z that has a past, the innovation, and the logarithms
// of the root mean squares of innovations at the horizons before.
func (v *varying) innovations(z []float64, lags []int) (r []float64, logs [][]float64) {
	first := 0
	for _, lag := range lags {
		first = max(first, -lag)
	}
	r, logs = make([]float64, len(z)), make([][]float64, len(z))
	squares := make([]float64, len(z)+1) // summed over the positions before
	for t := range z {
		if t >= first {
			r[t] = ar.Residual(v.coefficients, z, lags, t)
			logs[t] = make([]float64, len(horizons))
		}
		squares[t+1] = squares[t] + r[t]*r[t]
		for k := range logs[t] {
			begin := max(first, t-horizons[k])
			sum := squares[t] - squares[begin] + priorCount*v.std*v.std
			logs[t][k] = math.Log(sum/(float64(t-begin)+priorCount)) / 2
		}
	}
	return r, logs
}

// LogDensities adds log p(z_t | own past) at each of the positions to scores.
func (v *varying) LogDensities(z []float64, lags, positions []int, scores []float64) {
	r, logs := v.innovations(z, lags)
	shares := make([]float64, len(v.mixture))
	for i, t := range positions {
		strength := floats.Dot(v.exponents, logs[t])
		scores[i] += v.mixture.logDensity(r[t]*math.Exp(-strength), shares) - strength
	}
}

// jumps is the model of a signal that jumps among few values, such as a telegraph's: a hidden
// Markov chain whose states are the components of a mixture of Gaussians. The state before is
// estimated from one value of the past. An autoregression describes such signals so badly that a
// nonlinear function of them would have a shorter code.
type jumps struct {
	values mixture     // the components, unweighted
	next   [][]float64 // from each component, the probabilities of the next
	past   mixture     // the components, weighted
	lag    int         // of the past value
}

// fitJumps fits jumps to z at the given positions, the mixture by EM.
func fitJumps(
	ctx context.Context, z []float64, lag int, positions []int, components int,
) *jumps {
	s := Fit(ctx, z, nil, positions, components)
	j := &jumps{past: s.mixture(), lag: lag}
	clear(s.logWeights)
	j.values = s.mixture()
	before, now := make([]float64, components), make([]float64, components)
	for range components {
		row := make([]float64, components)
		floats.AddConst(1/float64(components), row) // a prior: once from each to any
		j.next = append(j.next, row)
	}
	for _, t := range positions {
		j.past.responsibilities(z[t+lag], before)
		j.past.responsibilities(z[t], now)
		for k, share := range before {
			floats.AddScaled(j.next[k], share, now)
		}
	}
	for _, row := range j.next {
		floats.Scale(1/floats.Sum(row), row)
	}
	return j
}

// LogDensities adds log p(z_t | z_t+lag) at each of the positions to scores.
func (j *jumps) LogDensities(z []float64, _, positions []int, scores []float64) {
	logs, weights := make([]float64, len(j.next)), make([]float64, len(j.next))
	for i, t := range positions {
		j.predict(z[t+j.lag], weights)
		for k, g := range j.values {
			logs[k] = math.Log(weights[k]) + g.logDensity(z[t])
		}
		scores[i] += floats.LogSumExp(logs)
	}
}

// predict sets weights to the probabilities of the components after a value.
func (j *jumps) predict(value float64, weights []float64) {
	before := make([]float64, len(weights))
	j.past.responsibilities(value, before)
	clear(weights)
	for k, share := range before {
		floats.AddScaled(weights, share, j.next[k])
	}
}

// minJumpGain is by how many nats per position the code of a Markov chain must be shorter than that of
// an autoregression for JumpInnovations: about half a bit, where the level of a telegraph is one bit.
// It is shorter by 0.44 to 0.92 for telegraphs (16 signals, n = 1,024) and by up to 0.47 for 13 other
// kinds (linear and nonlinear mixtures). With half of it the signals of saturated mixtures such as
// laplace-2-bent1 count as jumping, with twice only half of the telegraphs do.
const minJumpGain = 0.4

// JumpInnovations returns, for a signal z that a Markov chain of few values describes much better than
// an autoregression, its innovations and predictions by that chain at the given positions. An
// innovation is the probability, given the value before, of a value of at most z_t: uniform, and
// independent of the past (M. Rosenblatt, Annals of Mathematical Statistics 23(3), 1952). They are
// nil for other signals. If ctx ends, they mean nothing.
func JumpInnovations(
	ctx context.Context, z []float64, lags, positions []int, components int,
) (innovations, predictions []float64) {
	if len(lags) == 0 {
		return nil, nil
	}
	_, length := shortest(ctx, z, lags, positions, components, []Kind{Autoregressive})
	chain, chainLength := shortest(ctx, z, lags, positions, components, []Kind{Jumping})
	if length-chainLength < minJumpGain*float64(len(positions)) {
		return nil, nil
	}
	j := chain.(*jumps)
	weights := make([]float64, len(j.next))
	for _, t := range positions {
		j.predict(z[t+j.lag], weights)
		innovation, prediction := 0.0, 0.0
		for k, g := range j.values {
			innovation += weights[k] * math.Erfc((g.mean-z[t])*g.precision/math.Sqrt2) / 2
			prediction += weights[k] * g.mean
		}
		innovations = append(innovations, innovation)
		predictions = append(predictions, prediction)
	}
	return innovations, predictions
}
