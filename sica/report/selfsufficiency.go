package report

import (
	"context"
	"fmt"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/internal/bootstrap"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/iterate"
	"github.com/seed-47b1e431/gosica/internal/pairwise"
	"github.com/seed-47b1e431/gosica/internal/parallel"
	"github.com/seed-47b1e431/gosica/internal/stream"
)

// SelfSufficiency measures how far signals are from self-sufficient, by two independent methods.
// The intervals come from a bootstrap of blocks of positions without refitting: all resamples share
// the pair, the predictions, the whitening and the trained networks.
type SelfSufficiency struct {
	// Dependence is the total of dependence.Measure for the most dependent pair: a sum of squared
	// correlations, not nats. It detects less than networks that see all signals, and includes
	// dependence that nonlinear predictions would explain.
	Dependence Interval `json:"dependence"`
	// Pair is the most dependent pair, counted from 0.
	Pair [2]int `json:"pair"`
	// Classifier is Conditional of sica.EstimateDivergence, in nats, for all signals together:
	// small networks distinguish the signals from independent ones at held-out positions, from z_t
	// and the contexts and from the contexts alone, and Classifier is the difference. It is nil if
	// an axis is too short for the networks.
	Classifier *Interval `json:"classifier"`
	// Classified is the number of positions that the networks saw; 0 means all. In sequences of
	// 16,384 positions or more it is 8,192, in evenly spread blocks of 1,024.
	Classified int `json:"classified,omitempty"`
}

// An Interval is an estimate with its 95 % interval by the percentiles of a
// block bootstrap (H. Künsch, Annals of Statistics, 1989).
type Interval struct {
	Estimate float64 `json:"estimate"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
}

// nonNegative returns the interval of a value that can't be negative.
func nonNegative(estimate, low, high float64) Interval {
	return Interval{max(estimate, 0), max(low, 0), max(high, 0)}
}

// String returns the estimate with its interval, to three decimals.
func (i Interval) String() string {
	return fmt.Sprintf("%.3f (%.3f–%.3f)", i.Estimate, i.Low, i.High)
}

// measure measures several sets of signals, all d×n at the positions of one grid. Both methods run
// at once, since neither keeps all processors busy.
func measure(
	ctx context.Context, backend compute.Backend, signals []*mat.Dense, g *grid.Grid, seed uint64,
) ([]SelfSufficiency, error) {
	measured := make([]SelfSufficiency, len(signals))
	methods := []func() error{
		func() error { return measureDependence(ctx, signals, g, seed, measured) },
		func() error { return classify(ctx, backend, signals, g, seed, measured) },
	}
	errs := make([]error, len(methods))
	err := parallel.Do(ctx, len(methods), len(methods),
		func(_, k int) { errs[k] = methods[k]() })
	for _, e := range errs {
		if e != nil {
			return nil, e
		}
	}
	return measured, err
}

// measureDependence sets Dependence and Pair of each set of signals.
func measureDependence(
	ctx context.Context, signals []*mat.Dense, g *grid.Grid, seed uint64,
	measured []SelfSufficiency,
) error {
	for k, z := range signals {
		analysis, err := pairwise.Analyse(ctx, z, g)
		if err != nil {
			return fmt.Errorf("measuring dependence: %w", err)
		}
		pair, err := analysis.Worst(ctx, pairwise.JackknifeBlocks)
		if err != nil {
			return err
		}
		measured[k].Pair = [2]int{pair.J, pair.I}
		low, high := analysis.Interval(pair, seed)
		measured[k].Dependence = nonNegative(pair.Total(), low, high)
	}
	return nil
}

// classify sets Classifier and Classified of each set of signals, if the networks can be trained.
func classify(
	ctx context.Context, backend compute.Backend, signals []*mat.Dense, g *grid.Grid, seed uint64,
	measured []SelfSufficiency,
) error {
	var inputs []iterate.Input
	var p recording
	for _, z := range signals {
		p = part(recording{z, grid.Range(g.Len()), g.Shape()})
		inputs = append(inputs, iterate.Input{Z: p.x, Seed: seed})
	}
	classified, err := grid.New(grid.WithoutOnes(p.shape), len(p.positions))
	if err != nil {
		return err
	}
	if iterate.CheckEstimate(classified) != nil {
		return nil // an axis is too short for the networks
	}
	estimates, err := iterate.EstimateDivergences(ctx, backend, inputs, classified)
	if err != nil {
		return err
	}
	partition := bootstrap.NewPartition(p.shape)
	for k, estimate := range estimates {
		draws := stream.New(seed, 0, 1, stream.Bootstrap)
		low, high := partition.MeanInterval(estimate.Influence, draws)
		interval := nonNegative(stat.Mean(estimate.Influence, nil), low, high)
		measured[k].Classifier = &interval
		if n := len(estimate.Influence); n < len(g.Own()) {
			measured[k].Classified = n
		}
	}
	return nil
}
