// Package ar predicts signals linearly, by ridge regression: from the values before a position, at
// lags or by moments, or from the neighbours around it.
//
// The names to know are Solve, Regress and Predictor:
//
//	weights, deviation := ar.Regress(z, []int{-1, -2}, positions)
//	r := ar.Residual(weights, z, []int{-1, -2}, t) // the innovation at position t
//
// Regress has fixed lags and uses the given positions; Moments does so for several sets of lags. A
// Predictor chooses the number of lags by code length, from moments. Weights and Predict use
// neighbours on both sides, listed for each position.
//
// References: G. E. P. Box, G. M. Jenkins, Time Series Analysis (1970), chapter 7; A. E.
// Hoerl, R. W. Kennard, Technometrics 12(1), 1970 (ridge regression).
package ar

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// Ridge is the penalty of weights, as a share of a signal's power, in Regress, Weights and
	// elsewhere for about a thousand positions. It is a choice: 1e-3 is the variance of an
	// estimated weight at a thousand positions, so half or twice changes predictions by less than
	// their error.
	Ridge = 1e-3

	// MomentRidge is the penalty, as a share of a signal's power, for moments of many positions, in
	// a Predictor. It only has to exceed the rounding of moments that nearly cancel, about 1e-12
	// for smooth signals. Half or twice matters only for signals that are predicted to a
	// thousandth.
	MomentRidge = 1e-6
)

// Solve returns the weights W, k×m, that predict m signals from k values by least squares: (gram +
// penalty·I)·W = cross. gram, k×k, has the products of the values with each other, and cross, k×m,
// their products with the signals, summed over the positions. The result is nil if gram isn't
// numerically positive definite. Solve adds the penalty to gram.
func Solve(gram *mat.SymDense, cross mat.Matrix, penalty float64) *mat.Dense {
	for i := range gram.SymmetricDim() {
		gram.SetSym(i, i, gram.At(i, i)+penalty)
	}
	var factor mat.Cholesky
	var weights mat.Dense
	if !factor.Factorize(gram) || factor.SolveTo(&weights, cross) != nil {
		return nil
	}
	return &weights
}

// Regress returns the weights that predict the signal z from its values at t + lags, learned at the
// given positions t, and the standard deviation of the prediction error there. The signal should
// have a variance of about 1, for which the penalty is meant. The weights are 0 if there is no
// unique solution. The positions must be in increasing order.
func Regress(z []float64, lags, positions []int) (weights []float64, deviation float64) {
	return NewMoments(z, lags, positions).Regress(lags)
}

// Moments are the sums and the products of a signal and its lagged values, from which the signal
// can be regressed on any of the lags.
type Moments struct {
	lags     []int         // of the rows after the first, which is the signal itself
	sums     []float64     // of each row over the positions
	products *mat.SymDense // of the rows with each other
	n        float64       // number of positions
}

// NewMoments returns the moments of the signal z at the given positions t, with its values at
// t + lags.
func NewMoments(z []float64, lags, positions []int) *Moments {
	rows := 1 + len(lags)
	m := &Moments{
		lags: lags, sums: make([]float64, rows), products: mat.NewSymDense(rows, nil),
		n: float64(len(positions)),
	}
	space := mat.NewDense(rows, gatheredPositions, nil)
	for block := range slices.Chunk(positions, gatheredPositions) {
		values := space.Slice(0, rows, 0, len(block)).(*mat.Dense)
		gatherLagged(values.RawRowView(0), z, 0, block)
		for k, lag := range lags {
			gatherLagged(values.RawRowView(1+k), z, lag, block)
		}
		for k := range m.sums {
			m.sums[k] += floats.Sum(values.RawRowView(k))
		}
		addOuter(m.products, values)
	}
	return m
}

// gatheredPositions is the number of positions gathered before their products are added, to stay in
// the first-level cache: 18 KiB for eight lags. Half or twice takes as long within a tenth.
const gatheredPositions = 256

// gatherLagged sets values to the values of z at positions + lag.
func gatherLagged(values, z []float64, lag int, positions []int) {
	first, last := positions[0], positions[len(positions)-1]
	if last-first == len(positions)-1 { // no gaps, since positions are in order
		copy(values, z[first+lag:last+lag+1])
		return
	}
	for i, t := range positions {
		values[i] = z[t+lag]
	}
}

// addOuter adds rows·rowsᵀ to the products.
func addOuter(products *mat.SymDense, rows *mat.Dense) {
	blas64.Syrk(blas.NoTrans, 1, rows.RawMatrix(), 1, products.RawSymmetric())
}

// Regress is the function Regress for the given lags, which must be among those of m.
func (m *Moments) Regress(lags []int) (weights []float64, deviation float64) {
	weights = make([]float64, len(lags))
	sum, square := m.sums[0], m.products.At(0, 0) // of the prediction errors
	if len(lags) > 0 {
		rows := make([]int, len(lags))
		for k, lag := range lags {
			rows[k] = 1 + slices.Index(m.lags, lag)
		}
		gram, cross := mat.NewSymDense(len(rows), nil), mat.NewVecDense(len(rows), nil)
		for i, row := range rows {
			cross.SetVec(i, m.products.At(0, row))
			for j := i; j < len(rows); j++ {
				gram.SetSym(i, j, m.products.At(row, rows[j]))
			}
		}
		if w := Solve(gram, cross, Ridge*m.n); w != nil { // gram has the ridge now
			copy(weights, w.RawMatrix().Data)
			square -= floats.Dot(weights, cross.RawVector().Data) +
				Ridge*m.n*floats.Dot(weights, weights)
			for k, row := range rows {
				sum -= weights[k] * m.sums[row]
			}
		}
	}
	return weights, math.Sqrt(max(square/m.n-sum/m.n*sum/m.n, 1e-12))
}

// Residual returns the prediction error z_t − Σ_k weights_k·z_{t+lags_k} at position t.
func Residual(weights, z []float64, lags []int, t int) float64 {
	r := z[t]
	for k, a := range weights {
		r -= a * z[t+lags[k]]
	}
	return r
}
