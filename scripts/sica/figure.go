package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/shard"
	"github.com/seed-47b1e431/gosica/sica/experiment"
	"github.com/seed-47b1e431/gosica/sica/experiment/assumptions"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

type figureOptions struct {
	preset  string
	methods []string
	runs    int
	shard   string
	jobs    int
	out     string
	backend string
}

func newFigure() *cobra.Command {
	var opt figureOptions
	cmd := &cobra.Command{
		Use:   "figure NAME --out DIR",
		Short: "Make a figure of the paper",
		Long: `Figure makes the separations of a figure of the paper, NAME, which is one of
` + strings.Join(figureNames(), ", ") + `, or all. It writes each outcome to
DIR/cells.jsonl at once and, at the end, a picture and a table of each figure
and, of the presets paper and printed, what the paper says of it and whether that
holds; sica statements puts that together. Run
again, it makes only what is missing, so that it can be stopped and goes on where
it was, with the paper's SICA from its last iteration. Figure 2, which shows no
separation, is drawn and its assumption checked. The figure readings, which isn't
the paper's, compares ways to read the step of its mixing and what else it leaves open.

The preset paper is what the paper shows: SICA and its rivals with the paper's
settings, and beside them SICA with the project's own, behind mixing steps of 0.1,
with which the order of the methods on AR(7) comes out as the paper reports it. The
preset printed is the same behind steps of 1, as the paper prints them, in pictures
of their own. Each takes days on one machine. The preset default is SICA and its
rivals with their default settings, and smoke is a few steps of everything.

With --shard i/n it makes the i-th of n shares of the separations, in a file of
its own that sica merge joins with the others. A task of a Slurm job array or a
pod of a Kubernetes Indexed Job knows its share by itself.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := require(cmd, "out"); err != nil {
				return err
			}
			return opt.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.preset, "preset", string(experiment.PaperPreset), "`PRESET`: paper, printed, default or smoke")
	f.StringSliceVar(&opt.methods, "methods", nil, "only these `METHODS`, such as sica,fastica")
	f.IntVar(&opt.runs, "runs", experiment.PaperRuns, "`N` runs of each point")
	f.StringVar(&opt.shard, "shard", "", "make only share `I/N`")
	f.IntVar(&opt.jobs, "jobs", 1, "`N` separations at once")
	f.StringVar(&opt.out, "out", "", "`DIR` for the outcomes and pictures, made if need be (required)")
	f.StringVar(&opt.backend, "backend", backend.Auto, "`BACKEND`: "+strings.Join(backend.Names(), ", "))
	return cmd
}

// maxRuns is the most runs of a figure, whose cells are kept in memory.
const maxRuns = 10_000

const (
	// modelsFigure is the paper's figure of graphical models, which has no cells.
	modelsFigure = "2"
	// readingsFigure compares readings of what the paper leaves open; it isn't the paper's.
	readingsFigure = "readings"
)

func figureNames() []string {
	names := []string{modelsFigure, readingsFigure}
	for _, f := range experiment.Figures() {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// figures returns the figures of separations that an argument names.
func figures(name string) ([]experiment.Figure, error) {
	switch name {
	case "all":
		return experiment.Figures(), nil
	case modelsFigure, readingsFigure:
		return nil, nil
	}
	f, err := experiment.FigureNamed(name)
	if err != nil {
		return nil, usagef("unknown figure %q: use %s or all", name, strings.Join(figureNames(), ", "))
	}
	return []experiment.Figure{f}, nil
}

// parsePreset returns the preset that --preset names.
func parsePreset(name string) (experiment.Preset, error) {
	p := experiment.Preset(name)
	switch p {
	case experiment.PaperPreset, experiment.DefaultPreset, experiment.SmokePreset:
		return p, nil
	}
	return "", usagef("unknown --preset %q: use default, paper or smoke", name)
}

func (opt *figureOptions) run(cmd *cobra.Command, name string) error {
	figs, err := figures(name)
	if err != nil {
		return err
	}
	preset := experiment.Preset(opt.preset)
	if preset != experiment.PrintedPreset {
		if preset, err = parsePreset(opt.preset); err != nil {
			return usagef("unknown --preset %q: use paper, printed, default or smoke", opt.preset)
		}
	}
	if opt.runs < 1 || opt.runs > maxRuns || opt.jobs < 1 {
		return usagef("--runs %d, --jobs %d: use 1 to %d runs and at least 1 job", opt.runs, opt.jobs, maxRuns)
	}
	for _, m := range opt.methods {
		if _, err := experiment.MethodNamed(m); err != nil {
			return usageError{err}
		}
	}
	if err := checkBackend(opt.backend); err != nil {
		return err
	}
	part, sharded, err := opt.share()
	if err != nil {
		return usageError{err}
	}

	if name == modelsFigure {
		return opt.drawModels(cmd.OutOrStdout())
	}
	plan := experiment.Plan{Jobs: opt.jobs}
	if name == readingsFigure {
		plan.Cells = experiment.ReadingCells()
	}
	for _, f := range figs {
		plan.Cells = append(plan.Cells, f.Cells(preset, opt.runs)...)
	}
	if len(opt.methods) > 0 {
		plan.Cells = slices.DeleteFunc(plan.Cells, func(c experiment.Cell) bool { return !slices.Contains(opt.methods, c.Method) })
	}
	plan.Keep = func(c experiment.Cell) bool {
		return slices.ContainsFunc(figs, func(f experiment.Figure) bool { return f.Keeps(c) })
	}
	file := experiment.Cells
	if sharded {
		plan.Cells = shard.Of(part, plan.Cells, experiment.Cell.Kind)
		file = fmt.Sprintf("%s-%d-of-%d", experiment.Cells, part.Index+1, part.Count)
	}
	store, err := experiment.Open(opt.out, file)
	if err != nil {
		return err
	}
	defer store.Close()
	b, err := openBackend(cmd, opt.backend)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%d of %d separations to make, backend %s\n", len(store.Missing(plan)), distinct(plan.Cells), backend.NameOf(b))
	progress := newCellProgress(out, cmd.ErrOrStderr())
	plan.OnOutcome = progress.made
	err = experiment.Run(cmd.Context(), b, store, plan)
	progress.done()
	if err != nil || sharded {
		return err
	}
	if name == "all" {
		if err := opt.drawModels(out); err != nil {
			return err
		}
	}
	if name == readingsFigure {
		return experiment.WriteReadings(out, store.Results)
	}
	return opt.draw(out, store.Results, figs, preset)
}

// distinct counts the cells, those that two figures share once.
func distinct(cells []experiment.Cell) int {
	seen := make(map[experiment.Cell]bool)
	for _, c := range cells {
		seen[c] = true
	}
	return len(seen)
}

// share returns the share of the cells that this process makes, and false if it
// is all of them.
func (opt *figureOptions) share() (shard.Shard, bool, error) {
	if opt.shard == "" {
		return shard.FromEnvironment()
	}
	s, err := shard.Parse(opt.shard)
	return s, true, err
}

// drawModels draws figure 2 and prints whether its assumption holds for some
// sequences.
func (opt *figureOptions) drawModels(out io.Writer) error {
	examples, err := assumptions.Examples(experiment.FirstSeed)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nFigure %s: the assumptions of ICA, auxiliary-variable ICA and SICA\n", modelsFigure)
	if err := assumptions.Write(out, examples); err != nil {
		return err
	}
	picture, err := assumptions.Models()
	if err != nil {
		return err
	}
	return opt.save(out, modelsFigure, picture)
}

// save writes a figure's picture into the folder.
func (opt *figureOptions) save(out io.Writer, figure string, picture *plot.Picture) error {
	if err := os.MkdirAll(opt.out, 0o777); err != nil {
		return err
	}
	path := filepath.Join(opt.out, "fig"+figure+".png")
	if err := savePicture(path, picture); err != nil {
		return err
	}
	_, err := fmt.Fprintln(out, "wrote", path)
	return err
}

// draw writes a picture of each figure and prints its table.
func (opt *figureOptions) draw(out io.Writer, results *experiment.Results, figs []experiment.Figure, preset experiment.Preset) error {
	for _, f := range figs {
		fmt.Fprintf(out, "\nFigure %s: %s\n", f.Name, f.Title)
		if err := f.WriteTable(out, results, preset, opt.runs); err != nil {
			return err
		}
		file := f.Name
		if preset == experiment.PrintedPreset {
			file += "-printed"
		}
		if preset == experiment.PaperPreset || preset == experiment.PrintedPreset {
			fmt.Fprintln(out)
			if err := f.WriteClaims(out, results, preset, opt.runs); err != nil {
				return err
			}
		}
		picture, err := f.Picture(results, preset, opt.runs)
		if err != nil {
			return err
		}
		if err := opt.save(out, file, picture); err != nil {
			return err
		}
	}
	return nil
}

// cellProgress shows the cells that are made: a line each on out and, if status
// is a terminal, a bar there with the time left.
type cellProgress struct {
	out io.Writer
	bar *progressbar.ProgressBar // nil without a terminal
}

func newCellProgress(out, status io.Writer) *cellProgress {
	p := &cellProgress{out: out}
	if f, ok := status.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.bar = newBar(f, 1)
	}
	return p
}

func (p *cellProgress) made(o experiment.Outcome, at experiment.Progress) {
	if p.bar != nil {
		p.bar.Clear()
	}
	line := fmt.Sprintf("%d/%d  %s", at.Done, at.Total, o.Cell)
	if o.MCC != nil {
		line += fmt.Sprintf("  MCC %.4f", *o.MCC)
	} else {
		line += "  failed: " + o.Error
	}
	line += fmt.Sprintf("  %.1f s", o.Seconds)
	left := timeLeft(at)
	if p.bar == nil && left != "" {
		line += "  " + left
	}
	fmt.Fprintln(p.out, line)
	if p.bar != nil {
		p.bar.Describe(left)
		p.bar.ChangeMax(at.Total)
		p.bar.Set(at.Done)
	}
}

// timeLeft says how long the rest takes, as far as it is known.
func timeLeft(at experiment.Progress) string {
	switch {
	case !at.AtLeast:
		return at.Left.String() + " left"
	case at.Left > 0:
		return "over " + at.Left.String() + " left"
	}
	return ""
}

func (p *cellProgress) done() {
	if p.bar != nil {
		p.bar.Finish()
	}
}
