package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/laboratory/experiment/assumptions"
	"github.com/seed-47b1e431/gosica/laboratory/internal/shard"
	"github.com/seed-47b1e431/gosica/sica/methods"
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
DIR/outcomes.jsonl at once and, at the end, a picture of each figure. It prints a
table and, with the presets paper and printed, whether the paper's statements on it
hold; statements lists them all. It can be stopped: run again, it makes only
what is missing, and continues a flow of the paper at its last iteration. For figure 2, which
shows no separation, it draws the models and checks their assumption. The figure
interpretations isn't the paper's: it compares what the paper leaves open.

The preset paper is what the paper shows: its methods and their rivals with its
settings, and this project's Default, after mixing steps of 0.1, with which the
order of the methods on AR(7) comes out as the paper reports it. The preset printed
is the same after steps of 1, as the paper prints them, in pictures of their own.
Each takes days on one machine. The preset default is Default and its rivals with
their default settings, and smoke is a few steps of everything.

With --shard i/n it makes the i-th of n shares of the separations, in a file of
its own, DIR/outcomes-i-of-n.jsonl. When all are made, join their lines and draw the
figures: cat DIR/outcomes-*-of-*.jsonl >>DIR/outcomes.jsonl.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return opt.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&opt.preset, "preset", string(methods.Paper),
		"`PRESET`: paper, printed, default or smoke")
	f.StringSliceVar(&opt.methods, "methods", nil, "only these `METHODS`, such as sica,fastica")
	f.IntVar(&opt.runs, "runs", experiment.PaperRuns, "`N` runs of each point")
	f.StringVar(&opt.shard, "shard", "", "make only share `I/N`")
	f.IntVar(&opt.jobs, "jobs", 1, "`N` separations at once")
	f.StringVar(&opt.out, "out", "",
		"`DIR` for the outcomes and pictures, made if need be (required)")
	f.StringVar(&opt.backend, "backend", backend.Auto,
		"`BACKEND`: "+strings.Join(backend.Names(), ", "))
	require(cmd, "out")
	return cmd
}

// maxRuns is the largest number of runs of a figure, whose trials are kept in memory.
const maxRuns = 10_000

const (
	// modelsFigure is the paper's figure of graphical models, which has no trials.
	modelsFigure = "2"
	// interpretationsFigure compares interpretations of what the paper leaves open. It isn't a
	// figure of the paper.
	interpretationsFigure = "interpretations"
)

func figureNames() []string {
	names := []string{modelsFigure, interpretationsFigure}
	for _, f := range experiment.Figures() {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names
}

// figures returns the figures of separations that an argument names: none for figure 2, which has
// no separations, and for the interpretations, which are no figure.
func figures(name string) ([]experiment.Figure, error) {
	switch name {
	case "all":
		return experiment.Figures(), nil
	case modelsFigure, interpretationsFigure:
		return nil, nil
	}
	f, err := experiment.FigureNamed(name)
	if err != nil {
		return nil, fmt.Errorf("unknown figure %q: use %s or all", name,
			strings.Join(figureNames(), ", "))
	}
	return []experiment.Figure{f}, nil
}

// check returns the preset and the share that the flags stand for, or a usage error. Without
// --shard the share is 1/1, all trials.
func (opt *figureOptions) check() (preset methods.Preset, share shard.Shard, err error) {
	preset = methods.Preset(opt.preset)
	if known := experiment.Presets(); !slices.Contains(known, preset) {
		return "", share, fmt.Errorf("unknown --preset %q: use one of %q", opt.preset, known)
	}
	if opt.runs < 1 || opt.runs > maxRuns || opt.jobs < 1 {
		return "", share, fmt.Errorf("--runs %d, --jobs %d: use 1 to %d runs and at least 1 job",
			opt.runs, opt.jobs, maxRuns)
	}
	for _, m := range opt.methods {
		if _, err := methods.Named(m); err != nil {
			return "", share, err
		}
	}
	if opt.shard == "" {
		return preset, shard.Shard{Count: 1}, nil
	}
	if share, err = shard.Parse(opt.shard); err != nil {
		return "", share, err
	}
	return preset, share, nil
}

func (opt *figureOptions) run(cmd *cobra.Command, name string) error {
	figs, err := figures(name)
	if err != nil {
		return err
	}
	preset, share, err := opt.check()
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if name == modelsFigure {
		if len(opt.methods) > 0 {
			return fmt.Errorf("--methods: figure %s shows no separation: leave it out", name)
		}
		return opt.drawModels(out)
	}
	plan, err := opt.plan(name, figs, preset)
	if err != nil {
		return err
	}
	file, sharded := experiment.OutcomesFile, opt.shard != ""
	if sharded {
		plan.Trials = shard.Of(share, plan.Trials, experiment.Trial.Kind)
		file = fmt.Sprintf("%s-%d-of-%d", experiment.OutcomesFile, share.Index+1, share.Count)
	}
	store, err := experiment.Open(opt.out, file)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := opt.separate(cmd, store, plan); err != nil || sharded {
		return err
	}
	if name == "all" {
		if err := opt.drawModels(out); err != nil {
			return err
		}
	}
	if name == interpretationsFigure {
		return experiment.WriteInterpretations(out, store.Results)
	}
	return opt.draw(out, store.Results, figs, preset)
}

// plan returns the separations of the figures, or a usage error if they have none of a method.
func (opt *figureOptions) plan(
	name string, figs []experiment.Figure, preset methods.Preset,
) (experiment.Plan, error) {
	plan := experiment.Plan{Jobs: opt.jobs}
	if name == interpretationsFigure {
		plan.Trials = experiment.InterpretationTrials()
	}
	for _, f := range figs {
		plan.Trials = append(plan.Trials, f.Trials(preset, opt.runs)...)
	}
	var known []string
	for _, t := range plan.Trials {
		if !slices.Contains(known, t.Method) {
			known = append(known, t.Method)
		}
	}
	for _, m := range opt.methods {
		if !slices.Contains(known, m) {
			return plan, fmt.Errorf("--methods %s: figure %s with the preset %s has only %s, a fixed "+
				"list; sica compare takes any method", m, name, preset, strings.Join(known, ", "))
		}
	}
	if len(opt.methods) > 0 {
		plan.Trials = slices.DeleteFunc(plan.Trials, func(t experiment.Trial) bool {
			return !slices.Contains(opt.methods, t.Method)
		})
	}
	plan.Keep = func(t experiment.Trial) bool { // the signals that a figure draws
		return slices.ContainsFunc(figs, func(f experiment.Figure) bool { return f.Keeps(t) })
	}
	return plan, nil
}

// separate makes the separations of the plan that the store lacks.
func (opt *figureOptions) separate(
	cmd *cobra.Command, store *experiment.Store, plan experiment.Plan,
) error {
	b, err := backend.Open(opt.backend)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%d of %d separations to make, backend %s\n",
		len(store.Missing(plan)), countDistinct(plan.Trials), backend.NameOf(b))
	plan.OnOutcome = func(o experiment.Outcome, p experiment.Progress) {
		fmt.Fprintln(out, p.Line(o))
	}
	return experiment.Run(cmd.Context(), b, store, plan)
}

