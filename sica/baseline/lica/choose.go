package lica

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// choose returns the σ and λ of cfg whose density ratio of the signals W·x has the
// least cross-validated loss.
func choose(ctx context.Context, b *basis, w *mat.Dense, cfg Config) (sigma, lambda float64, err error) {
	if len(cfg.Sigmas) == 1 && len(cfg.Lambdas) == 1 {
		return cfg.Sigmas[0], cfg.Lambdas[0], nil
	}
	least := math.Inf(1)
	for _, s := range cfg.Sigmas {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		b.at(w, s)
		for k, loss := range b.losses(cfg.Lambdas, cfg.Folds) {
			if loss < least {
				least, sigma, lambda = loss, s, cfg.Lambdas[k]
			}
		}
	}
	if math.IsInf(least, 1) {
		return 0, 0, errRidge
	}
	return sigma, lambda, nil
}

// losses returns, for each λ, the mean over the folds of the squared loss
//
//	J = ½αᵀĤα − ĥᵀα
//
// with Ĥ and ĥ of the fold and α solved from the other columns, at the factors of
// the last at. It estimates ½∫(αᵀφ − w)²·Πp less a constant. It is infinite
// where α can't be solved for. The folds are runs of columns.
func (b *basis) losses(lambdas []float64, folds int) []float64 {
	_, n := b.x.Dims()
	b.gram()
	mean := b.mean(0, n)
	losses := make([]float64, len(lambdas))
	for f := range folds {
		lo, hi := f*n/folds, (f+1)*n/folds
		gramIn, gramOut := b.split(lo, hi)
		meanIn := b.mean(lo, hi)
		share := float64(hi-lo) / float64(n)
		var meanOut mat.VecDense
		meanOut.AddScaledVec(mean, -share, meanIn)
		meanOut.ScaleVec(1/(1-share), &meanOut)
		for k, lambda := range lambdas {
			alpha, err := solve(gramOut, &meanOut, lambda)
			if err != nil {
				losses[k] = math.Inf(1)
				continue
			}
			losses[k] += (mat.Inner(alpha, gramIn, alpha)/2 - mat.Dot(meanIn, alpha)) / float64(folds)
		}
	}
	return losses
}

// split returns Ĥ of the columns from lo until hi and that of the others. It
// takes the others' grams as the difference from those of all columns.
func (b *basis) split(lo, hi int) (in, out *mat.SymDense) {
	_, n := b.x.Dims()
	size := len(b.centres)
	in, out = ones(size), ones(size)
	share := float64(hi-lo) / float64(n)
	var gram mat.SymDense
	for m, all := range b.grams {
		gram.SymOuterK(1/float64(hi-lo), b.factors[m].Slice(0, size, lo, hi))
		multiply(in, &gram)
		gram.ScaleSym(-share, &gram)
		gram.AddSym(all, &gram)
		gram.ScaleSym(1/(1-share), &gram)
		multiply(out, &gram)
	}
	return in, out
}
