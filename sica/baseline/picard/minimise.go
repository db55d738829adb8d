package picard

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/lbfgs"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica/ica"
)

// minimise returns the demixing of the white signals x at the end of the iterations from w.
func minimise(
	ctx context.Context, x, w *mat.Dense, cfg Config,
) (*mat.Dense, ica.Convergence, error) {
	s := newSampler(x, !cfg.Ortho)
	evaluate := func(w *mat.Dense) (*point, error) {
		m, err := s.means(ctx, w)
		return &point{ortho: cfg.Ortho, w: w, means: m}, err
	}
	current, err := evaluate(w)
	if err != nil {
		return nil, ica.Convergence{}, err
	}
	current.classify(nil)
	gradient := current.gradient()
	past := &lbfgs.Memory{Size: cfg.Memory}
	var end ica.Convergence
	for ; end.Iterations < cfg.MaxIterations; end.Iterations++ {
		if signal.MaxAbs(gradient) <= cfg.Tolerance {
			end.Converged = true
			return current.w, end, nil
		}
		next, step, err := descend(current, direction(past, gradient, current.hessian()), evaluate)
		if err != nil {
			return nil, end, err
		}
		if next == nil { // L-BFGS finds no descent
			past.Forget()
			var down mat.Dense
			down.Scale(-1, gradient)
			if next, step, err = descend(current, &down, evaluate); err != nil {
				return nil, end, err
			}
		}
		if next == nil {
			end.Warning = fmt.Sprintf("Picard found no likelier demixing after %d iterations, "+
				"though its gradient is %.1e, not the tolerance %g: "+
				"raise the tolerance or try another start",
				end.Iterations, signal.MaxAbs(gradient), cfg.Tolerance)
			return current.w, end, nil
		}
		changed := next.classify(current.signs)
		nextGradient := next.gradient()
		if changed { // the criterion has changed
			past.Forget()
		} else {
			var change mat.Dense
			change.Sub(nextGradient, gradient)
			past.Add(step.RawMatrix().Data, change.RawMatrix().Data, 0)
		}
		current, gradient = next, nextGradient
	}
	end.Converged = signal.MaxAbs(gradient) <= cfg.Tolerance
	if !end.Converged {
		end.Warning = fmt.Sprintf("Picard's gradient is %.1e after %d iterations, "+
			"not the tolerance %g: allow more or raise the tolerance; "+
			"signals that are nearly Gaussian converge slowly",
			signal.MaxAbs(gradient), end.Iterations, cfg.Tolerance)
	}
	return current.w, end, nil
}

// maxHalvings is the maximum number of halvings of a step, as in the authors' program. A step
// of a thousandth that doesn't descend ends the iterations; more halvings gain nothing.
const maxHalvings = 10

// descend moves from a point by the step E, or a half, a quarter and so on of it: the first that
// doesn't increase the loss by more than rounding. It returns the new point and the step, or nil if
// there is none.
func descend(
	from *point, step *mat.Dense, evaluate func(w *mat.Dense) (*point, error),
) (*point, *mat.Dense, error) {
	before := from.loss(from.signs)
	// Near the minimum a good step gains less than the rounding of the loss.
	bound := before + 0x1p-48*(1+math.Abs(before))
	for range maxHalvings {
		next, err := evaluate(move(from, step))
		if err != nil {
			return nil, nil, err
		}
		if next.loss(from.signs) <= bound {
			return next, step, nil
		}
		half := new(mat.Dense)
		half.Scale(0.5, step)
		step = half
	}
	return nil, nil, nil
}

// move returns (I + E)·w, or exp(E)·w with Ortho, which stays orthogonal.
func move(from *point, step *mat.Dense) *mat.Dense {
	var w mat.Dense
	if from.ortho {
		var rotation mat.Dense
		rotation.Exp(step)
		w.Mul(&rotation, from.w)
		return &w
	}
	w.Mul(step, from.w)
	w.Add(&w, from.w)
	return &w
}

// direction returns the quasi-Newton step for the gradient, from the past steps and the initial
// Hessian h.
func direction(past *lbfgs.Memory, gradient *mat.Dense, h hessian) *mat.Dense {
	e := mat.DenseCopyOf(gradient)
	past.Precondition(e.RawMatrix().Data, func([]float64, float64) { e.Copy(h.solve(e)) })
	e.Scale(-1, e)
	return e
}
