package main

import (
	"fmt"
	"io"
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

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/baseline"
	"github.com/seed-47b1e431/gosica/sica/experiment"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// compareAll is what --methods all stands for. The paper's two flows, which take
// minutes to hours, have to be named.
var compareAll = []string{"sica", "fastica", "lica", "pcl", "ivae", "zca", "gaussianise+zca"}

type compareOptions struct {
	in, truth []string
	learnOn   learnOn
	methods   []string
	preset    string
	shape     string
	seed      uint64
	out       string
	json      bool
	backend   string
}

// compared is a row of the comparison: what a method made of the signals.
type compared struct {
	Method  string            `json:"method"`
	Preset  experiment.Preset `json:"preset,omitempty"`
	MCC     *float64          `json:"mcc"` // null without a truth
	Match   *scoreReport      `json:"match,omitempty"`
	Seconds float64           `json:"seconds"`
	baseline.Convergence
	Why    string `json:"why,omitempty"`
	Error  string `json:"error,omitempty"`
	File   string `json:"file,omitempty"`
	Config any    `json:"config,omitempty"`

	label string
	z     *mat.Dense
}

func newCompare() *cobra.Command {
	var opt compareOptions
	cmd := &cobra.Command{
		Use:   "compare --in mixed.csv",
		Short: "Separate mixed signals with several methods",
		Long: `Compare separates the same mixed signals with SICA and with other methods, and
prints a table: the mean correlation coefficient (MCC) with the true sources
where they are given, the seconds, and whether the method's own rule ended it.
With --out it writes what each method recovered as DIR/METHOD.csv, and all of it
side by side as DIR/compare.png. Of more than 65,536 positions all methods take
the same part; --learn-on asks for another. A method that fails is a row that says why, and
makes the exit code 1.

The methods are ` + strings.Join(compareNames(), ", ") + `.
All stands for ` + strings.Join(compareAll, ", ") + `;
the paper's two flows, which take minutes to hours, have to be named.

` + formats,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := require(cmd, "in"); err != nil {
				return err
			}
			return opt.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the mixed signals (required)")
	f.StringArrayVar(&opt.truth, "truth", nil, "`FILE` of the true sources, for the MCC; no method sees it")
	f.StringVar((*string)(&opt.learnOn), "learn-on", "", learnOnUsage)
	f.StringSliceVar(&opt.methods, "methods", []string{"all"}, "all, or `METHODS` with commas between them; sica is always one")
	f.StringVar(&opt.preset, "preset", string(experiment.DefaultPreset), "`PRESET` of each method that has it: default, paper or smoke")
	f.StringVar(&opt.shape, "shape", "", "`SHAPE` of the positions, such as 32x32 for images; a sequence by default")
	f.Uint64Var(&opt.seed, "seed", 1, "seed `N` of every random draw")
	f.StringVar(&opt.out, "out", "", "folder `DIR` for the recovered signals and the picture, made if need be")
	f.BoolVar(&opt.json, "json", false, "print JSON, in which signals count from 0")
	f.StringVar(&opt.backend, "backend", backend.Auto, "`BACKEND`: "+strings.Join(backend.Names(), ", "))
	return cmd
}

func compareNames() []string {
	var names []string
	for _, m := range experiment.Methods() {
		names = append(names, m.Name)
	}
	return names
}

// chosen returns the methods that --methods names, SICA first.
func (opt *compareOptions) chosen() ([]experiment.Method, error) {
	names := []string{"sica"}
	for _, name := range opt.methods {
		if name == "all" {
			names = append(names, compareAll...)
		} else {
			names = append(names, name)
		}
	}
	var methods []experiment.Method
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		m, err := experiment.MethodNamed(name)
		if err != nil {
			return nil, usagef("unknown method %q in --methods: use all, or of %s", name, strings.Join(compareNames(), ", "))
		}
		methods = append(methods, m)
	}
	return methods, nil
}

func (opt *compareOptions) run(cmd *cobra.Command) error {
	methods, err := opt.chosen()
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
	if err := opt.checkNotRead(methods); err != nil {
		return err
	}
	in, truth, of, err := opt.read(cmd)
	if err != nil {
		return err
	}
	if opt.out != "" {
		if err := os.MkdirAll(opt.out, 0o777); err != nil {
			return err
		}
		if err := checkWritable(opt.picture()); err != nil {
			return err
		}
	}
	b, err := openBackend(cmd, opt.backend)
	if err != nil {
		return err
	}

	var rows []compared
	failed := 0
	for _, m := range methods {
		row, err := opt.separate(cmd, b, m, in, truth, preset)
		if err != nil {
			return err
		}
		if row.Error != "" {
			failed++
		}
		rows = append(rows, row)
	}
	if err := opt.print(cmd.OutOrStdout(), rows); err != nil {
		return err
	}
	if taken := partOf(in.X.RawMatrix().Cols, of); taken != "" && !opt.json {
		fmt.Fprintf(cmd.OutOrStdout(), "\nThis is about %s.\n", taken)
	}
	if !opt.json {
		noteClocks(cmd.OutOrStdout(), in.X)
	}
	if err := opt.draw(rows, in, truth); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d methods failed on %s", failed, len(rows), opt.in[0])
	}
	return nil
}

// file is where what a method recovered is written, picture where all of it is drawn.
func (opt *compareOptions) file(m experiment.Method) string {
	return filepath.Join(opt.out, m.Name+".csv")
}
func (opt *compareOptions) picture() string { return filepath.Join(opt.out, "compare.png") }

