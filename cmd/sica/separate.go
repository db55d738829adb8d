package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/report"
)

type separateOptions struct {
	fitOptions
	reading   files.Reading
	fitting   files.Fitting
	in, truth []string
	out, json string
	began     time.Time // when the command did
	rereading []string  // the flags for --in

	checkpoint, save string
	resume           bool
	details, quick   bool
	learnOn          files.LearnOn

	like    string       // the folder of an earlier separation
	earlier *sica.Result // that separation; nil without one
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
so far, while it separates the halves the finished one, else nothing, and exits with
130. If numbers stop being finite, it writes the last good result and exits with 3.

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

// config returns the settings that the flags stand for, or a usage error. Changed reports
// whether a flag was given.
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
	written := files.Places("--out", opt.out, "--json", opt.json)
	folders := files.Places("--save", opt.save, "--checkpoint", cfg.Checkpoint, "--like", opt.like)
	if err := files.CheckApart(append(folders, written...)...); err != nil {
		return cfg, err
	}
	if opt.images() {
		for _, path := range files.ImagePaths(opt.out, len(opt.in)) {
			written = append(written, files.Place{Flag: "--out", Path: path})
		}
	}
	if err := files.CheckNotInput("--in", opt.in, written...); err != nil {
		return cfg, err
	}
	return cfg, files.CheckNotInput("--truth", opt.truth, written...)
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
	if err := opt.fitting.CheckSequence(sequence); err != nil {
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
		return err
	}
	return opt.separate(cmd, cfg, in, parts)
}

// checkLike returns an error unless d channels of these names are those of --like, if it was given.
func (opt *separateOptions) checkLike(d int, names []string) error {
	if opt.earlier == nil {
		return nil
	}
	if err := opt.earlier.CheckChannels(d, names); err != nil {
		return fmt.Errorf("%s: --like %s: %w", opt.in[0], opt.like, err)
	}
	return nil
}

// orderLike returns the result with its signals ordered as those of --like, if it was given, and
// says how well they match.
func (opt *separateOptions) orderLike(
	out io.Writer, res *sica.Result, rep *separation,
) (*sica.Result, error) {
	if opt.earlier == nil {
		return res, nil
	}
	ordered, correlations, err := res.OrderedLike(opt.earlier)
	if err != nil {
		return nil, fmt.Errorf("%s: --like %s: %w; nothing was written", opt.in[0], opt.like, err)
	}
	alike := 0
	for _, c := range correlations {
		if c >= minAlike {
			alike++
		}
	}
	fmt.Fprintf(out, "ordered like %s: %d of %d signals match at %g or more\n", opt.like, alike,
		len(correlations), minAlike)
	rep.Like = correlations
	return ordered, nil
}

// minAlike is the correlation from which a signal is counted as one of --like: that from which
// signals repeat.
const minAlike = 0.95

// A mixture is the recording that is separated.
type mixture struct {
	*files.Stream
	truth   *mat.Dense    // the sources, nil if they weren't given
	fitted  *files.Fitted // what is learned from: the recording, or what is left of it
	learned *mat.Dense    // the signals of fitted, d×n; nil if only a part of it is learned from
	n       int           // positions to learn from; 0 for a choice by blockwise.Fit
}

