package sica

import (
	"context"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/iterate"
)

// Divergence is how far signals are from self-sufficient, in nats, each value
// 2·log 2 less a classifier's held-out logistic loss; see EstimateDivergence.
type Divergence = iterate.Divergence

// EstimateDivergence measures how far the d×T signals z, with a position index of the
// given shape (none for a sequence), are from self-sufficient. It needs no truth, and
// trains fresh networks on z, with z_t and the signals' own predictions of it
// as inputs: the number says nothing of how z came about. Held-out positions
// weigh the networks, so that it is about 0 where nothing can be learned.
func EstimateDivergence(ctx context.Context, backend compute.Backend, z *mat.Dense, seed uint64, shape ...int) (Divergence, error) {
	divergences, err := EstimateDivergences(ctx, backend, []Run{{X: z, Seed: seed}}, shape...)
	if err != nil {
		return Divergence{}, err
	}
	return divergences[0], nil
}

// EstimateDivergences is EstimateDivergence of the signals of several runs of one
// size, in one program.
func EstimateDivergences(ctx context.Context, backend compute.Backend, runs []Run, shape ...int) ([]Divergence, error) {
	cfg := FastWGF()
	cfg.Shape = shape
	cfg.Start, cfg.KeepBest = nil, false
	networks := iterate.EstimateConfig(cfg.networks(), max(len(shape), 1))
	cfg.Windows = networks.Windows
	g, err := checkRuns(backend, runs, cfg)
	if err != nil {
		return nil, err
	}
	var z []*mat.Dense
	var seeds []uint64
	for _, run := range runs {
		z, seeds = append(z, run.X), append(seeds, run.Seed)
	}
	return iterate.EstimateDivergences(ctx, backend, networks, z, g, seeds)
}
