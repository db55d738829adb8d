package lica

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A basis holds the b basis functions
//
//	φ_l(y) = Π_m exp(−(y_m − y_{m,c_l})²/2σ²)
//
// of the signals y = W·x, centred at the positions c_l. The density ratio of the signals, p(y)/Π_m
// p(y_m), is modelled as αᵀφ. The fit needs two averages: ĥ, of length b, of φ over the positions,
// and Ĥ, b×b, of φ_l·φ_l′ over all n^d combinations of the signals' values. The basis stores the
// factors of φ for each signal m. So Ĥ is the entrywise product over m of Σ_i exp(…)·exp(…)/n,
// without a sum over the combinations.
type basis struct {
	x       *mat.Dense // d×n, white, its columns in random order
	centres []int      // [b], c_l: columns of x

	// Set by evaluate.
	y       *mat.Dense   // d×n, the signals
	sigma   float64      // of the factors
	factors []*mat.Dense // of each signal, b×n: row l is exp(−(y_mi − y_{m,c_l})²/2σ²)

	// Set by gram.
	grams []*mat.SymDense // of each signal, b×b: factors·factorsᵀ/n

	weights *mat.Dense // b×n, workspace of gradient
}

// newBasis returns a basis with centres spread evenly over the columns of x, so that each fold has
// its share of centres.
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

// minExponent is the exponent below which a factor is set to 0. Products of two such factors are
// subnormal numbers, below 2⁻¹⁰²², with which some processors are a hundred times slower. Images,
// in which most pixels are equal, lead to many such factors. Half of minExponent would also set
// factors below 10⁻⁷⁷ to 0; with twice, products become subnormal.
const minExponent = -1022 / 2 * math.Ln2

// evaluate computes the factors of the signals W·x.
func (b *basis) evaluate(w *mat.Dense, sigma float64) {
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
				if e := scale * (v - centre) * (v - centre); e > minExponent {
					row[i] = math.Exp(e)
				}
			}
		}
	}
}

// gram returns Ĥ, b×b: the entrywise product of the signals' grams, which it sets.
func (b *basis) gram() *mat.SymDense {
	_, n := b.x.Dims()
	h := ones(len(b.centres))
	for m, g := range b.grams {
		g.SymOuterK(1/float64(n), b.factors[m])
		multiplyEntries(h, g)
	}
	return h
}

// mean returns ĥ, b: the means of the basis functions over the columns [lo, hi).
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

// gradient returns the gradient, d×d, of ½ĥᵀα with respect to W, where (Ĥ+λI)α = ĥ and ĥ is held
// constant. W is the argument of the last evaluate, after which gram must have been called. With
// Φ_m the factors and K_m the gram of signal m, and with ∘ and Π entrywise,
//
//	d(½ĥᵀα) = −½αᵀ·dĤ·α = −1/n·Σ_m tr(G_m·dΦ_m·Φ_mᵀ),  G_m = ααᵀ ∘ Π_{k≠m} K_k.
func (b *basis) gradient(alpha *mat.VecDense) *mat.Dense {
	d, n := b.x.Dims()
	gradient := mat.NewDense(d, d, nil)
	outer := mat.NewSymDense(len(b.centres), nil)
	for m, factor := range b.factors {
		outer.SymOuterK(1, alpha)
		for k, g := range b.grams {
			if k != m {
				multiplyEntries(outer, g)
			}
		}
		b.weights.Mul(outer, factor)

		// Since dΦ_li = −Φ_li·(y_i − y_c)/σ²·dW_m·(x_i − x_c), the factor of dW_m is a weighted sum
		// of columns of x.
		y := b.y.RawRowView(m)
		coefficients := make([]float64, n)
		centreSums := make([]float64, len(b.centres))
		for l, c := range b.centres {
			weight, f, centre := b.weights.RawRowView(l), factor.RawRowView(l), y[c]
			sum := 0.0
			for i, v := range y {
				term := weight[i] * f[i] * (v - centre)
				coefficients[i] += term
				sum += term
			}
			centreSums[l] = sum
		}
		for l, c := range b.centres {
			coefficients[c] -= centreSums[l]
		}
		floats.Scale(1/(b.sigma*b.sigma*float64(n)), coefficients)
		gradient.RowView(m).(*mat.VecDense).MulVec(b.x, mat.NewVecDense(n, coefficients))
	}
	return gradient
}

// errRidge is the error if Ĥ+λI isn't numerically positive definite.
var errRidge = errors.New("Lambdas: are too small to solve for the density ratio in float64; " +
	"must be larger")

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

// ones returns the matrix of ones with size rows and columns.
func ones(size int) *mat.SymDense {
	data := make([]float64, size*size)
	floats.AddConst(1, data)
	return mat.NewSymDense(size, data)
}

// multiplyEntries replaces a by a∘b, the entrywise product.
func multiplyEntries(a, b *mat.SymDense) {
	p, q := a.RawSymmetric(), b.RawSymmetric()
	for i := range p.N {
		floats.Mul(p.Data[i*p.Stride+i:i*p.Stride+p.N], q.Data[i*q.Stride+i:i*q.Stride+q.N])
	}
}

// crossValidate returns the σ and λ of cfg with the smallest cross-validated loss for the density
// ratio of the signals W·x.
func crossValidate(
	ctx context.Context, b *basis, w *mat.Dense, cfg Config,
) (sigma, lambda float64, err error) {
	if len(cfg.Sigmas) == 1 && len(cfg.Lambdas) == 1 {
		return cfg.Sigmas[0], cfg.Lambdas[0], nil
	}
	smallest := math.Inf(1)
	for _, s := range cfg.Sigmas {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		b.evaluate(w, s)
		for k, loss := range b.losses(cfg.Lambdas, cfg.Folds) {
			if loss < smallest {
				smallest, sigma, lambda = loss, s, cfg.Lambdas[k]
			}
		}
	}
	if math.IsInf(smallest, 1) {
		return 0, 0, errRidge
	}
	return sigma, lambda, nil
}

// losses returns for each λ the mean over the folds of the squared loss
//
//	J = ½αᵀĤα − ĥᵀα,
//
// which estimates ½∫(αᵀφ(y) − w(y))²·Π_m p(y_m) dy up to a constant, with w the density ratio. Ĥ
// and ĥ come from the fold, a run of columns, and α from the other columns. evaluate must have set
// the factors. The loss is infinite if there is no solution.
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
			loss := mat.Inner(alpha, gramIn, alpha)/2 - mat.Dot(meanIn, alpha)
			losses[k] += loss / float64(folds)
		}
	}
	return losses
}

// split returns Ĥ of the columns [lo, hi), and Ĥ of the other columns, which it computes from the
// grams of all columns that gram has set.
func (b *basis) split(lo, hi int) (in, out *mat.SymDense) {
	_, n := b.x.Dims()
	size := len(b.centres)
	in, out = ones(size), ones(size)
	share := float64(hi-lo) / float64(n)
	var gram mat.SymDense
	for m, all := range b.grams {
		gram.SymOuterK(1/float64(hi-lo), b.factors[m].Slice(0, size, lo, hi))
		multiplyEntries(in, &gram)
		gram.ScaleSym(-share, &gram)
		gram.AddSym(all, &gram)
		gram.ScaleSym(1/(1-share), &gram)
		multiplyEntries(out, &gram)
	}
	return in, out
}
