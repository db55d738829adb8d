// Package gaussian computes the paper's criterion, and one iteration of each of its flows,
// exactly for Gaussian signals: from covariances, without samples and without networks.
// This project checks the theorems of the paper with it (docs/explanation/theory.md).
//
// The names to know are Mix, Signals.Divergence, Signals.MutualInformation and Signals.Move:
//
//	z := gaussian.Mix(mixing, gaussian.AR1(16, 0.9, -0.6), 16)
//	before := z.Divergence()
//	z = z.Move(z.Refinement(1)) // one iteration that goes the whole way
//	after := z.Divergence()
//
// The signals are d random sequences of n positions with mean 0. Z is the vector of all of
// them, signal by signal: entry i·n + t is signal i at position t. C is its covariance and
// Λ = C⁻¹ its precision; C_i and P_i = C_i⁻¹ are those of signal i alone.
//
// Reference: S. Liu, "Self-sufficient Independent Component Analysis via KL Minimizing
// Flows", arXiv:2512.00665.
package gaussian

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Signals are d Gaussian sequences of n positions: a linear map of Gaussian sources.
type Signals struct {
	d, n    int
	sources *mat.SymDense // [d·n, d·n], the covariance of the sources
	mapping *mat.Dense    // [d·n, d·n], from the sources to Z
	c       *mat.SymDense // [d·n, d·n], the covariance of Z
}

// Mix returns the mixed signals x_t = mixing·s_t of d independent stationary sources at n
// positions. The mixing is d×d. Entry k of autocovariances[i] is the covariance of source i with
// itself k positions later, for k from 0 to n − 1. Mix panics if the sizes don't fit.
func Mix(mixing *mat.Dense, autocovariances [][]float64, n int) *Signals {
	d, _ := mixing.Dims()
	if len(autocovariances) != d {
		panic(fmt.Sprintf("gaussian: %d autocovariances for %d sources", len(autocovariances), d))
	}
	sources := mat.NewSymDense(d*n, nil)
	for i, r := range autocovariances {
		for t := range n {
			for u := t; u < n; u++ {
				sources.SetSym(i*n+t, i*n+u, r[u-t])
			}
		}
	}
	lifted := mat.NewDense(d*n, d*n, nil) // mixing ⊗ I
	for i := range d {
		for j := range d {
			for t := range n {
				lifted.Set(i*n+t, j*n+t, mixing.At(i, j))
			}
		}
	}
	return mapped(d, n, sources, lifted)
}

// mapped returns the signals mapping·S, with S the sources of that covariance.
func mapped(d, n int, sources *mat.SymDense, mapping *mat.Dense) *Signals {
	var half, full mat.Dense
	half.Mul(mapping, sources)
	full.Mul(&half, mapping.T())
	return &Signals{d: d, n: n, sources: sources, mapping: mapping, c: symmetric(&full)}
}

// AR1 returns the autocovariances of autoregressions s_t = φ·s_{t−1} + e_t with variance 1,
// one for each coefficient φ, at lags 0 to n − 1.
func AR1(n int, coefficients ...float64) [][]float64 {
	r := make([][]float64, len(coefficients))
	for i, phi := range coefficients {
		r[i] = make([]float64, n)
		for k := range n {
			r[i][k] = math.Pow(phi, float64(k))
		}
	}
	return r
}

// AR returns the autocovariances, at lags 0 to n − 1, of the autoregression
// s_t = Σ_k φ_k·s_{t−k} + e_t, whose innovations e have standard deviation sd. It sums the impulse
// response over 4,000 positions. Beyond these it is rounding if the roots of the process are
// below 0.99 in modulus.
func AR(n int, sd float64, coefficients ...float64) []float64 {
	const length = 4000
	h := make([]float64, length)
	for t := range h {
		if t == 0 {
			h[t] = 1
		}
		for k, phi := range coefficients {
			if t > k {
				h[t] += phi * h[t-1-k]
			}
		}
	}
	r := make([]float64, n)
	for k := range r {
		for t := range length - k {
			r[k] += sd * sd * h[t] * h[t+k]
		}
	}
	return r
}

