package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gomlx/compute"
	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/provenance"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/report"
	"github.com/seed-47b1e431/gosica/sica/report/html"
)

type reportOptions struct {
	fitOptions
	in         []string
	learnOn    learnOn
	model      string
	refits     int
	json, html string
}

// diagnosis is what report --json writes.
type diagnosis struct {
	Input    []string          `json:"input"`
	Of       int               `json:"input_positions"` // of which Report has a part, if they are many
	Model    string            `json:"model,omitempty"` // the folder, if it was given
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
		Short: "Say whether signals are separated, without the truth",
		Long: `Report separates mixed signals as separate does, or takes a separation that
separate --save kept, and says without the true sources what it is worth: how
far the signals are from self-sufficient before and after, how well each is
predicted from its own context and from all, whether a rotation of any pair fits
as well, and whether further fits, each without a part of the positions, come to
the same. The verdict is one of

  ` + string(report.Separated) + `
      The recovered signals are self-sufficient as far as can be told, and no
      rotation of them is; the refits agree.
  ` + string(report.NoEvidence) + `
      They aren't, or others would be more so, or the refits don't agree. They
      may be separated all the same.
  ` + string(report.NotIdentifiable) + `
      They are self-sufficient, but so are rotations of some of them: of sources
      like these the signals can't tell which is right.

The exit code is 0 whatever the verdict. Sequences of a thousand positions take
some seconds, and as many times a fit's time as there are refits. Of more than
65,536 positions a part is separated and reported on; --learn-on asks for another.

` + formats + `

` + presetHelp(),
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := require(cmd, "in"); err != nil {
				return err
			}
			return opt.run(cmd)
		},
	}
	opt.addTo(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the mixed signals (required)")
	f.StringVar((*string)(&opt.learnOn), "learn-on", "", learnOnUsage)
	f.StringVar(&opt.model, "model", "", "folder `DIR` of a separation to report on; no fit is made")
	f.IntVar(&opt.refits, "refits", report.Default().Refits, "number `N` of further fits for the stability; 0 for none")
	f.StringVar(&opt.json, "json", "", "`FILE` for the report as JSON, in which signals count from 0")
	f.StringVar(&opt.html, "html", "", "`FILE` for the report as a page with pictures")
	return cmd
}

// config returns the settings of the fit, or a usage error.
func (opt *reportOptions) config(given func(flag string) bool) (sica.Config, error) {
	if opt.model != "" {
		for _, flag := range []string{"method", "preset", "iterations", "components", "seed"} {
			if given(flag) {
				return sica.Config{}, usagef("--%s is for a fit, and --model makes none: leave one of them out", flag)
			}
		}
	}
	if opt.refits < 0 || opt.refits > maxRefits {
		return sica.Config{}, usagef("--refits %d: use 0 to %d", opt.refits, maxRefits)
	}
	if err := checkApart(place{"--json", opt.json}, place{"--html", opt.html}, place{"--model", opt.model}); err != nil {
		return sica.Config{}, err
	}
	if err := checkNotRead("--in", opt.in, place{"--json", opt.json}, place{"--html", opt.html}); err != nil {
		return sica.Config{}, err
	}
	return opt.fitOptions.config(given)
}

// maxRefits is the most refits, which are all in memory together.
const maxRefits = 100

func (opt *reportOptions) run(cmd *cobra.Command) error {
	cfg, err := opt.config(cmd.Flags().Changed)
	if err != nil {
		return err
	}
	x, shape, of, err := opt.learnOn.read(cmd, opt.in, cfg.Shape)
	if err != nil {
		return err
	}
	cfg.Shape = shape
	for _, path := range []string{opt.json, opt.html} {
		if path != "" {
			if err := checkWritable(path); err != nil {
				return err
			}
		}
	}
	b, err := openBackend(cmd, opt.backend)
	if err != nil {
		return err
	}
	progress := newParts(cmd.ErrOrStderr())
	defer progress.done()
	result, err := opt.result(cmd, b, x, cfg, progress)
	if err != nil {
		return err
	}
	options := report.Options{Shape: cfg.Shape, Refits: opt.refits, Progress: progress.part}
	rep, err := report.Of(cmd.Context(), b, result, x, options)
	if err != nil {
		return fmt.Errorf("%s: %w", opt.in[0], err)
	}
	progress.done()
	if err := rep.WriteText(cmd.OutOrStdout()); err != nil {
		return err
	}
	if taken := partOf(rep.Positions, of); taken != "" {
		fmt.Fprintf(cmd.OutOrStdout(), "\nThis is about %s.\n", taken)
	}
	noteClocks(cmd.OutOrStdout(), x)
	return opt.write(cmd.OutOrStdout(), b, result, rep, x, of)
}

