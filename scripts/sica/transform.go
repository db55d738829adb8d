package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

type transformOptions struct {
	model   string
	in      []string
	out     string
	shape   string
	backend string
	inverse bool
}

func newTransform() *cobra.Command {
	var opt transformOptions
	cmd := &cobra.Command{
		Use:   "transform --model DIR --in mixed.csv --out recovered.csv",
		Short: "Map other signals as a separation did",
		Long: `Transform reads what sica separate --save wrote, and maps other signals the way
that the separation mapped its own, with nothing learned anew. The number of
positions is free unless the networks see the whole sequence. With --inverse it
takes recovered signals back to mixed ones, and says how exactly.

` + formats,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := require(cmd, "model", "in", "out"); err != nil {
				return err
			}
			return opt.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.model, "model", "", "folder `DIR` of the separation (required)")
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the signals (required)")
	f.StringVar(&opt.out, "out", "", "`FILE` for the mapped signals: .csv, .npy or .wav (required)")
	f.StringVar(&opt.shape, "shape", "", "`SHAPE` of the positions, such as 32x32 for images; the separation's by default")
	f.BoolVar(&opt.inverse, "inverse", false, "map recovered signals to mixed ones")
	f.StringVar(&opt.backend, "backend", backend.Auto, "`BACKEND`: "+strings.Join(backend.Names(), ", "))
	return cmd
}

func (opt *transformOptions) run(cmd *cobra.Command) error {
	if err := checkBackend(opt.backend); err != nil {
		return err
	}
	if err := checkOut(opt.out); err != nil {
		return err
	}
	if err := checkApart(place{"--out", opt.out}, place{"--model", opt.model}); err != nil {
		return err
	}
	if err := checkNotRead("--in", opt.in, place{"--out", opt.out}); err != nil {
		return err
	}
	var given []int
	if cmd.Flags().Changed("shape") {
		var err error
		if given, err = parseShape(opt.shape); err != nil {
			return err
		}
	}
	if err := checkWritable(opt.out); err != nil {
		return err
	}
	result, err := sica.Load(opt.model)
	if err != nil {
		return err
	}
	if !opt.inverse && len(opt.in) == 1 && streamable(opt.in[0]) && len(given) < 2 && result.Pointwise() == nil {
		return opt.stream(cmd, result, given)
	}
	in, shape, err := readRecording(opt.in)
	if err != nil {
		return err
	}
	if given != nil {
		shape = given
	}
	b, err := openBackend(cmd, opt.backend)
	if err != nil {
		return err
	}
	result.SetBackend(b)

	out := cmd.OutOrStdout()
	var mapped *mat.Dense
	var names []string
	if opt.inverse {
		var roundTrip float64
		if mapped, roundTrip, err = result.InverseTransform(in.Signals, shape...); err == nil {
			fmt.Fprintf(out, "mapped forth again, the largest difference is %.1e\n", roundTrip)
		}
		names = result.Channels
	} else {
		if err := checkChannels(opt.in[0], in.Names, result); err != nil {
			return err
		}
		mapped, err = result.Transform(in.Signals, shape...)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", opt.in[0], err)
	}
	written := like(in, mapped)
	written.Names = names
	if err := datasets.WriteRecording(opt.out, written); err != nil {
		return err
	}
	fmt.Fprintln(out, "wrote", opt.out)
	return nil
}

// stream maps a recording of any length, of that shape if one was given, block by block.
func (opt *transformOptions) stream(cmd *cobra.Command, result *sica.Result, given []int) error {
	progress := newLateParts(cmd.ErrOrStderr())
	defer progress.done()
	in, err := openStream(cmd, opt.in[0], progress.part)
	if err != nil {
		return err
	}
	_, t := in.Dims()
	if err := checkSequence(opt.in[0], t, given); err != nil {
		return err
	}
	if err := checkChannels(opt.in[0], in.about.Names, result); err != nil {
		return err
	}
	in.doing = "mapping"
	if err := in.write(opt.out, nil, blockwise.Transform(result, in.Blocks(block))); err != nil {
		return fmt.Errorf("%s: %w", opt.in[0], err)
	}
	progress.done()
	fmt.Fprintln(cmd.OutOrStdout(), "wrote", opt.out)
	return nil
}