// separate separates the recording and writes the result.
func (opt *separateOptions) separate(
	cmd *cobra.Command, cfg sica.Config, in *mixture, parts *progress.Progress,
) error {
	mixed, err := score(in.About.Signals, in.truth)
	if err != nil {
		return fmt.Errorf("%s against %s: %w", opt.in[0], opt.truth[0], err)
	}
	b, err := opt.openBackend(cmd)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	rep := opt.begin(out, b, cfg, in)
	if in.truth != nil && asManySignals(in.About.Signals, in.truth) {
		fmt.Fprintf(out, "mixed: MCC %.4f\n", mixed.MCC)
	}
	rep.MixedMCC = finite(mixed.MCC)
	res, fitErr := opt.fit(cmd, b, cfg, in, parts, rep)
	if fitErr != nil && (in.learned == nil || res == nil || res.Iterations == 0) {
		return fmt.Errorf("%s: %w; nothing was written", opt.in[0], fitErr)
	}

	if res, err = opt.orderLike(out, res, rep); err != nil {
		return err
	}
	// A fit that was cut short has a result, which is written before its error is returned.
	all, err := describe(res, in)
	if err != nil {
		return err
	}
	z, err := opt.writeRecovered(in, cfg.Shape, res)
	if err != nil {
		return err
	}
	all.grade(cmd.Context(), parts, opt.quick) // after writing, since it takes long and may fail
	rep.Grades = all.grades
	for _, c := range all.components {
		rep.Labels = append(rep.Labels, c.Label)
	}
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

// open opens the recording, and checks that it can be separated by the settings. It sets their
// Rounding, and the shape if there is none.
func (opt *separateOptions) open(
	ctx context.Context, cfg *sica.Config, report func(string, float64),
) (*mixture, error) {
	in := new(mixture)
	var err error
	if in.Stream, err = opt.openLong(ctx, *cfg, report); err != nil {
		return nil, err
	}
	isWhole := in.Stream == nil
	if isWhole {
		if err := opt.readWhole(ctx, in, cfg, report); err != nil {
			return nil, err
		}
	}
	d, total := in.Dims()
	if err := opt.checkLike(d, in.About.Names); err != nil {
		return nil, err
	}
	if err := opt.reading.CheckShape(opt.in[0], total, cfg.Shape); err != nil {
		return nil, err
	}
	if len(cfg.Shape) < 2 {
		in.About.Notes = append(in.About.Notes, opt.reading.LooksTransposed(opt.in[0], d, total)...)
	}
	if err := opt.learnFrom(ctx, in, isWhole); err != nil {
		return nil, err
	}
	if isWhole && !opt.fitting.LeaveOutGaps && in.About.Interpolated != nil {
		in.About.Notes = append(in.About.Notes, interpolatedNote(cfg.Shape))
	}
	_, left := in.fitted.Source.Dims()
	n := cmp.Or(in.n, left)
	cfg.Rounding = in.fitted.Rounding
	cfg.Shape = files.SequenceShape(&in.About, cfg.Shape, n)
	if err := checkComponents(cfg.Components, d, opt.in[0]); err != nil {
		return nil, err
	}
	isAsked := !isWhole && opt.learnOn != files.LearnOnDefault
	if err := cfg.Validate(d, n); isAsked && errors.Is(err, sica.ErrSignals) {
		return nil, usage.Errorf("--learn-on %s: %w", opt.learnOn, err)
	}
	return in, validate(*cfg, d, n, total, opt.in[0])
}

// learnFrom sets what of the recording is learned from, with notes: the recording itself or what is
// left of it, all of that or a part.
func (opt *separateOptions) learnFrom(ctx context.Context, in *mixture, isWhole bool) error {
	recording := blockwise.Source(in.Stream)
	if isWhole {
		recording = in.Stream.Source
	}
	fitted, err := opt.fitting.Apply(ctx, recording, &in.About)
	if err != nil {
		return err
	}
	in.fitted = fitted
	in.About.Notes = append(in.About.Notes, fitted.Notes...)
	if fitted.Source != recording {
		note := "what is filtered or left out is so for learning only: the recovered signals have all " +
			"positions"
		if !opt.fitting.Filter.IsZero() {
			note += ", and no filter"
		}
		in.About.Notes = append(in.About.Notes, note)
	}
	_, left := fitted.Source.Dims()
	if !isWhole {
		in.n, err = opt.learnOn.Positions(left, in.About.Rate)
		return err
	}
	in.n, in.learned = left, in.About.Signals
	if fitted.Source != recording {
		in.learned, err = blockwise.Part(ctx, fitted.Source, left)
	}
	return err
}

// fit separates what is learned from, and reports the iterations. Outliers are positions of the
// recording.
func (opt *separateOptions) fit(
	cmd *cobra.Command, b compute.Backend, cfg sica.Config, in *mixture, parts *progress.Progress,
	rep *separation,
) (*sica.Result, error) {
	in.Doing = "reading a part"
	learning := ""
	if in.learned == nil {
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
	}).On(b)
	if _, isSubset := in.fitted.Source.(blockwise.Subset); in.learned != nil && !isSubset {
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

// writeRecovered writes the recovered signals at all positions of a recording, and returns them if
// they are in memory.
func (opt *separateOptions) writeRecovered(
	in *mixture, shape []int, res *sica.Result,
) (z *mat.Dense, err error) {
	res.Channels = in.About.Names
	d, _ := res.Z.Dims()
	if in.learned == nil {
		in.Doing = "recovering all"
		recovered := blockwise.Transform(res, in.Blocks(files.BlockSize))
		if err := in.WriteRecovered(opt.out, d, nil, recovered); err != nil {
			return nil, fmt.Errorf("%s: %w", opt.in[0], err)
		}
		return nil, nil
	}
	z = res.Z
	if in.learned != in.About.Signals {
		if z, err = res.Transform(in.About.Signals); err != nil {
			return nil, fmt.Errorf("%s: %w", opt.in[0], err)
		}
	}
	if opt.images() {
		return z, files.WriteImages(opt.out, z, shape)
	}
	return z, in.WriteRecovered(opt.out, d, nil, files.AtOnce(z))
}

// interpolatedNote returns the note where interpolated values can't be left out of learning. Only a
// sequence can drop positions.
func interpolatedNote(shape []int) string {
	note := "interpolated values were learned from, which can spoil a separation"
	if len(shape) < 2 {
		note += ": --missing drop leaves them out"
	}
	return note
}

// printScore prints and reports how well the recovered signals z agree with the truth, at the
// positions that are neither outliers nor interpolated.
func (in *mixture) printScore(
	out io.Writer, z *mat.Dense, outliers []int, rep *separation,
) error {
	truth, of := in.truth, ""
	leftOut := slices.Clone(outliers)
	for _, s := range in.About.Interpolated {
		for t := s.Begin; t < s.End; t++ {
			leftOut = append(leftOut, t)
		}
	}
	_, n := z.Dims()
	if kept := without(grid.Range(n), leftOut); len(kept) < n {
		z, truth = columns(z, kept), columns(truth, kept)
		of = fmt.Sprintf(" at %d of %d positions, without outliers and interpolated values", len(kept), n)
	}
	if !asManySignals(z, truth) {
		fmt.Fprint(out, "recovered: ")
		return printBest(out, bestMatches(z, truth), nil, false)
	}
	m, err := score(z, truth)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "recovered: MCC %.4f%s\n", m.MCC, of)
	rep.Match = newMatchReport(m)
	return nil
}

// without returns the indices of the positions that aren't in leftOut.
func without(positions, leftOut []int) (kept []int) {
	isLeftOut := make(map[int]bool, len(leftOut))
	for _, t := range leftOut {
		isLeftOut[t] = true
	}
	for k, t := range positions {
		if !isLeftOut[t] {
			kept = append(kept, k)
		}
	}
	return kept
}

// columns returns the columns of x at some places.
func columns(x *mat.Dense, places []int) *mat.Dense {
	d, _ := x.Dims()
	some := mat.NewDense(d, len(places), nil)
	for i := range d {
		row := x.RawRowView(i)
		for k, t := range places {
			some.Set(i, k, row[t])
		}
	}
	return some
}

// seesAll says why a method of the family klflow.Free can't learn from a part of a recording.
func (opt *separateOptions) seesAll() string {
	return "--method " + opt.method + " learns from all positions, as its networks see the whole " +
		"sequence"
}

// noPart says why the recording can't be learned from in part, and returns "" if it can.
func (opt *separateOptions) noPart(cfg sica.Config) string {
	switch {
	case datasets.IsImage(opt.in[0]) || len(cfg.Shape) > 1:
		return "images and videos are separated as a whole"
	case cfg.Flow != nil && cfg.Flow.Family == klflow.Free:
		return opt.seesAll() + ": leave --learn-on out"
	case len(opt.truth) > 0:
		return "--truth is compared with all positions at once: leave it out, and use sica score"
	}
	return ""
}

// openLong returns the recording if only a part of it is learned from, and nil if all is. By
// default that is a recording of more than blockwise.AlwaysLearned positions.
func (opt *separateOptions) openLong(
	ctx context.Context, cfg sica.Config, report func(string, float64),
) (*files.Stream, error) {
	asked := opt.learnOn != files.LearnOnDefault
	obstacle := opt.noPart(cfg)
	switch {
	case opt.learnOn == files.LearnOnAll || !asked && (obstacle != "" || !mayBeLong(opt.in)):
		return nil, nil
	case obstacle != "":
		return nil, usage.Errorf("--learn-on %s: %s", opt.learnOn, obstacle)
	}
	in, err := opt.reading.Open(ctx, opt.in, report)
	if err != nil {
		return nil, err
	}
	if _, total := in.Dims(); !asked && total <= blockwise.AlwaysLearned {
		return nil, nil
	}
	return in, nil
}

// mayBeLong reports whether a file is large enough for more than blockwise.AlwaysLearned positions.
// A position takes at least a byte.
func mayBeLong(paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && info.Size() >= blockwise.AlwaysLearned && files.IsStreamable(path)
	})
}

