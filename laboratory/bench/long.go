package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/gomlx/compute"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// fastIteration is an iteration of sica.FastWGF on a long sequence.
const fastIteration = "fastwgf_iteration"

// longPositions are the lengths, each about four times the one before.
var longPositions = []int{1024, 4096, 16384, 65536, 262144, 1000000}

// longIterations is the number of iterations, of which the first compiles.
const longIterations = 4

// measureLong measures every length.
func measureLong(ctx context.Context, o options) ([]row, error) {
	b, err := backend.Open(backend.Auto)
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, t := range longPositions {
		fmt.Fprintf(os.Stderr, "%s T=%d on %d cores:\n", fastIteration, t, o.cores)
		r := row{Case: fastIteration, Impl: "gosica", Backend: backend.NameOf(b), Cores: o.cores,
			D: 2, T: t, Shape: []int{t}, Runs: 1, Device: provenance.CPU()}
		ms, err := separateLong(ctx, b, t)
		if err != nil {
			return rows, fmt.Errorf("%s of %d positions: %w", fastIteration, t, err)
		}
		r.summarise(ms)
		fmt.Fprintf(os.Stderr, "  gosica %.1f ms\n", r.Median)
		rows = append(rows, r)
	}
	return rows, nil
}

// separateLong separates a mixture of two autoregressive signals with FastWGF, and returns the
// milliseconds of the iterations.
func separateLong(ctx context.Context, b compute.Backend, t int) ([]float64, error) {
	cfg := sica.FastWGF()
	cfg.Flow.Iterations = longIterations
	var ms []float64
	var before float64
	cfg.Flow.OnIteration = func(_ int, it klflow.Iteration) {
		now := 1e3 * it.Elapsed.Seconds()
		if it.J > 1 {
			ms = append(ms, now-before)
		}
		before = now
	}
	if _, err := sica.Fit(ctx, longMixture(t), cfg.On(b)); err != nil {
		return nil, err
	}
	if len(ms) == 0 {
		return nil, errors.New("no iteration to measure")
	}
	return ms, nil
}

// longMixture returns two autoregressive signals of different spectra, mixed by a
// symmetric matrix.
func longMixture(t int) *mat.Dense {
	rng := rand.New(rand.NewPCG(7, uint64(t)))
	coefficients := []float64{0.9, -0.6}
	s := mat.NewDense(2, t, nil)
	for i, a := range coefficients {
		v := 0.0
		for k := range t {
			v = a*v + rng.NormFloat64()
			s.Set(i, k, v)
		}
	}
	x := new(mat.Dense)
	x.Mul(mat.NewDense(2, 2, []float64{1, 0.6, 0.2, 1}), s)
	return x
}
