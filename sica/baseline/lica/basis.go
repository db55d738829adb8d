package lica

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// basis are the b basis functions
//
//	φ_l(y) = Π_m exp(−(y_m − y_{m,c_l})²/2σ²)
//
// of the signals y = W·x, the centres c_l being positions of them. What is kept
// is the factors of each signal m: they are enough for Ĥ, which is the product
// over the signals of Σ_i exp(…)·exp(…)/T instead of a sum over T^d combinations.
type basis struct {
	x       *mat.Dense // d×T, white, its columns in random order
	centres []int      // b columns

	// What at and gram set.
	y       *mat.Dense      // d×T, the signals
	sigma   float64         // of the factors
	factors []*mat.Dense    // of each signal, b×T: row l is exp(−(y_mi − y_{m,c_l})²/2σ²)
	grams   []*mat.SymDense // of each signal, b×b: factors·factorsᵀ/T

	weights *mat.Dense // b×T, space for gradient
}

// newBasis puts the centres evenly among the columns of x, so that all folds
// have their part of them.
func newBasis(x *mat.Dense, size int) *basis {
	d, n := x.Dims()
	size = min(size, n)
	b := &basis{
		x: x, centres: make([]int, size),
		y:       mat.NewDense(d, n, nil),
		factors: make([]*mat.Dense, d),
		grams:   make([]*mat.SymDense, d),
		weights: mat.NewDense(size, n, nil),
	}
	for l := range size {
		b.centres[l] = l * n / size
	}
	for m := range d {
		b.factors[m] = mat.NewDense(size, n, nil)
		b.grams[m] = mat.NewSymDense(size, nil)
	}
	return b
}

// leastExponent is where the factors become 0. Beyond it products of two would be less than
// the smallest normal number, 2⁻¹⁰²², with which some processors take a hundred times as
// long: images, most of whose pixels are equal, had many of them.
const leastExponent = -1022 / 2 * math.Ln2

// at computes the factors for the signals W·x.
func (b *basis) at(w *mat.Dense, sigma float64) {
	b.y.Mul(w, b.x)
	b.sigma = sigma
	scale := -1 / (2 * sigma * sigma)
	for m, factor := range b.factors {
		y := b.y.RawRowView(m)
		for l, c := range b.centres {
			row := factor.RawRowView(l)
			centre := y[c]
			for i, v := range y {
				row[i] = 0
				if e := scale * (v - centre) * (v - centre); e > leastExponent {
					row[i] = math.Exp(e)
				}
			}
		}
	}
}

// gram returns Ĥ, b×b: the entrywise product of the signals' grams.
func (b *basis) gram() *mat.SymDense {
	_, n := b.x.Dims()
	h := ones(len(b.centres))
	for m, g := range b.grams {
		g.SymOuterK(1/float64(n), b.factors[m])
		multiply(h, g)
	}
	return h
}

// mean returns ĥ of the columns from lo until hi: ĥ_l is the mean of φ_l there.
func (b *basis) mean(lo, hi int) *mat.VecDense {
	h := mat.NewVecDense(len(b.centres), nil)
	product := make([]float64, hi-lo)
	for l := range b.centres {
		copy(product, b.factors[0].RawRowView(l)[lo:hi])
		for _, factor := range b.factors[1:] {
			floats.Mul(product, factor.RawRowView(l)[lo:hi])
		}
		h.SetVec(l, floats.Sum(product)/float64(hi-lo))
	}
	return h
}

// gradient returns the gradient in W, d×d, of ½ĥᵀα, where (Ĥ+λI)α = ĥ and ĥ is
// held fixed, at the W of the last at and gram. With Φ_m the factors and K_m the
// gram of signal m, and ∘ and Π entrywise,
//
//	d(½ĥᵀα) = −½αᵀ·dĤ·α = −1/T·Σ_m tr(G_m·dΦ_m·Φ_mᵀ),  G_m = ααᵀ ∘ Π_{k≠m} K_k.
func (b *basis) gradient(alpha *mat.VecDense) *mat.Dense {
	d, n := b.x.Dims()
	gradient := mat.NewDense(d, d, nil)
	outer := mat.NewSymDense(len(b.centres), nil)
	for m, factor := range b.factors {
		outer.SymOuterK(1, alpha)
		for k, g := range b.grams {
			if k != m {
				multiply(outer, g)
			}
		}
		b.weights.Mul(outer, factor)

		// As dΦ_li = −Φ_li·(y_i − y_c)/σ²·dW_m·(x_i − x_c), what multiplies dW_m
		// is a sum of columns of x, each with a coefficient.
		y := b.y.RawRowView(m)
		coefficients := make([]float64, n)
		atCentres := make([]float64, len(b.centres))
		for l, c := range b.centres {
			weight, f, centre := b.weights.RawRowView(l), factor.RawRowView(l), y[c]
			sum := 0.0
			for i, v := range y {
				t := weight[i] * f[i] * (v - centre)
				coefficients[i] += t
				sum += t
			}
			atCentres[l] = sum
		}
		for l, c := range b.centres {
			coefficients[c] -= atCentres[l]
		}
		floats.Scale(1/(b.sigma*b.sigma*float64(n)), coefficients)
		gradient.RowView(m).(*mat.VecDense).MulVec(b.x, mat.NewVecDense(n, coefficients))
	}
	return gradient
}

var errRidge = errors.New("the density ratio can't be solved for in float64's precision: want larger lambdas")

// solve returns α = (Ĥ+λI)⁻¹ĥ.
func solve(gram *mat.SymDense, mean *mat.VecDense, lambda float64) (*mat.VecDense, error) {
	size := gram.SymmetricDim()
	ridged := mat.NewSymDense(size, nil)
	ridged.CopySym(gram)
	for l := range size {
		ridged.SetSym(l, l, ridged.At(l, l)+lambda)
	}
	var cholesky mat.Cholesky
	alpha := new(mat.VecDense)
	if !cholesky.Factorize(ridged) || cholesky.SolveVecTo(alpha, mean) != nil {
		return nil, errRidge
	}
	return alpha, nil
}

// ones is the n×n matrix of ones.
func ones(n int) *mat.SymDense {
	data := make([]float64, n*n)
	floats.AddConst(1, data)
	return mat.NewSymDense(n, data)
}

// multiply multiplies a by b, entry by entry.
func multiply(a, b *mat.SymDense) {
	to, by := a.RawSymmetric(), b.RawSymmetric()
	for i := range to.N {
		floats.Mul(to.Data[i*to.Stride+i:i*to.Stride+to.N], by.Data[i*by.Stride+i:i*by.Stride+by.N])
	}
}

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