// readWhole reads the recording of the mixed signals, whose shape replaces one that isn't set, and
// the truth if it was given.
func (opt *separateOptions) readWhole(
	ctx context.Context, in *mixture, cfg *sica.Config, report func(string, float64),
) (err error) {
	if in.Stream, err = opt.reading.Whole(ctx, opt.in, report); err != nil {
		return err
	}
	if cfg.Shape == nil || in.About.Shape != nil {
		cfg.Shape = in.Shape
	}
	if len(opt.truth) > 0 {
		reading := opt.reading
		reading.Without, reading.Variable = nil, ""
		s, _, err := reading.Recording(opt.truth)
		if err != nil {
			return err
		}
		if err := checkSizes(opt.truth[0], s, opt.in[0], &in.About); err != nil {
			if asManyPositions(s.Signals, in.About.Signals) {
				err = fmt.Errorf("%w: leave --truth out, and use sica score", err)
			}
			return err
		}
		in.truth = s.Signals
	}
	return files.CheckVaries(opt.in[0], &in.About)
}

// images reports whether the recovered signals are written as images into a folder.
func (opt *separateOptions) images() bool {
	return files.WritesImages(opt.in[0], opt.shape, opt.out)
}

// openBackend returns the backend once all files are known to be writable.
func (opt *separateOptions) openBackend(cmd *cobra.Command) (compute.Backend, error) {
	if _, err := os.Lstat(opt.save); err == nil { // without --save, "" doesn't exist
		return nil, fmt.Errorf("--save %s: must be a new folder, and is there already: "+
			"delete it, or choose a new name", opt.save)
	}
	out := opt.out
	if opt.images() {
		out = ""
	}
	if err := files.CheckWritable(out, opt.json, opt.save); err != nil {
		return nil, err
	}
	return openBackend(cmd, opt.backend, backend.Lazily) // most mixtures need no network
}

