// Package ar is linear prediction of signals: from the values before a position, at lags or
// by moments, and from the neighbours around it. Weights are those of ridge regression.
//
// The names to know are Solve, Regress and Predictor:
//
//	weights, deviation := ar.Regress(z, []int{-1, -2}, positions)
//	r := ar.Residual(weights, z, []int{-1, -2}, t) // the innovation at position t
//
// Regress has fixed lags and takes the positions that it learns from. A Predictor chooses how
// many of the lags pay for themselves, from moments. Weights and Predict use neighbours on
// both sides, listed for each position.
//
// References: G. E. P. Box, G. M. Jenkins, Time Series Analysis (1970), chapter 7; A. E.
// Hoerl, R. W. Kennard, Technometrics 12(1), 1970 (ridge regression).
package ar

import (
	"math"

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
// there is no unique solution.
func Regress(z []float64, lags, positions []int) (weights []float64, deviation float64) {
	p := len(lags)
	weights = make([]float64, p)
	n := float64(len(positions))
	if p > 0 {
		gram, cross := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
		for i, lag := range lags {
			cross.SetVec(i, lagged(z, 0, lag, positions))
			for j := i; j < p; j++ {
				gram.SetSym(i, j, lagged(z, lag, lags[j], positions))
			}
		}
		if w := Solve(gram, cross, Ridge*n); w != nil {
			copy(weights, w.RawMatrix().Data)
		}
	}
	sum, square := 0.0, 0.0
	for _, t := range positions {
		r := Residual(weights, z, lags, t)
		sum += r
		square += r * r
	}
	return weights, math.Sqrt(max(square/n-sum/n*sum/n, 1e-12))
}

// lagged returns Σ z_{t+a}·z_{t+b} over the positions t.
func lagged(z []float64, a, b int, positions []int) float64 {
	sum := 0.0
	for _, t := range positions {
		sum += z[t+a] * z[t+b]
	}
	return sum
}

// Residual returns the prediction error z_t − Σ_k weights_k·z_{t+lags_k} at position t.
func Residual(weights, z []float64, lags []int, t int) float64 {
	r := z[t]
	for k, a := range weights {
		r -= a * z[t+lags[k]]
	}
	return r
}
