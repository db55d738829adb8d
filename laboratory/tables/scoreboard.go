package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/internal/ablation"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/laboratory/internal/jsonl"
)

// scoreboardName is the name of the scoreboard's files, without their endings.
const scoreboardName = "scoreboard"

// A scoreboard is the options of the command scoreboard.
type scoreboard struct {
	out, against, part, only, backend, change string
	sets, without                             []string
	seeds                                     int
	linear                                    bool
}

func newScoreboard() *cobra.Command {
	var s scoreboard
	cmd := &cobra.Command{
		Use:   scoreboardName,
		Short: "Measure Default on sets of mixtures, and compare two versions of it",
		Long: `Scoreboard separates sets of mixtures by sica.Default, from seeds of its own, and sums
up each set in a row of a table. Part A has mixtures as those of the tables. Part B has simulations
of other packages and papers: it is opened only at the end of a development, never to decide about
a rule.

  part A: ` + strings.Join(experiment.SetNames("A"), ", ") + `
  part B: ` + strings.Join(experiment.SetNames("B"), ", ") + `

Each separation is a line of OUT/scoreboard.jsonl as soon as it is made. Run again, the command
makes only those that are missing. It doesn't see changes of code: give each version another --out.
At the end it writes OUT/scoreboard.md. Seconds are those of all processors; with GOMAXPROCS=1 they
are comparable.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&s.out, "out", filepath.Join("out", scoreboardName), "folder of the scores")
	f.StringVar(&s.against, "against", "", "`DIR` of another run, whose scores are compared by case")
	f.StringVar(&s.part, "part", "A", "A, or B, which is opened only at the end")
	f.StringSliceVar(&s.sets, "sets", nil, "only the sets of these `NAMES`")
	f.StringVar(&s.only, "only", "", "only mixtures whose names contain `TEXT`")
	f.IntVar(&s.seeds, "seeds", 0, "`N` seeds of each mixture; 0: as many as its set has")
	f.StringVar(&s.backend, "backend", backend.Auto, "auto, go, xla:cpu or xla:cuda")
	f.StringVar(&s.change, "change", "",
		"`WHAT` is changed of each separation, which should matter little: "+experiment.OtherSeed+
			", another one, or "+experiment.OtherUnits+" of the channels, powers of two")
	f.BoolVar(&s.linear, "linear", false, "fit no networks, which take most of the time")
	if ablation.Enabled {
		f.StringArrayVar(&s.without, "without", nil,
			"also without these `RULES`, with commas between them, or with a number multiplied, as in "+
				"rejection*2; SICA_WITHOUT doesn't count; again for others")
	}
	return cmd
}

// run makes the scores that are missing and writes the tables.
func (s *scoreboard) run(ctx context.Context, log io.Writer) (err error) {
	cases, err := s.cases()
	if err != nil {
		return err
	}
	var before []experiment.Score
	if s.against != "" {
		if before, err = jsonl.Read[experiment.Score](scoresPath(s.against), nil); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.out, 0o777); err != nil {
		return err
	}
	file, scores, err := jsonl.Open[experiment.Score](scoresPath(s.out), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if scores, err = s.separate(ctx, log, cases, file, scores); err != nil {
		return err
	}
	page := filepath.Join(s.out, scoreboardName+".md")
	if err := atomicfile.Write(page, func(w io.Writer) error {
		return s.write(io.MultiWriter(w, log), scores, before)
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(log, "wrote", page)
	return err
}

func scoresPath(dir string) string { return filepath.Join(dir, scoreboardName+".jsonl") }

// cases returns the cases with all rules, and then without each of the sets of rules.
func (s *scoreboard) cases() ([]experiment.Case, error) {
	switch s.change {
	case "", experiment.OtherSeed, experiment.OtherUnits:
	default:
		return nil, fmt.Errorf("scoreboard: change: is %q; must be %s or %s", s.change,
			experiment.OtherSeed, experiment.OtherUnits)
	}
	cases, err := experiment.Cases(s.part, s.seeds, s.only, s.sets...)
	all := slices.Clone(cases)
	for _, rules := range s.without {
		for _, c := range cases {
			c.Without = rules
			all = append(all, c)
		}
	}
	return all, err
}

// separate separates the cases that scores lacks, adds their scores to the file, and returns the
// scores of all cases in their order.
func (s *scoreboard) separate(
	ctx context.Context, log io.Writer, cases []experiment.Case,
	file *jsonl.File[experiment.Score], scores []experiment.Score,
) ([]experiment.Score, error) {
	b, err := backend.Open(s.backend)
	if err != nil {
		return nil, err
	}
	made := byCase(scores)
	var all []experiment.Score
	for i, c := range cases {
		score, ok := made[c.CaseID]
		if !ok {
			if err := ablation.Set(ruleNames(c.Without)...); err != nil {
				return nil, err
			}
			c.LinearOnly, c.Change = s.linear, s.change
			if score, err = c.Separate(ctx, b); err != nil {
				return nil, err
			}
			if err := file.Add(score); err != nil {
				return nil, err
			}
			fmt.Fprintf(log, "%d/%d  %s  %s  %d: %.1f s", i+1, len(cases), c.Set, c.Mixture, c.Seed,
				score.Seconds)
			if s.part == "A" { // of B only the table is looked at
				fmt.Fprintf(log, "  MCC %.4f  %s", score.MCC, score.Error)
			}
			fmt.Fprintln(log)
		}
		all = append(all, score)
	}
	return all, nil
}

// ruleNames returns the names between the commas.
func ruleNames(rules string) []string {
	if rules == "" {
		return nil
	}
	return strings.Split(rules, ",")
}

func byCase(scores []experiment.Score) map[experiment.CaseID]experiment.Score {
	m := make(map[experiment.CaseID]experiment.Score)
	for _, score := range scores {
		m[score.CaseID] = score
	}
	return m
}

// write writes the table of the scores with all rules, their comparison with those before, if there
// are any, and that of each set of rules that is off with none.
func (s *scoreboard) write(w io.Writer, scores, before []experiment.Score) error {
	full := without(scores, "")
	writeSets(w, full)
	if s.against != "" {
		fmt.Fprintf(w, "\nBefore: %s.\n\n", filepath.ToSlash(s.against))
		writePaired(w, without(before, ""), full)
	}
	for _, rules := range s.without {
		fmt.Fprintf(w, "\nBefore: all rules. After: without %s.\n\n", rules)
		changed := without(scores, rules)
		for i := range changed {
			changed[i].Without = ""
		}
		writePaired(w, full, changed)
	}
	return nil
}

// without returns the scores without these rules.
func without(scores []experiment.Score, rules string) []experiment.Score {
	return slices.DeleteFunc(slices.Clone(scores), func(s experiment.Score) bool {
		return s.Without != rules
	})
}

// A tally sums up scores.
type tally struct {
	n, right, identified, wrong int
	signals, wrongSignals       int // identified, of mixtures that aren't
	failed                      int
	seconds                     float64
	mccs                        []float64
}

func tallyOf(scores []experiment.Score) (t tally) {
	for _, s := range scores {
		t.n++
		t.seconds += s.Seconds
		t.mccs = append(t.mccs, s.MCC)
		if s.Error != "" {
			t.failed++
		}
		if s.IsRight() {
			t.right++
		}
		switch {
		case !s.Identified:
			t.signals += s.IdentifiedSignals
			t.wrongSignals += s.WrongSignals
		case s.IsRight():
			t.identified++
		default:
			t.identified++
			t.wrong++
		}
	}
	return t
}

// bySet calls row for the scores of each set, in their order, and of all.
func bySet(scores []experiment.Score, row func(name string, scores []experiment.Score)) {
	var names []string
	of := make(map[string][]experiment.Score)
	for _, s := range scores {
		if of[s.Set] == nil {
			names = append(names, s.Set)
		}
		of[s.Set] = append(of[s.Set], s)
	}
	for _, name := range names {
		row(name, of[name])
	}
	if len(names) > 1 {
		row("all", scores)
	}
}

func writeSets(w io.Writer, scores []experiment.Score) {
	fmt.Fprint(w, "| set | n | MCC | right | identified | of these wrong | "+
		"identified signals of the others | of these wrong | failed | seconds |\n"+
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	bySet(scores, func(name string, scores []experiment.Score) {
		t := tallyOf(scores)
		mean, se := stats.MeanSE(t.mccs)
		fmt.Fprintf(w, "| %s | %d | %.4f ± %.4f | %d | %d | %d | %d | %d | %d | %.0f |\n", name, t.n,
			mean, se, t.right, t.identified, t.wrong, t.signals, t.wrongSignals, t.failed, t.seconds)
	})
}

// writePaired compares scores of the same cases.
func writePaired(w io.Writer, before, after []experiment.Score) {
	earlier := byCase(before)
	after = slices.DeleteFunc(slices.Clone(after), func(s experiment.Score) bool {
		_, ok := earlier[s.CaseID]
		return !ok
	})
	fmt.Fprint(w, "| set | pairs | dMCC | right | identified | of these wrong | "+
		"identified signals of the others | of these wrong | called otherwise | time ratio |\n"+
		"| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	bySet(after, func(name string, after []experiment.Score) {
		var before []experiment.Score
		var differences []float64
		otherwise := 0
		for _, s := range after {
			b := earlier[s.CaseID]
			before = append(before, b)
			differences = append(differences, s.MCC-b.MCC)
			if s.Identified != b.Identified {
				otherwise++
			}
		}
		b, a := tallyOf(before), tallyOf(after)
		mean, se := stats.MeanSE(differences)
		arrow := func(before, after int) string { return fmt.Sprintf("%d → %d", before, after) }
		ratio := "–"
		if b.seconds > 0 {
			ratio = fmt.Sprintf("%.2f", a.seconds/b.seconds)
		}
		fmt.Fprintf(w, "| %s | %d | %+.4f ± %.4f | %s |\n", name, a.n, mean, se, strings.Join([]string{
			arrow(b.right, a.right), arrow(b.identified, a.identified), arrow(b.wrong, a.wrong),
			arrow(b.signals, a.signals), arrow(b.wrongSignals, a.wrongSignals),
			fmt.Sprint(otherwise), ratio,
		}, " | "))
	})
}
