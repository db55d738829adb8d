package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/metric"
)

// compareAll are the methods of --methods all. Other methods must be named.
var compareAll = []string{"sica", "fastica", "lica", "pcl", "ivae", "zca", "gaussianise+zca"}

type compareOptions struct {
	reading   files.Reading
	in, truth []string
	learnOn   files.LearnOn
	methods   []string
	preset    string
	shape     string
	seed      uint64
	out       string
	json      bool
	backend   string
}

func newCompare() *cobra.Command {
	var opt compareOptions
	cmd := &cobra.Command{
		Use:   "compare --in mixed.csv",
		Short: "Separate mixed signals with several methods",
		Long: `Compare separates the same mixed signals with Default and with other methods, and
prints a table: the mean correlation coefficient (MCC) with the true sources
where they are given, the seconds, and whether its own stopping rule ended it.
Without --truth a second table says how well the others find each of Default's
signals. Agreement proves nothing, as Default considers the answers of FastICA
and SOBI, too; where they disagree a signal is doubtful.
With --out it writes what each method recovered as DIR/METHOD.csv, and all of it
side by side as DIR/compare.png. From more than 65,536 positions all methods take
the same part; --learn-on sets another. If a method fails, its row says why, and
the exit code is 1.

The methods are ` + methodNames(methods.All()) + `.
All stands for ` + strings.Join(compareAll, ", ") + `.
All others have to be named. The paper's two flows take minutes: sica separate --help
says how many.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opt.run(cmd) },
	}
	f := cmd.Flags()
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the mixed signals (required)")
	f.StringArrayVar(&opt.truth, "truth", nil,
		"`FILE` of the true sources, for the MCC; no method sees it")
	f.StringVar((*string)(&opt.learnOn), "learn-on", "", files.LearnOnUsage)
	f.StringSliceVar(&opt.methods, "methods", []string{"all"},
		"all, or `METHODS` with commas between them; sica is always one")
	f.StringVar(&opt.preset, "preset", string(methods.Default),
		"`PRESET` of each method that has it: default, paper or smoke")
	addShape(cmd, &opt.shape)
	addSeed(cmd, &opt.seed)
	f.StringVar(&opt.out, "out", "",
		"folder `DIR` for the recovered signals and the picture, made if need be")
	f.BoolVar(&opt.json, "json", false, "print JSON, in which signals count from 0")
	addBackend(cmd, &opt.backend)
	opt.reading.Add(cmd)
	opt.reading.AddWithout(cmd)
	require(cmd, "in")
	return cmd
}

// chosen returns the methods named by --methods, with Default first.
func (opt *compareOptions) chosen() ([]methods.Entry, error) {
	names := []string{"sica"}
	for _, name := range opt.methods {
		if name == "all" {
			names = append(names, compareAll...)
		} else {
			names = append(names, strings.ToLower(name)) // tables print "FastICA"
		}
	}
	if len(opt.methods) == 0 {
		return nil, usage.Errorf("--methods is empty: use all, or of %s",
			methodNames(methods.All()))
	}
	var all []methods.Entry
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		m, err := methods.Named(name)
		if err != nil {
			return nil, usage.Errorf("unknown method %q in --methods: use all, or of %s", name,
				methodNames(methods.All()))
		}
		all = append(all, m)
	}
	return all, nil
}

func (opt *compareOptions) run(cmd *cobra.Command) error {
	all, err := opt.chosen()
	if err != nil {
		return err
	}
	preset, err := parsePreset(opt.preset)
	if err != nil {
		return err
	}
	if err := checkBackend(opt.backend); err != nil {
		return err
	}
	if err := opt.checkNotInput(all); err != nil {
		return err
	}
	part, truth, err := opt.read(cmd)
	if err != nil {
		return err
	}
	if err := opt.makeFolder(); err != nil {
		return err
	}
	b, err := openBackend(cmd, opt.backend)
	if err != nil {
		return err
	}

	var rows []compared
	for _, m := range all {
		row, err := opt.separate(cmd.Context(), b, m, preset, part, truth)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	if truth == nil {
		addBest(rows)
	}
	out := cmd.OutOrStdout()
	if err := opt.print(out, rows, part, truth != nil); err != nil {
		return err
	}
	if opt.json {
		out = io.Discard // only JSON is printed
	}
	if err := opt.draw(out, rows, part, truth); err != nil {
		return err
	}
	failed := 0
	for _, r := range rows {
		if r.Error != "" {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d methods failed on %s", failed, len(rows), opt.in[0])
	}
	return nil
}

// makeFolder makes the folder of --out, if any, in which the picture can be written.
func (opt *compareOptions) makeFolder() error {
	if opt.out == "" {
		return nil
	}
	if err := files.MakeFolder(opt.out); err != nil {
		return err
	}
	return files.CheckWritable(opt.picture())
}

// file returns the path of the signals that a method recovered.
func (opt *compareOptions) file(m methods.Entry) string {
	return filepath.Join(opt.out, m.Name+".csv")
}

// picture returns the path of the picture of all recovered signals.
func (opt *compareOptions) picture() string { return filepath.Join(opt.out, "compare.png") }

// checkNotInput returns a usage error if an input would be overwritten, such as a mixed.csv in
// --out.
func (opt *compareOptions) checkNotInput(all []methods.Entry) error {
	if opt.out == "" {
		return nil
	}
	written := []string{opt.picture()}
	for _, m := range all {
		written = append(written, opt.file(m))
	}
	read := append(files.Each("--in", opt.in), files.Each("--truth", opt.truth)...)
	return files.CheckPlaces(read, nil, files.Each("--out", written))
}

// read returns the mixed signals and the truth, nil if not given, or the same part of both.
func (opt *compareOptions) read(cmd *cobra.Command) (part files.Part, truth *mat.Dense, err error) {
	var shape []int
	if opt.shape != "" {
		if shape, err = files.ParseShape(opt.shape); err != nil {
			return part, nil, err
		}
	}
	if part, err = readPart(cmd, opt.learnOn, &opt.reading, new(files.Fitting), opt.in, shape); err != nil {
		return part, nil, err
	}
	if _, err := ica.New(part.X, part.Shape...); err != nil {
		return part, nil, fmt.Errorf("%s: %w", opt.in[0], err)
	}
	d, n := part.X.Dims()
	cfg := sica.Default()
	cfg.Shape = part.Shape
	if err := validate(cfg, d, n, part.Total, opt.in[0]); err != nil {
		return part, nil, err
	}
	if len(opt.truth) > 0 {
		truth, err = opt.readTruth(cmd, part, shape)
	}
	return part, truth, err
}

// readTruth returns the true sources at the positions of a part of the mixed signals.
func (opt *compareOptions) readTruth(
	cmd *cobra.Command, part files.Part, shape []int,
) (*mat.Dense, error) {
	d, n := part.X.Dims()
	same := files.LearnOnAll
	if n < part.Total {
		same = files.LearnOn(strconv.Itoa(n))
	}
	reading := opt.reading
	reading.Without = nil
	truth, err := readPart(cmd, same, &reading, new(files.Fitting), opt.truth, shape)
	if err != nil {
		return nil, err
	}
	if n < part.Total && truth.Total != part.Total {
		return nil, fmt.Errorf("%s has %d positions and %s %d: they must have as many",
			opt.in[0], part.Total, opt.truth[0], truth.Total)
	}
	if asManyPositions(truth.X, part.X) && !asManySignals(truth.X, part.X) {
		return nil, usage.Errorf("--truth: must have as many sources as there are signals (%d "+
			"and %d): leave it out, and use sica score on what --out writes", truth.X.RawMatrix().Rows, d)
	}
	if _, err := metric.MCC(part.X, truth.X); err != nil {
		return nil, fmt.Errorf("%s against %s: %w", opt.in[0], opt.truth[0], err)
	}
	return truth.X, nil
}

// separate returns the row of a method, and writes the signals that it recovered. It is an error if
// they can't be written, or if ctx ends.
func (opt *compareOptions) separate(
	ctx context.Context, b compute.Backend, m methods.Entry, p methods.Preset,
	part files.Part, truth *mat.Dense,
) (compared, error) {
	row := compared{Method: m.Name, Preset: m.Nearest(p), label: m.Label}
	began := time.Now()
	x, err := ica.New(part.X, part.Shape...)
	if err == nil {
		x, err = x.WithJoints(part.Joints())
	}
	if err != nil {
		return row, err
	}
	r, err := m.Fit(ctx, methods.Task{Backend: b, Signals: x, Preset: row.Preset, Seed: opt.seed})
	row.Seconds = time.Since(began).Seconds()
	if ctx.Err() != nil {
		return row, ctx.Err()
	}
	if err != nil {
		row.Error = usage.Message(err)
		return row, nil
	}
	row.Convergence, row.Why = r.Convergence, usage.Flags(r.Why)
	row.Config, row.z = r.Config, r.Signals
	if truth != nil {
		match, err := metric.MCC(r.Signals, truth)
		if err != nil {
			row.Error = usage.Message(err)
			return row, nil
		}
		row.MCC, row.Match = &match.MCC, newMatchReport(match)
	}
	if opt.out != "" {
		row.File = opt.file(m)
		return row, datasets.WriteFile(row.File, r.Signals)
	}
	return row, nil
}
