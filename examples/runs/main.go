// Runs separates by the paper's gradient flow from several seeds at once, in one program, and
// keeps the run whose signals depend least on each other, without looking at the truth.
package main

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/sica"
)

// separate makes so many runs on x and returns the best, with the divergence of each.
func separate(ctx context.Context, x *mat.Dense, n int) (best *sica.Result, divergences []float64) {
	cfg := sica.FastWGF()
	cfg.Mode = sica.TransformsOnly // the flow alone, from whitened signals
	cfg.Flow.Iterations = 3
	var runs []sica.Run
	for seed := range n {
		runs = append(runs, sica.Run{X: x, Seed: uint64(seed + 1)})
	}
	results := must(sica.FitRuns(ctx, runs, cfg))
	least := math.Inf(1)
	for i, r := range results {
		// One seed for all, in pure Go.
		d := must(sica.EstimateDivergence(ctx, r.Z, sica.DivergenceOptions{Seed: 100}))
		divergences = append(divergences, d.Conditional)
		if d.Conditional < least {
			best, least = results[i], d.Conditional
		}
	}
	return best, divergences
}

func main() {
	x, _ := mixture()
	best, divergences := separate(context.Background(), x, 3)
	fmt.Printf("divergences %.3f nats; best is seed %d\n", divergences, best.Config.Seed)
}
