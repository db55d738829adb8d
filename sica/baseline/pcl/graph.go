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

// The scopes of the variables. There is one run, R = 1 in the words of layers.
const (
	featureScope    = "features"
	regressionScope = "regression"
)

// loss is the logistic loss of a training step, [1]: the mean over both members
// of each pair. data holds the white signals [1, T, d], batch the positions t,
// t−1 and t* as int32 [1, 3, B].
func (c Config) loss(scope *model.Scope, data, batch []*Node) *Node {
	x, at := data[0], batch[0]
	d, size := x.Shape().Dim(2), at.Shape().Dim(2)
	y := Gather(Squeeze(x, 0), InsertAxes(at, -1)) // [1, 3, B, d]
	h := Reshape(c.features(scope.In(featureScope), Reshape(y, 1, -1, d)), 1, 3, size, d)
	here, before, other := member(h, 0), member(h, 1), member(h, 2) // [1, B, d]

	r := newRegression(scope.In(regressionScope), h)
	pairs := flows.LogisticLoss(r.logOdds(here, before), r.logOdds(here, other)) // [1, B]
	return MulScalar(ReduceMean(pairs, -1), 0.5)
}

func member(h *Node, i int) *Node {
	return Squeeze(Slice(h, AxisRange(), AxisElem(i)), 1)
}

// features is h of y [1, N, d], of the same shape.
func (c Config) features(scope *model.Scope, y *Node) *Node {
	return layers.MLP(scope, y).Hidden(c.Hidden...).Outputs(y.Shape().Dim(2)).Done()
}

// featureLayers are the scopes of the layers of features.
func (c Config) featureLayers() []string {
	var scopes []string
	for i := range c.Hidden {
		scopes = append(scopes, path.Join("/", featureScope, fmt.Sprintf("hidden_%d", i)))
	}
	return append(scopes, path.Join("/", featureScope, "output"))
}

// silu is the activation of features.
func silu(v float64) float64 { return v / (1 + math.Exp(-v)) }

// regression holds the parameters of r(y₁, y₂), c being [1, 1] and the others
// [1, 1, d].
type regression struct {
	a1, a2, b, aBar, bBar, c *Node
}

// start is what the regression's parameters begin with: with a₁ = 1 and a₂ = 0
// it takes no notice of the neighbour, and learns on which side of 0 a₂ lies.
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

// logOdds is −r, the log-odds that y₂ is y₁'s neighbour, [1, B], of the features
// h₁ of y₁ and h₂ of y₂, [1, B, d].
func (r regression) logOdds(h1, h2 *Node) *Node {
	joint := Abs(Add(Add(Mul(r.a1, h1), Mul(r.a2, h2)), r.b))
	marginal := Square(Add(Mul(r.aBar, h1), r.bBar))
	return Neg(Add(ReduceSum(Sub(joint, marginal), -1), r.c))
}