// write says that the signals were written and writes, with the flags for them, the result and the
// report.
func (opt *separateOptions) write(
	out io.Writer, in *mixture, res *sica.Result, rep *separation,
) error {
	if !opt.images() {
		files.NoteAside(out, &in.About, opt.out)
	}
	files.Wrote(out, opt.out)
	noteRate(out, opt.out, in.About.Rate, "use --rate")
	noteRecovered(out, opt.out, res)
	if opt.save != "" {
		if err := res.Save(opt.save); err != nil {
			return err
		}
		var without []string
		if res.Channels == nil {
			without = opt.reading.Without
		}
		if err := opt.keep(in, rep, without); err != nil {
			return err
		}
		fmt.Fprintln(out, "wrote", opt.save)
	}
	if opt.json != "" {
		rep.finish(res)
		if in.learned != nil {
			rep.Clipped = opt.clipped(in, res)
		}
		if err := files.WriteJSON(opt.json, rep); err != nil {
			return err
		}
		fmt.Fprintln(out, "wrote", opt.json)
	}
	if res.Pointwise() == nil && opt.save != "" && len(opt.in) == 1 && len(res.Shape) < 2 {
		next := append([]string{"next: sica inspect --in", quoted(opt.in[0])}, opt.rereading...)
		fmt.Fprintln(out, strings.Join(next, " "), "--model", quoted(opt.save), "--html components.html")
	}
	return nil
}

