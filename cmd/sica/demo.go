package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// example is a separation of the demo.
type example struct {
	name, file string
	sources    func(*rand.Rand) (*mat.Dense, error)
	shape      []int
	steps      int // of the mixing, with GELU
}

var examples = []example{
	{
		name: "two AR(7) sequences", file: "ar7",
		sources: func(rng *rand.Rand) (*mat.Dense, error) { return datasets.AR7(rng, 2, 1024) },
		shape:   []int{1024},
		steps:   20,
	},
	{
		name: "three MNIST digits", file: "mnist",
		sources: func(rng *rand.Rand) (*mat.Dense, error) {
			s, _, err := datasets.MNIST(rng, 3)
			return s, err
		},
		shape: []int{datasets.MNISTSide, datasets.MNISTSide},
		steps: 20,
	},
}

// outcome is a row of the demo's table.
type outcome struct {
	example
	mixed, whitened, recovered float64 // MCC
	seconds                    float64
	why                        string // of the result
}

func newDemo() *cobra.Command {
	var out, backendName string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "demo --out DIR",
		Short: "Separate two of the paper's examples",
		Long: `Demo separates two AR(7) sequences and three MNIST digits, each mixed by 20
GELU steps, with the default settings. It writes pictures to a folder and prints
the mean correlation coefficient (MCC) with the true sources, which the
separation doesn't see, of the mixed signals, of symmetric whitening (ZCA), the
first candidate, and of the recovered signals. It also says why
each separation ended as it did.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkBackend(backendName); err != nil {
				return err
			}
			cfg := sica.Default()
			cfg.Seed = seed
			b, err := openBackend(cmd, backendName)
			if err != nil {
				return err
			}
			return demo(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), b, cfg, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "",
		"folder `DIR` for the pictures, made if need be (required)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed `N` of every random draw")
	addBackend(cmd, &backendName)
	require(cmd, "out")
	return cmd
}

// demo separates the examples with cfg, and writes a table to out and pictures
// to dir.
func demo(
	ctx context.Context, out, status io.Writer, b compute.Backend, cfg sica.Config, dir string,
) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	fmt.Fprintf(out, "backend %s, seed %d\n", backend.NameOf(b), cfg.Seed)

	var rows []outcome
	for _, e := range examples {
		fmt.Fprintf(out, "\n%s, %d GELU steps\n", e.name, e.steps)
		row, err := e.run(ctx, out, status, b, cfg, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		rows = append(rows, row)
	}

	fmt.Fprintf(out, "\n%-20s %8s %8s %8s %8s\n", "MCC", "mixed", "ZCA", "Default", "seconds")
	for _, r := range rows {
		fmt.Fprintf(out, "%-20s %8.3f %8.3f %8.3f %8.1f\n", r.name, r.mixed, r.whitened,
			r.recovered, r.seconds)
	}
	for _, r := range rows {
		fmt.Fprintf(out, "\n%s:\n%s", r.name, text.Wrap("  ", r.why))
	}
	fmt.Fprintf(out, "\nThe pictures are in %s.\n", dir)
	return nil
}

// run makes the example's signals, separates them and draws them.
func (e example) run(
	ctx context.Context, out, status io.Writer, b compute.Backend, cfg sica.Config, dir string,
) (outcome, error) {
	row := outcome{example: e}
	s, err := e.sources(rand.New(rand.NewPCG(cfg.Seed, 0)))
	if err != nil {
		return row, err
	}
	x, err := datasets.Mix(s, datasets.MixOptions{Steps: e.steps, H: datasets.GELU})
	if err != nil {
		return row, err
	}
	whitened, err := preprocess.Apply(x, preprocess.ZCA)
	if err != nil {
		return row, err
	}

	cfg.Shape = e.shape
	iterations := progress.NewIterations(out, status, cfg.Iterations())
	cfg = cfg.Watch(func(_ int, it klflow.Iteration) {
		m, err := metric.MCC(it.Z, s)
		if err != nil {
			m.MCC = math.NaN()
		}
		iterations.Iteration(it, m.MCC)
	})
	began := time.Now()
	res, err := sica.Fit(ctx, x, cfg.On(b))
	iterations.Done()
	if err != nil {
		return row, err
	}
	row.seconds, row.why = time.Since(began).Seconds(), res.Why

	for _, scored := range []struct {
		mcc *float64
		z   *mat.Dense
	}{{&row.mixed, x}, {&row.whitened, whitened}, {&row.recovered, res.Z}} {
		m, err := metric.MCC(scored.z, s)
		if err != nil {
			return row, err
		}
		*scored.mcc = m.MCC
	}
	return row, e.draw(dir, s, x, res)
}

// draw draws the signals, aligned with the sources, and the fit's progress.
func (e example) draw(dir string, s, x *mat.Dense, res *sica.Result) error {
	mixed, err := metric.Align(x, s)
	if err != nil {
		return err
	}
	recovered, err := metric.Align(res.Z, s)
	if err != nil {
		return err
	}
	signals, err := drawSignals(e.shape,
		plot.Group{Method: plot.Mixed, Signals: mixed},
		plot.Group{Method: plot.Default, Signals: recovered},
		plot.Group{Method: plot.Truth, Signals: s})
	if err != nil {
		return err
	}
	if err := writePNG(filepath.Join(dir, e.file+".png"), signals); err != nil {
		return err
	}
	if res.Iterations == 0 {
		return nil
	}
	history, err := plot.Progress(plot.History{Method: plot.Default, Divergence: res.Divergence,
		Loss: res.Loss})
	if err != nil {
		return err
	}
	return writePNG(filepath.Join(dir, e.file+"-progress.png"), history)
}
