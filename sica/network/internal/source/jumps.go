package source

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

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
		j.past.logDensity(z[t+lag], before)
		j.past.logDensity(z[t], now)
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
		j.past.logDensity(z[t+j.lag], before)
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
