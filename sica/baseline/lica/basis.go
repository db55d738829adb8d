package lica

import (
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