// Divergence returns the paper's criterion (equation 8, eq.kl.iterative), the mean over the
// positions of E KL[ p(z_t | Z_−t) ‖ Π_i p(z_{i,t} | Z_{i,−t}) ], in nats per position:
//
//	1/(2n)·Σ_t ( log det Λ_tt − Σ_i log (P_i)_tt )
func (s *Signals) Divergence() float64 {
	precision := inverse(s.c)
	sum := 0.0
	for t := range s.n {
		logDet, _ := mat.LogDet(s.blockAt(precision, t))
		sum += logDet
	}
	for i := range s.d {
		own := inverse(s.signal(i))
		for t := range s.n {
			sum -= math.Log(own.At(t, t))
		}
	}
	return sum / 2 / float64(s.n)
}

// MutualInformation returns that between the whole signals, KL[ p(Z) ‖ Π_i p(Z_i) ], in nats
// per position:
//
//	1/(2n)·( Σ_i log det C_i − log det C )
func (s *Signals) MutualInformation() float64 {
	all, _ := mat.LogDet(s.c)
	sum := -all
	for i := range s.d {
		logDet, _ := mat.LogDet(s.signal(i))
		sum += logDet
	}
	return sum / 2 / float64(s.n)
}

// MaxStep returns the longest step η for which docs/explanation/theory.md proves that an Euler
// step of the Wasserstein gradient flow lowers the mutual information, by at least η/4·E‖v‖²:
// half of the smallest eigenvalue of C.
func (s *Signals) MaxStep() float64 {
	var e mat.EigenSym
	if !e.Factorize(s.c, false) {
		panic("gaussian: the eigenvalues of the covariance didn't converge")
	}
	return e.Values(nil)[0] / 2
}

// EulerStep returns the map of one Euler step of length η along the velocity of the
// Wasserstein gradient flow (equation 14, eq.log.joint.ratio), for all positions at once:
// Z + η·(Λ − P)·Z.
func (s *Signals) EulerStep(eta float64) *mat.Dense {
	a := s.gradient()
	a.Scale(eta, a)
	for k := range s.d * s.n {
		a.Set(k, k, 1+a.At(k, k))
	}
	return a
}

// gradient returns Λ − P, with P the block diagonal of the P_i: the velocity of Z is (Λ − P)·Z.
// With m and S the mean and the covariance of z_t given the other positions, the entries of Λ·Z at
// position t are S⁻¹·(z_t − m). Those of P·Z are the same for each signal alone.
func (s *Signals) gradient() *mat.Dense {
	g := mat.DenseCopyOf(inverse(s.c))
	for i := range s.d {
		block := g.Slice(i*s.n, (i+1)*s.n, i*s.n, (i+1)*s.n).(*mat.Dense)
		block.Sub(block, inverse(s.signal(i)))
	}
	return g
}

// Refinement returns the map of an iteration that moves the signals by optimal transport, position
// by position: from p(z_t | Z_−t), with mean m and covariance S, to Π_i p(z_{i,t} | Z_{i,−t}), with
// mean m′ and diagonal covariance D. It goes the given share of the way, from 0 to 1:
//
//	z_t + share·( m′ + M·(z_t − m) − z_t ),  M = D^½·(D^½·S·D^½)^−½·D^½
//
// With share 1, z_t then has the distribution Π_i p(z_{i,t} | Z_{i,−t}) given the signals at the
// other positions from before the iteration.
func (s *Signals) Refinement(share float64) *mat.Dense {
	return s.refinement(share, func(covariance *mat.SymDense, variances []float64) *mat.Dense {
		m := transport(covariance, variances)
		m.Scale(share, m)
		for i := range variances {
			m.Set(i, i, m.At(i, i)+1-share)
		}
		return m
	})
}

