package sica

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// ridge is the weight of the penalty of a prediction, as a share of the
// variance of a signal.
const ridge = 1e-3

// predict is the linear prediction of every value of a centred signal from its
// neighbours (see layers.Neighbours), by ridge regression over the positions:
// the context of the signal in one number a position.
func predict(signal []float64, neighbours [][]int32) []float64 {
	k := len(neighbours[0])
	prediction := make([]float64, len(signal))
	var (
		gram  = mat.NewSymDense(k, nil)
		cross = mat.NewVecDense(k, nil)
		row   = mat.NewVecDense(k, nil)
		power float64
	)
	for t, v := range signal {
		gather(signal, neighbours[t], row)
		gram.SymRankOne(gram, 1, row)
		cross.AddScaledVec(cross, v, row)
		power += v * v
	}
	for i := range k {
		gram.SetSym(i, i, gram.At(i, i)+ridge*power)
	}
	var chol mat.Cholesky
	var weights mat.VecDense
	if !chol.Factorize(gram) || chol.SolveVecTo(&weights, cross) != nil {
		return prediction
	}
	for t := range signal {
		gather(signal, neighbours[t], row)
		prediction[t] = mat.Dot(row, &weights)
	}
	return prediction
}

// residualScale is the root mean square of a signal less its prediction.
func residualScale(signal, prediction []float64) float64 {
	return floats.Distance(signal, prediction, 2) / math.Sqrt(float64(len(signal)))
}

// gather fills row with the signal at the given positions, zeros beyond its
// end.
func gather(signal []float64, positions []int32, row *mat.VecDense) {
	for i, n := range positions {
		v := 0.0
		if int(n) < len(signal) {
			v = signal[n]
		}
		row.SetVec(i, v)
	}
}
