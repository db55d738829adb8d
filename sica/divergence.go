package sica

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/iterate"
)

// Divergence is how far signals are from self-sufficient, in nats. Each value is 2·log 2
// less a classifier's held-out logistic loss; see EstimateDivergence.
type Divergence struct {
	// Joint is the divergence of (z_t, contexts) from independent signals.
	Joint float64 `json:"joint"`
	// Context is that of the contexts alone.
	Context float64 `json:"context"`
	// Conditional is Joint less Context, at least 0: what the signals at t say of one another
	// beyond what their own contexts do. It is the divergence that SICA asks to vanish (paper,
	// equation sica), and near 0 for true sources even where those depend on each other through
	// their contexts.
	Conditional float64 `json:"conditional"`

	// Influence is what each position adds to Joint less Context, which are the means over all
	// positions.
	Influence []float64 `json:"-"`
}

// EstimateDivergence measures how far the signals z, d×n, with a position index of the given
// shape (none for a sequence), are from self-sufficient. It needs no truth. Fresh networks
// are trained on z, with z_t and the signals' own predictions of it as inputs, so that the
// number says nothing of how z was made. Held-out positions weigh the networks, so that it
// is about 0 where nothing can be learned.
func EstimateDivergence(
	ctx context.Context, backend compute.Backend, z *mat.Dense, seed uint64, shape ...int,
) (Divergence, error) {
	divergences, err := EstimateDivergences(ctx, backend, []Run{{X: z, Seed: seed}}, shape...)
	if err != nil {
		return Divergence{}, err
	}
	return divergences[0], nil
}

// EstimateDivergences is EstimateDivergence of the signals of several runs of one size, in
// one program.
func EstimateDivergences(
	ctx context.Context, backend compute.Backend, runs []Run, shape ...int,
) ([]Divergence, error) {
	f := &fitting{ctx: ctx, backend: backend, cfg: Config{Shape: shape, Method: NoMethod}}
	if err := f.check(runs); err != nil {
		return nil, fmt.Errorf("sica: %w", err)
	}
	if err := iterate.CheckEstimate(f.grid); err != nil {
		return nil, fmt.Errorf("sica: %w", settingError{err})
	}
	var inputs []iterate.Input
	for _, run := range runs {
		inputs = append(inputs, iterate.Input{Z: run.X, Seed: run.Seed})
	}
	estimates, err := iterate.EstimateDivergences(ctx, f.backend, inputs, f.grid)
	if err != nil {
		return nil, fmt.Errorf("sica: %w", err)
	}
	divergences := make([]Divergence, len(estimates))
	for i, e := range estimates {
		divergences[i] = Divergence(e)
	}
	return divergences, nil
}
