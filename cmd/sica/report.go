package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/gomlx/compute"
	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/report"
	"github.com/seed-47b1e431/gosica/sica/report/html"
)

type reportOptions struct {
	reading files.Reading
	fitting files.Fitting
	fitOptions
	in         []string
	learnOn    files.LearnOn
	model      string
	refits     int
	details    bool
	json, html string
}

// maxRefits is the largest number of refits; all of them are in memory together.
const maxRefits = 100

// diagnosis is the JSON that report --json writes.
type diagnosis struct {
	Input []string `json:"input"`
	// InputPositions is the number of positions of the input. The report may be about a part.
	InputPositions int `json:"input_positions"`
	// Notes say what was unusual in the input.
	Notes    []string          `json:"notes"`
	Model    string            `json:"model,omitempty"` // the folder, if given
	Config   sica.Config       `json:"config"`
	Seed     uint64            `json:"seed"`
	Backend  string            `json:"backend"`
	Device   string            `json:"device"`
	Versions map[string]string `json:"versions"`
	Report   *report.Report    `json:"report"`
}

func newReport() *cobra.Command {
	var opt reportOptions
	cmd := &cobra.Command{
		Use:   "report --in mixed.csv",
		Short: "Say how far a separation can be trusted, without the truth",
		Long: `Report separates mixed signals as separate does, or reads a separation that
separate --save kept, and tests it without the true sources: how far the signals
depend on each other before and after, how well each is predicted from its own
context and from all contexts, whether a rotation of any pair fits as well, and
whether further fits, each without a part of the positions, give the same signals.
It prints which signals can be taken out, which are sources, the verdict, and the
table of sica separate, where a failed test can lower a grade; --details prints all
else. The verdict is one of

  ` + string(report.Separated) + `
      The recovered signals pass all tests of self-sufficiency, no rotation of
      them fits as well, and the refits agree.
  ` + string(report.NoEvidence) + `
      A test failed, another demixing fits better, or the refits don't agree. The
      signals may be separated all the same.
  ` + string(report.NotIdentifiable) + `
      They pass all tests, but so do rotations of some of them: for sources like
      these the mixed signals don't determine which rotation is right. Or noise of
      the channels, or more sources than channels, hide it. The reason says which.

The exit code is 0 for every verdict. A report on a thousand positions takes some
seconds, and the time of a fit for each refit. Of more than 65,536 positions a
part is reported on, and separated unless --model is given; --learn-on sets
another. --without, --highpass, --lowpass, --notch and --skip leave out what they do
in separate. With --model the channels are those of the separation, and so are
filters and --skip, unless a flag says otherwise. Methods and presets are those of
sica separate, whose help describes them.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opt.run(cmd) },
	}
	opt.add(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the mixed signals (required)")
	f.StringVar((*string)(&opt.learnOn), "learn-on", "", files.LearnOnUsage)
	f.StringVar(&opt.model, "model", "",
		"folder `DIR` of a separation to report on; no fit is made")
	f.IntVar(&opt.refits, "refits", report.Default().Refits,
		"number `N` of further fits for the stability, 0 to 100")
	f.BoolVar(&opt.details, "details", false,
		"print the measures, too: tests of each signal and pair, dependence, halves, stability")
	f.StringVar(&opt.json, "json", "",
		"`FILE` for the report as JSON, in which signals count from 0")
	f.StringVar(&opt.html, "html", "",
		"`FILE` for the report and the components as a page, as that of sica inspect --html")
	opt.reading.Add(cmd)
	opt.reading.AddWithout(cmd)
	opt.fitting.Add(cmd, "report on")
	require(cmd, "in")
	return cmd
}

// config returns the settings of the fit, or a usage error. changed reports whether a flag was
// given.
func (opt *reportOptions) config(changed func(flag string) bool) (sica.Config, error) {
	if opt.model != "" {
		for _, flag := range []string{"method", "preset", "iterations", "components", "seed", "without"} {
			if changed(flag) {
				return sica.Config{}, usage.Errorf("--%s is for a fit, and --model makes none: "+
					"leave one of them out", flag)
			}
		}
	}
	if opt.refits < 0 || opt.refits > maxRefits {
		return sica.Config{}, usage.Errorf("--refits %d: use 0 to %d", opt.refits, maxRefits)
	}
	err := files.CheckPlaces(files.Each("--in", opt.in), files.Places("--model", opt.model),
		files.Places("--json", opt.json, "--html", opt.html))
	if err != nil {
		return sica.Config{}, err
	}
	return opt.fitOptions.config(changed)
}

func (opt *reportOptions) run(cmd *cobra.Command) error {
	cfg, err := opt.config(cmd.Flags().Changed)
	if err != nil {
		return err
	}
	model, err := opt.load(cfg, cmd.Flags().Changed)
	if err != nil {
		return err
	}
	part, err := readPart(cmd, opt.learnOn, &opt.reading, &opt.fitting, opt.in, cfg.Shape)
	if err != nil {
		return err
	}
	cfg.Shape, cfg.Rounding = part.Shape, part.Rounding
	if err := files.CheckWritable(opt.json, opt.html); err != nil {
		return err
	}
	files.Note(cmd.OutOrStdout(), opt.notes...)
	b, err := openBackend(cmd, opt.backend)
	if err != nil {
		return err
	}
	shown := progress.New(cmd.ErrOrStderr())
	defer shown.Done()
	var result *sica.Result
	if model != nil {
		result = model.Result
		result.SetBackend(b)
	} else if result, err = opt.fit(cmd.Context(), b, part, cfg, shown); err != nil {
		return err
	}
	rep, err := opt.report(cmd.Context(), b, part, result, shown)
	if err != nil {
		return err
	}
	shown.Done()
	out := cmd.OutOrStdout()
	if err := opt.print(out, rep); err != nil {
		return err
	}
	part.Note(out)
	if err := noteGrades(out, part, model); err != nil {
		return err
	}
	return opt.write(cmd, b, result, rep, part, model)
}

// noteGrades prints that the separation has grades of other positions, if the report is about a
// part.
func noteGrades(out io.Writer, part files.Part, model *files.Model) error {
	if model == nil || part.String() == "" {
		return nil
	}
	grades, err := readOfSignals[report.Graded](model, gradesFile)
	if grades != nil {
		files.Note(out, "graded again, on these positions: where separate graded lower, that counts")
	}
	return err
}

// report returns the report on the separation of a part, with flags of the command in its texts.
func (opt *reportOptions) report(
	ctx context.Context, b compute.Backend, part files.Part, result *sica.Result,
	shown *progress.Progress,
) (*report.Report, error) {
	if result.Channels == nil {
		result.Channels = files.ChannelNames(&part.About)
	}
	settings := report.Config{
		Shape: part.Shape, Refits: opt.refits, Positions: part.Positions, OnProgress: shown.Part,
		Highpassed: opt.fitting.Filter.Highpass > 0, Rate: part.About.Rate, Start: part.About.Start,
	}
	rep, err := report.New(ctx, result, part.X, settings.On(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opt.in[0], err)
	}
	for _, texts := range [][]string{rep.Reasons, rep.Next} {
		for i, text := range texts {
			texts[i] = usage.Flags(text)
		}
	}
	return rep, nil
}

// print writes the report as text, and the flags for the advice it may give.
func (opt *reportOptions) print(out io.Writer, rep *report.Report) error {
	var said strings.Builder
	if err := rep.WriteText(&said); err != nil {
		return err
	}
	fmt.Fprintln(out, usage.Flags(said.String()))
	more := []string{"more: --details", "all: --json"}
	if opt.details {
		if err := rep.WriteDetails(out); err != nil {
			return err
		}
		more = nil
	}
	if len(rep.Clipped) > 0 || len(rep.Transients) > 0 || rep.Linear.Drift != nil {
		more = append(more, "without stretches: --skip 10s-12s,clipped")
	}
	if more != nil {
		fmt.Fprintln(out, strings.Join(more, "; "))
	}
	return nil
}

// load returns the separation of --model; nil without it. It sets how the signals are read and
// learned from to the settings of the separation.
func (opt *reportOptions) load(
	cfg sica.Config, changed func(flag string) bool,
) (model *files.Model, err error) {
	sequence := !datasets.IsImage(opt.in[0]) && len(cfg.Shape) < 2
	if opt.model != "" {
		if model, err = files.LoadModel(opt.model); err != nil {
			return nil, err
		}
		opt.reading.Recall(model, false)
		sequence = sequence && len(model.Shape) < 2
	}
	if err := opt.fitting.Check(sequence); err != nil {
		return nil, err
	}
	if model != nil && sequence {
		opt.fitting.Recall(model, changed)
	}
	opt.fitting.LeaveOutGaps, opt.fitting.Thin = sequence, sequence
	return model, nil
}

// fit returns the separation of a part of the mixed signals, for a report without --model.
func (opt *reportOptions) fit(
	ctx context.Context, b compute.Backend, part files.Part, cfg sica.Config,
	shown *progress.Progress,
) (*sica.Result, error) {
	d, n := part.X.Dims()
	if err := checkComponents(cfg.Components, d, opt.in[0]); err != nil {
		return nil, err
	}
	if err := validate(cfg, d, n, part.Total, opt.in[0]); err != nil {
		return nil, err
	}
	cfg.OnProgress = func(_ int, doing string, done float64) {
		shown.Part("separating: "+doing, done)
	}
	cfg = cfg.Watch(func(_ int, it klflow.Iteration) {
		shown.Part("separating: iterations", float64(it.J)/float64(cfg.Iterations()))
	})
	run := sica.Run{X: part.X, Seed: cfg.Seed, Joints: part.Joints()}
	results, err := sica.FitRuns(ctx, []sica.Run{run}, cfg.On(b))
	if err != nil {
		return nil, fmt.Errorf("%s: %w; nothing was written", opt.in[0], err)
	}
	return results[0], nil
}

// write writes the files that the flags name.
func (opt *reportOptions) write(
	cmd *cobra.Command, b compute.Backend, result *sica.Result, rep *report.Report, part files.Part,
	model *files.Model,
) error {
	out := cmd.OutOrStdout()
	if opt.json != "" {
		d := diagnosis{
			Input: opt.in, InputPositions: part.Total, Model: opt.model,
			Notes:  part.About.Notes,
			Config: result.Config, Seed: result.Config.Seed,
			Backend: backend.NameOf(b), Device: b.Description(), Versions: provenance.Versions(),
			Report: rep,
		}
		if err := files.WriteJSON(opt.json, d); err != nil {
			return err
		}
		fmt.Fprintln(out, "wrote", opt.json)
	}
	if opt.html == "" {
		return nil
	}
	z, err := result.Transform(part.X, rep.Shape...)
	if err != nil {
		return err
	}
	about := &part.About
	page := html.Page{
		Result: result, X: blockwise.InMemory{Dense: part.X}, Z: z, Shape: rep.Shape,
		Channels: files.ChannelNames(about), Units: about.Units, Rate: about.Rate, Start: about.Start,
		Positions: part.Positions, Report: rep, Notes: about.Notes,
	}
	if words := part.String(); words != "" {
		page.Notes = append([]string{"this is about " + words}, page.Notes...)
	}
	if err := writePage(opt.html, page, cmd, opt.in, part.Total, model); err != nil {
		return err
	}
	fmt.Fprintln(out, "wrote", opt.html)
	return nil
}
