package picard

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

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
	past := memory{size: cfg.Memory}
	var end ica.Convergence
	for ; end.Iterations < cfg.MaxIterations; end.Iterations++ {
		if signal.MaxAbs(gradient) <= cfg.Tolerance {
			end.Converged = true
			return current.w, end, nil
		}
		next, step, err := descend(current, past.direction(gradient, current.hessian()), evaluate)
		if err != nil {
			return nil, end, err
		}
		if next == nil { // L-BFGS finds no descent
			past.pairs = nil
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
		if changed { // another criterion
			past.pairs = nil
		} else {
			var change mat.Dense
			change.Sub(nextGradient, gradient)
			past.add(step, &change)
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

// descend goes from a point by the step E, or by a half, a quarter and so on of it, whichever
// first doesn't increase the loss by more than rounding. It returns the new point and the
// step that led there, or nil if there is none.
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

// A memory holds the last steps with the change of the gradient in each. They correct the
// approximate Hessian: J. Nocedal, "Updating quasi-Newton matrices with limited storage",
// Mathematics of Computation 35, 773–782, 1980.
type memory struct {
	size  int
	pairs []pair // oldest first
}

type pair struct {
	step, change *mat.Dense
	product      float64 // step·change
}

// add stores a step, unless the gradient didn't increase along it, which contradicts a
// positive Hessian.
func (m *memory) add(step, change *mat.Dense) {
	product := dot(step, change)
	if !(product > 0) {
		return
	}
	if len(m.pairs) == m.size {
		m.pairs = m.pairs[1:]
	}
	m.pairs = append(m.pairs, pair{step, change, product})
}

// direction returns the quasi-Newton step of the gradient, by the two loops of L-BFGS with
// the Hessian h in the middle.
func (m *memory) direction(gradient *mat.Dense, h hessian) *mat.Dense {
	g := mat.DenseCopyOf(gradient)
	along := make([]float64, len(m.pairs))
	for k := len(m.pairs) - 1; k >= 0; k-- {
		p := m.pairs[k]
		along[k] = dot(p.step, g) / p.product
		addScaled(g, -along[k], p.change)
	}
	e := h.solve(g)
	for k, p := range m.pairs {
		addScaled(e, along[k]-dot(p.change, e)/p.product, p.step)
	}
	e.Scale(-1, e)
	return e
}

func dot(a, b *mat.Dense) float64 { return floats.Dot(a.RawMatrix().Data, b.RawMatrix().Data) }

// addScaled adds scale·m to a.
func addScaled(a *mat.Dense, scale float64, m *mat.Dense) {
	floats.AddScaled(a.RawMatrix().Data, scale, m.RawMatrix().Data)
}
