package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

type removeOptions struct {
	model, in, out string
	components     []int
}

func newRemove() *cobra.Command {
	var opt removeOptions
	cmd := &cobra.Command{
		Use:   "remove --model DIR --in recording.csv --out clean.csv --components 2,5",
		Short: "Take recovered signals out of a recording",
		Long: `Remove reads what sica separate --save wrote, and a recording of the same
channels, and takes out what some of the recovered signals make up of it, such as
a heartbeat of an electroencephalogram. The channels keep their names, times and
units. sica inspect says which recovered signal is which; they count from 1. The
recording is read and written in blocks, so that it may be of any length.

` + formats,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := require(cmd, "model", "in", "out", "components"); err != nil {
				return err
			}
			return opt.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.model, "model", "", "folder `DIR` of the separation (required)")
	f.StringVar(&opt.in, "in", "", "`FILE` of the recording (required)")
	f.StringVar(&opt.out, "out", "", "`FILE` for what is left: .csv, .npy or .wav (required)")
	f.IntSliceVar(&opt.components, "components", nil, "numbers `K` of the recovered signals, with commas between (required)")
	return cmd
}

func (opt *removeOptions) run(cmd *cobra.Command) error {
	if err := checkOut(opt.out); err != nil {
		return err
	}
	if err := checkApart(place{"--out", opt.out}, place{"--model", opt.model}); err != nil {
		return err
	}
	if err := checkNotRead("--in", []string{opt.in}, place{"--out", opt.out}); err != nil {
		return err
	}
	result, err := sica.Load(opt.model)
	if err != nil {
		return err
	}
	k, _ := result.Z.Dims()
	var rows []int
	for _, c := range opt.components {
		if c < 1 || c > k {
			return usagef("--components %d: the separation recovered signals 1 to %d", c, k)
		}
		rows = append(rows, c-1)
	}
	progress := newLateParts(cmd.ErrOrStderr())
	defer progress.done()
	in, err := openStream(cmd, opt.in, progress.part)
	if err != nil {
		return err
	}
	if err := checkChannels(opt.in, in.about.Names, result); err != nil {
		return err
	}
	in.doing = "removing"
	if err := in.write(opt.out, in.about.Names, blockwise.Remove(result, in.Blocks(block), rows...)); err != nil {
		return fmt.Errorf("%s: %w", opt.in, err)
	}
	progress.done()
	fmt.Fprintln(cmd.OutOrStdout(), "wrote", opt.out)
	return nil
}
