package flows

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// LogisticLoss is the loss of the classifier that tells samples of p (logits
// of joint samples) from samples of q (logits of product samples), one value
// a pair: −log σ(joint) − log σ(−product). Its minimum in expectation is at
// logit = log p/q, where it is 2·log 2 less twice the Jensen–Shannon
// divergence of p and q, in nats. joint and product have equal shapes.
func LogisticLoss(joint, product *Node) *Node {
	return Add(softplus(Neg(joint)), softplus(product))
}

// softplus is log(1+eˣ) = (x+|x|)/2 + log(1+e^−|x|), which doesn't overflow and
// whose gradient at 0 is σ(0).
func softplus(x *Node) *Node {
	return Add(MulScalar(Add(x, Abs(x)), 0.5), Log1P(Exp(Neg(Abs(x)))))
}

// RatioVelocity is the velocity of the Wasserstein gradient flow of the KL
// divergence, v = −∇ log r at y, one for each sample (paper, equation
// log.joint.ratio). logit maps y, shaped […, d], to the learned log-ratio of
// each sample, shaped […]; what else it depends on is held fixed. The result
// has y's shape.
func RatioVelocity(logit func(y *Node) *Node, y *Node) *Node {
	// The logit of a sample depends on its own y only, so that the gradient
	// of the sum holds every sample's gradient.
	return Neg(Gradient(ReduceAllSum(logit(y)), y)[0])
}