// clipped returns the stretches in which a channel is clipped, before a filter.
func (opt *separateOptions) clipped(in *mixture, res *sica.Result) (stretches [][2]int) {
	clipped := in.fitted.Clipped
	if opt.fitting.Filter.IsZero() && len(res.Clipped) > 0 {
		clipped = in.clipped()
	}
	for _, s := range clipped.Stretches {
		stretches = append(stretches, [2]int{s.Begin, s.End})
	}
	return stretches
}

// keep writes into the folder of --save what the result lacks: how the recording was read, which
// channels were left out, and what is said of the signals.
func (opt *separateOptions) keep(in *mixture, rep *separation, without []string) error {
	err := opt.fitting.Keep(opt.save, rep.Positions, in.fitted.Skip, without, &opt.reading)
	if err == nil && rep.Labels != nil {
		err = files.WriteJSON(filepath.Join(opt.save, labelsFile), rep.Labels)
	}
	if err == nil && rep.Grades != nil {
		err = files.WriteJSON(filepath.Join(opt.save, gradesFile), rep.Grades)
	}
	return err
}

// removeCheckpoint removes the state of a fit whose result is written. Fit has made sure that
// the folder holds nothing else.
func removeCheckpoint(cfg sica.Config) error {
	if cfg.Checkpoint == "" {
		return nil
	}
	return os.RemoveAll(cfg.Checkpoint)
}

// score compares z with the truth. Without a truth, or one of as many positions and another number
// of signals, the MCC is NaN.
func score(z, truth *mat.Dense) (metric.Match, error) {
	if truth == nil || asManyPositions(z, truth) && !asManySignals(z, truth) {
		return metric.Match{MCC: math.NaN()}, nil
	}
	return metric.MCC(z, truth)
}

func asManySignals(a, b *mat.Dense) bool { return a.RawMatrix().Rows == b.RawMatrix().Rows }

func asManyPositions(a, b *mat.Dense) bool { return a.RawMatrix().Cols == b.RawMatrix().Cols }

// separation is what separate --json writes. A number that wasn't measured, or isn't finite, is
// null.
type separation struct {
	Input     []string `json:"input"`
	Signals   int      `json:"signals"`
	Positions int      `json:"positions"`
	LearnedOn int      `json:"learned_on"` // positions
	Method    string   `json:"method"`
	Preset    string   `json:"preset"`
	Backend   string   `json:"backend"`
	Device    string   `json:"device"` // or that nothing was computed on the backend

	Notes []string `json:"notes"` // what was unusual in the input
	// Clipped are the stretches of the recording in which a channel is clipped: the first position,
	// from 0, and the one after the last.
	Clipped [][2]int `json:"clipped_stretches,omitempty"`

	Iterations []iterationReport `json:"iterations"`
	Result     *sica.Result      `json:"result"` // all but its signals and maps
	// Grades and Labels are those of the recovered signals; null if there are none.
	Grades   []report.Graded `json:"grades"`
	Labels   []inspect.Label `json:"labels"`
	Demixing *demixing       `json:"demixing"`
	// Like are the |correlations| of the recovered signals with their matches in --like.
	Like []float64 `json:"like,omitempty"`

	// The comparison with the truth, null if that wasn't given.
	MixedMCC *float64     `json:"mixed_mcc"`
	Match    *matchReport `json:"match"`

	computeBackend compute.Backend // whose name and device finish adds
}

