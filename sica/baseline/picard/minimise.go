package picard

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica/baseline"
)

// halvings is how often a step is halved before it is given up, as in the
// authors' program.
const halvings = 10

// minimise returns the demixing of the white signals x that the iterations end
// with, begun from w.
func minimise(ctx context.Context, x, w *mat.Dense, cfg Config) (*mat.Dense, baseline.Convergence, error) {
	s := newSampler(x, !cfg.Ortho)
	at := func(w *mat.Dense) (*point, error) {
		m, err := s.means(ctx, w)
		return &point{ortho: cfg.Ortho, extended: cfg.Extended, w: w, means: m}, err
	}
	now, err := at(w)
	if err != nil {
		return nil, baseline.Convergence{}, err
	}
	now.classify(nil)
	gradient := now.gradient()
	past := memory{size: cfg.Memory}
	for iterations := 0; ; iterations++ {
		if largest(gradient) <= cfg.Tolerance {
			return now.w, baseline.Convergence{Converged: true, Iterations: iterations}, nil
		}
		if iterations == cfg.MaxIterations {
			return now.w, baseline.Convergence{Iterations: iterations, Warning: fmt.Sprintf("Picard's gradient is %.1e after %d iterations, "+
				"not the tolerance %g: allow more or raise the tolerance; signals that are nearly Gaussian converge slowly", largest(gradient), iterations, cfg.Tolerance)}, nil
		}
		next, step, err := descend(now, past.direction(gradient, now.hessian()), at)
		if err != nil {
			return nil, baseline.Convergence{}, err
		}
		if next == nil { // L-BFGS leads nowhere
			past.forget()
			var down mat.Dense
			down.Scale(-1, gradient)
			if next, step, err = descend(now, &down, at); err != nil {
				return nil, baseline.Convergence{}, err
			}
		}
		if next == nil {
			return now.w, baseline.Convergence{Iterations: iterations, Warning: fmt.Sprintf("Picard found no likelier demixing after %d iterations, "+
				"though its gradient is %.1e, not the tolerance %g: raise the tolerance", iterations, largest(gradient), cfg.Tolerance)}, nil
		}
		changed := next.classify(now.signs)
		change := next.gradient()
		gradient, change = change, difference(change, gradient)
		if changed { // the criterion is another
			past.forget()
		} else {
			past.add(step, change)
		}
		now = next
	}
}

// descend goes from a point by the step E, or by a half, a quarter and so on of
// it, whichever first doesn't increase the loss by more than its rounding. It
// returns the new point and the step gone, or no point if there is none.
func descend(from *point, step *mat.Dense, at func(w *mat.Dense) (*point, error)) (*point, *mat.Dense, error) {
	before := from.loss(from.signs)
	// Near the minimum a step gains less than that, and still is a good one.
	most := before + 0x1p-48*(1+math.Abs(before))
	for range halvings {
		next, err := at(move(from, step))
		if err != nil {
			return nil, nil, err
		}
		if next.loss(from.signs) <= most {
			return next, step, nil
		}
		half := new(mat.Dense)
		half.Scale(0.5, step)
		step = half
	}
	return nil, nil, nil
}

// move returns (I + E)·w, or exp(E)·w under Ortho, which is orthogonal as w is.
func move(from *point, step *mat.Dense) *mat.Dense {
	var w mat.Dense
	if from.ortho {
		var turn mat.Dense
		turn.Exp(step)
		w.Mul(&turn, from.w)
		return &w
	}
	w.Mul(step, from.w)
	w.Add(&w, from.w)
	return &w
}

// difference returns a − b.
func difference(a, b *mat.Dense) *mat.Dense {
	var c mat.Dense
	c.Sub(a, b)
	return &c
}

// largest returns the greatest size of an entry.
func largest(m *mat.Dense) float64 { return max(mat.Max(m), -mat.Min(m)) }
