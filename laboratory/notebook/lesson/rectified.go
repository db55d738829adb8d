package lesson

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// RectifiedVelocity returns the velocity of the paper's other flow, the rectified one,
// at the N points at the flow time tau, 0 to 1, both 2×N. Its path goes straight from z
// to an independent draw z′ of the product of the marginals, N(0, D),
//
//	y(τ) = (1−τ)·z + τ·z′ ~ N(0, C(τ)),  C(τ) = (1−τ)²·Σ + τ²·D
//
// and the velocity is the best guess of its direction (equation rec.obj),
//
//	v*(y, τ) = E[z′ − z | y(τ) = y] = (τ·D − (1−τ)·Σ)·C(τ)⁻¹·y
func (g Gaussian) RectifiedVelocity(points *mat.Dense, tau float64) (*mat.Dense, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	if err := check("points", points, 2); err != nil {
		return nil, err
	}
	if !(tau >= 0 && tau <= 1) {
		return nil, fmt.Errorf("lesson: tau: is %g; must be between 0 and 1", tau)
	}
	path, slope := mat.NewDense(2, 2, nil), mat.NewDense(2, 2, nil)
	start := g.Covariance()
	for i := range 2 {
		for j := range 2 {
			from, to := start.At(i, j), 0.0
			if i == j {
				to = from
			}
			path.Set(i, j, (1-tau)*(1-tau)*from+tau*tau*to)
			slope.Set(i, j, tau*to-(1-tau)*from)
		}
	}
	var y, v mat.Dense
	if err := y.Solve(path, points); err != nil {
		return nil, fmt.Errorf("lesson: the covariance of the path: %w", err)
	}
	v.Mul(slope, &y)
	return &v, nil
}

// Rectify returns the samples z, 2×n, after the rectified flow, in the given number of Euler
// steps; the paper takes 100. For draws of g it shows the paper's theorem rectified.flow: in one
// iteration the flow transports them to the product of their marginals, whose divergence is 0.
func (g Gaussian) Rectify(z *mat.Dense, steps int) (*mat.Dense, error) {
	if steps < 1 {
		return nil, fmt.Errorf("lesson: steps: is %d; must be at least 1", steps)
	}
	moved := z
	for k := range steps {
		v, err := g.RectifiedVelocity(moved, float64(k)/float64(steps))
		if err != nil {
			return nil, err
		}
		v.Scale(1/float64(steps), v)
		v.Add(moved, v)
		moved = v
	}
	return moved, nil
}
