package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/preprocess"
)

// example is a separation of the demo.
type example struct {
	name string
	generateOptions
}

var examples = []example{
	{"two AR(7) sequences", generateOptions{signals: "ar7", d: 2, length: 1024, mixing: "gelu", steps: 20}},
	{"three MNIST digits", generateOptions{signals: "mnist", d: 3, mixing: "gelu", steps: 20}},
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
			return demo(cmd.Context(), cmd.OutOrStdout(), b, cfg, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "",
		"folder `DIR` for the pictures, made if need be (required)")
	addSeed(cmd, &seed)
	addBackend(cmd, &backendName)
	require(cmd, "out")
	return cmd
}

// demo separates the examples with cfg, and writes a table to out and pictures to dir.
func demo(
	ctx context.Context, out io.Writer, b compute.Backend, cfg sica.Config, dir string,
) error {
	if err := files.MakeFolder(dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "backend %s, seed %d\n", backend.NameOf(b), cfg.Seed)

	var rows []outcome
	for _, e := range examples {
		fmt.Fprintf(out, "\n%s, %d GELU steps\n", e.name, e.steps)
		row, err := e.run(ctx, b, cfg, dir)
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

// run makes the signals of the example, separates them and draws them.
func (e example) run(
	ctx context.Context, b compute.Backend, cfg sica.Config, dir string,
) (outcome, error) {
	row := outcome{example: e}
	e.seed = cfg.Seed
	s, shape, err := e.sources()
	if err != nil {
		return row, err
	}
	x, err := e.mix(s)
	if err != nil {
		return row, err
	}
	whitened, err := preprocess.Apply(x, preprocess.ZCA)
	if err != nil {
		return row, err
	}

	cfg.Shape = shape
	if shape == nil {
		cfg.Shape = []int{e.length}
	}
	began := time.Now()
	res, err := sica.Fit(ctx, x, cfg.On(b))
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
	return row, e.draw(dir, shape, s, x, res.Z)
}

// draw draws the signals, aligned with the sources.
func (e example) draw(dir string, shape []int, s, x, z *mat.Dense) error {
	mixed, err := metric.Align(x, s)
	if err != nil {
		return err
	}
	recovered, err := metric.Align(z, s)
	if err != nil {
		return err
	}
	signals, err := drawSignals(shape,
		plot.Group{Method: plot.Mixed, Signals: mixed},
		plot.Group{Method: plot.Default, Signals: recovered},
		plot.Group{Method: plot.Truth, Signals: s})
	if err != nil {
		return err
	}
	return writePNG(filepath.Join(dir, e.signals+".png"), signals)
}
