package ar

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/stream"
)

// JitterStd is the standard deviation of the noise that AddJitter adds to the residuals of signals
// of variance 1. The noise hides smaller residuals: the residuals of an almost perfectly predicted
// signal are rounding, or traces of other signals. It is a choice. Signals with residuals below
// twice JitterStd count as predictable.
const JitterStd = 0.05

// Weights returns the weights of the ridge regression of a centred signal on its neighbours, which
// are listed for each position as in grid.Neighbours; nil if there is no unique solution.
func Weights(signal []float64, neighbours [][]int32) []float64 {
	gram, cross, power := normalEquations(signal, neighbours)
	w := Solve(gram, cross, Ridge*power)
	if w == nil {
		return nil
	}
	return w.RawMatrix().Data
}

// normalEquations returns the products of a signal's neighbours with each other, Σ row·rowᵀ,
// and with its values, Σ value·row, and its power Σ value².
func normalEquations(
	signal []float64, neighbours [][]int32,
) (gram *mat.SymDense, cross *mat.VecDense, power float64) {
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

// Predict returns the prediction of a signal from its neighbours; zeros for nil weights.
func Predict(weights, signal []float64, neighbours [][]int32) []float64 {
	prediction := make([]float64, len(signal))
	if weights == nil {
		return prediction
	}
	row, w := mat.NewVecDense(len(weights), nil), mat.NewVecDense(len(weights), weights)
	for t := range signal {
		Gather(signal, neighbours[t], row)
		prediction[t] = mat.Dot(row, w)
	}
	return prediction
}

// Gather fills row with the values of the signal at the given positions. The value at position
// len(signal), which stands for a neighbour outside the index, is 0.
func Gather(signal []float64, positions []int32, row *mat.VecDense) {
	for i, t := range positions {
		v := 0.0
		if int(t) < len(signal) {
			v = signal[t]
		}
		row.SetVec(i, v)
	}
}

// SelfResiduals predicts each of the standardised signals z from its own neighbours, and returns
// residuals and predictions, both d×n. If no residual has a root mean square above twice JitterStd,
// little but rounding would remain: then the residuals are the signals themselves, and the
// predictions zero.
func SelfResiduals(z *mat.Dense, neighbours [][]int32) (residuals, predictions *mat.Dense) {
	d, n := z.Dims()
	predictions, residuals = mat.NewDense(d, n, nil), new(mat.Dense)
	predictable := true
	for i := range d {
		row := z.RawRowView(i)
		prediction := Predict(Weights(row, neighbours), row, neighbours)
		predictions.SetRow(i, prediction)
		residual := floats.Distance(row, prediction, 2) / math.Sqrt(float64(n)) // root mean square
		predictable = predictable && residual <= 2*JitterStd
	}
	if predictable {
		predictions.Zero()
	}
	residuals.Sub(z, predictions)
	return residuals, predictions
}

// AddJitter adds normal noise with standard deviation JitterStd to z. It is independent between
// signals, and the same in every call.
func AddJitter(z *mat.Dense) {
	d, _ := z.Dims()
	for i := range d {
		rng := stream.New(0, i, 0, stream.Jitter)
		row := z.RawRowView(i)
		for t := range row {
			row[t] += JitterStd * rng.NormFloat64()
		}
	}
}
