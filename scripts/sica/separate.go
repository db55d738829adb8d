package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

type separateOptions struct {
	fitOptions
	in, truth []string
	out, json string

	checkpoint, save string
	resume           bool
	learnOn          learnOn
}

func newSeparate() *cobra.Command {
	var opt separateOptions
	cmd := &cobra.Command{
		Use:   "separate --in mixed.csv --out recovered.csv",
		Short: "Recover the sources of mixed signals",
		Long: `Separate reads mixed signals, recovers their sources up to order, sign and
scale, and writes them. It says what was taken and why, and what was left out of it,
such as clicks; the recovered signals have these, too. A flow (--method sica-fast,
sica-wgf or sica-rf, or --iterations) prints a line for each iteration and why it
stopped. Interrupted while it iterates, the command writes the best result so far,
and before that nothing, and exits with 130; if numbers stop being finite, it
writes the last good one and exits with 3.

Of a recording of more than 65,536 positions it learns from as many as the error
that the linear rule expects calls for, and says how many and what more would be
worth; --learn-on asks for others. All positions are then recovered, in blocks, so
that a recording may be of any length. With --truth, of images, and by networks
that see the signals' surroundings, all positions are learned from.

With --resume or --checkpoint, the state of a flow is kept after every iteration. If
the command is interrupted or killed, the same command goes on from there, to the
result that it would have had. The folder is removed once the result is written.
What comes before the first iteration, which is all that the default does, is made
again.

` + formats + `

` + presetHelp(),
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := require(cmd, "in", "out"); err != nil {
				return err
			}
			cfg, err := opt.config(cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return opt.run(cmd, cfg)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the mixed signals (required)")
	f.StringVar(&opt.out, "out", "", "`FILE` for the recovered signals: .csv, .npy or .wav (required)")
	opt.addTo(cmd)
	f.StringArrayVar(&opt.truth, "truth", nil, "`FILE` of the true sources, to print the MCC; the separation doesn't see it")
	f.BoolVar(&opt.resume, "resume", false, "keep the state in the folder OUT.checkpoint, and go on from what is there")
	f.StringVar(&opt.checkpoint, "checkpoint", "", "keep the state in `DIR`, and go on from what is there")
	f.StringVar(&opt.save, "save", "", "new folder `DIR` for the whole result, for sica transform")
	f.StringVar(&opt.json, "json", "", "`FILE` for a report of the separation")
	f.StringVar((*string)(&opt.learnOn), "learn-on", "", "learn from a `PART` of the positions, spread evenly: 60s, a number, 1/10 or all; chosen by default")
	return cmd
}

// config returns the settings that the flags stand for, or a usage error.
func (opt *separateOptions) config(given func(flag string) bool) (sica.Config, error) {
	cfg, err := opt.fitOptions.config(given)
	if err != nil {
		return cfg, err
	}
	if err := checkOut(opt.out); err != nil {
		return cfg, err
	}
	if cfg.Checkpoint = opt.checkpoint; opt.resume && !given("checkpoint") {
		cfg.Checkpoint = opt.out + ".checkpoint"
	}
	files := []place{{"--out", opt.out}, {"--json", opt.json}}
	if err := checkApart(append(files, place{"--save", opt.save}, place{"--checkpoint", cfg.Checkpoint})...); err != nil {
		return sica.Config{}, err
	}
	if err := checkNotRead("--in", opt.in, files...); err != nil {
		return sica.Config{}, err
	}
	if err := checkNotRead("--truth", opt.truth, files...); err != nil {
		return cfg, err
	}
	return cfg, nil
}

// checkOut returns a usage error unless signals can be written to a file of that
// name.
func checkOut(path string) error {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".csv" && ext != ".npy" && ext != ".wav" {
		return usagef("--out %s: use a name that ends in .csv, .npy or .wav", path)
	}
	return nil
}

func (opt *separateOptions) run(cmd *cobra.Command, cfg sica.Config) error {
	telling := newLateParts(cmd.ErrOrStderr())
	defer telling.done()
	long, n, err := opt.long(cmd, cfg, telling.part)
	if err != nil {
		return err
	}
	if long != nil {
		return opt.runLong(cmd, cfg, long, n, telling)
	}
	in, truth, shape, err := opt.read()
	if err != nil {
		return err
	}
	x := in.Signals
	if err := checkVaries(opt.in[0], in); err != nil {
		return err
	}
	if cfg.Shape == nil {
		cfg.Shape = shape
	}
	d, t := x.Dims()
	if err := cfg.Validate(d, t); err != nil {
		return fmt.Errorf("%s: %w", opt.in[0], err)
	}
	mixed, err := score(x, truth)
	if err != nil {
		return fmt.Errorf("%s against %s: %w", opt.in[0], opt.truth[0], err)
	}
	b, err := opt.begin(cmd)
	if err != nil {
		return err
	}

	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%d signals, %d positions, seed %d, backend %s\n", d, t, cfg.Seed, backend.NameOf(b))
	noteClocks(out, x)
	if truth != nil {
		fmt.Fprintf(out, "mixed: MCC %.4f\n", mixed.MCC)
	}
	rep := opt.separation(cfg, b, d, t)
	rep.MixedMCC = finite(mixed.MCC)
	cfg.OnStart = func(_ int, doing string, done float64) { telling.part(doing, done) }
	progress := newProgress(out, cmd.ErrOrStderr(), cfg.Iterations)
	cfg.OnIteration = func(_ int, it sica.Iteration) {
		m, err := score(it.Z, truth)
		if err != nil {
			m.MCC = math.NaN()
		}
		progress.iteration(it, m.MCC)
		rep.add(it, m.MCC)
	}
	res, fitErr := sica.Fit(cmd.Context(), b, x, cfg)
	progress.done()
	telling.done()
	if fitErr != nil && (res == nil || res.Iterations == 0) {
		return fmt.Errorf("%s: %w; nothing was written", opt.in[0], fitErr)
	}

	// A fit that was cut short still has a result, which is written before
	// its error is returned.
	printWhy(out, res)
	res.Channels = in.Names
	if err := opt.write(out, in, res, truth, &rep); err != nil {
		return err
	}
	if fitErr != nil {
		return fmt.Errorf("cut short, %s holds iteration %d: %w", opt.out, res.Best, fitErr)
	}
	if cfg.Checkpoint != "" { // It has served; Fit has seen to it that it holds nothing else.
		return os.RemoveAll(cfg.Checkpoint)
	}
	return nil
}

// runLong separates a recording by what n of its positions tell, or as many as
// blockwise.Fit chooses if that is 0.
func (opt *separateOptions) runLong(cmd *cobra.Command, cfg sica.Config, in *stream, n int, telling *parts) error {
	b, err := opt.begin(cmd)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	d, t := in.Dims()
	fmt.Fprintf(out, "%d signals, %d positions, seed %d, backend %s\n", d, t, cfg.Seed, backend.NameOf(b))
	rep := opt.separation(cfg, b, d, t)
	cfg.OnStart = func(_ int, doing string, done float64) { telling.part("learning: "+doing, done) }
	progress := newProgress(out, cmd.ErrOrStderr(), cfg.Iterations)
	cfg.OnIteration = func(_ int, it sica.Iteration) {
		progress.iteration(it, math.NaN())
		rep.add(it, math.NaN())
	}
	in.doing = "reading a part"
	res, err := blockwise.Fit(cmd.Context(), b, in, cfg, n)
	progress.done()
	if err != nil {
		return fmt.Errorf("%s: %w; nothing was written", opt.in[0], err)
	}
	printWhy(out, res)
	res.Channels = in.about.Names
	in.doing = "recovering all"
	if err := in.write(opt.out, nil, blockwise.Transform(res, in.Blocks(block))); err != nil {
		return fmt.Errorf("%s: %w", opt.in[0], err)
	}
	telling.done()
	wrote(out, opt.out)
	_, rep.LearnedOn = res.Z.Dims()
	if err := opt.writeResult(out, res, metric.Match{MCC: math.NaN()}, &rep); err != nil {
		return err
	}
	if cfg.Checkpoint != "" {
		return os.RemoveAll(cfg.Checkpoint)
	}
	return nil
}

// begin returns the backend once it is sure that all can be written.
func (opt *separateOptions) begin(cmd *cobra.Command) (compute.Backend, error) {
	for _, path := range []string{opt.out, opt.json} {
		if path != "" {
			if err := checkWritable(path); err != nil {
				return nil, err
			}
		}
	}
	if err := opt.checkSave(); err != nil {
		return nil, err
	}
	return openBackend(cmd, opt.backend)
}

// separation is the report before the fit, of d signals at t positions.
func (opt *separateOptions) separation(cfg sica.Config, b compute.Backend, d, t int) separation {
	return separation{
		Input: opt.in, Signals: d, Positions: t, LearnedOn: t,
		Method: opt.method, Preset: opt.preset, Config: cfg, Seed: cfg.Seed,
		Backend: backend.NameOf(b), Device: b.Description(), Versions: provenance.Versions(),
		Iterations: []iterationReport{},
	}
}

// printWhy says how long the separation took, and why it is what it is.
func printWhy(out io.Writer, res *sica.Result) {
	if res.Stopped == sica.StoppedStart {
		fmt.Fprintf(out, "separated in %.1f s. %s\n", res.Elapsed.Seconds(), res.Why)
	} else {
		fmt.Fprintf(out, "stopped after %d iterations and %.1f s: %s\n", res.Iterations, res.Elapsed.Seconds(), res.Why)
	}
}

// checkSave returns an error unless --save, if it was given, can be a new folder.
func (opt *separateOptions) checkSave() error {
	if opt.save == "" {
		return nil
	}
	if _, err := os.Lstat(opt.save); err == nil {
		return fmt.Errorf("can't write the folder %s: it is there already", opt.save)
	}
	return checkWritable(opt.save)
}

// read returns the recording of the mixed signals, the truth, nil if it wasn't given, and the
// shape of the positions, nil unless the mixed signals are images.
func (opt *separateOptions) read() (in *datasets.Recording, truth *mat.Dense, shape []int, err error) {
	if in, shape, err = readRecording(opt.in); err != nil {
		return nil, nil, nil, err
	}
	if len(opt.truth) > 0 {
		if truth, _, err = readSignals(opt.truth); err != nil {
			return nil, nil, nil, err
		}
	}
	return in, truth, shape, nil
}

// write writes the recovered signals and, if it was asked for, the report.
func (opt *separateOptions) write(out io.Writer, in *datasets.Recording, res *sica.Result, truth *mat.Dense, rep *separation) error {
	m, err := score(res.Z, truth)
	if err != nil {
		return err
	}
	if truth != nil {
		fmt.Fprintf(out, "recovered: MCC %.4f\n", m.MCC)
	}
	if err := datasets.WriteRecording(opt.out, like(in, res.Z)); err != nil {
		return err
	}
	wrote(out, opt.out)
	return opt.writeResult(out, res, m, rep)
}

// wrote says that recovered signals were written to a file.
func wrote(out io.Writer, path string) {
	fmt.Fprintln(out, "wrote", path)
	if strings.ToLower(filepath.Ext(path)) == ".wav" {
		fmt.Fprintln(out, "its signals have variance 1; a player may cut what is beyond 1: scale them before you listen")
	}
}

// writeResult writes, if they were asked for, all of the result and the report.
func (opt *separateOptions) writeResult(out io.Writer, res *sica.Result, m metric.Match, rep *separation) error {
	if opt.save != "" {
		if err := res.Save(opt.save); err != nil {
			return err
		}
		fmt.Fprintln(out, "wrote", opt.save)
	}
	if opt.json == "" {
		return nil
	}
	rep.finish(res, m)
	if err := writeJSON(opt.json, rep); err != nil {
		return err
	}
	fmt.Fprintln(out, "wrote", opt.json)
	return nil
}

// score compares z with the truth. Without a truth the MCC is NaN.
func score(z, truth *mat.Dense) (metric.Match, error) {
	if truth == nil {
		return metric.Match{MCC: math.NaN()}, nil
	}
	return metric.MCC(z, truth)
}