// countDistinct counts the trials. A trial that two figures share counts once.
func countDistinct(trials []experiment.Trial) int {
	seen := make(map[experiment.Trial]bool)
	for _, t := range trials {
		seen[t] = true
	}
	return len(seen)
}

// drawModels draws figure 2 and prints whether its assumption holds for some sequences.
func (opt *figureOptions) drawModels(out io.Writer) error {
	examples, err := assumptions.Examples(experiment.FirstSeed)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nFigure %s: the assumptions of ICA, auxiliary-variable ICA and SICA\n",
		modelsFigure)
	if err := assumptions.Write(out, examples); err != nil {
		return err
	}
	picture, err := assumptions.Models()
	if err != nil {
		return err
	}
	return opt.save(out, modelsFigure, picture)
}

// draw prints the table of each figure and writes its picture.
func (opt *figureOptions) draw(
	out io.Writer, results *experiment.Results, figs []experiment.Figure, preset methods.Preset,
) error {
	for _, f := range figs {
		fmt.Fprintf(out, "\nFigure %s: %s\n", f.Name, f.Title)
		if preset == methods.Smoke {
			fmt.Fprintln(out, "The preset smoke shows that everything works: its values mean nothing.")
		}
		if err := f.WriteTable(out, results, preset, opt.runs); err != nil {
			return err
		}
		if preset == methods.Paper || preset == experiment.PrintedPreset {
			fmt.Fprintln(out)
			if err := f.WriteClaims(out, results, preset, opt.runs); err != nil {
				return err
			}
		}
		picture, err := f.Picture(results, preset, opt.runs)
		if err != nil {
			return err
		}
		name := f.Name
		if preset == experiment.PrintedPreset {
			name += "-printed"
		}
		if err := opt.save(out, name, picture); err != nil {
			return err
		}
	}
	return nil
}

