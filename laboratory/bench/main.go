// Command bench measures how long this library takes for a training step, a
// refinement and a separation by FastWGF, side by side with PyTorch and JAX
// computing the same losses.
// See README.md; ./laboratory/bench/run sets up what it needs and runs it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/spf13/cobra"
)

// options are the flags of the command.
type options struct {
	json, out string
	cores     int
	smoke     bool
	peers     []string
	seconds   float64
	only      []string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:           "bench",
		Short:         "Time this library side by side with PyTorch and JAX",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.json, "json", "",
		"write the rows to this file instead of DIR/results.json, in place of the same ones there")
	flags.StringVar(&o.out, "out", "out/bench", "folder of the table and the plot")
	flags.IntVar(&o.cores, "cores", 1, "cores that the process was given, to write into the rows")
	flags.BoolVar(&o.smoke, "smoke", false,
		"sizes that show in seconds that everything works; the times mean nothing")
	flags.StringArrayVar(&o.peers, "peer", nil,
		"command line of a peer program, as \"python3 peers/torch_peer.py\"; can be given again")
	flags.Float64Var(&o.seconds, "seconds", 20,
		"time to measure each problem for, all implementations together")
	flags.StringArrayVar(&o.only, "problem", nil,
		"measure only the problems whose name, as \"refine d=2 T=1024 R=1\", contains this; "+
			"can be given again")
	return cmd
}

// run measures every problem and writes the results after each.
func run(ctx context.Context, o options) error {
	results := filepath.Join(o.out, "results.json")
	if o.json != "" {
		results = o.json
	}
	rows, err := readRows(results)
	if err != nil {
		return err
	}
	contenders, closeAll, err := contenders(ctx, o)
	defer closeAll()
	if err != nil {
		return err
	}
	for _, p := range problems(o) {
		measured, err := measure(ctx, p, contenders, o)
		rows = merge(rows, measured)
		if err := errors.Join(err, writeRows(results, rows)); err != nil {
			return err
		}
	}
	if !o.smoke && o.wants(fastIteration) {
		long, err := measureLong(ctx, o)
		rows = merge(rows, long)
		if err := errors.Join(err, writeRows(results, rows)); err != nil {
			return err
		}
	}
	return report(o.out, rows)
}
