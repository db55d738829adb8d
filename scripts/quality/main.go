// Command quality measures how well sica.Default separates: the mean MCC and
// its standard error over seeds given on the command line, beside those of the
// mixed signals, of whitening and of other linear methods. No truth is used but to score.
//
//	go run ./scripts/quality --seed 9001 --runs 8 --out out/quality
//	go run ./scripts/quality --verdicts --seed 9001 --runs 8 --out out/quality
//	go run ./scripts/quality --readings --seed 9001 --runs 3 --out out/quality
//
// With --verdicts it measures how often report.New is right, with --readings
// what comes of the paper's SICA-WGF where what it leaves open is read in another
// way: OUT/verdicts.jsonl or readings.jsonl, of which those here are copies, and
// tables of them.
//
// It writes a line of OUT/results.jsonl for each row as soon as it is measured and,
// at the end, results.md, with a comparison with the results.jsonl that is here, which
// was measured on other seeds. Run again, it measures only the rows that are missing.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/jsonl"
	"github.com/seed-47b1e431/gosica/internal/provenance"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var seed uint64
	var runs int
	var out, backendName string
	var verdicts, readings bool
	var allowUnverified bool
	cmd := &cobra.Command{
		Use:           "quality",
		Short:         "Measure how well Default separates",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var options []backend.Option
			if allowUnverified {
				options = append(options, backend.AllowUnverified)
			}
			b, err := backend.Open(backendName, options...)
			if err != nil {
				return err
			}
			if verdicts {
				return measureVerdicts(cmd.Context(), cmd.OutOrStdout(), b, seed, runs, out)
			}
			if readings {
				return measureReadings(cmd.Context(), cmd.OutOrStdout(), b, seed, runs, out)
			}
			return measure(cmd.Context(), cmd.OutOrStdout(), b, seed, runs, out)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the first run; the others follow")
	cmd.Flags().IntVar(&runs, "runs", 8, "runs of each row, at least 2")
	cmd.Flags().BoolVar(&verdicts, "verdicts", false, "measure how often report.New is right, and nothing else")
	cmd.Flags().BoolVar(&readings, "readings", false, "measure other readings of the paper's SICA-WGF, and nothing else")
	cmd.Flags().StringVar(&out, "out", filepath.Join("out", "quality"), "folder of the results")
	cmd.Flags().StringVar(&backendName, "backend", backend.Auto, "auto, go, xla:cpu or xla:cuda")
	cmd.Flags().BoolVar(&allowUnverified, "allow-unverified-plugin", false, "load an XLA plugin whose SHA-256 this program doesn't know")
	if err := cmd.ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "quality:", err)
		os.Exit(1)
	}
}

// begin opens the table of that name in the folder out, both made if need be, and
// returns the rows that were measured already.
func begin[R any](out, name string) (*jsonl.File[R], []R, error) {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, nil, err
	}
	return jsonl.Open[R](filepath.Join(out, name+".jsonl"), nil)
}

// machineOf is what decides the bits of what the backend computes.
func machineOf(b compute.Backend) *provenance.Machine {
	m := provenance.ThisMachine(backend.PluginSHA256(b))
	return &m
}
