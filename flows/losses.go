package flows

import . "github.com/gomlx/gomlx/core/graph"

// LogisticLoss is the loss of a classifier of samples of p (logits of joint samples) against
// samples of q (logits of product samples), one value per pair:
//
//	−log σ(joint) − log σ(−product)
//
// Its expectation has its minimum at logit = log p/q, where it is 2·log 2 less twice the
// Jensen–Shannon divergence of p and q, in nats. joint and product have equal shapes.
func LogisticLoss(joint, product *Node) *Node {
	return Add(softplus(Neg(joint)), softplus(product))
}

// softplus returns log(1+eˣ) = (x+|x|)/2 + log(1+e^−|x|), which doesn't overflow. Its gradient
// at 0 is σ(0).
func softplus(x *Node) *Node {
	return Add(MulScalar(Add(x, Abs(x)), 0.5), Log1P(Exp(Neg(Abs(x)))))
}

// RatioVelocity is the velocity of the Wasserstein gradient flow of the KL divergence,
// v = −∇ log r at y, for each sample (paper, equation log.joint.ratio). logit maps y, shaped
// […, d], to the learned log-ratio of each sample, shaped […]; its other inputs are constant. The
// result has y's shape.
func RatioVelocity(logit func(y *Node) *Node, y *Node) *Node {
	// As the logit of a sample depends on its own y only, the gradient of the sum has that of
	// every sample.
	return Neg(Gradient(ReduceAllSum(logit(y)), y)[0])
}

// StraightPath is the path y(τ) = (1−τ)·y0 + τ·y1 from the current sample at τ = 0 to the target
// at τ = 1 (paper, equation rectified, which prints τ·y1 + τ·y0 by mistake). y0 and y1 are shaped
// […, d] and tau […].
func StraightPath(y0, y1, tau *Node) *Node {
	tau = InsertAxes(tau, -1) // […, 1]
	return Add(Mul(OneMinus(tau), y0), Mul(tau, y1))
}

// RectifiedLoss is ‖y1 − y0 − v‖² of each sample (paper, equation rec.obj). y0, y1 and the
// velocity v at y(τ) are shaped […, d], the result […]. Its expectation has its minimum at
// v = E[y1 − y0 | y(τ)].
func RectifiedLoss(v, y0, y1 *Node) *Node {
	return ReduceSum(Square(Sub(Sub(y1, y0), v)), -1)
}
