package flows

import (
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"github.com/seed-47b1e431/gosica/internal/argument"
	"github.com/seed-47b1e431/gosica/internal/guard"
)

// LogisticLoss is the loss of a classifier of samples of p against samples of q, one value for each
// pair. joint are the logits of the samples of p, and product those of the samples of q: in SICA p
// is the joint density of the signals, and q the product of their marginal densities.
//
//	−log σ(joint) − log σ(−product)
//
// Its expectation has its minimum at logit = log p/q, where it is 2·log 2 less twice the
// Jensen–Shannon divergence of p and q, in nats. joint and product have equal shapes.
func LogisticLoss(joint, product *Node) *Node {
	argument.Same("flows: LogisticLoss", "product", product, "joint", joint)
	return Add(softplus(Neg(joint)), softplus(product))
}

// softplus returns log(1+eˣ) = (x+|x|)/2 + log(1+e^−|x|), which doesn't overflow. Its gradient
// at 0 is σ(0).
func softplus(x *Node) *Node {
	return Add(MulScalar(Add(x, Abs(x)), 0.5), Log1P(Exp(Neg(Abs(x)))))
}

// RatioVelocity is the velocity of the Wasserstein gradient flow of the KL divergence, v = −∇ log r
// at y, for each sample (paper, equation log.joint.ratio). If logit was learned by LogisticLoss, r
// = p/q, and the flow moves samples of p towards q. r changes as the samples move: learn it again
// after each short move. logit maps y, shaped […, d], to the learned log-ratio of each sample,
// shaped […]; its other inputs are constant. The result has y's shape. A logit of another shape
// panics: [B, 1] needs Squeeze(logit, -1). Its activations should be smooth, such as swish: with
// relu, the default of GoMLX's fnn, the velocity is piecewise constant, and samples can stick.
// Where p or q has no samples, the learned ratio is a guess, and so is the velocity of an outlier.
func RatioVelocity(logit func(y *Node) *Node, y *Node) *Node {
	const where = "flows: RatioVelocity"
	argument.Floats(where, "y", y, "[…, d]", 1, math.MaxInt)
	argument.Present(where, "logit", logit != nil, "a function")
	var r *Node
	if err := guard.Call("the logit", func() { r = logit(y) }); err != nil {
		panic(err)
	}
	argument.Present(where, "the logit", r != nil, "a node")
	if samples := y.Shape().Dimensions[:y.Rank()-1]; !slices.Equal(r.Shape().Dimensions, samples) {
		exceptions.Panicf("%s: the logit is %s; must be %v, one for each sample of y %s",
			where, r.Shape(), samples, y.Shape())
	}
	// The logit of a sample depends on its own y only, so the gradient of the sum holds the
	// gradient of each.
	return Neg(Gradient(ReduceAllSum(r), y)[0])
}

// StraightPath is the path y(τ) = (1−τ)·y0 + τ·y1 from the current sample at τ = 0 to the target at
// τ = 1. (The paper's equation rectified prints τ·y1 + τ·y0 by mistake.) y0 and y1 begin with the
// batch axes of tau, followed by the axes of a sample: [B, d] or images [B, H, W, C] for tau [B].
func StraightPath(y0, y1, tau *Node) *Node {
	const where = "flows: StraightPath"
	argument.Same(where, "y1", y1, "y0", y0)
	argument.Present(where, "tau", tau != nil, "times, shaped as y0's first axes")
	rank := tau.Rank()
	if tau.DType() != y0.DType() || rank > y0.Rank() ||
		!slices.Equal(tau.Shape().Dimensions, y0.Shape().Dimensions[:rank]) {
		exceptions.Panicf("%s: tau is %s; must have y0's dtype and first axes, y0 is %s",
			where, tau.Shape(), y0.Shape())
	}
	for range y0.Rank() - rank {
		tau = InsertAxes(tau, -1) // […, 1]
	}
	return Add(Mul(OneMinus(tau), y0), Mul(tau, y1))
}

// RectifiedLoss is ‖y1 − y0 − v‖² of each sample (paper, equation rec.obj). y0, y1 and the velocity
// v at y(τ) are shaped […, d], the result […]. For samples with several axes, such as images, axes
// lists the axes to sum over: RectifiedLoss(v, y0, y1, 1, 2, 3) of [B, H, W, C] is [B]. The
// expectation has its minimum at v = E[y1 − y0 | y(τ)].
func RectifiedLoss(v, y0, y1 *Node, axes ...int) *Node {
	const where = "flows: RectifiedLoss"
	argument.Same(where, "v", v, "y0", y0)
	argument.Same(where, "y1", y1, "y0", y0)
	if len(axes) == 0 {
		axes = []int{-1}
	}
	return ReduceSum(Square(Sub(Sub(y1, y0), v)), axes...)
}
