package main

import (
	"context"
	"errors"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// fitFast makes a separation by FastWGF, without its whitening, and returns its milliseconds
// without those of compiling.
func (o *ours) fitFast(ctx context.Context, p problem, arrays map[string]array) (float64, error) {
	cfg := sica.FastWGF()
	cfg.Transforms = nil
	var runs []sica.Run
	size := p.d * p.positions()
	for r := range p.runs {
		x := mat.NewDense(p.d, p.positions(), nil)
		for k, v := range arrays["z"].floats[r*size : (r+1)*size] {
			x.Set(k/p.positions(), k%p.positions(), float64(v))
		}
		runs = append(runs, sica.Run{X: x, Seed: uint64(r + 1)})
	}
	var iterations []float64 // of the last run
	begin := time.Now()
	last := begin
	cfg.Flow.OnIteration = func(run int, _ klflow.Iteration) {
		if run == p.runs-1 {
			iterations = append(iterations, milliseconds(last))
			last = time.Now()
		}
	}
	if _, err := sica.FitRuns(ctx, runs, cfg.On(o.backend)); err != nil {
		return 0, err
	}
	total := milliseconds(begin)
	if len(iterations) < 2 {
		return 0, errors.New("a fit made fewer than two iterations")
	}
	// The first iteration compiles: without that it would take as long as the others.
	return total - iterations[0] + stats.Quantile(0.5, iterations[1:]), nil
}
