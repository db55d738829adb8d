package layers

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// LeakyConfig is made by Leaky; call Done or DoneInverse.
type LeakyConfig struct {
	scope *model.Scope
	x     *Node
}

// Leaky is a smooth leaky rectifier with a learned bend, one for each signal:
//
//	y = x + c·(√(x² + 1) − 1),  −1 < c < 1
//
// a hyperbola through 0 whose slope goes from 1 − c at −∞ to 1 + c at +∞. It is
// the leaky form of squareplus (J. T. Barron, arXiv:2112.11687) and has what
// softplus lacks, an inverse in closed form and no exponentials. Between two
// PLU, which give it any scale, offset and slopes, it loses nothing by having
// one parameter only. x is shaped [R, d, N].
//
// The variable, in the sub-scope "leaky", is bends [R, 1, d], with c = tanh of it.
// It begins near 0, where y = x, or as InitialiseInvertible sets it.
func Leaky(scope *model.Scope, x *Node) *LeakyConfig {
	x.AssertRank(3)
	return &LeakyConfig{scope, x}
}

// Done returns y [R, d, N] and the slopes dy/dx > 0, [R, d, N].
func (c *LeakyConfig) Done() (y, slope *Node) {
	return leaky(vectorOf(bendsVariable(c.scope.In("leaky"), c.x, 1), 0), c.x)
}

// DoneInverse takes x for y and returns the x of that y, [R, d, N].
func (c *LeakyConfig) DoneInverse() *Node {
	return leakyInverse(vectorOf(bendsVariable(c.scope.In("leaky"), c.x, 1), 0), c.x)
}

// bendsVariable are c of M layers, [R, M, d].
func bendsVariable(scope *model.Scope, x *Node, layers int) *Node {
	shape := shapes.Make(x.DType(), x.Shape().Dim(0), layers, x.Shape().Dim(1))
	c := Tanh(scope.WithInitializer(small(scope, bendSpread)).VariableWithShape(bendsName, shape).NodeValue(x.Graph()))
	return MinScalar(MaxScalar(c, -LargestBend), LargestBend)
}

// LargestBend is the largest c of Leaky, the largest float32 below 1, to which tanh is
// rounded from 9 on.
const LargestBend = 1 - 0x1p-24

// leaky is y and dy/dx of x [R, d, N] for c [R, d, 1].
func leaky(c, x *Node) (y, slope *Node) {
	c = BroadcastToDims(c, x.Shape().Dimensions...) // once, so that its gradient is one sum
	root := Sqrt(AddScalar(Square(x), 1))
	y = Add(x, Mul(c, AddScalar(root, -1)))
	slope = AddScalar(Mul(c, Div(x, root)), 1)
	return y, slope
}

// leakyInverse solves y + c − x = c·√(x² + 1) for x: of the two roots of its
// square, that on which both sides have one sign. It is written without the difference
// of two numbers that are nearly equal.
func leakyInverse(c, y *Node) *Node {
	shifted := Add(y, c)                                // [R, d, N]
	rest := Mul(OneMinus(c), OnePlus(c))                // [R, d, 1]
	bent := Mul(c, Sqrt(Add(Square(shifted), rest)))    // [R, d, N]
	alike := GreaterThan(Mul(shifted, c), ZerosLike(y)) // [R, d, N]
	sum := Where(alike, Add(shifted, bent), OnesLike(y))
	return Where(alike, Div(Mul(y, Add(y, MulScalar(c, 2))), sum), Div(Sub(shifted, bent), rest))
}