// RectifiedFlow returns the map of an iteration of the rectified flow (equation 16,
// eq.rec.obj) along its exact velocity up to the time τ, from 0 to 1. Given both contexts,
// with μ(τ) = (1−τ)·m + τ·m′ and C(τ) = (1−τ)²·S + τ²·D, the velocity is
//
//	v(y, τ) = m′ − m + ( τ·D − (1−τ)·S )·C(τ)⁻¹·( y − μ(τ) )
//
// Both contexts are the signals at the other positions. The flow along the velocity is
//
//	μ(τ) + Φ(τ)·(z_t − m),  Φ(τ) = ( (1−τ)²·I + τ²·D·S⁻¹ )^½
//
// At τ = 1 the distribution is Π_i p(z_{i,t} | Z_{i,−t}), as the paper's theorem has it. There Φ is
// (D·S⁻¹)^½. It is symmetric, and so the optimal transport of Refinement, only if D and S commute.
func (s *Signals) RectifiedFlow(tau float64) *mat.Dense {
	return s.refinement(tau, func(covariance *mat.SymDense, variances []float64) *mat.Dense {
		return rectified(tau, covariance, variances)
	})
}

// refinement returns the map that takes z_t, for each position t, to
// (1−τ)·m + τ·m′ + φ(S, D)·(z_t − m).
func (s *Signals) refinement(
	tau float64, phi func(covariance *mat.SymDense, variances []float64) *mat.Dense,
) *mat.Dense {
	size := s.d * s.n
	precision := inverse(s.c)
	own := make([]*mat.SymDense, s.d)
	for i := range own {
		own[i] = inverse(s.signal(i))
	}
	a := mat.NewDense(size, size, nil)
	for t := range s.n {
		covariance := inverse(s.blockAt(precision, t)) // S, [d, d]
		residual := s.residual(covariance, precision, t)
		variances := make([]float64, s.d) // D
		for i := range variances {
			variances[i] = 1 / own[i].At(t, t)
		}
		var moved mat.Dense
		moved.Mul(phi(covariance, variances), residual)
		for i := range s.d {
			row := a.RawRowView(i*s.n + t)
			for k := range size {
				row[k] = moved.At(i, k) - (1-tau)*residual.At(i, k) // m = z_t − (z_t − m)
			}
			for u := range s.n { // m′_i = z_{i,t} − D_i·(P_i·Z_i)_t
				row[i*s.n+u] -= tau * variances[i] * own[i].At(t, u)
			}
			row[i*s.n+t]++ // (1−τ)·z_t from m, τ·z_t from m′
		}
	}
	return a
}

// residual returns the map that takes z to z_t − m, given S of position t, [d, d].
func (s *Signals) residual(covariance, precision *mat.SymDense, t int) *mat.Dense {
	size := s.d * s.n
	residual := mat.NewDense(s.d, size, nil)
	for i := range s.d {
		for k := range size {
			for j := range s.d {
				residual.Set(i, k, residual.At(i, k)+covariance.At(i, j)*precision.At(j*s.n+t, k))
			}
		}
	}
	return residual
}

// rectified returns Φ(τ). With R = S^½ and the eigenvalues λ and eigenvectors Q of R⁻¹·D·R⁻¹
// it is R·Q·((1−τ)²·I + τ²·λ)^½·Qᵀ·R⁻¹: in the basis R·Q the velocity is diagonal at any τ.
func rectified(tau float64, covariance *mat.SymDense, variances []float64) *mat.Dense {
	root, inverseRoot := power(covariance, 0.5), power(covariance, -0.5)
	var inner, result mat.Dense
	inner.Product(inverseRoot, mat.NewDiagDense(len(variances), variances), inverseRoot)
	inner.Scale(tau*tau, &inner)
	for i := range variances {
		inner.Set(i, i, inner.At(i, i)+(1-tau)*(1-tau))
	}
	result.Product(root, power(symmetric(&inner), 0.5), inverseRoot)
	return &result
}

