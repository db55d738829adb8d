package source

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
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
func ScoresOf(z *mat.Dense, lags, train, held []int, components int, kinds ...Kind) (scores []float64, varies bool) {
	scores = make([]float64, len(held))
	d, _ := z.Dims()
	for i := range d {
		row := z.RawRowView(i)
		m, kind := shortest(row, lags, train, components, kinds)
		m.LogDensities(row, lags, held, scores)
		varies = varies || kind == Varying
	}
	return scores, varies
}

// model gives each value of a signal a density, given the signal's past.
type model interface {
	LogDensities(z []float64, lags, positions []int, into []float64)
}

// shortest is the model of z, of one of these kinds, that describes it in the fewest nats at
// the given positions.
func shortest(z []float64, lags, positions []int, components int, kinds []Kind) (best model, kind Kind) {
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
