package ivae

import (
	"fmt"
	"math"
	"path"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/seed-47b1e431/gosica/layers"
)

// The scopes of the networks. There is one run, R = 1 in the words of layers.
const (
	encoderMean     = "encoder_mean"
	encoderVariance = "encoder_log_variance"
	priorVariance   = "prior_log_variance"
	decoder         = "decoder"
)

// decoderVariance is that of x given z, and slope that of the leaky ReLU below
// 0, both of the reference program.
const (
	decoderVariance = 0.01
	slope           = 0.1
)

// loss is −ELBO of a training step, [1], the mean over the batch. data holds the
// standardised signals [1, T, d] and u [1, T, k]; batch the positions, int32
// [1, B], and standard normal noise [1, B, d].
func (c Config) loss(scope *model.Scope, data, batch []*Node) *Node {
	at, noise := InsertAxes(batch[0], -1), batch[1]
	x := Gather(Squeeze(data[0], 0), at) // [1, B, d]
	u := Gather(Squeeze(data[1], 0), at) // [1, B, k]
	d := x.Shape().Dim(2)

	xu := Concatenate([]*Node{x, u}, -1)
	mean := c.network(scope.In(encoderMean), xu, d)
	logVariance := c.network(scope.In(encoderVariance), xu, d)
	z := Add(mean, Mul(Exp(MulScalar(logVariance, 0.5)), noise))
	prior := c.network(scope.In(priorVariance), u, d)
	decoded := c.network(scope.In(decoder), z, d)

	given := MulScalar(Square(Sub(x, decoded)), 1/decoderVariance) // log p(x|z) but for −½ and constants
	beforehand := Add(prior, Div(Square(z), Exp(prior)))           // log p(z|u)
	posterior := Add(logVariance, Square(noise))                   // log q(z|x,u), as (z−mean)²/variance = noise²
	sum := ReduceSum(Sub(Add(given, beforehand), posterior), -1)   // [1, B]
	constant := float64(d) * math.Log(2*math.Pi*decoderVariance)   // the 2π of p(z|u) and of q cancel
	return MulScalar(AddScalar(ReduceMean(sum, -1), constant), 0.5)
}

// network is a multi-layer perceptron with leaky ReLU over x [1, N, inputs].
func (c Config) network(scope *model.Scope, x *Node, outputs int) *Node {
	for i, width := range c.Hidden {
		x = layers.Dense(scope.In("%s", layerName(i)), x, width)
		x = Max(x, MulScalar(x, slope))
	}
	return layers.Dense(scope.In("%s", layerName(len(c.Hidden))), x, outputs)
}

func layerName(i int) string { return fmt.Sprintf("layer_%d", i) }

// layers are the scopes of the layers of the network in scope.
func (c Config) layers(scope string) []string {
	var scopes []string
	for i := range len(c.Hidden) + 1 {
		scopes = append(scopes, path.Join("/", scope, layerName(i), "dense"))
	}
	return scopes
}

// leaky is the activation of network.
func leaky(v float64) float64 { return max(v, slope*v) }
