package ivae

import (
	"fmt"
	"math"
	"path"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/layers"
)

// The scopes of the networks. Each is a single network, with R = 1 in package layers.
const (
	encoderMean     = "encoder_mean"
	encoderVariance = "encoder_log_variance"
	priorVariance   = "prior_log_variance"
	decoder         = "decoder"
)

// decoderVariance is the variance of x given z, and slope the slope of the leaky ReLU below 0.
// Both have the values of the reference program.
const (
	decoderVariance = 0.01
	slope           = 0.1
)

// loss returns −ELBO of a training step in nats, [1], the mean over the batch:
//
//	−log p(x|z) − log p(z|u) + log q(z|x,u).
//
// The data are the standardised signals [1, n, d] and u [1, n, k]. The batch holds the
// positions, int32 [1, B], and standard normal noise [1, B, d].
func (c Config) loss(scope *model.Scope, data, batch []*Node) *Node {
	positions, noise := InsertAxes(batch[0], -1), batch[1]
	x := Gather(Squeeze(data[0], 0), positions) // [1, B, d]
	u := Gather(Squeeze(data[1], 0), positions) // [1, B, k]
	d := x.Shape().Dim(2)

	xu := Concatenate([]*Node{x, u}, -1) // [1, B, d+k]
	mean := c.network(scope.In(encoderMean), xu, d)
	logVariance := c.network(scope.In(encoderVariance), xu, d)
	z := Add(mean, Mul(Exp(MulScalar(logVariance, 0.5)), noise))
	prior := c.network(scope.In(priorVariance), u, d)
	decoded := c.network(scope.In(decoder), z, d)

	// Twice the negative log densities, [1, B, d], without constants. In the density q, (z −
	// mean)²/variance is noise². The 2π of p(z|u) and of q cancel.
	likelihood := MulScalar(Square(Sub(x, decoded)), 1/decoderVariance)
	priorTerm := Add(prior, Div(Square(z), Exp(prior)))
	posterior := Add(logVariance, Square(noise))
	sum := ReduceSum(Sub(Add(likelihood, priorTerm), posterior), -1) // [1, B]
	constant := float64(d) * math.Log(2*math.Pi*decoderVariance)
	return MulScalar(AddScalar(ReduceMean(sum, -1), constant), 0.5)
}

// network returns the output, [1, N, outputs], of a multi-layer perceptron with leaky ReLU for x,
// [1, N, inputs].
func (c Config) network(scope *model.Scope, x *Node, outputs int) *Node {
	for i, width := range c.Hidden {
		x = layers.Dense(scope.In("%s", layerName(i)), x, width)
		x = Max(x, MulScalar(x, slope))
	}
	return layers.Dense(scope.In("%s", layerName(len(c.Hidden))), x, outputs)
}

func layerName(i int) string { return fmt.Sprintf("layer_%d", i) }

// layerScopes returns the scopes of the variables of each layer of the network in scope.
func (c Config) layerScopes(scope string) []string {
	var scopes []string
	for i := range len(c.Hidden) + 1 {
		scopes = append(scopes, path.Join("/", scope, layerName(i), "dense"))
	}
	return scopes
}

// leaky is the activation of the hidden layers of network.
func leaky(v float64) float64 { return max(v, slope*v) }
