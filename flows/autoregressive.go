package flows

import (
	"math"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/seed-47b1e431/gosica/internal/ar"
	"github.com/seed-47b1e431/gosica/internal/argument"
	"github.com/seed-47b1e431/gosica/internal/host"
	"github.com/seed-47b1e431/gosica/internal/past"
)

// The names of the variables of Autoregressive.
const (
	AutoregressiveCoefficients = "coefficients" // [R, d, L], of L offsets
	AutoregressiveMixture      = "mixture"      // [R, d, 3, K]: logits, means and log deviations
)

// AutoregressiveConfig holds the options of Autoregressive; call Done to get the output node.
type AutoregressiveConfig struct {
	scope      *model.Scope
	z          *Node
	past       [][]int
	components int
}

// Autoregressive is the log-density of signals that are each predicted from its own past:
//
//	z_i,t = Σₖ a_ik·z_i,t+oₖ + ε_i,t
//
// with L offsets oₖ into the past and innovations ε_i,t from a mixture of K Gaussians for each
// signal. z is shaped [R, d, p…] with the axes p… of the position index; for the output [R, n, d]
// of layers.Invertible use Transpose(z, 1, 2). R must be the hyperparameter layers.ParamRuns, 1 by
// default. For N sequences that share their coefficients, [N, d, T], pass InsertAxes(Transpose(z,
// 0, 1), 0), [1, d, N, T], with offsets {0, −k}.
//
// By the chain rule, the sum over the positions of a sequence is its log-density given its first
// values.
//
// The variables, in scope itself, are AutoregressiveCoefficients [R, d, L], which begin at 0, and
// AutoregressiveMixture [R, d, 3, K], which begins as K equal Gaussians with means from −1 to 1 and
// standard deviations of 0.67. The scope's initializer isn't used.
func Autoregressive(scope *model.Scope, z *Node) *AutoregressiveConfig {
	const form = "[R, d, p…] with one or more axes p…"
	argument.Layer(scope, "flows: Autoregressive", "z", z, form, 3, math.MaxInt)
	return &AutoregressiveConfig{scope: scope, z: z, components: 4}
}

// Past sets the offsets, each with an entry for every axis of the index. The first nonzero entry
// must be negative. The default is no offset, for white noise.
func (c *AutoregressiveConfig) Past(offsets [][]int) *AutoregressiveConfig {
	c.past = offsets
	return c
}

// Components sets the number K of Gaussians. The default is 4.
func (c *AutoregressiveConfig) Components(k int) *AutoregressiveConfig {
	c.components = k
	return c
}

// Done returns the sum over the signals of log p(z_i,t | past of z_i), [R, p′…], in nats. p′
// includes only positions whose whole past is inside z: it is p minus the reach of the offsets
// before and after a position.
func (c *AutoregressiveConfig) Done() *Node {
	z, g := c.z, c.z.Graph()
	runs, d, axes := z.Shape().Dim(0), z.Shape().Dim(1), z.Rank()-2
	argument.AtLeast("flows: Autoregressive", "components", c.components, 1)
	before, after := margins(c.past, axes)
	for i, n := range z.Shape().Dimensions[2:] {
		if n <= before[i]+after[i] {
			exceptions.Panicf("flows: Autoregressive: z is %s; must have more than %d positions "+
				"along axis %d, as far as Past reaches", z.Shape(), before[i]+after[i], 2+i)
		}
	}
	shifted := func(offset []int) *Node { // z at t+offset for all t of the result
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
		shape := shapes.Make(z.DType(), runs, d, len(c.past))
		a := c.scope.WithInitializer(initializer.Zero).
			VariableWithShape(AutoregressiveCoefficients, shape).NodeValue(g) // [R, d, L]
		for k, offset := range c.past {
			ak := withAxes(thirdAxisEntry(a, k), axes)         // [R, d, 1…]
			residual = Sub(residual, Mul(ak, shifted(offset))) // [R, d, p′…]
		}
	}
	shape := shapes.Make(z.DType(), runs, d, 3, c.components)
	mixture := c.scope.WithInitializer(initialMixture).
		VariableWithShape(AutoregressiveMixture, shape).NodeValue(g) // [R, d, 3, K]
	logits, means, logStds := thirdAxisEntry(mixture, 0), thirdAxisEntry(mixture, 1),
		thirdAxisEntry(mixture, 2) // [R, d, K]
	logWeights := Sub(logits, Log(ReduceAndKeep(Exp(logits), ReduceSum, -1))) // [R, d, K]
	heights := AddScalar(Sub(logWeights, logStds), -0.5*math.Log(2*math.Pi))  // [R, d, K]

	everywhere := func(x *Node) *Node { return withAxes(x, axes) }      // [R, d, K, 1…]
	u := Sub(InsertAxes(residual, 2), everywhere(means))                // [R, d, K, p′…]
	u = Mul(u, everywhere(Exp(Neg(logStds))))                           // [R, d, K, p′…]
	logDensities := Sub(everywhere(heights), MulScalar(Square(u), 0.5)) // [R, d, K, p′…]
	largest := StopGradient(ReduceMax(logDensities, 2))                 // [R, d, p′…]
	sum := ReduceSum(Exp(Sub(logDensities, InsertAxes(largest, 2))), 2) // [R, d, p′…]
	return ReduceSum(Add(largest, Log(sum)), 1)                         // [R, p′…]
}

