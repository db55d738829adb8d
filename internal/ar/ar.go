// Package ar is linear prediction of signals: from the values before a position, at lags or
// by moments, and from the neighbours around it. Weights are those of ridge regression.
//
// The names to know are Solve, Regress and Predictor:
//
//	weights, deviation := ar.Regress(z, []int{-1, -2}, positions)
//	r := ar.Residual(weights, z, []int{-1, -2}, t) // the innovation at position t
//
// Regress has fixed lags and takes the positions that it learns from; Moments do so for several
// sets of lags. A Predictor chooses how many of the lags pay for themselves, from moments.
// Weights and Predict use neighbours on both sides, listed for each position.
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
	// Ridge is the penalty of weights as a share of a signal's power, in Regress, Weights and
	// wherever else a thousand positions have to suffice. It is a choice: 1e-3 is the variance
	// of an estimated weight at a thousand positions, so half and twice of it change
	// predictions by less than their own error.
	Ridge = 1e-3

	// MomentRidge is the same share for moments of many positions, in a Predictor. It only has
	// to exceed the rounding of moments that nearly cancel, about 1e-12 for smooth signals.
	// Half and twice of it matter only for signals that are predicted to a thousandth.
	MomentRidge = 1e-6
)

// Solve returns the weights W, k×m, that predict m signals from k values by least squares:
// (gram + penalty·I)·W = cross. Gram, k×k, are the products of the values with each other and
// cross, k×m, those with the signals, summed over the positions. It is nil if gram isn't
// positive definite to float64's precision. The penalty is added to gram itself.
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

// Regress returns the weights that predict the signal z from its values at t + lags, learned
// at the given positions t, and the standard deviation of the prediction error there. The
// signal should have a variance of about 1, as the penalty is for that. The weights are 0 if
// there is no unique solution. The positions must be in increasing order.
func Regress(z []float64, lags, positions []int) (weights []float64, deviation float64) {
	return NewMoments(z, lags, positions).Regress(lags)
}

// Moments are the sums and the products of a signal's values and of those at lags, from which the
// signal can be regressed on any of these lags.
type Moments struct {
	lags     []int         // of the rows behind the first, which is the signal itself
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

// gatheredPositions is how many positions are gathered before their products are added, so that
// they stay in the processor's nearest cache: 18 KiB for eight lags. Half and twice of it take as
// long within a tenth.
const gatheredPositions = 256

// gatherLagged sets values to those of z at positions + lag.
func gatherLagged(values, z []float64, lag int, positions []int) {
	first, last := positions[0], positions[len(positions)-1]
	if last-first == len(positions)-1 { // without gaps, as positions are in order
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

// Regress is the function Regress with the given lags, all of them among those of m.
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
