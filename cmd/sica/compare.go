package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// compareAll are the methods of --methods all. Others have to be named.
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

// compared is the row of a method.
type compared struct {
	Method  string         `json:"method"`
	Preset  methods.Preset `json:"preset,omitempty"`
	MCC     *float64       `json:"mcc"` // null without a truth
	Match   *matchReport   `json:"match,omitempty"`
	Seconds float64        `json:"seconds"`
	ica.Convergence
	Why   string `json:"why,omitempty"`
	Error string `json:"error,omitempty"`
	File  string `json:"file,omitempty"`
	// Best has, without a truth, the signal that each of Default's correlates with most.
	Best   []best `json:"best,omitempty"`
	Config any    `json:"config,omitempty"`

	label string
	z     *mat.Dense
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

// chosen returns the methods that --methods names, Default first.
func (opt *compareOptions) chosen() ([]methods.Method, error) {
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
	var all []methods.Method
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
		out = io.Discard // JSON is all that is printed
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

// makeFolder makes the one of --out, if there is one, in which the picture can be written.
func (opt *compareOptions) makeFolder() error {
	if opt.out == "" {
		return nil
	}
	if err := os.MkdirAll(opt.out, 0o777); err != nil {
		return err
	}
	return files.CheckWritable(opt.picture())
}

// print prints the rows, as JSON or as a table with notes.
func (opt *compareOptions) print(
	out io.Writer, rows []compared, part files.Part, hasTruth bool,
) error {
	if opt.json {
		return files.PrintJSON(out, rows)
	}
	err := printCompared(out, rows, hasTruth)
	part.Note(out)
	if part.About.Interpolated != nil {
		files.Note(out, interpolatedNote(part.Shape))
	}
	return err
}

// file is the path of the signals that a method recovered.
func (opt *compareOptions) file(m methods.Method) string {
	return filepath.Join(opt.out, m.Name+".csv")
}

// picture is the path of the picture of all of them.
func (opt *compareOptions) picture() string { return filepath.Join(opt.out, "compare.png") }

// checkNotInput returns a usage error if an input would be overwritten, such as a mixed.csv in
// --out.
func (opt *compareOptions) checkNotInput(all []methods.Method) error {
	if opt.out == "" {
		return nil
	}
	written := files.Places("--out", opt.picture())
	for _, m := range all {
		written = append(written, files.Places("--out", opt.file(m))...)
	}
	if err := files.CheckNotInput("--in", opt.in, written...); err != nil {
		return err
	}
	return files.CheckNotInput("--truth", opt.truth, written...)
}

// read returns the mixed signals and the truth, nil if it wasn't given, or the same part of both.
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

// separate returns the row of a method, and writes what it recovered. It is an error if that can't
// be written, or if ctx ends.
func (opt *compareOptions) separate(
	ctx context.Context, b compute.Backend, m methods.Method, p methods.Preset,
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

// printCompared prints the rows as a table, and below it what the methods say about them. The table
// has a column of MCCs if they were scored.
func printCompared(out io.Writer, rows []compared, scored bool) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(method, settings, mcc, seconds, converged, iterations string) {
		cells := []string{method, settings, mcc, seconds, converged, iterations}
		if !scored {
			cells = slices.Delete(cells, 2, 3)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t")+"\t")
	}
	line("method", "settings", "MCC", "seconds", "converged", "iterations")
	for _, r := range rows {
		mcc, seconds, converged := "", fmt.Sprintf("%.2f", r.Seconds), "yes"
		if r.Error != "" {
			line(r.label, string(r.Preset), mcc, seconds, "failed", "")
			continue
		}
		if r.MCC != nil {
			mcc = fmt.Sprintf("%.4f", *r.MCC)
		}
		if !r.Converged {
			converged = "no"
		}
		line(r.label, string(r.Preset), mcc, seconds, converged, strconv.Itoa(r.Iterations))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if err := printAgreement(out, rows); err != nil {
		return err
	}
	for _, r := range rows {
		for _, note := range slices.Compact([]string{r.Error, r.Warning, r.Why}) {
			if note != "" {
				fmt.Fprintf(out, "\n%s:\n%s", r.label, text.Wrap("  ", note))
			}
		}
	}
	return nil
}

// addBest sets Best of all rows after the first, if that has signals.
func addBest(rows []compared) {
	for k := range rows[1:] {
		if r := &rows[k+1]; rows[0].z != nil && r.z != nil {
			r.Best = bestMatches(rows[0].z, r.z)
		}
	}
}

// printAgreement prints how well the methods with a Best find each signal of the first row, if
// there are any.
func printAgreement(out io.Writer, rows []compared) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	others := slices.DeleteFunc(slices.Clone(rows[1:]), func(r compared) bool { return r.Best == nil })
	if len(others) == 0 {
		return nil
	}
	fmt.Fprintf(out, "\nlargest |correlation| of a signal of %s with one of\n", rows[0].label)
	fmt.Fprint(table, "signal\t")
	for _, r := range others {
		fmt.Fprint(table, r.label+"\t")
	}
	d := len(others[0].Best)
	for i := range min(d, report.TableRows) {
		fmt.Fprintf(table, "\n%d\t", i+1)
		for _, r := range others {
			fmt.Fprintf(table, "%.3f\t", math.Abs(r.Best[i].Correlation))
		}
	}
	fmt.Fprintln(table)
	if err := table.Flush(); err != nil {
		return err
	}
	if more := d - report.TableRows; more > 0 {
		fmt.Fprintf(out, "and %s: see --json\n", text.Counted(more, "more signal"))
	}
	return nil
}

// draw draws all recovered signals in the order, sign and scale of the truth or, without one, of
// Default's. It prints the paths of the signals and of the picture.
func (opt *compareOptions) draw(
	out io.Writer, rows []compared, part files.Part, truth *mat.Dense,
) error {
	if opt.out == "" {
		return nil
	}
	for _, r := range rows {
		if r.File != "" {
			fmt.Fprintln(out, "wrote", r.File)
		}
	}
	target := truth
	groups := []plot.Group{{Method: plot.Mixed, Signals: part.X}}
	for _, r := range rows {
		if r.Error != "" {
			continue
		}
		if target == nil {
			target = r.z
		}
		groups = append(groups, plot.Group{Method: r.label, Signals: r.z})
	}
	if target == nil {
		return nil
	}
	d, _ := target.Dims()
	groups = slices.DeleteFunc(groups, func(g plot.Group) bool {
		return g.Signals.RawMatrix().Rows != d // mixed signals that were reduced to fewer
	})
	for i := range groups {
		aligned, err := metric.Align(groups[i].Signals, target)
		if err != nil {
			return fmt.Errorf("%s: %w", groups[i].Method, err)
		}
		groups[i].Signals = aligned
	}
	picture, err := drawCompared(part.Shape, truth, groups)
	if err != nil {
		return err
	}
	if err := writePNG(opt.picture(), picture); err != nil {
		return err
	}
	fmt.Fprintln(out, "wrote", opt.picture())
	return nil
}

// drawCompared draws a row of images, or of traces over those of the truth, for
// each group.
func drawCompared(shape []int, truth *mat.Dense, groups []plot.Group) (*plot.Picture, error) {
	if len(shape) == 2 {
		if truth != nil {
			groups = append(groups, plot.Group{Method: plot.Truth, Signals: truth})
		}
		return plot.Images(shape[0], shape[1], groups...)
	}
	_, n := groups[0].Signals.Dims()
	return plot.TraceGrid(max(0, n-traceLength), n, truth, groups...)
}
