// Command tables measures how well the methods separate, and writes tables of it:
//
//	go run ./laboratory/tables quality --seed 9001 --runs 8
//	go run ./laboratory/tables linear --seed 9001 --runs 16 --max-signals 8
//	go run ./laboratory/tables nonlinear laplace-2-leaky3 gauss-2-gelu5
//	go run ./laboratory/tables scoreboard --against out/before
//	go run ./laboratory/tables --help
//
// Each separation is a line of OUT/NAME.jsonl as soon as it is made. Run again, the command
// makes only those that are missing or were made with other settings of the method. It doesn't
// see changes of code. At the end it writes the table to OUT/NAME.md, and its picture, if it has
// one, to OUT/NAME.png. The folder results has the outcomes that the documentation quotes. No
// method sees the true sources: they only give the scores.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/backend"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/atomicfile"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/laboratory/internal/processor"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := newCommand().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "tables:", err)
		os.Exit(1)
	}
}

// options are those of a table and of its making.
type options struct {
	experiment.TableOptions
	files           []string
	jobs            int
	out             string
	backend         string
	allowUnverified bool
}

func newCommand() *cobra.Command {
	var opt options
	tables, about := experiment.TableNames()
	long := "Tables measures a table of separations. The tables are:\n\n"
	for i, name := range tables {
		long += fmt.Sprintf("  %-10s  %s\n", name, about[i])
	}
	var names []string
	for _, m := range methods.All() {
		names = append(names, m.Name)
	}
	long += `
MIXTURES, with spaces between, are in place of the table's. Each is a row of a table, as it prints it, or sources,
number of signals and mixing in a word, such as laplace-2-leaky3:

  laplace  AR(1), 0.7, Laplace innovations    linear   A·s
  varied   the same, 0.4 to 0.9               noise3   the same, 3 % of noise in each channel
  iid      Laplace, white                     leaky3   3 layers of leaky ReLU
  gauss    Gaussian AR(1), different          unit3    the same, only columns of length 1
  same     Gaussian AR(1), equal              bent3    3 layers of 0.2u + tanh 2u
  uniform  AR(1), different, uniform          tanh     tanh(A·s)
  garch    AR(1), GARCH(1, 1) innovations     cubic    u + 0.2u³ of A·s
  ar7      the paper's AR(7)                  gelu5    the paper's, 5 steps of 1
  white    uniform and Laplace, white         small5   the same, steps of 0.1
  digits   MNIST, as images                   turn5    the same with a rotating W
  voice    voices of people who speak
  waves    sine that beats, saw, Gaussian AR(2)
  light    photographs, as light              camera   8 bits, exponent 1/2.2

With +noise1 after a mixing, 1 % of noise is in each channel.

Each of METHODS has its default settings, in the table nonlinear the paper's, if it has any:

` + text.Wrap("  ", strings.Join(names, ", ")) + `
Outcomes are kept in the folder --out. Those made with other settings of a method are made
again. After a change of a method's code delete them, or give another --out.`
	cmd := &cobra.Command{
		Use:           "tables NAME [MIXTURE]...",
		Short:         "Measure how well the methods separate",
		Long:          long,
		Args:          cobra.MinimumNArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.Mixtures = args[1:]
			if len(opt.files) > 0 {
				opt.Mixtures = append(opt.Mixtures, "files:"+strings.Join(opt.files, ","))
			}
			return opt.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	f := cmd.Flags()
	f.Uint64Var(&opt.Seed, "seed", 1, "seed of the first run; the others follow")
	f.IntVar(&opt.Runs, "runs", 8, "runs of each problem; standard errors need 2")
	f.StringVar(&opt.Only, "only", "", "only problems whose names contain `TEXT`; d=3 is in d=32, too")
	f.IntVar(&opt.Positions, "positions", 0,
		"length of sequences; 0 is the table's: 2500 of noise, 10000 of filtered, 16384 of many, else 1024")
	f.IntVar(&opt.MinSignals, "min-signals", 0, "only mixtures of at least `D` signals")
	f.IntVar(&opt.MaxSignals, "max-signals", 0, "only mixtures of at most `D` signals; 0 is any")
	f.StringSliceVar(&opt.Methods, "methods", nil, "`METHODS` beside Default, in place of the table's")
	f.StringSliceVar(&opt.files, "files", nil,
		"a source in each of `FILES`: the first signal of a recording, or images of one shape")
	f.IntVar(&opt.jobs, "jobs", 1, "separations at once")
	f.StringVar(&opt.out, "out", filepath.Join("out", "tables"), "folder of the outcomes")
	f.StringVar(&opt.backend, "backend", backend.Auto, "auto, go, xla:cpu or xla:cuda")
	f.BoolVar(&opt.allowUnverified, "allow-unverified-plugin", false,
		"load an XLA plugin whose SHA-256 this program doesn't know")
	cmd.AddCommand(newSeconds(), newScoreboard(), newGrades(), newLabels())
	return cmd
}

// run makes what is missing of a table and writes it.
func (opt *options) run(ctx context.Context, log io.Writer, name string) (err error) {
	table, err := experiment.NewTable(name, opt.TableOptions)
	if err != nil {
		return err
	}
	var backendOptions []backend.Option
	if opt.allowUnverified {
		backendOptions = append(backendOptions, backend.AllowUnverified)
	}
	b, err := backend.Open(opt.backend, backendOptions...)
	if err != nil {
		return err
	}
	store, err := experiment.Open(opt.out, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	plan := experiment.Plan{Trials: table.Trials(), Jobs: opt.jobs}
	if plan.Again, err = store.Outdated(plan.Trials); err != nil {
		return err
	}
	if n := len(plan.Again); n > 0 {
		fmt.Fprintf(log, "%d outcomes in %s were made with other settings, and are made again\n",
			n, opt.out)
	}
	plan.OnOutcome = func(o experiment.Outcome, p experiment.Progress) {
		fmt.Fprintln(log, p.Line(o))
	}
	if err := experiment.Run(ctx, b, store, plan); err != nil {
		return err
	}
	page := filepath.Join(opt.out, name+".md")
	if err := atomicfile.Write(page, func(w io.Writer) error {
		return table.Write(io.MultiWriter(w, log), store.Results)
	}); err != nil {
		return err
	}
	fmt.Fprintln(log, "wrote", page)
	picture, err := table.Picture(store.Results)
	if picture == nil || err != nil {
		return err
	}
	file := filepath.Join(opt.out, name+".png")
	if err := atomicfile.Write(file, func(w io.Writer) error {
		return picture.Write(w, plot.PNG)
	}); err != nil {
		return err
	}
	_, err = fmt.Fprintln(log, "wrote", file)
	return err
}

// newSeconds is the command that times separations, which scripts/baselines calls.
func newSeconds() *cobra.Command {
	var runs int
	var rule bool
	cmd := &cobra.Command{
		Use: "seconds FILE",
		Short: "Print the seconds that separations by sica.Default take, and the seconds of all " +
			"processors; the first separation warms up",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := datasets.ReadFile(args[0])
			if err != nil {
				return err
			}
			for range runs {
				begin, before := time.Now(), processor.Seconds()
				if err := separate(cmd.Context(), x, rule); err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(),
					time.Since(begin).Seconds(), processor.Seconds()-before)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&runs, "runs", 2, "separations")
	cmd.Flags().BoolVar(&rule, "rule", false, "by the linear rule alone")
	return cmd
}

// separate separates x by sica.Default, with networks in pure Go, or by the linear rule alone.
func separate(ctx context.Context, x *mat.Dense, rule bool) error {
	if !rule {
		_, err := sica.Fit(ctx, x, sica.Default())
		return err
	}
	signals, err := ica.New(x)
	if err != nil {
		return err
	}
	_, err = linear.Separate(ctx, signals, linear.Config{})
	return err
}
