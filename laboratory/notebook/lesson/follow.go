package lesson

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
)

// A Path is the course of signals along the flow.
type Path struct {
	// Z holds the signals, d×n, at the start and after each iteration, as
	// plot.Trajectory takes them.
	Z []*mat.Dense
	// Loss is the training loss of every step of all iterations; see Ratio.
	Loss []float64
}

// Follow makes the given number of the algorithm's iterations from the signals z, d×n, each with
// an Euler step of length eta: it follows the gradient flow for the time iterations·eta. Each
// iteration shuffles new product samples, and trains the network of the iteration before on them.
// If ctx ends, the error wraps ctx's.
func Follow(
	ctx context.Context, backend compute.Backend, rng *rand.Rand, z *mat.Dense,
	iterations int, eta float64, training Training,
) (*Path, error) {
	if iterations < 1 || !(eta > 0) || math.IsInf(eta, 0) {
		return nil, fmt.Errorf("lesson: iterations is %d and eta %g; must both be positive and finite",
			iterations, eta)
	}
	product, err := Product(rng, z)
	if err != nil {
		return nil, err
	}
	ratio, err := LearnRatio(ctx, backend, rng, z, product, training)
	if err != nil {
		return nil, err
	}
	defer ratio.Close()
	path := &Path{Z: []*mat.Dense{z}}
	for {
		if z, err = ratio.Step(z, eta); err != nil {
			return nil, err
		}
		path.Z = append(path.Z, z)
		if len(path.Z) > iterations {
			path.Loss = ratio.Loss
			return path, nil
		}
		if product, err = Product(rng, z); err != nil {
			return nil, err
		}
		if err := ratio.learn(ctx, rng, z, product); err != nil {
			return nil, err
		}
	}
}
