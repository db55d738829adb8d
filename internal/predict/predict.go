// Package predict predicts signals from their own neighbours, linearly: the context of
// a signal at a position in one number.
package predict

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ridge is the weight of the penalty of a prediction, as a share of the
// variance of a signal.
const ridge = 1e-3

// Of is the linear prediction of every value of a centred signal from its
// neighbours (see grid.Neighbours), by ridge regression over the positions:
// the context of the signal in one number a position.
func Of(signal []float64, neighbours [][]int32) []float64 {
	return With(Weights(signal, neighbours), signal, neighbours)
}

// Weights are the weights of the neighbours in Of, nil where there
// is nothing to predict with.
func Weights(signal []float64, neighbours [][]int32) []float64 {
	return RidgeWeights(NormalEquations(signal, neighbours))
}

// NormalEquations are the products of a signal's neighbours with each other,
// Σ row rowᵀ, and with its values, Σ value·row, and its power Σ value².
func NormalEquations(signal []float64, neighbours [][]int32) (gram *mat.SymDense, cross *mat.VecDense, power float64) {
	k := len(neighbours[0])
	gram, cross = mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	row := mat.NewVecDense(k, nil)
	for t, v := range signal {
		Gather(signal, neighbours[t], row)
		gram.SymRankOne(gram, 1, row)
		cross.AddScaledVec(cross, v, row)
		power += v * v
	}
	return gram, cross, power
}

// With is the prediction of a signal by weights of its neighbours, zero
// without weights.
func With(weights, signal []float64, neighbours [][]int32) []float64 {
	prediction := make([]float64, len(signal))
	if weights == nil {
		return prediction
	}
	row, of := mat.NewVecDense(len(weights), nil), mat.NewVecDense(len(weights), weights)
	for t := range signal {
		Gather(signal, neighbours[t], row)
		prediction[t] = mat.Dot(row, of)
	}
	return prediction
}

// RidgeWeights are the weights of the prediction of a signal of the given power
// Σ value² from its neighbours, whose products with each other and with the
// signal are gram and cross, summed over the positions. They are nil where there
// is nothing to predict with. The penalty is added to gram itself.
func RidgeWeights(gram *mat.SymDense, cross *mat.VecDense, power float64) []float64 {
	for i := range gram.SymmetricDim() {
		gram.SetSym(i, i, gram.At(i, i)+ridge*power)
	}
	var chol mat.Cholesky
	var weights mat.VecDense
	if !chol.Factorize(gram) || chol.SolveVecTo(&weights, cross) != nil {
		return nil
	}
	return weights.RawVector().Data
}

// ResidualScale is the root mean square of a signal less its prediction.
func ResidualScale(signal, prediction []float64) float64 {
	return floats.Distance(signal, prediction, 2) / math.Sqrt(float64(len(signal)))
}

// Gather fills row with the signal at the given positions, zeros beyond its
// end.
func Gather(signal []float64, positions []int32, row *mat.VecDense) {
	for i, n := range positions {
		v := 0.0
		if int(n) < len(signal) {
			v = signal[n]
		}
		row.SetVec(i, v)
	}
}
