package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/dependence"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

// fastIteration is an iteration of sica.FastWGF on a long sequence. It is measured in a process of
// its own, whose largest memory is recorded.
const fastIteration = "fastwgf_iteration"

// longPositions are the lengths, each about four times the one before.
var longPositions = []int{1024, 4096, 16384, 65536, 262144, 1000000}

// longIterations is the number of iterations, of which the first compiles.
const longIterations = 4

// measureLong measures every length in a process of its own.
func measureLong(ctx context.Context, o options) ([]row, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, t := range longPositions {
		fmt.Fprintf(os.Stderr, "%s T=%d on %d cores:\n", fastIteration, t, o.cores)
		cmd := exec.CommandContext(ctx, self, "long", strconv.Itoa(t))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return rows, fmt.Errorf("%s of %d positions: %w", fastIteration, t, err)
		}
		var r row
		if err := json.NewDecoder(bytes.NewReader(out)).Decode(&r); err != nil {
			return rows, err
		}
		r.Cores = o.cores
		fmt.Fprintf(os.Stderr, "  gosica %.1f ms, peak %.0f MiB\n", r.Median, r.PeakMiB)
		rows = append(rows, r)
	}
	return rows, nil
}

func longCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "long T",
		Short:  "Print the time of an iteration, and the memory, of a separation of T positions",
		Args:   cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			r, err := separateLong(cmd.Context(), t)
			if err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(r)
		},
	}
}

// separateLong separates a mixture of two autoregressive signals with FastWGF. It measures their
// dependence first, so that the process's largest memory includes what that takes.
func separateLong(ctx context.Context, t int) (row, error) {
	r := row{Case: fastIteration, Impl: "gosica", D: 2, T: t, Shape: []int{t}, Runs: 1,
		Device: provenance.CPU()}
	b, err := backend.Open(backend.Auto)
	if err != nil {
		return r, err
	}
	r.Backend = backend.NameOf(b)
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
	x := longMixture(t)
	if _, err := dependence.Measure(x); err != nil {
		return r, err
	}
	if _, err := sica.Fit(ctx, x, cfg.On(b)); err != nil {
		return r, err
	}
	if len(ms) == 0 {
		return r, errors.New("no iteration to measure")
	}
	r.summarise(ms)
	r.PeakMiB, err = peakMemory()
	return r, err
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

// peakMemory returns the largest memory that the process has held, in MiB.
func peakMemory() (float64, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	return float64(usage.Maxrss) / 1024, nil // Linux counts in KiB
}
