package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

type removeOptions struct {
	reading    files.Reading
	model, out string
	in         []string
	components []int
	proposed   bool
}

func newRemove() *cobra.Command {
	var opt removeOptions
	cmd := &cobra.Command{
		Use:   "remove --model DIR --in recording.csv --out clean.csv --components 2,5",
		Short: "Remove recovered signals from a recording",
		Long: `Remove reads what sica separate --save wrote, and a recording of the same
channels, and subtracts what some of the recovered signals contribute to it, such
as the heartbeat in an electroencephalogram: those of --components, or with
--proposed those that sica inspect --reference proposed. The channels keep their
names, times and units. sica inspect says which recovered signal is which; they
count from 1. The recording may be of any length.

` + files.Formats,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opt.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&opt.model, "model", "", "folder `DIR` of the separation (required)")
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the recording (required)")
	f.StringVar(&opt.out, "out", "",
		"`FILE` for the cleaned recording: .csv, .npy, .wav, .edf or .bdf (required)")
	f.IntSliceVar(&opt.components, "components", nil,
		"numbers `K` of the recovered signals, with commas between")
	f.BoolVar(&opt.proposed, "proposed", false,
		"remove the recovered signals that sica inspect --reference proposed last")
	opt.reading.Add(cmd)
	require(cmd, "model", "in", "out")
	cmd.MarkFlagsOneRequired("components", "proposed")
	cmd.MarkFlagsMutuallyExclusive("components", "proposed")
	return cmd
}

func (opt *removeOptions) run(cmd *cobra.Command) error {
	if err := files.CheckSignalsName(opt.out); err != nil {
		return err
	}
	places := files.Places("--out", opt.out, "--model", opt.model)
	if err := files.CheckApart(places...); err != nil {
		return err
	}
	if err := files.CheckNotInput("--in", opt.in, places[0]); err != nil {
		return err
	}
	result, err := sica.Load(opt.model)
	if err != nil {
		return err
	}
	rows, err := opt.rows(cmd.OutOrStdout(), result)
	if err != nil {
		return err
	}
	shown := progress.NewQuiet(cmd.ErrOrStderr())
	defer shown.Done()
	opt.reading.Signals = result.Channels
	in, err := opt.reading.Open(cmd.Context(), opt.in, shown.Part)
	if err != nil {
		return err
	}
	files.Note(cmd.OutOrStdout(), in.About.Notes)
	in.Doing = "removing"
	clean := blockwise.Remove(result, in.Blocks(files.BlockSize), rows...)
	if err := in.Write(opt.out, clean); err != nil {
		return fmt.Errorf("%s: %w", opt.in[0], err)
	}
	shown.Done()
	fmt.Fprintln(cmd.OutOrStdout(), "wrote", opt.out)
	return nil
}

// rows returns the recovered signals to remove, counted from 0, and says which were proposed.
func (opt *removeOptions) rows(out io.Writer, result *sica.Result) (rows []int, err error) {
	k, _ := result.Z.Dims()
	if opt.proposed {
		p, err := readProposal(opt.model, k)
		if err == nil {
			fmt.Fprintf(out, "removing %s, as proposed with the reference %s\n", p.numbers(), p.Reference)
		}
		return p.Signals, err
	}
	for _, c := range opt.components {
		if c < 1 || c > k {
			return nil, usage.Errorf("--components %d: the separation recovered signals 1 to %d", c, k)
		}
		rows = append(rows, c-1)
	}
	return rows, nil
}