// save writes a figure's picture into the folder.
func (opt *figureOptions) save(out io.Writer, figure string, picture *plot.Picture) error {
	if err := os.MkdirAll(opt.out, 0o777); err != nil {
		return err
	}
	path := filepath.Join(opt.out, "fig"+figure+".png")
	err := atomicfile.Write(path, func(w io.Writer) error { return picture.Write(w, plot.PNG) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "wrote", path)
	return err
}

func newStatements() *cobra.Command {
	var in string
	var interpretations bool
	cmd := &cobra.Command{
		Use:   "statements --in DIR",
		Short: "Say which of the paper's statements hold",
		Long: `Statements prints, as a Markdown page, every statement of the paper's section on
experiments with what the outcomes in DIR/outcomes.jsonl say to it, and the mean MCCs. With
--interpretations it prints the comparison of interpretations of what the paper leaves open
instead. Figure makes the outcomes. The pages statements.md and interpretations.md
in laboratory/experiment/results are those of its outcomes, and alone have a list
of what doesn't hold, and why.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			results, err := experiment.Read(in, experiment.OutcomesFile)
			if err != nil {
				return err
			}
			if interpretations {
				fmt.Fprint(cmd.OutOrStdout(), interpretationsHead)
				return experiment.WriteInterpretations(cmd.OutOrStdout(), results)
			}
			return writeStatements(cmd.OutOrStdout(), in, results)
		},
	}
	cmd.Flags().StringVar(&in, "in", "", "`DIR` of the outcomes (required)")
	cmd.Flags().BoolVar(&interpretations, "interpretations", false,
		"print the interpretations that were compared")
	require(cmd, "in")
	return cmd
}

// committedResults is the folder of the outcomes that the pages are about.
const committedResults = "laboratory/experiment/results"

// The beginnings of the two pages.
const (
	statementsHead = `# What the paper says, and what was measured

Printed by "%s".
[The paper's figures](../../../docs/evaluation/paper.md) says how the paper was interpreted.
Brackets hold standard errors, n
counts runs. SICA is the paper's two methods, SICA-WGF and SICA-RF; Default is this project's.
Where the paper shows means (3b, 3c, 4b, 4c), a statement is tested on means over runs, not on one run.
Seconds are means over several machines, partly with a GPU: they are orders of magnitude.

A statement is undecided if chance explains what was measured, by Student's t at a level of 0.05, or
if a fall rounds to 0.000. Then a column says how many runs would decide it, and of which method, with
the measured means and spreads: read it as a distance, not as a plan.
The tests of one statement, up to 40, aren't corrected for their number.
`
	// failedStatements is about the committed outcomes.
	failedStatements = `
## What doesn't hold, with steps of 0.1

- **1**: *LICA and iVAE fail* – LICA succeeds in 17 of 20 runs.
- **3a**: *the observed signals are almost indistinguishable* – they correlate by 0.98. *SICA-RF traces the
  true signal* – its MCC is 0.90.
- **3b**: *after 20 linear steps SICA isn't ahead* – SICA-RF is, by less than its standard error.
- **3c**: *all methods fall with J* – PCL doesn't. *SICA has a significant lead* – 4 of 24 leads are within
  chance. *iVAE stays below 0.4* – after 5 steps it is at 0.83.
- **4a**: *SICA-RF disentangles the three images* – its MCC is 0.81. *FastICA's are less clear* – they are
  nearer to the truth in five of eight runs.
- **4b**: *SICA is superior to all linear methods* – not after 20 steps, and SICA-WGF not after 15.
- **4c**: *iVAE stays below 0.55* – after 5 steps it is at 0.64. *SICA leads at any J* – at 5 and 10 only.

The others hold: SICA demixes the heart (1); the SICA methods fall with J, FastICA and LICA are steady, and
SICA leads at J = 5, 10 and 15 (3b); iVAE's steps don't matter (3c); the mixed images look alike, and
FastICA turns some into negatives (4a); SICA stays above the mixed images (4b).

Beside these 20: *KL reducing* (Theorem 3.1) fails with contexts
([counterexamples](../../../docs/explanation/theory.md)).
`
	interpretationsHead = `# Interpretations of what the paper leaves open

Printed by "go run ./laboratory/paper statements --in laboratory/experiment/results --interpretations >
laboratory/experiment/results/interpretations.md". [Open
points](open-points.md) says what each is about, and [the paper's
figures](../../../docs/evaluation/paper.md#how-the-paper-was-interpreted)
which matter most. For each interpretation: which statements of the paper hold, and the mean
MCC (standard error) of three runs (seeds 62001 to 62003) at the fewest and the most mixing steps,
SICA-RF's at the most; *same* is as in the mixing's first row. The mixing's step was chosen by the
first group: that statements hold with steps of 0.1 is no evidence for the paper.

`
)

// writeStatements writes the page of statements for the outcomes of the folder in.
func writeStatements(w io.Writer, in string, results *experiment.Results) error {
	command := "go run ./laboratory/paper statements --in " + in
	folder, err := filepath.Abs(in)
	if err != nil {
		return err
	}
	committed := strings.HasSuffix(filepath.ToSlash(folder), "/"+committedResults)
	if committed {
		command = fmt.Sprintf("go run ./laboratory/paper statements --in %[1]s > %[1]s/statements.md",
			committedResults)
	}
	fmt.Fprintf(w, statementsHead, command)
	if committed {
		fmt.Fprint(w, failedStatements)
	}
	fmt.Fprint(w, "\n## Every statement on the experiments\n\n")
	if err := experiment.WriteStatements(w, results, committed); err != nil {
		return err
	}
	for _, table := range []struct {
		preset methods.Preset
		title  string
	}{
		{methods.Paper, fmt.Sprintf("steps of %g", experiment.PaperStepSize)},
		{experiment.PrintedPreset, "steps of 1, as printed"},
	} {
		fmt.Fprintf(w, "\n## Mean MCC, %s\n", table.title)
		for _, f := range experiment.Figures() {
			fmt.Fprintf(w, "\nFigure %s: %s\n\n", f.Name, f.Title)
			if err := f.WriteTable(w, results, table.preset, experiment.PaperRuns); err != nil {
				return err
			}
		}
	}
	return nil
}
