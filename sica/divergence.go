package sica

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/iterate"
)

// Divergence measures how far signals are from self-sufficient, in nats; see EstimateDivergence.
// Each value is 2·log 2 minus the held-out logistic loss of a classifier, which at the optimum is
// twice a Jensen–Shannon divergence.
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

// String returns the divergences in nats per position, without the positions' influences.
func (d Divergence) String() string {
	return fmt.Sprintf("%.4f nats per position (joint %.4f, contexts %.4f)", d.Conditional, d.Joint,
		d.Context)
}

// EstimateDivergence measures how far the signals z, d×n, with a position index of the given shape
// (none for a sequence), are from self-sufficient. It needs no true sources. Networks are trained
// on z alone, so that results of different methods can be compared. Their inputs are z_t and the
// prediction of each signal at t from its neighbours. They are weighted by their fit to held-out
// positions, so that the divergence is about 0 where there is nothing to learn.
func EstimateDivergence(
	ctx context.Context, backend compute.Backend, z *mat.Dense, seed uint64, shape ...int,
) (Divergence, error) {
	divergences, err := EstimateDivergences(ctx, backend, []Run{{X: z, Seed: seed}}, shape...)
	if err != nil {
		return Divergence{}, err
	}
	return divergences[0], nil
}

// EstimateDivergences is EstimateDivergence for several runs of equal size, whose networks are
// trained together in one compiled program. X of a run are the signals z.
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
