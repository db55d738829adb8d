package flows

import (
	"math"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/past"
)

// Names of the variables of Autoregressive.
const (
	AutoregressiveCoefficients = "coefficients" // [R, d, p]
	AutoregressiveMixture      = "mixture"      // [R, d, 3, K]: logits, means and log deviations
)

// AutoregressiveConfig is made by Autoregressive; call Done to get the output
// node.
type AutoregressiveConfig struct {
	scope      *model.Scope
	z          *Node
	past       [][]int
	components int
}

// Autoregressive is the log-density of signals each of which is predicted from
// values of its own only:
//
//	z_i,t = Σₖ a_ik·z_i,t+oₖ + ε,  ε from a mixture of K Gaussians of its own
//
// with offsets oₖ into the past. z is shaped [R, d, p…] with the axes p… of the
// position index. The sum of the log-densities over a sequence is that of the
// sequence given its first values, by the chain rule, if every offset points
// back in one order of the positions: see Past.
//
// The variables, in scope itself, are AutoregressiveCoefficients [R, d, p], which
// begin at 0, and AutoregressiveMixture [R, d, 3, K], which begins as K equal
// Gaussians across ±1. They have these initializers whatever the scope's is.
func Autoregressive(scope *model.Scope, z *Node) *AutoregressiveConfig {
	return &AutoregressiveConfig{scope: scope, z: z, components: 4}
}

// Past sets the offsets, each with an entry for every axis of the index, of
// which the first that isn't 0 must be negative. The default is none, white
// noise.
func (c *AutoregressiveConfig) Past(offsets [][]int) *AutoregressiveConfig {
	c.past = offsets
	return c
}

// Components sets the number K of Gaussians. The default is 4.
func (c *AutoregressiveConfig) Components(k int) *AutoregressiveConfig {
	c.components = k
	return c
}

// Done returns the sum over the signals of log p(z_i,t | own past), [R, p′…],
// at the positions all of whose past is inside z: p′ is p less the farthest
// offset in either direction of the axis (see Margins).
func (c *AutoregressiveConfig) Done() *Node {
	z, g := c.z, c.z.Graph()
	runs, d, axes := z.Shape().Dim(0), z.Shape().Dim(1), z.Rank()-2
	before, after := Margins(c.past, axes)
	shifted := func(offset []int) *Node { // z at t+offset for all scored t
		slice := []SliceAxisSpec{AxisRange(), AxisRange()}
		for i := range axes {
			o := 0
			if offset != nil {
				o = offset[i]
			}
			slice = append(slice, AxisRange(before[i]+o, z.Shape().Dim(2+i)-after[i]+o))
		}
		return Slice(z, slice...) // [R, d, p′…]
	}
	residual := shifted(nil)
	if len(c.past) > 0 {
		a := c.scope.WithInitializer(initializer.Zero).VariableWithShape(AutoregressiveCoefficients, shapes.Make(z.DType(), runs, d, len(c.past))).NodeValue(g)
		for k, offset := range c.past {
			ak := withAxes(Squeeze(Slice(a, AxisRange(), AxisRange(), AxisElem(k)), 2), axes) // [R, d, 1…]
			residual = Sub(residual, Mul(ak, shifted(offset)))
		}
	}
	mixture := c.scope.WithInitializer(spread).VariableWithShape(AutoregressiveMixture, shapes.Make(z.DType(), runs, d, 3, c.components)).NodeValue(g)
	row := func(i int) *Node { return Squeeze(Slice(mixture, AxisRange(), AxisRange(), AxisElem(i)), 2) } // [R, d, K]
	logits, means, logStds := row(0), row(1), row(2)
	logWeights := Sub(logits, Log(ReduceAndKeep(Exp(logits), ReduceSum, -1)))
	heights := AddScalar(Sub(logWeights, logStds), -.5*math.Log(2*math.Pi)) // [R, d, K]

	everywhere := func(x *Node) *Node { return withAxes(x, axes) } // [R, d, K, 1…]
	u := Mul(Sub(InsertAxes(residual, 2), everywhere(means)), everywhere(Exp(Neg(logStds))))
	logDensities := Sub(everywhere(heights), MulScalar(Square(u), .5))  // [R, d, K, p′…]
	largest := StopGradient(ReduceMax(logDensities, 2))                 // [R, d, p′…]
	sum := ReduceSum(Exp(Sub(logDensities, InsertAxes(largest, 2))), 2) // [R, d, p′…]
	return ReduceSum(Add(largest, Log(sum)), 1)                         // [R, p′…]
}

// spread is the initializer of a mixture, [R, d, 3, K]: equal weights, means at equal
// distances from −1 to 1, and standard deviations that fill the gaps.
func spread(g *Graph, shape shapes.Shape) *Node {
	k := shape.Dim(-1)
	values := make([]float64, 3*k)
	for i := range k {
		if k > 1 {
			values[k+i] = 2*float64(i)/float64(k-1) - 1
		}
		values[2*k+i] = -.4
	}
	one := Const(g, host.Tensor(values, shape.DType, 1, 1, 3, k))
	return BroadcastToDims(one, shape.Dimensions...)
}

// withAxes adds n axes of length 1 at the end of x.
func withAxes(x *Node, n int) *Node {
	return Reshape(x, append(append([]int{}, x.Shape().Dimensions...), ones(n)...)...)
}

func ones(n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// Past are the offsets from a position to those before it in row-major order
// that are no farther than reach (Euclidean distance) on an index of the given
// number of axes: the reach values before it in a sequence, half a disk in an
// image.
func Past(reach, axes int) [][]int { return past.Within(reach, axes) }

// Margins are how far the offsets reach before and after a position along each
// axis, which is where Autoregressive has no values.
func Margins(offsets [][]int, axes int) (before, after []int) {
	for _, offset := range offsets {
		if len(offset) != axes {
			exceptions.Panicf("flows: offset %v for an index of %d axes", offset, axes)
		}
	}
	return past.Margins(offsets, axes)
}

// LogLikelihood is Σ_i log p(z_i,t | own past) + log|det ∂z/∂x|, the
// log-density of x at each position where sources, the result of
// Autoregressive for z and these offsets, has one: [R, p′…]. logDet is shaped
// [R, p…].
//
// Its mean over positions is, up to the entropy rate of x, which no map
// changes, minus the sum of the sources' entropy rates plus E log|det|: the
// negative of the criterion of the paper for an invertible map.
func LogLikelihood(sources, logDet *Node, past [][]int) *Node {
	before, after := Margins(past, logDet.Rank()-1)
	slice := []SliceAxisSpec{AxisRange()}
	for i := range before {
		slice = append(slice, AxisRange(before[i], logDet.Shape().Dim(1+i)-after[i]))
	}
	return Add(sources, Slice(logDet, slice...))
}
