package pcl

import (
	"fmt"
	"math"
	"path"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/flows"
	"github.com/seed-47b1e431/gosica/layers"
)

// The scopes of the variables. There is a single run: R = 1 in package layers.
const (
	featureScope    = "features"
	regressionScope = "regression"
)

// loss returns the logistic loss of a training step, [1]: the mean over both classes of pairs.
// The data are the white signals [1, n, d], the batch holds the positions t, t−1 and t* as
// int32 [1, 3, B].
func (c Config) loss(scope *model.Scope, data, batch []*Node) *Node {
	x, positions := data[0], batch[0]
	d, size := x.Shape().Dim(2), positions.Shape().Dim(2)
	y := Gather(Squeeze(x, 0), InsertAxes(positions, -1))              // [1, 3, B, d]
	h := c.features(scope.In(featureScope), Reshape(y, 1, -1, d))      // [1, 3·B, d]
	h = Reshape(h, 1, 3, size, d)                                      // [1, 3, B, d]
	here, before, other := element(h, 0), element(h, 1), element(h, 2) // [1, B, d]
	neighbours, others := c.logOdds(scope.In(regressionScope), here, before, other)
	l := flows.LogisticLoss(neighbours, others) // [1, B]
	return MulScalar(ReduceMean(l, -1), 0.5)
}

// element returns element i along axis 1.
func element(h *Node, i int) *Node {
	return Squeeze(Slice(h, AxisRange(), AxisElem(i)), 1)
}

// features returns the features of y, [1, N, d], with the same shape.
func (c Config) features(scope *model.Scope, y *Node) *Node {
	return layers.MLP(scope, y).Hidden(c.Hidden...).Outputs(y.Shape().Dim(2)).Done()
}

// featureLayers returns the scopes of the layers of features.
func (c Config) featureLayers() []string {
	var scopes []string
	for i := range c.Hidden {
		scopes = append(scopes, path.Join("/", featureScope, fmt.Sprintf("hidden_%d", i)))
	}
	return append(scopes, path.Join("/", featureScope, "output"))
}

// silu is the activation of the hidden layers of features.
func silu(v float64) float64 { return v / (1 + math.Exp(-v)) }

// A regression holds the parameters of r(y₁, y₂): c is [1, 1], the others are [1, 1, d].
type regression struct {
	a1, a2, b, aBar, bBar, c *Node
}

// start holds the initial parameters of the regression. With a₁ = 1 and a₂ = 0 it begins without
// the neighbour, and learns the sign of a₂.
var start = map[string]float64{"a1": 1, "a2": 0, "b": 0, "a_bar": 0.5, "b_bar": 0, "c": 0}

func newRegression(scope *model.Scope, h *Node) regression {
	parameter := func(name string, dims ...int) *Node {
		return scope.VariableWithShape(name, shapes.Make(h.DType(), dims...)).NodeValue(h.Graph())
	}
	d := h.Shape().Dim(-1)
	return regression{
		a1:   parameter("a1", 1, 1, d),
		a2:   parameter("a2", 1, 1, d),
		b:    parameter("b", 1, 1, d),
		aBar: parameter("a_bar", 1, 1, d),
		bBar: parameter("b_bar", 1, 1, d),
		c:    parameter("c", 1, 1),
	}
}

// logOdds returns −r, the log-odds that y₂ is the neighbour of y₁, [1, B], for their features
// h₁ and h₂, [1, B, d].
func (r regression) logOdds(h1, h2 *Node) *Node {
	joint := Abs(Add(Add(Mul(r.a1, h1), Mul(r.a2, h2)), r.b))
	marginal := Square(Add(Mul(r.aBar, h1), r.bBar))
	return Neg(Add(ReduceSum(Sub(joint, marginal), -1), r.c))
}

// logOdds returns the log-odds, [1, B], that before, and that other, are the features of the
// neighbour of the positions with the features here. The features are [1, B, d].
func (c Config) logOdds(
	scope *model.Scope, here, before, other *Node,
) (neighbours, others *Node) {
	if !c.Joint {
		r := newRegression(scope, here)
		return r.logOdds(here, before), r.logOdds(here, other)
	}
	both := joint(scope, Concatenate([]*Node{here, here}, 1), Concatenate([]*Node{before, other}, 1))
	size := here.Shape().Dim(1)
	return Slice(both, AxisRange(), AxisRange(0, size)), Slice(both, AxisRange(), AxisRange(size))
}

// joint returns the log-odds, [1, B], by a network of both features, with one hidden ReLU layer as
// wide as the inputs.
func joint(scope *model.Scope, h1, h2 *Node) *Node {
	h := Concatenate([]*Node{h1, h2}, -1) // [1, B, 2·d]
	hidden := layers.Dense(scope.In("hidden"), h, h.Shape().Dim(-1))
	hidden = Max(hidden, ScalarZero(h.Graph(), h.DType()))
	return Squeeze(layers.Dense(scope.In("output"), hidden, 1), -1)
}
