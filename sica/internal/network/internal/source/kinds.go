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

// A Kind is a kind of model beside the autoregression.
type Kind int

const (
	// Varying is an autoregression whose innovations vary in strength, as those of a voice do: they
	// are strong where they were strong before.
	Varying Kind = iota
	// Jumping is a Markov chain of few values, as those of a telegraph are.
	Jumping
)

// Scores fits models to each signal of z, d×n, at the training positions, and takes the one with
// the shortest code there, its parameters included: an autoregression, or a model of one of the
// kinds. It returns the log-likelihoods Σ_i log p(z_i,t | own past) at the held-out positions:
// varying by these models, constant by those except Varying. It is an error if ctx ends.
func Scores(
	ctx context.Context, z *mat.Dense, lags, train, held []int, kinds ...Kind,
) (constant, varying []float64, err error) {
	d, _ := z.Dims()
	scores := make([][2][]float64, d) // of each signal, constant and varying
	err = parallel.Do(ctx, parallel.Workers(d), d, func(_, i int) {
		row := z.RawRowView(i)
		scoresOf := func(m model) []float64 {
			scores := make([]float64, len(held))
			m.LogDensities(row, lags, held, scores)
			return scores
		}
		var best model = Fit(ctx, row, lags, train)
		length := codeLength(best, autoregressionParameters(lags), row, lags, train)
		if slices.Contains(kinds, Jumping) {
			m := fitJumps(ctx, row, lags, train, length)
			if l := codeLength(m, jumpParameters, row, lags, train); l < length {
				best, length = m, l
			}
		}
		constant := scoresOf(best)
		scores[i] = [2][]float64{constant, constant}
		if slices.Contains(kinds, Varying) {
			m := fitVarying(ctx, row, lags, train)
			parameters := autoregressionParameters(lags) + len(horizons)
			if codeLength(m, parameters, row, lags, train) < length {
				scores[i][1] = scoresOf(m)
			}
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

// autoregressionParameters is the number of parameters of a Model with these lags.
func autoregressionParameters(lags []int) int { return len(lags) + 3*Components - 1 }

// codeLength returns the length in nats of the code of z at the positions by a model, including
// that of its parameters.
func codeLength(m model, parameters int, z []float64, lags, positions []int) float64 {
	scores := make([]float64, len(positions))
	m.LogDensities(z, lags, positions, scores)
	return float64(parameters)*math.Log(float64(len(positions)))/2 - floats.Sum(scores)
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

// horizons are the numbers of positions over which strengths are measured. Fewer give voices longer
// codes.
var horizons = [...]int{4, 16, 64}

// priorCount is the number of innovations of the usual strength that are assumed before each
// horizon. It gives silence a strength: from 0.025 to 0.0016 of the variance, by the horizon. Code
// lengths hardly depend on it.
const priorCount = 0.1

// fitVarying fits a varying model to z at the given positions: the autoregression by least squares,
// the exponents by least squares of the logarithms of the innovations' absolute values, the mixture
// by EM.
func fitVarying(ctx context.Context, z []float64, lags, positions []int) *varying {
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
	v.mixture = Fit(ctx, r, nil, positions).mixture()
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
	values := make([]float64, len(positions))
	for i, t := range positions {
		strength := floats.Dot(v.exponents, logs[t])
		values[i] = r[t] * math.Exp(-strength)
		scores[i] -= strength
	}
	v.mixture.addLogDensities(values, scores)
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

// jumpParameters is the number of parameters of jumps.
const jumpParameters = Components * (Components + 1)

// jumpSteps are the numbers of steps of EM after which jumps are compared with another model. They
// are given up if their code will be longer by hopelessJumps nats per position after all emSteps,
// should it go on to shorten as between these steps. With more of hopelessJumps fewer fits end
// early.
var jumpSteps = [...]int{3, 5}

const hopelessJumps = 0.05

// fitJumps fits jumps to z at the given positions, the mixture by EM, and gives them up if the code
// will be longer than length.
func fitJumps(
	ctx context.Context, z []float64, lags, positions []int, length float64,
) *jumps {
	e := newEM(z, nil, positions)
	lag := lags[len(lags)-1]
	var j *jumps
	var longer [len(jumpSteps)]float64 // nats per position after each of the jumpSteps
	done := 0
	for k, steps := range jumpSteps {
		e.run(ctx, steps-done)
		done = steps
		j = newJumps(e, z, lag, positions)
		l := codeLength(j, jumpParameters, z, lags, positions)
		longer[k] = (l - length) / float64(len(positions))
	}
	rate := (longer[0] - longer[1]) / float64(jumpSteps[1]-jumpSteps[0])
	if longer[1]-max(rate, 0)*float64(emSteps-done) > hopelessJumps {
		return j
	}
	e.run(ctx, emSteps-done)
	return newJumps(e, z, lag, positions)
}

// newJumps returns the jumps among the components of the mixture of e, which is fitted to z at the
// given positions.
func newJumps(e *em, z []float64, lag int, positions []int) *jumps {
	s := *e.model
	j := &jumps{past: s.mixture(), lag: lag}
	s.logWeights = make([]float64, Components)
	j.values = s.mixture()
	for range Components {
		row := make([]float64, Components)
		floats.AddConst(1./Components, row) // a prior: once from each to any
		j.next = append(j.next, row)
	}
	before, now := newBlock(Components), e.block
	for block := range slices.Chunk(positions, blockLength) {
		before.evaluate(j.past, selected(z, lag, block))
		before.normalise()
		now.evaluate(j.past, selected(z, 0, block))
		now.normalise()
		for k, shares := range before.terms {
			for l, next := range now.terms {
				j.next[k][l] += floats.Dot(shares, next)
			}
		}
	}
	for _, row := range j.next {
		floats.Scale(1/floats.Sum(row), row)
	}
	return j
}

// selected returns the values of z at positions + lag.
func selected(z []float64, lag int, positions []int) []float64 {
	values := make([]float64, len(positions))
	for i, t := range positions {
		values[i] = z[t+lag]
	}
	return values
}

// LogDensities adds log p(z_t | z_t+lag) at each of the positions to scores.
func (j *jumps) LogDensities(z []float64, _, positions []int, scores []float64) {
	b := newBlock(Components)
	for block := range slices.Chunk(positions, blockLength) {
		weights := j.predict(selected(z, j.lag, block))
		b.evaluate(j.values, selected(z, 0, block))
		clear(b.sum)
		for k, term := range b.terms {
			floats.Mul(term, weights[k])
			floats.Add(b.sum, term)
		}
		b.addLogs(scores[:len(block)])
		scores = scores[len(block):]
	}
}

// predict returns the probability of each component after each of at most blockLength values.
func (j *jumps) predict(values []float64) (weights [][]float64) {
	b := newBlock(Components)
	b.evaluate(j.past, values)
	b.normalise()
	for k := range j.next {
		weights = append(weights, make([]float64, len(values)))
		for before, shares := range b.terms {
			floats.AddScaled(weights[k], j.next[before][k], shares)
		}
	}
	return weights
}

// minJumpGain is by how many nats per position the code of a Markov chain must be shorter than that
// of an autoregression for JumpInnovations: about half a bit, where the level of a telegraph is one
// bit. With less of it the signals of saturated mixtures count as jumping, with more fewer
// telegraphs do.
const minJumpGain = 0.4

// JumpInnovations returns, for a signal z that a Markov chain of few values describes much better
// than an autoregression, its innovations and predictions by that chain at the given positions. An
// innovation is the probability, given the value before, of a value of at most z_t: uniform, and
// independent of the past (M. Rosenblatt, Annals of Mathematical Statistics 23(3), 1952). They are
// nil for other signals. If ctx ends, they mean nothing.
func JumpInnovations(
	ctx context.Context, z []float64, lags, positions []int,
) (innovations, predictions []float64) {
	autoregression := Fit(ctx, z, lags, positions)
	length := codeLength(autoregression, autoregressionParameters(lags), z, lags, positions)
	length -= minJumpGain * float64(len(positions))
	j := fitJumps(ctx, z, lags, positions, length)
	if codeLength(j, jumpParameters, z, lags, positions) > length {
		return nil, nil
	}
	for block := range slices.Chunk(positions, blockLength) {
		weights := j.predict(selected(z, j.lag, block))
		for i, t := range block {
			innovation, prediction := 0.0, 0.0
			for k, g := range j.values {
				innovation += weights[k][i] * math.Erfc((g.mean-z[t])*g.precision/math.Sqrt2) / 2
				prediction += weights[k][i] * g.mean
			}
			innovations = append(innovations, innovation)
			predictions = append(predictions, prediction)
		}
	}
	return innovations, predictions
}