// checkNotRead returns a usage error if a file that is read would be written, such as a
// mixed.csv in --out.
func (opt *compareOptions) checkNotRead(methods []experiment.Method) error {
	if opt.out == "" {
		return nil
	}
	written := []place{{"--out", opt.picture()}}
	for _, m := range methods {
		written = append(written, place{"--out", opt.file(m)})
	}
	if err := checkNotRead("--in", opt.in, written...); err != nil {
		return err
	}
	return checkNotRead("--truth", opt.truth, written...)
}

// read returns the mixed signals and the truth, nil if it wasn't given, or the same part of
// both, and of how many positions.
func (opt *compareOptions) read(cmd *cobra.Command) (in experiment.Signals, truth *mat.Dense, of int, err error) {
	var shape []int
	if opt.shape != "" {
		if shape, err = parseShape(opt.shape); err != nil {
			return in, nil, 0, err
		}
	}
	if in.X, in.Shape, of, err = opt.learnOn.read(cmd, opt.in, shape); err != nil {
		return in, nil, 0, err
	}
	if err := baseline.CheckSignals(in.X); err != nil {
		return in, nil, 0, fmt.Errorf("%s: %w", opt.in[0], err)
	}
	d, t := in.X.Dims()
	cfg := sica.Default()
	cfg.Shape = in.Shape
	if err := cfg.Validate(d, t); err != nil {
		return in, nil, 0, fmt.Errorf("%s: %w", opt.in[0], err)
	}
	if len(opt.truth) == 0 {
		return in, nil, of, nil
	}
	same := learnOnAll
	if t < of {
		same = learnOn(strconv.Itoa(t))
	}
	truth, _, ofTruth, err := same.read(cmd, opt.truth, shape)
	if err != nil {
		return in, nil, 0, err
	}
	if t < of && ofTruth != of {
		return in, nil, 0, fmt.Errorf("%s has %d positions and %s %d: want as many", opt.in[0], of, opt.truth[0], ofTruth)
	}
	if _, err := metric.MCC(in.X, truth); err != nil {
		return in, nil, 0, fmt.Errorf("%s against %s: %w", opt.in[0], opt.truth[0], err)
	}
	return in, truth, of, nil
}

// separate makes the row of a method, and writes what it recovered. The error is
// of the writing, or that ctx has ended.
func (opt *compareOptions) separate(cmd *cobra.Command, b compute.Backend, m experiment.Method, in experiment.Signals, truth *mat.Dense, p experiment.Preset) (compared, error) {
	ctx := cmd.Context()
	row := compared{Method: m.Name, Preset: m.Settings(p), label: m.Label}
	began := time.Now()
	r, err := m.Recover(ctx, b, in, row.Preset, opt.seed)
	row.Seconds = time.Since(began).Seconds()
	if ctx.Err() != nil {
		return row, ctx.Err()
	}
	if err != nil {
		row.Error = oneLine(err)
		return row, nil
	}
	row.Convergence, row.Why, row.Config, row.z = r.Convergence, r.Why, r.Config, r.Z
	if truth != nil {
		match, err := metric.MCC(r.Z, truth)
		if err != nil {
			row.Error = oneLine(err)
			return row, nil
		}
		report := newScoreReport(match)
		row.MCC, row.Match = &match.MCC, &report
	}
	if opt.out != "" {
		row.File = opt.file(m)
		return row, datasets.WriteFile(row.File, r.Z)
	}
	return row, nil
}

// print prints the rows as a table or as JSON.
func (opt *compareOptions) print(out io.Writer, rows []compared) error {
	if opt.json {
		return printJSON(out, rows)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "method\tsettings\tMCC\tseconds\tconverged\titerations\t")
	for _, r := range rows {
		if r.Error != "" {
			fmt.Fprintf(table, "%s\t%s\tfailed\t%.2f\t\t\t\n", r.label, r.Preset, r.Seconds)
			continue
		}
		mcc, converged := "", "yes"
		if r.MCC != nil {
			mcc = fmt.Sprintf("%.4f", *r.MCC)
		}
		if !r.Converged {
			converged = "no"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%.2f\t%s\t%d\t\n", r.label, r.Preset, mcc, r.Seconds, converged, r.Iterations)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range rows {
		for _, note := range slices.Compact([]string{r.Error, r.Warning, r.Why}) {
			if note != "" {
				fmt.Fprintf(out, "\n%s:\n%s", r.label, wrap(note))
			}
		}
	}
	return nil
}

// draw draws all recovered signals in the order, sign and scale of the truth or,
// without one, of SICA's.
func (opt *compareOptions) draw(rows []compared, in experiment.Signals, truth *mat.Dense) error {
	if opt.out == "" {
		return nil
	}
	like := truth
	groups := []plot.Group{{Method: plot.Mixed, Signals: in.X}}
	for _, r := range rows {
		if r.Error != "" {
			continue
		}
		if like == nil {
			like = r.z
		}
		groups = append(groups, plot.Group{Method: r.label, Signals: r.z})
	}
	if like == nil {
		return nil
	}
	d, _ := like.Dims()
	groups = slices.DeleteFunc(groups, func(g plot.Group) bool { // channels that were reduced to fewer signals
		return g.Signals.RawMatrix().Rows != d
	})
	for i := range groups {
		aligned, err := metric.Align(groups[i].Signals, like)
		if err != nil {
			return fmt.Errorf("%s: %w", groups[i].Method, err)
		}
		groups[i].Signals = aligned
	}
	picture, err := drawCompared(in.Shape, truth, groups)
	if err != nil {
		return err
	}
	return savePicture(opt.picture(), picture)
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
	_, t := groups[0].Signals.Dims()
	return plot.TraceGrid(max(0, t-traceLength), t, truth, groups...)
}
