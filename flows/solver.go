package flows

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
)

// Solver is a one-step method for the flow dy/dτ = v(y, τ).
type Solver string

// The solvers, with the order in h of their error at a fixed time.
const (
	Euler    Solver = "euler"    // order 1, one velocity a step
	Midpoint Solver = "midpoint" // order 2, two velocities a step
	Heun     Solver = "heun"     // order 2, two velocities a step
)

// Step moves y from flow time tau to tau+h along velocity. tau and h are
// scalars of y's dtype.
func (s Solver) Step(velocity func(y, tau *Node) *Node, y, tau, h *Node) *Node {
	v := velocity(y, tau)
	switch s {
	case Euler:
		return Add(y, Mul(h, v))
	case Midpoint:
		half := MulScalar(h, 0.5)
		v = velocity(Add(y, Mul(half, v)), Add(tau, half))
		return Add(y, Mul(h, v))
	case Heun:
		next := velocity(Add(y, Mul(h, v)), Add(tau, h))
		return Add(y, Mul(MulScalar(h, 0.5), Add(v, next)))
	}
	panic(fmt.Errorf("flows: solver %q: want %q, %q or %q", s, Euler, Midpoint, Heun))
}
