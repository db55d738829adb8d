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

// Leaky is a smooth leaky rectifier with learned slopes, one for each signal:
//
//	y = a·x + c·(√(x² + δ²) − δ),  a = (β + α)/2,  c = (β − α)/2
//
// a hyperbola through 0 whose slope rises from α > 0 at −∞ to β > 0 at +∞ (or
// falls) over a width of about δ. It is the leaky form of squareplus (J. T.
// Barron, arXiv:2112.11687) and has what softplus lacks, an inverse in closed
// form and no exponentials. x is shaped [R, d, N].
//
// The variable is units [R, 1, 3, d], with log α, log β and log δ;
// InitialiseInvertible sets it.
func Leaky(scope *model.Scope, x *Node) *LeakyConfig {
	x.AssertRank(3)
	return &LeakyConfig{scope, x}
}

// Done returns y [R, d, N] and the slopes dy/dx > 0, [R, d, N].
func (c *LeakyConfig) Done() (y, slope *Node) {
	return unitVariables(c.scope, c.x, 1).at(0).forward(c.x)
}

// DoneInverse takes x for y and returns the x of that y, [R, d, N].
func (c *LeakyConfig) DoneInverse() *Node {
	return unitVariables(c.scope, c.x, 1).at(0).inverse(c.x)
}

// units are the parameters of M layers of leaky units.
type units struct {
	a, c, delta *Node // [R, M, d]
}

func unitVariables(scope *model.Scope, x *Node, maps int) units {
	v := scope.VariableWithShape(unitsName, shapes.Make(x.DType(), x.Shape().Dim(0), maps, 3, x.Shape().Dim(1))).NodeValue(x.Graph())
	positive := Exp(v) // [R, M, 3, d]
	row := func(i int) *Node { return Squeeze(Slice(positive, AxisRange(), AxisRange(), AxisElem(i)), 2) }
	alpha, beta := row(0), row(1)
	return units{
		a:     MulScalar(Add(beta, alpha), 0.5),
		c:     MulScalar(Sub(beta, alpha), 0.5),
		delta: row(2),
	}
}

// unit are the parameters of one layer, [R, d, 1].
type unit struct{ a, c, delta *Node }

func (u units) at(m int) unit {
	return unit{vectorOf(u.a, m), vectorOf(u.c, m), vectorOf(u.delta, m)}
}

func (u unit) forward(x *Node) (y, slope *Node) {
	root := Sqrt(Add(Square(x), Square(u.delta)))
	y = Add(Mul(u.a, x), Mul(u.c, Sub(root, u.delta)))
	slope = Add(u.a, Mul(u.c, Div(x, root)))
	return y, slope
}

// inverse solves y + c·δ − a·x = c·√(x² + δ²) for x: of the two roots of its
// square, that on which both sides have one sign.
func (u unit) inverse(y *Node) *Node {
	shifted := Add(y, Mul(u.c, u.delta))
	product := Sub(Square(u.a), Square(u.c)) // α·β
	root := Sqrt(Add(Square(shifted), Mul(Square(u.delta), product)))
	return Div(Sub(Mul(u.a, shifted), Mul(u.c, root)), product)
}
