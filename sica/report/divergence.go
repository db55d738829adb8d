package report

import (
	"context"
	"errors"
	"fmt"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/stream"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/dependence"
)

// A Divergence is how far signals are from self-sufficient, by two measures
// that have little in common but the question. Their intervals come from drawing
// blocks of positions again, nothing is fitted anew: that of Dependence is for the
// pair, the predictions and the whitening found on all positions, that of Judged
// for the networks as they were trained.
type Divergence struct {
	// Dependence is the total of dependence.Measure, for the most dependent
	// pair: a sum of squared correlations, not nats. It sees little of signals that
	// networks tell apart only together, and sees dependences that only nonlinear
	// predictions from the signals' own contexts would explain.
	Dependence dependence.Interval `json:"dependence"`
	// Pair is the most dependent pair, counted from 0.
	Pair [2]int `json:"pair"`
	// Judged is sica.EstimateDivergence's Conditional in nats, of all signals together: what
	// small networks learn of z_t and the contexts, beyond what they learn of
	// the contexts alone, to tell the signals from independent ones at positions
	// that they weren't trained on. Nil where an axis of the index is too short
	// for that.
	Judged *dependence.Interval `json:"judged"`
}

// divergences measures several signals, all d×T with positions of one index.
func divergences(ctx context.Context, backend compute.Backend, signals []*mat.Dense, g *grid.Grid, seed uint64) ([]Divergence, error) {
	measured := make([]Divergence, len(signals))
	partition := dependence.NewPartition(g.Shape())
	var runs []sica.Run
	for k, z := range signals {
		analysis, err := dependence.Analyse(ctx, z, g.Own())
		if err != nil {
			return nil, fmt.Errorf("measuring dependence: %w", err)
		}
		worst, err := analysis.Worst(ctx, dependence.JackknifeBlocks)
		if err != nil {
			return nil, err
		}
		measured[k].Pair = [2]int{worst.J, worst.I}
		measured[k].Dependence = analysis.Interval(worst, partition, seed)
		runs = append(runs, sica.Run{X: z, Seed: seed})
	}
	estimates, err := sica.EstimateDivergences(ctx, backend, runs, g.Shape()...)
	if errors.Is(err, sica.ErrConfig) {
		return measured, nil // an axis is too short for the networks
	}
	if err != nil {
		return nil, err
	}
	for k, estimate := range estimates {
		interval := partition.MeanInterval(estimate.Influence, stream.New(seed, 0, 1, stream.Bootstrap)).AtLeast(0)
		measured[k].Judged = &interval
	}
	return measured, nil
}
