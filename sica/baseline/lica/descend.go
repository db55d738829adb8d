package lica

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// objective is SMI-hat as a function of the rotation W of the whitened signals.
type objective struct {
	basis         *basis
	sigma, lambda float64
	// mean is ĥ. It is the same for all W, since φ_l depends only on the distance
	// of y_i from its centre, which no rotation changes.
	mean *mat.VecDense
}

// newObjective takes ĥ at any rotation.
func newObjective(b *basis, rotation *mat.Dense, sigma, lambda float64) *objective {
	_, n := b.x.Dims()
	b.at(rotation, sigma)
	return &objective{basis: b, sigma: sigma, lambda: lambda, mean: b.mean(0, n)}
}

// smi returns SMI-hat of the signals W·x, and α.
func (o *objective) smi(w *mat.Dense) (float64, *mat.VecDense, error) {
	o.basis.at(w, o.sigma)
	alpha, err := solve(o.basis.gram(), o.mean, o.lambda)
	if err != nil {
		return 0, nil, err
	}
	return mat.Dot(o.mean, alpha)/2 - 0.5, alpha, nil
}

// slope returns the skew matrix S, d×d, for which SMI-hat of exp(−t·S)·W·x begins
// with the derivative −½‖S‖² in t, where W is that of the last smi and alpha is
// its α: S = D·Wᵀ − W·Dᵀ, D being the gradient in W. That is the steepest descent
// among the rotations, and the natural gradient.
func (o *objective) slope(w *mat.Dense, alpha *mat.VecDense) *mat.Dense {
	var turn mat.Dense
	turn.Mul(o.basis.gradient(alpha), w.T())
	s := mat.DenseCopyOf(turn.T())
	s.Sub(&turn, s)
	return s
}

// descent is what a descent ended with.
type descent struct {
	rotation   *mat.Dense
	smi        float64
	iterations int
	converged  bool
}

// leastOf descends from each of the starts and returns the descent that ended
// with the least SMI-hat.
func (o *objective) best(ctx context.Context, starts []*mat.Dense, cfg Config) (descent, error) {
	best := descent{smi: math.Inf(1)}
	for _, w := range starts {
		d, err := o.descend(ctx, w, cfg)
		if err != nil {
			return descent{}, err
		}
		if d.smi < best.smi {
			best = d
		}
	}
	return best, nil
}

// Steps along the geodesic, in radians as the Frobenius norm of the skew matrix.
const (
	firstTurn = math.Pi / 8
	mostTurn  = math.Pi / 4
	leastTurn = 1e-10 // a descent ends where not even this lowers SMI-hat
)

// armijo is the share of the first-order decrease that a step must achieve.
const armijo = 1e-4

// descend lowers SMI-hat from the rotation w by steps W ← exp(−t·S)·W. A step is
// tried with the t of J. Barzilai and J. Borwein, IMA J. Numer. Anal. 8, 1988, and
// halved until it is good by Armijo's rule.
func (o *objective) descend(ctx context.Context, w *mat.Dense, cfg Config) (descent, error) {
	smi, alpha, err := o.smi(w)
	if err != nil {
		return descent{}, err
	}
	slope := o.slope(w, alpha)
	t := firstTurn / mat.Norm(slope, 2)
	for iteration := range cfg.MaxIterations {
		norm := mat.Norm(slope, 2)
		if norm <= cfg.Tolerance*(smi+0.5) {
			return descent{w, smi, iteration, true}, nil
		}
		t = min(t, mostTurn/norm)
		for {
			if err := ctx.Err(); err != nil {
				return descent{}, err
			}
			next := turn(w, slope, t)
			var lower float64
			if lower, alpha, err = o.smi(next); err != nil {
				return descent{}, err
			}
			if lower <= smi-armijo*t*norm*norm/2 {
				w, smi = next, lower
				break
			}
			if t /= 2; t*norm < leastTurn {
				return descent{w, smi, iteration, true}, nil
			}
		}
		next := o.slope(w, alpha)
		t = nextStep(t, slope, next)
		slope = next
	}
	return descent{w, smi, cfg.MaxIterations, false}, nil
}

// turn returns exp(−t·S)·W.
func turn(w, s *mat.Dense, t float64) *mat.Dense {
	var rotation, turned mat.Dense
	rotation.Scale(-t, s)
	rotation.Exp(&rotation)
	turned.Mul(&rotation, w)
	return &turned
}

// nextStep returns the step after one of t that changed the slope from before to
// after: the t for which the slope would become zero if it went on changing as
// it did. Where it didn't fall, that is twice the last.
func nextStep(t float64, before, after *mat.Dense) float64 {
	var change mat.Dense
	change.Sub(before, after)
	fall := inner(before, &change)
	if fall <= 0 {
		return 2 * t
	}
	return t * inner(before, before) / fall
}

// inner is the sum of the products of the entries of a and b.
func inner(a, b *mat.Dense) float64 {
	var product mat.Dense
	product.MulElem(a, b)
	return mat.Sum(&product)
}