// result is the separation to report on.
func (opt *reportOptions) result(cmd *cobra.Command, b compute.Backend, x *mat.Dense, cfg sica.Config, progress *parts) (*sica.Result, error) {
	if opt.model != "" {
		result, err := sica.Load(opt.model)
		if err == nil {
			result.SetBackend(b)
		}
		return result, err
	}
	d, t := x.Dims()
	if err := cfg.Validate(d, t); err != nil {
		return nil, fmt.Errorf("%s: %w", opt.in[0], err)
	}
	cfg.OnStart = func(_ int, doing string, done float64) { progress.part("separating: "+doing, done) }
	cfg.OnIteration = func(_ int, it sica.Iteration) {
		progress.part("separating: iterations", float64(it.J)/float64(cfg.Iterations))
	}
	result, err := sica.Fit(cmd.Context(), b, x, cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; nothing was written", opt.in[0], err)
	}
	return result, nil
}

// write writes the files that were asked for.
func (opt *reportOptions) write(out io.Writer, b compute.Backend, result *sica.Result, rep *report.Report, x *mat.Dense, of int) error {
	if opt.json != "" {
		d := diagnosis{
			Input: opt.in, Of: of, Model: opt.model, Config: result.Config, Seed: result.Seed,
			Backend: backend.NameOf(b), Device: b.Description(), Versions: provenance.Versions(), Report: rep,
		}
		if err := writeJSON(opt.json, d); err != nil {
			return err
		}
		fmt.Fprintln(out, "wrote", opt.json)
	}
	if opt.html != "" {
		z, err := result.Transform(x, rep.Shape...)
		if err != nil {
			return err
		}
		title := strings.Join(opt.in, ", ")
		if taken := partOf(rep.Positions, of); taken != "" {
			title += ": " + taken
		}
		if err := atomicfile.Write(opt.html, func(w io.Writer) error { return html.Write(w, title, rep, x, z) }); err != nil {
			return err
		}
		fmt.Fprintln(out, "wrote", opt.html)
	}
	return nil
}

// parts shows what is being done and how much of it is: a bar on a terminal, else lines.
type parts struct {
	status io.Writer
	bar    *progressbar.ProgressBar // nil without a terminal
	from   time.Time                // when there are lines
	doing  string                   // as the last line has it
	tenths int
}

func newParts(status io.Writer) *parts {
	p := &parts{status: status}
	if f, ok := status.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = newBar(f, 100)
	}
	return p
}

// newLateParts is newParts, without lines for what takes no two seconds.
func newLateParts(status io.Writer) *parts {
	p := newParts(status)
	p.from = time.Now().Add(2 * time.Second)
	return p
}

// part shows that a fraction of the whole is done, 0 to 1. Of the same doing there is a
// line for a tenth more at most.
func (p *parts) part(doing string, fraction float64) {
	if p.bar != nil {
		p.bar.Describe(doing)
		p.bar.Set(int(100 * fraction))
		return
	}
	tenths := int(10 * fraction)
	if doing == p.doing && tenths <= p.tenths || time.Now().Before(p.from) {
		return
	}
	p.doing, p.tenths = doing, tenths
	fmt.Fprintf(p.status, "%s, %.0f %%\n", doing, 100*fraction)
}

// done removes it.
func (p *parts) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
