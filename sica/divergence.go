package sica

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/iterate"
)

// Divergence measures how far signals are from self-sufficient, in nats; see EstimateDivergence.
// Joint is the divergence of (z_t, contexts) from independent signals, Context that of the contexts
// alone. Conditional is Joint minus Context, at least 0: what the signals at t say about one
// another beyond what their own contexts do. It is the divergence that SICA minimises (paper,
// equation sica), and near 0 for true sources even if those depend on each other through their
// contexts. Influence has the contribution of each position to Joint minus Context, which are the
// means over all positions.
//
// Each value is 2·log 2 minus the held-out logistic loss of a classifier, which at the optimum is
// twice a Jensen–Shannon divergence.
type Divergence = iterate.Divergence

// EstimateDivergence measures how far the signals z, d×n, with a position index of the given shape
// (none for a sequence), are from self-sufficient. It needs no true sources. Networks are trained
// on z alone, so that results of different methods can be compared. Their inputs are z_t and the
// prediction of each signal at t from its neighbours. They are weighted by their fit to held-out
// positions, so that the divergence is about 0 where there is nothing to learn.
func EstimateDivergence(
	ctx context.Context, backend compute.Backend, z *mat.Dense, seed uint64, shape ...int,
) (Divergence, error) {
	f := &fitting{ctx: ctx, backend: backend, cfg: Config{Shape: shape, Method: NoMethod}}
	if err := f.check([]Run{{X: z, Seed: seed}}); err != nil {
		return Divergence{}, fmt.Errorf("sica: %w", err)
	}
	if err := iterate.CheckEstimate(f.grid); err != nil {
		return Divergence{}, fmt.Errorf("sica: %w", kindError{err, ErrConfig})
	}
	inputs := []iterate.Input{{Z: z, Seed: seed}}
	estimates, err := iterate.EstimateDivergences(ctx, f.backend, inputs, f.grid)
	if err != nil {
		return Divergence{}, fmt.Errorf("sica: %w", err)
	}
	return estimates[0], nil
}