// demixing is a linear separation and the patterns by which signals are removed one at a time.
type demixing struct {
	linear   *ica.Demixing
	patterns *mat.Dense
}

// MarshalJSON returns what sica.Demixing returns, and the rows of the patterns.
func (d demixing) MarshalJSON() ([]byte, error) {
	object, err := json.Marshal(d.linear)
	if err != nil {
		return nil, err
	}
	patterns, err := json.Marshal(signal.RowsOf(d.patterns))
	if err != nil {
		return nil, err
	}
	object = append(bytes.TrimSuffix(object, []byte("}")), `,"patterns":`...)
	return append(append(object, patterns...), '}'), nil
}

// newDemixing returns the demixing of a result, nil for a nonlinear one.
func newDemixing(res *sica.Result) *demixing {
	d, err := res.Demixing()
	if err != nil {
		return nil
	}
	patterns, err := res.Patterns()
	if err != nil {
		return nil
	}
	return &demixing{linear: d, patterns: patterns}
}

type iterationReport struct {
	J          int      `json:"j"`
	Loss       *float64 `json:"loss"`
	Divergence *float64 `json:"divergence"`
	Step       *float64 `json:"step"`
	MCC        *float64 `json:"mcc"`
	Seconds    float64  `json:"seconds"`
}

// begin prints what is about to be separated, with the notes, and returns its report.
func (opt *separateOptions) begin(
	out io.Writer, b compute.Backend, cfg sica.Config, in *mixture,
) *separation {
	name := backend.NameOf(b)
	d, n := in.Dims()
	fmt.Fprintf(out, "%d signals, %d positions", d, n)
	if rate := in.About.Rate; rate > 0 {
		fmt.Fprintf(out, " at %.6g Hz (%.4g s)", rate, float64(n)/rate)
	}
	fmt.Fprintf(out, ", seed %d, backend %s\n", cfg.Seed, name)
	files.Note(out, opt.notes)
	if cfg.Checkpoint != "" && cfg.Flow == nil {
		files.Note(out, []string{"--resume and --checkpoint keep the iterations of a flow, and this " +
			"fit makes none: if it is interrupted it begins again"})
	}
	files.Note(out, in.About.Notes)
	return &separation{
		Input: opt.in, Signals: d, Positions: n, Notes: in.About.Notes,
		Method: opt.method, Preset: opt.preset, Backend: name, computeBackend: b,
	}
}

// finite returns v, or nil if JSON has no such number.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// add appends an iteration; mcc is NaN if the truth isn't known.
func (r *separation) add(it klflow.Iteration, mcc float64) {
	r.Iterations = append(r.Iterations, iterationReport{
		J:          it.J,
		Loss:       finite(it.Loss),
		Divergence: finite(it.Divergence),
		Step:       finite(it.Step),
		MCC:        finite(mcc),
		Seconds:    it.Elapsed.Seconds(),
	})
}

// finish adds the result, and what it knows of iterations that an earlier process made. The backend
// may have been opened since begin.
func (r *separation) finish(res *sica.Result) {
	r.Backend, r.Device = backend.NameOf(r.computeBackend), r.computeBackend.Description()
	r.Result, r.Demixing = res, newDemixing(res)
	_, r.LearnedOn = res.Z.Dims()
	earlier := []iterationReport{} // [] in JSON, not null
	for k := range res.Iterations - len(r.Iterations) {
		earlier = append(earlier, iterationReport{
			J: k + 1, Loss: finite(res.Loss[k]), Divergence: finite(res.Divergence[k]),
		})
	}
	r.Iterations = append(earlier, r.Iterations...)
}