// thirdAxisEntry returns x[:, :, i] of x [R, d, n, …], as [R, d, …].
func thirdAxisEntry(x *Node, i int) *Node {
	return Squeeze(Slice(x, AxisRange(), AxisRange(), AxisElem(i)), 2)
}

// initialMixture is the initializer of mixtures, [R, d, 3, K], of innovations of variance 1.
func initialMixture(g *Graph, shape shapes.Shape) *Node {
	k := shape.Dim(-1)
	one := Const(g, host.Tensor(ar.InitialMixture(1, k), shape.DType, 1, 1, 3, k))
	return BroadcastToDims(one, shape.Dimensions...)
}

// withAxes returns x with n axes of length 1 at the end.
func withAxes(x *Node, n int) *Node {
	ones := slices.Repeat([]int{1}, n)
	return Reshape(x, slices.Concat(x.Shape().Dimensions, ones)...)
}

// Past returns the offsets from a position to the earlier positions, in row-major order, within the
// Euclidean distance reach on an index with the given number of axes: in a sequence the reach
// positions before, in an image half a disk. The farthest comes first: Past(2, 1) is {{−2}, {−1}}.
func Past(reach, axes int) [][]int { return past.Within(reach, axes) }

// margins returns how far the offsets reach before and after a position along each axis. It
// panics unless each has an entry for every axis and points into the past.
func margins(offsets [][]int, axes int) (before, after []int) {
	for _, offset := range offsets {
		if len(offset) != axes {
			exceptions.Panicf("flows: offset %v has %d entries; must be %d, one for each axis",
				offset, len(offset), axes)
		}
		first := slices.IndexFunc(offset, func(o int) bool { return o != 0 })
		if first < 0 || offset[first] > 0 {
			exceptions.Panicf("flows: offset %v isn't into the past; must have a negative "+
				"first entry, not counting zeros", offset)
		}
	}
	return past.Margins(offsets, axes)
}

// LogLikelihood is the log-density of x, Σ_i log p(z_i,t | past of z_i) + log|det ∂z/∂x|, [R, p′…],
// in nats. sources is the result of Autoregressive for z and the offsets past, and logDet is shaped
// [R, p…]. past is nil for independent positions.
//
// The mean over positions is E log|det| minus the sum of the sources' entropy rates. Up to the
// entropy rate of x, which doesn't depend on the map, this is the negative of the paper's criterion
// for an invertible map.
func LogLikelihood(sources, logDet *Node, past [][]int) *Node {
	argument.Floats("flows: LogLikelihood", "logDet", logDet, "[R, p…]", 2, math.MaxInt)
	before, after := margins(past, logDet.Rank()-1)
	slice := []SliceAxisSpec{AxisRange()}
	for i := range before {
		if logDet.Shape().Dim(1+i) <= before[i]+after[i] {
			exceptions.Panicf("flows: LogLikelihood: logDet is %s; must have more than %d "+
				"positions along axis %d, as far as past reaches", logDet.Shape(), before[i]+after[i], 1+i)
		}
		slice = append(slice, AxisRange(before[i], logDet.Shape().Dim(1+i)-after[i]))
	}
	logDet = Slice(logDet, slice...)
	argument.Same("flows: LogLikelihood", "sources", sources,
		"logDet where the past is inside", logDet)
	return Add(sources, logDet)
}
