package lica

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// An objective is SMI-hat as a function of the rotation W of the whitened signals.
type objective struct {
	basis         *basis
	sigma, lambda float64
	// mean is ĥ. It is the same for all W, since φ_l depends only on the distance of y_i from
	// its centre, which no rotation changes.
	mean *mat.VecDense
}

// newObjective returns the objective with σ and λ. Any rotation will do.
func newObjective(b *basis, rotation *mat.Dense, sigma, lambda float64) *objective {
	_, n := b.x.Dims()
	b.evaluate(rotation, sigma)
	return &objective{basis: b, sigma: sigma, lambda: lambda, mean: b.mean(0, n)}
}

// smi returns SMI-hat of the signals W·x, and α.
func (o *objective) smi(w *mat.Dense) (float64, *mat.VecDense, error) {
	o.basis.evaluate(w, o.sigma)
	alpha, err := solve(o.basis.gram(), o.mean, o.lambda)
	if err != nil {
		return 0, nil, err
	}
	return mat.Dot(o.mean, alpha)/2 - 0.5, alpha, nil
}

// slope returns the natural gradient, the skew matrix S = D·Wᵀ − W·Dᵀ, d×d, where D is the gradient
// with respect to W. The rotations exp(−t·S)·W are the steepest descent: the derivative of SMI-hat
// at t = 0 is −½‖S‖². w and alpha are the argument and the α of the last smi.
func (o *objective) slope(w *mat.Dense, alpha *mat.VecDense) *mat.Dense {
	var product, s mat.Dense
	product.Mul(o.basis.gradient(alpha), w.T())
	s.Sub(&product, mat.DenseCopyOf(product.T()))
	return &s
}

// A descent is the result of a descent.
type descent struct {
	rotation   *mat.Dense
	smi        float64
	iterations int
	converged  bool
}

// best descends from each of the starts and returns the descent with the smallest SMI-hat.
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

// The lengths of steps along the geodesic, in radians, as the Frobenius norm of t·S. They are
// choices. Half and twice of the first two change the number of steps, not the end.
const (
	firstAngle = math.Pi / 8
	maxAngle   = math.Pi / 4
	// minAngle ends a descent if a step of this length doesn't decrease SMI-hat. Near a minimum
	// even twice of it changes SMI-hat by less than rounding.
	minAngle = 1e-10
)

// armijo is the share of the first-order decrease that a step must achieve, with the usual
// value (J. Nocedal and S. Wright, Numerical Optimization, 2006, section 3.1).
const armijo = 1e-4

// descend decreases SMI-hat from the rotation w by steps W ← exp(−t·S)·W. The first t of a step
// follows J. Barzilai and J. Borwein, IMA Journal of Numerical Analysis 8, 1988; it is halved until
// the step satisfies Armijo's condition.
func (o *objective) descend(ctx context.Context, w *mat.Dense, cfg Config) (descent, error) {
	smi, alpha, err := o.smi(w)
	if err != nil {
		return descent{}, err
	}
	slope := o.slope(w, alpha)
	t := firstAngle / mat.Norm(slope, 2)
	for iteration := range cfg.MaxIterations {
		norm := mat.Norm(slope, 2)
		if norm <= cfg.Tolerance*(smi+0.5) {
			return descent{w, smi, iteration, true}, nil
		}
		t = min(t, maxAngle/norm)
		for {
			if err := ctx.Err(); err != nil {
				return descent{}, err
			}
			next := rotate(w, slope, t)
			var lower float64
			if lower, alpha, err = o.smi(next); err != nil {
				return descent{}, err
			}
			if lower <= smi-armijo*t*norm*norm/2 {
				w, smi = next, lower
				break
			}
			if t /= 2; t*norm < minAngle {
				return descent{w, smi, iteration, true}, nil
			}
		}
		next := o.slope(w, alpha)
		t = nextStep(t, slope, next)
		slope = next
	}
	return descent{w, smi, cfg.MaxIterations, false}, nil
}

// rotate returns exp(−t·S)·W.
func rotate(w, s *mat.Dense, t float64) *mat.Dense {
	var rotation, rotated mat.Dense
	rotation.Scale(-t, s)
	rotation.Exp(&rotation)
	rotated.Mul(&rotation, w)
	return &rotated
}

// nextStep returns the first t of the step that follows a step t which changed the slope from
// before to after: the t at which the slope would vanish if it continued to change at the same
// rate. If the slope didn't decrease, it is twice the last t.
func nextStep(t float64, before, after *mat.Dense) float64 {
	var change mat.Dense
	change.Sub(before, after)
	fall := inner(before, &change)
	if fall <= 0 {
		return 2 * t
	}
	return t * inner(before, before) / fall
}

// inner returns the inner product of a and b as vectors.
func inner(a, b *mat.Dense) float64 {
	var product mat.Dense
	product.MulElem(a, b)
	return mat.Sum(&product)
}