// transport returns the symmetric matrix M with M·S·M = D, D diagonal: the optimal transport
// between normal distributions of these covariances.
func transport(s *mat.SymDense, d []float64) *mat.Dense {
	root := mat.NewDiagDense(len(d), nil)
	for i, v := range d {
		root.SetDiag(i, math.Sqrt(v))
	}
	var half, full mat.Dense
	half.Mul(root, s)
	full.Mul(&half, root) // D^½·S·D^½
	half.Mul(root, power(symmetric(&full), -0.5))
	full.Mul(&half, root)
	return &full
}

// Move returns the signals A·Z.
func (s *Signals) Move(a *mat.Dense) *Signals {
	var mapping mat.Dense
	mapping.Mul(a, s.mapping)
	return mapped(s.d, s.n, s.sources, &mapping)
}

// MCC returns the mean, over signals and positions, of the absolute correlation of a signal with
// its source at the same position. The sources are assigned in the order with the larger mean. It
// panics unless there are two signals.
func (s *Signals) MCC() float64 {
	if s.d != 2 {
		panic(fmt.Sprintf("gaussian: MCC of %d signals; must be 2", s.d))
	}
	var cross mat.Dense // E Z·Sᵀ
	cross.Mul(s.mapping, s.sources)
	var sums [2]float64 // of each order
	for i := range 2 {
		for t := range s.n {
			for order := range 2 {
				j := i ^ order // the source of signal i
				a, b := i*s.n+t, j*s.n+t
				sums[order] += math.Abs(cross.At(a, b)) / math.Sqrt(s.c.At(a, a)*s.sources.At(b, b))
			}
		}
	}
	return max(sums[0], sums[1]) / float64(2*s.n)
}

// signal returns C_i.
func (s *Signals) signal(i int) *mat.SymDense {
	return s.c.SliceSym(i*s.n, (i+1)*s.n).(*mat.SymDense)
}

// blockAt returns the entries, d×d, of a, [d·n, d·n], between the signals at position t.
func (s *Signals) blockAt(a *mat.SymDense, t int) *mat.SymDense {
	block := mat.NewSymDense(s.d, nil)
	for i := range s.d {
		for j := i; j < s.d; j++ {
			block.SetSym(i, j, a.At(i*s.n+t, j*s.n+t))
		}
	}
	return block
}

// inverse returns the inverse of a positive definite matrix. It panics if it isn't one:
// then the signals have become linearly dependent.
func inverse(a *mat.SymDense) *mat.SymDense {
	var factor mat.Cholesky
	if !factor.Factorize(a) {
		panic("gaussian: the covariance isn't positive definite")
	}
	var inv mat.SymDense
	if err := factor.InverseTo(&inv); err != nil {
		panic(fmt.Sprintf("gaussian: the inverse of the covariance: %v", err))
	}
	return &inv
}

// power returns a^p for a positive definite matrix.
func power(a *mat.SymDense, p float64) *mat.Dense {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		panic("gaussian: the eigenvectors of a covariance didn't converge")
	}
	var u, scaled, result mat.Dense
	e.VectorsTo(&u)
	scaled.CloneFrom(&u)
	for k, v := range e.Values(nil) {
		column := scaled.ColView(k).(*mat.VecDense)
		column.ScaleVec(math.Pow(v, p), column)
	}
	result.Mul(&scaled, u.T())
	return &result
}

// symmetric returns the symmetric part of a.
func symmetric(a *mat.Dense) *mat.SymDense {
	size, _ := a.Dims()
	s := mat.NewSymDense(size, nil)
	for i := range size {
		for j := i; j < size; j++ {
			s.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2)
		}
	}
	return s
}
