package rotate

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// scoreTerms are the functions that a score is made of, with their derivatives: a
// line, which is the score of Gaussian values, and bounded ones for lighter and
// heavier tails and for skewness.
var scoreTerms = []struct{ value, slope func(y float64) float64 }{
	{func(float64) float64 { return 1 }, func(float64) float64 { return 0 }},
	{func(y float64) float64 { return y }, func(float64) float64 { return 1 }},
	{math.Tanh, func(y float64) float64 { return 1 - math.Tanh(y)*math.Tanh(y) }},
	{func(y float64) float64 { return y * bell(y) }, func(y float64) float64 { return (1 - y*y) * bell(y) }},
	{bell, func(y float64) float64 { return -y * bell(y) }},
	{func(y float64) float64 { return y * math.Tanh(y) }, func(y float64) float64 {
		return math.Tanh(y) + y*(1-math.Tanh(y)*math.Tanh(y))
	}},
}

func bell(y float64) float64 { return math.Exp(-y * y / 2) }

// scoreRidge keeps the terms' weights finite where the values are few or alike.
const scoreRidge = 1e-6

// score estimates the score φ = −(log p)′ of the density p of values of variance
// 1, at each of them, and its mean slope E φ′. It is the sum of scoreTerms of
// least E(φ − φ*)² = E φ² − 2·E φ′ + const, which needs no density (score
// matching: A. Hyvärinen, JMLR 6, 2005). It is nil where there is none.
func score(values []float64) (phi []float64, slope float64) {
	n := float64(len(values))
	terms := mat.NewDense(len(scoreTerms), len(values), nil)
	slopes := mat.NewVecDense(len(scoreTerms), nil)
	for k, term := range scoreTerms {
		row, sum := terms.RawRowView(k), 0.0
		for t, y := range values {
			row[t] = term.value(y)
			sum += term.slope(y)
		}
		slopes.SetVec(k, sum/n)
	}
	gram := mat.NewSymDense(len(scoreTerms), nil)
	gram.SymOuterK(1/n, terms)
	for k := range scoreTerms {
		gram.SetSym(k, k, gram.At(k, k)+scoreRidge)
	}
	var chol mat.Cholesky
	var weights, at mat.VecDense
	if !chol.Factorize(gram) || chol.SolveVecTo(&weights, slopes) != nil {
		return nil, 0
	}
	at.MulVec(terms.T(), &weights)
	return at.RawVector().Data, mat.Dot(&weights, slopes)
}
