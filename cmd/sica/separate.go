package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/klflow"
)

type separateOptions struct {
	fitOptions
	reading   files.Reading
	fitting   files.Fitting
	in, truth []string
	out, json string

	checkpoint, save string
	resume           bool
	details, quick   bool
	learnOn          files.LearnOn
	like             string // folder of an earlier separation

	// Set by run.
	began     time.Time    // when the command began
	rereading []string     // flags that read the files of --in in the same way
	earlier   *sica.Result // result in the folder like; nil without --like
}

func newSeparate() *cobra.Command {
	var opt separateOptions
	cmd := &cobra.Command{
		Use:   "separate --in mixed.csv --out recovered.csv",
		Short: "Recover the sources of mixed signals",
		Long: `Separate reads mixed signals, recovers their sources up to order, sign and
scale, and writes them.

It prints a row for each recovered signal, in the order of the file: its share of
the mixed signals' variance, which goes if it is removed, the channel that loses
most then, what it looks like (of a recording with a rate), and its grade:
identified, with its expected error, 1 − |correlation| with its source, if the model
holds; repeats, if each half of the recording alone gives it, too, alone or together
with others; or doubtful. Below the table stands what was done, how sure that is,
and which positions are outliers, such as clicks. Outliers are excluded from
learning, not from the recovered signals. Progress goes to standard error.

A recording may be of any length. From more than 131,072 positions it learns on a
part, which grows until more would improve little, and says how large that was unless
it is all of them. It recovers all positions. --learn-on sets the part. It can't be
combined with --truth. With that, for images, and for networks that see a signal's
surroundings, separate learns from all positions.

Bad parts can be excluded from learning. --without leaves out channels, which then
aren't recovered. --skip leaves out stretches of time; --highpass, --lowpass and
--notch remove drifts, fast noise and hum. The recovered signals have all positions,
and no filter. After --lowpass it learns from every k-th position only, the largest k
that leaves 2.5 times that frequency: at 250 Hz after --lowpass 30 from every third.
Use it where what matters is slow, such as blinks.
Stretches of 64 positions or more in which no channel changes are skipped, with a
note, and so are positions with values that --missing interpolate filled in,
except with --shape of an image.

--like orders the recovered signals, and gives them the signs, as an earlier
separation of the same channels that --save kept: another day's, or that of another
part. It prints how many match. Signals that the other doesn't have come last.

A flow (--method sica-fast, sica-wgf or sica-rf, or --iterations) prints a line for
each iteration and why it stopped. With --resume or --checkpoint its state is kept
after every iteration: if the command is killed, the same command continues, to the
same result. Interrupted after an iteration has ended, the command writes the result
so far, while it separates the halves the finished one, while it recovers all of a
long recording the fit, else nothing, and exits with 130. If numbers stop being
finite, it writes the last good result and exits with 3.

` + presetHelp(),
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opt.run(cmd) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the mixed signals (required)")
	f.StringVar(&opt.out, "out", "",
		"`FILE` for the recovered signals: .csv, .npy, .wav, .edf or .bdf; of images also a folder "+
			"that ends in / (required)")
	opt.add(cmd)
	f.StringArrayVar(&opt.truth, "truth", nil,
		"`FILE` of the true sources, to print the MCC; the separation doesn't see it")
	f.BoolVar(&opt.resume, "resume", false,
		"keep the state in the folder OUT.checkpoint, or --checkpoint's if both are given, and go on "+
			"from what is there")
	f.StringVar(&opt.checkpoint, "checkpoint", "",
		"keep the state in `DIR`, and go on from what is there")
	f.StringVar(&opt.save, "save", "", "new folder `DIR` for the whole result, for sica transform")
	f.StringVar(&opt.json, "json", "", "`FILE` for a report of the separation")
	f.StringVar(&opt.like, "like", "",
		"folder `DIR` of an earlier separation of the same channels, whose order and signs the "+
			"recovered signals get")
	f.BoolVar(&opt.quick, "quick", false,
		"don't separate each half of the recording alone, which says what repeats")
	f.BoolVar(&opt.details, "details", false,
		"print a row for every signal, and noise, changes with time and correlated signals")
	f.StringVar((*string)(&opt.learnOn), "learn-on", "",
		"learn from a `PART` of the positions, spread evenly: 60s, a number, 1/10 or all; chosen "+
			"by default")
	opt.reading.Add(cmd)
	opt.reading.AddWithout(cmd)
	opt.fitting.Add(cmd, "learn from")
	require(cmd, "in", "out")
	return cmd
}

// config returns the settings given by the flags, or a usage error. changed reports whether a flag
// was given.
func (opt *separateOptions) config(changed func(flag string) bool) (sica.Config, error) {
	cfg, err := opt.fitOptions.config(changed)
	if err != nil {
		return cfg, err
	}
	if !opt.images() {
		if files.IsFolder(opt.out) && !datasets.IsWritable(opt.out) {
			return cfg, usage.Errorf("--out %s: a folder is for images, and %s is none: convert it, "+
				"use --shape 32x32 if its columns are images, or a file such as out.csv", opt.out, opt.in[0])
		}
		if err := files.CheckSignalsName(opt.out); err != nil {
			return cfg, err
		}
	}
	if cfg.Checkpoint = opt.checkpoint; opt.resume && !changed("checkpoint") {
		cfg.Checkpoint = strings.TrimRight(opt.out, "/") + ".checkpoint"
	}
	var images []string
	if opt.images() {
		images = files.ImagePaths(opt.out, len(opt.in))
	}
	read := append(files.Each("--in", opt.in), files.Each("--truth", opt.truth)...)
	return cfg, files.CheckPlaces(read,
		files.Places("--save", opt.save, "--checkpoint", cfg.Checkpoint, "--like", opt.like),
		files.Places("--out", opt.out, "--json", opt.json), images...)
}

func (opt *separateOptions) run(cmd *cobra.Command) error {
	opt.began, opt.rereading = time.Now(), readingFlags(cmd)
	cfg, err := opt.config(cmd.Flags().Changed)
	if err != nil {
		return err
	}
	if err := opt.learnOn.Check(); err != nil {
		return err
	}
	if opt.like != "" {
		if opt.earlier, err = sica.Load(opt.like); err != nil {
			return fmt.Errorf("--like: %w", err)
		}
	}
	opt.reading.Shape = cfg.Shape
	sequence := !datasets.IsImage(opt.in[0]) && len(cfg.Shape) < 2
	if err := opt.fitting.Check(sequence); err != nil {
		return err
	}
	isFree := cfg.Flow != nil && cfg.Flow.Family == klflow.Free
	opt.fitting.LeaveOutGaps = sequence && !isFree
	opt.fitting.Thin = !isFree
	if len(opt.fitting.Skip) > 0 && isFree {
		return usage.Errorf("--skip: %s: leave --skip out", opt.seesAll())
	}
	parts := progress.NewQuiet(cmd.ErrOrStderr())
	defer parts.Done()
	in, err := opt.open(cmd.Context(), &cfg, parts.Part)
	if err != nil {
		return oneLeft(err, in)
	}
	return opt.separate(cmd, cfg, in, parts)
}

// oneLeft adds to an error of a recording why it has only one signal.
func oneLeft(err error, in *mixture) error {
	if in == nil || len(in.About.Aside)+len(in.About.OtherRates) == 0 {
		return err
	}
	if d, _ := in.Dims(); d > 1 {
		return err
	}
	return fmt.Errorf("%w; %s", err, strings.Join(in.About.Notes, "; "))
}

// separate separates the recording and writes the result. A fit that was cut short has a result,
// too, which is written before the error is returned.
func (opt *separateOptions) separate(
	cmd *cobra.Command, cfg sica.Config, in *mixture, parts *progress.Progress,
) error {
	rep, err := opt.begin(cmd, cfg, in)
	if err != nil {
		return err
	}
	res, fitErr := opt.fit(cmd, cfg, in, parts, rep)
	if fitErr != nil && (!in.isWhole || res == nil || res.Iterations == 0) {
		return fmt.Errorf("%s: %w; nothing was written", opt.in[0], fitErr)
	}
	out := cmd.OutOrStdout()
	if res, err = opt.orderLike(out, res, rep); err != nil {
		return err
	}
	res.Channels = in.About.Names
	all, err := describe(res, in)
	if err != nil {
		return err
	}
	z, err := opt.writeRecovered(in, cfg.Shape, res)
	if err != nil && !in.isWhole {
		rep.describe(all)
		return opt.keepFit(in, res, rep, err)
	}
	if err != nil {
		return err
	}
	all.grade(cmd.Context(), parts, opt.quick) // after writing, since it takes long and may fail
	rep.describe(all)
	parts.Done()
	if err := opt.printSummary(out, res, in, all); err != nil {
		return err
	}
	if in.truth != nil {
		if err := in.printScore(out, z, res.Outliers, rep); err != nil {
			return err
		}
	}
	if err := opt.write(out, in, res, rep); err != nil {
		return err
	}
	if fitErr != nil {
		return opt.cutShort(cfg, res, fitErr)
	}
	if err := removeCheckpoint(cfg); err != nil {
		return err
	}
	if errors.Is(all.unmeasured, context.Canceled) {
		return fmt.Errorf("%w while each half was separated; %s holds the result", context.Canceled,
			opt.out)
	}
	return nil
}

// begin opens the backend, prints what is about to be separated, with notes, and returns the
// command's report.
func (opt *separateOptions) begin(
	cmd *cobra.Command, cfg sica.Config, in *mixture,
) (*separation, error) {
	mixed, err := score(in.About.Signals, in.truth)
	if err != nil {
		return nil, fmt.Errorf("%s against %s: %w", opt.in[0], opt.truth[0], err)
	}
	b, err := opt.openBackend(cmd)
	if err != nil {
		return nil, err
	}
	out, name := cmd.OutOrStdout(), backend.NameOf(b)
	d, n := in.Dims()
	fmt.Fprintf(out, "%d signals, %d positions", d, n)
	if rate := in.About.Rate; rate > 0 {
		fmt.Fprintf(out, " at %.6g Hz (%.4g s)", rate, float64(n)/rate)
	}
	fmt.Fprintf(out, ", seed %d, backend %s\n", cfg.Seed, name)
	files.Note(out, opt.notes...)
	if cfg.Checkpoint != "" && cfg.Flow == nil {
		files.Note(out, "--resume and --checkpoint keep the iterations of a flow, and this "+
			"fit makes none: if it is interrupted it begins again")
	}
	files.Note(out, in.About.Notes...)
	if in.truth != nil && asManySignals(in.About.Signals, in.truth) {
		fmt.Fprintf(out, "mixed: MCC %.4f\n", mixed.MCC)
	}
	return &separation{
		Input: opt.in, Signals: d, Positions: n, Notes: in.About.Notes,
		Method: opt.method, Preset: opt.preset, Backend: name, computeBackend: b,
		MixedMCC: finite(mixed.MCC),
	}, nil
}

// fit separates the signals to learn from, and reports the iterations. Outliers are positions of
// the recording.
func (opt *separateOptions) fit(
	cmd *cobra.Command, cfg sica.Config, in *mixture, parts *progress.Progress, rep *separation,
) (*sica.Result, error) {
	in.Doing = "reading a part"
	learning := ""
	if !in.isWhole {
		learning = "learning: "
	}
	cfg.OnProgress = func(_ int, doing string, done float64) { parts.Part(learning+doing, done) }
	iterations := progress.NewIterations(cmd.OutOrStdout(), cmd.ErrOrStderr(), cfg.Iterations())
	defer iterations.Done()
	cfg = cfg.Watch(func(_ int, it klflow.Iteration) {
		m, err := score(it.Z, in.truth)
		if err != nil || in.learned != in.About.Signals { // the truth has the positions of all signals
			m.MCC = math.NaN()
		}
		iterations.Iteration(it, m.MCC)
		rep.add(it, m.MCC)
	}).On(rep.computeBackend)
	if _, isSubset := in.fitted.Source.(blockwise.Subset); in.isWhole && !isSubset {
		return sica.Fit(cmd.Context(), in.learned, cfg)
	}
	return blockwise.Fit(cmd.Context(), in.fitted.Source, cfg, in.n)
}

// cutShort returns the error of a fit that ended with err after an iteration, and whose result is
// written.
func (opt *separateOptions) cutShort(cfg sica.Config, res *sica.Result, err error) error {
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s holds iterate %d: %w", opt.out, res.Best, err)
	}
	next := "--resume keeps the state of a fit, to go on later"
	if cfg.Checkpoint != "" {
		next = "run the same command to go on"
	}
	return fmt.Errorf("%w after iteration %d; %s holds iterate %d; %s", err, res.Iterations, opt.out,
		res.Best, next)
}
