package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

type transformOptions struct {
	reading files.Reading
	model   string
	in      []string
	out     string
	shape   string
	backend string
	inverse bool
	isLive  bool
	fitting files.Fitting // the filters of --stream
}

func newTransform() *cobra.Command {
	var opt transformOptions
	cmd := &cobra.Command{
		Use:   "transform --model DIR --in mixed.csv --out recovered.csv",
		Short: "Apply a separation to other signals",
		Long: `Transform reads what sica separate --save wrote, and applies its map to other
signals, without learning anything new. The number of positions is free unless the
networks see the whole sequence. With --inverse it maps recovered signals back to
mixed ones, and says how exactly.

` + pipesHelp + ` --stream maps each row of CSV
as soon as it comes; a filter keeps its state from row to row.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.isLive {
				return opt.live(cmd)
			}
			for _, flag := range []string{"highpass", "lowpass", "notch", "rate"} {
				if cmd.Flags().Changed(flag) {
					return usage.Errorf("--%s: use it with --stream", flag)
				}
			}
			return files.WithPipes(cmd, opt.in, opt.out, func(in []string, out string) error {
				opt.in, opt.out = in, out
				return opt.run(cmd)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.model, "model", "", "folder `DIR` of the separation (required)")
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the signals (required)")
	f.StringVar(&opt.out, "out", "",
		"`FILE` for the mapped signals: .csv, .npy, .wav, .edf or .bdf; of images also a folder "+
			"that ends in / (required)")
	f.StringVar(&opt.shape, "shape", "",
		"`SHAPE` of the positions, such as 32x32 for images; the separation's by default")
	f.BoolVar(&opt.inverse, "inverse", false, "map recovered signals to mixed ones")
	f.BoolVar(&opt.isLive, "stream", false,
		"map rows of CSV as they come, from --in - to --out -, for a program that goes on")
	addBackend(cmd, &opt.backend)
	opt.reading.Add(cmd)
	opt.fitting.AddFilters(cmd, "with --stream, map")
	require(cmd, "model", "in", "out")
	return cmd
}

// pipesHelp is the help on standard input and output.
const pipesHelp = `With --in - it reads standard input, CSV or NPY, and with --out - it writes
standard output in the same format, and what else it says to standard error.`

// live maps rows as they arrive.
func (opt *transformOptions) live(cmd *cobra.Command) error {
	model, err := files.LoadModel(opt.model)
	if err != nil {
		return err
	}
	if err := checkStream(cmd, opt.in, opt.out, model); err != nil {
		return err
	}
	var names []string
	for i := range model.Signals() {
		names = append(names, fmt.Sprintf("s%d", i+1))
	}
	l := newLive(model, opt.reading.Separator, func(x *mat.Dense) (*mat.Dense, error) {
		return model.Transform(x)
	}, names)
	if l.filter, err = opt.fitting.Streams(model); err != nil {
		return err
	}
	return l.run(cmd)
}

func (opt *transformOptions) run(cmd *cobra.Command) error {
	if err := checkBackend(opt.backend); err != nil {
		return err
	}
	var images []string
	if opt.images() {
		images = files.ImagePaths(opt.out, len(opt.in))
	} else if err := files.CheckSignalsName(opt.out); err != nil {
		return err
	}
	err := files.CheckPlaces(files.Each("--in", opt.in), files.Places("--model", opt.model),
		files.Places("--out", opt.out), images...)
	if err != nil {
		return err
	}
	var shape []int
	if cmd.Flags().Changed("shape") {
		if shape, err = files.ParseShape(opt.shape); err != nil {
			return err
		}
	}
	opt.reading.Shape = shape
	if !opt.images() {
		if err := files.CheckWritable(opt.out); err != nil {
			return err
		}
	}
	model, err := files.LoadModel(opt.model)
	if err != nil {
		return err
	}
	if !opt.inverse {
		opt.reading.Recall(model, true)
	}
	return opt.apply(cmd, model, shape)
}

// images reports whether the mapped signals are written as images to a folder.
func (opt *transformOptions) images() bool {
	return files.WritesImages(opt.in[0], opt.shape, opt.out)
}

// apply maps the signals, of the given shape if any: block by block for a recording of any length,
// if the separation maps each position independently.
func (opt *transformOptions) apply(cmd *cobra.Command, model *files.Model, shape []int) error {
	shown := progress.NewQuiet(cmd.ErrOrStderr())
	defer shown.Done()
	open := opt.reading.Whole
	inBlocks := !opt.inverse && !datasets.IsImage(opt.in[0]) && len(shape) < 2 &&
		model.CheckPointwise() == nil
	if inBlocks {
		open = opt.reading.Open
	}
	in, err := open(cmd.Context(), opt.in, shown.Part)
	if err != nil {
		return err
	}
	_, n := in.Dims()
	if err := opt.reading.CheckShape(opt.in[0], n, shape); err != nil {
		return err
	}
	model.RecallRate(&in.About)
	files.Note(cmd.OutOrStdout(), in.About.Notes...)
	if inBlocks {
		in.Doing, in.MustVary = "mapping", true
		recovered := blockwise.Transform(model.Result, in.Blocks(files.BlockSize))
		err = in.WriteRecovered(opt.out, model.Signals(), nil, recovered)
		if err != nil {
			err = fmt.Errorf("%s: %w", opt.in[0], err)
		}
	} else {
		if shape == nil {
			shape = in.Shape
		}
		err = opt.whole(cmd, model, in, shape)
	}
	if err != nil {
		return err
	}
	shown.Done()
	out := cmd.OutOrStdout()
	if !opt.images() {
		files.NoteAside(out, &in.About, opt.out)
	}
	files.Wrote(out, opt.out)
	noteRate(out, opt.out, in.About.Rate, separateAgain)
	if !opt.inverse {
		noteRecovered(out, opt.out, model.Result)
	}
	return nil
}

// whole maps signals in memory, with positions of the given shape, and writes them.
func (opt *transformOptions) whole(
	cmd *cobra.Command, model *files.Model, in *files.Stream, shape []int,
) error {
	b, err := openBackend(cmd, opt.backend)
	if err != nil {
		return err
	}
	model.SetBackend(b)
	var mapped *mat.Dense
	var names []string
	if opt.inverse {
		mapped, err = inverted(cmd.OutOrStdout(), model.Result, in.About.Signals, shape)
		names = model.Channels
	} else {
		mapped, err = model.Transform(in.About.Signals, shape...)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", opt.in[0], err)
	}
	if opt.images() {
		return files.WriteImages(opt.out, mapped, shape)
	}
	return in.WriteRecovered(opt.out, mapped.RawMatrix().Rows, names, files.AtOnce(mapped))
}

// inverted returns the mixed signals of z, and prints how far from z they are mapped again, as
// RoundTrip, which would invert z once more.
func inverted(out io.Writer, r *sica.Result, z *mat.Dense, shape []int) (*mat.Dense, error) {
	mapped, err := r.InverseTransform(z, shape...)
	if err != nil {
		return nil, err
	}
	again, err := r.Transform(mapped, shape...)
	if err != nil {
		return nil, err
	}
	again.Sub(again, z)
	fmt.Fprintf(out, "mapped forward again, the largest difference is %.1e\n", signal.MaxAbs(again))
	return mapped, nil
}
