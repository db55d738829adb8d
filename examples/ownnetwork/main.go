// Ownnetwork separates a mixture by SICA's gradient flow with a network of its own, which
// learns the density ratio, with one of GoMLX's optimizers, and with its own rule to stop.
package main

import (
	"context"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	sicalayers "github.com/seed-47b1e431/gosica/layers"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// residual is a network with a residual block, [R, B, outputs] of x [R, B, inputs]. Its
// layers are this module's, as several networks are trained at once along the axis R.
func residual(scope *model.Scope, x *Node, outputs int) *Node {
	x = sicalayers.Dense(scope.In("input"), x, 32)
	inner := activation.Swish(sicalayers.Dense(scope.In("up"), x, 32))
	x = Add(x, sicalayers.Dense(scope.In("down"), inner, 32))
	return sicalayers.Dense(scope.In("output"), activation.Swish(x), outputs)
}

// separate is the fit of the mixed signals x.
func separate(ctx context.Context, x *mat.Dense) *sica.Result {
	cfg := sica.FastWGF()
	cfg.Backend = must(backend.Open(backend.Auto))
	cfg.Flow.Network = residual
	cfg.Flow.NewOptimizer = func() optimizer.Interface {
		return optimizer.Adam().LearningRate(3e-3).Adamax().Done()
	}
	// Stop after three iterations in a row with a divergence of at most 0.005 nats.
	low := 0
	cfg.Flow.Stop = func(_ int, it klflow.Iteration) bool {
		if low++; it.Divergence > .005 {
			low = 0
		}
		return low == 3
	}
	return must(sica.Fit(ctx, x, cfg))
}

func main() {
	x, sources := mixture()
	result := separate(context.Background(), x)
	fmt.Printf("MCC %.3f after %d iterations: %s\n",
		mcc(result.Z, sources), result.Iterations, result.Why)
}
