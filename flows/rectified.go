package flows

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// StraightPath is the straight path y(τ) = (1−τ)·y0 + τ·y1, from the current
// sample at τ = 0 to the target at τ = 1 (paper, equation rectified, which
// prints τ·y1 + τ·y0 by mistake). y0 and y1 are shaped […, d] and tau […].
func StraightPath(y0, y1, tau *Node) *Node {
	tau = InsertAxes(tau, -1)
	return Add(Mul(OneMinus(tau), y0), Mul(tau, y1))
}

// RectifiedLoss is ‖y1 − y0 − v‖², one value a sample (paper, equation
// rec.obj): y0, y1 and the velocity v at y(τ) are shaped […, d], the result
// […]. Its minimum in expectation is at v = E[y1 − y0 | y(τ)].
func RectifiedLoss(v, y0, y1 *Node) *Node {
	return ReduceSum(Square(Sub(Sub(y1, y0), v)), -1)
}
