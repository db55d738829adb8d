package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
)

type removeOptions struct {
	reading    files.Reading
	model, out string
	json       string
	in         []string
	components []int
	proposed   bool
	selection  string
	highpass   float64 // Hz
	isLive     bool
}

func newRemove() *cobra.Command {
	var opt removeOptions
	cmd := &cobra.Command{
		Use: "remove --model DIR --in recording.csv --out clean.csv " +
			"(--components 2,5 | --proposed | --selection FILE)",
		Short: "Remove recovered signals from a recording",
		Long: `Remove reads what sica separate --save wrote, and a recording of the same
channels, and subtracts what some of the recovered signals contribute to it, such
as the heartbeat in an electroencephalogram: those of --components, with --proposed
those that sica inspect --reference proposed, or with --selection those that were
ticked on the page of sica inspect --html. The channels keep their
names, times and units. sica inspect says which recovered signal is which; they
count from 1. The recording may be of any length.

It prints how much of each channel's variance was taken out, and, unless all of it is
drift or a line, what was taken out where least was: an artefact that comes and goes
isn't there. Of heartbeats it is what differs from beat to beat. Both are measured above
the fit's --highpass, and without its --skip. A note names components that sica
separate graded doubtful, and those that repeat only with others that stay.

` + pipesHelp + ` --stream cleans each row of
CSV as soon as it comes, and prints nothing else.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.isLive {
				return opt.live(cmd)
			}
			rec := opt.begin()
			return files.WithPipes(cmd, opt.in, opt.out, func(in []string, out string) error {
				opt.in, opt.out = in, out
				return opt.run(cmd, rec)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.model, "model", "", "folder `DIR` of the separation (required)")
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the recording (required)")
	f.StringVar(&opt.out, "out", "",
		"`FILE` for the cleaned recording: .csv, .npy, .wav, .edf or .bdf (required)")
	f.IntSliceVar(&opt.components, "components", nil,
		"`NUMBERS` of the recovered signals to remove, such as 2,5; in sica separate and report "+
			"the flag is how many principal components are kept")
	f.BoolVar(&opt.proposed, "proposed", false,
		"remove the recovered signals that sica inspect --reference proposed last")
	f.StringVar(&opt.selection, "selection", "",
		"`FILE` that the page of sica inspect --html saved: remove the recovered signals ticked there")
	f.Float64Var(&opt.highpass, "highpass", 0,
		"write the separation's channels after a high-pass filter at `HZ`, forward and backward, which "+
			"shifts no wave; others stay as they are")
	f.StringVar(&opt.json, "json", "", "`FILE` for a record of what was removed")
	f.BoolVar(&opt.isLive, "stream", false,
		"clean rows of CSV as they come, from --in - to --out -, for a program that goes on")
	opt.reading.Add(cmd)
	require(cmd, "model", "in", "out")
	return cmd
}

// live cleans rows as they arrive.
func (opt *removeOptions) live(cmd *cobra.Command) error {
	if err := opt.checkChoice(); err != nil {
		return err
	}
	if opt.highpass != 0 {
		return usage.Errorf("--stream: leave --highpass out, which goes forward and backward")
	}
	if opt.json != "" {
		return usage.Errorf("--stream: leave --json out, as nothing is measured")
	}
	model, err := files.LoadModel(opt.model)
	if err != nil {
		return err
	}
	if err := checkStream(cmd, opt.in, opt.out, model); err != nil {
		return err
	}
	chosen, err := opt.choose(model)
	if err != nil {
		return err
	}
	l := newLive(model, opt.reading.Separator, func(x *mat.Dense) (*mat.Dense, error) {
		return model.Remove(x, chosen.rows)
	}, nil)
	return l.run(cmd)
}

// separateAgain says how a saved separation gets the sampling rate of a recording that has none.
const separateAgain = "sica separate --rate, with --save, keeps the right one"

func (opt *removeOptions) run(cmd *cobra.Command, rec *removed) error {
	if err := opt.check(); err != nil {
		return err
	}
	model, err := files.LoadModel(opt.model)
	if err != nil {
		return err
	}
	chosen, err := opt.choose(model)
	if err != nil {
		return err
	}
	if err := rec.addComponents(chosen, model); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	if chosen.by != "" {
		which := cmp.Or(numbers(chosen.rows), "none")
		fmt.Fprintf(out, "removing %s, as %s for %s\n", which, chosen.by, chosen.inspected)
	}
	shown := progress.NewQuiet(cmd.ErrOrStderr())
	defer shown.Done()
	in, err := opt.open(cmd.Context(), model, shown)
	if err != nil {
		return err
	}
	_, rec.Positions = in.Dims()
	rec.note(out, in.About.Notes...)
	rec.note(out, chosen.notes(inspected{Input: baseNames(opt.in), Positions: rec.Positions})...)
	rec.note(out, rec.doubtNotes()...)
	taken, err := opt.clean(in, model, chosen.rows, rec.isSteady())
	if err != nil {
		return err
	}
	shown.Done()
	changes, err := taken.measured.Changes()
	if err != nil {
		return err
	}
	if len(chosen.rows) > 0 {
		if err := taken.write(out, changes, &in.About); err != nil {
			return err
		}
	}
	if len(chosen.rows) == model.Signals() {
		rec.note(out, "all components were removed, so nothing is left")
	} else {
		rec.note(out, taken.notes(changes, files.ChannelNames(&in.About))...)
	}
	files.Wrote(out, opt.out)
	if opt.reading.Transpose {
		files.Note(out, opt.out+" has a signal in each column, not in each row")
	}
	noteRate(out, opt.out, in.About.Rate, separateAgain)
	noteUnit(out, opt.out, in.About.Units)
	noteCleaned(out, opt.out, taken.peak)
	if opt.json == "" {
		return nil
	}
	rec.addChannels(taken, changes, &in.About)
	if err := files.WriteJSON(opt.json, rec); err != nil {
		return err
	}
	fmt.Fprintln(out, "wrote", opt.json)
	return nil
}

// check returns an error unless the flags are consistent and the files can be written.
func (opt *removeOptions) check() error {
	if err := opt.checkChoice(); err != nil {
		return err
	}
	if err := files.CheckSignalsName(opt.out); err != nil {
		return err
	}
	read := append(files.Each("--in", opt.in), files.Places("--selection", opt.selection)...)
	err := files.CheckPlaces(read,
		files.Places("--model", opt.model), files.Places("--out", opt.out, "--json", opt.json))
	if err != nil {
		return err
	}
	return files.CheckWritable(opt.json)
}

// open opens the recording, read like the recording of the fit.
func (opt *removeOptions) open(
	ctx context.Context, model *files.Model, shown *progress.Progress,
) (*files.Stream, error) {
	opt.reading.Recall(model, true)
	in, err := opt.reading.Open(ctx, opt.in, shown.Part)
	if err != nil {
		return nil, err
	}
	model.RecallRate(&in.About)
	return in, nil
}

// clean writes the recording without the contribution of the recovered signals in rows, and returns
// its measurements of that.
func (opt *removeOptions) clean(
	in *files.Stream, model *files.Model, rows []int, isSteady bool,
) (*removal, error) {
	taken, err := opt.removal(in, model)
	if err != nil {
		return nil, err
	}
	taken.isSteady = isSteady
	in.Doing, in.MustVary = "removing", true
	clean := taken.cleaned(in.Blocks(files.BlockSize), func(x *mat.Dense) (*mat.Dense, error) {
		return model.Remove(x, rows)
	})
	if err := in.Write(opt.out, clean); err != nil {
		return nil, fmt.Errorf("%s: %w", opt.in[0], err)
	}
	return taken, nil
}

// checkChoice returns a usage error unless one flag says what to remove.
func (opt *removeOptions) checkChoice() error {
	count := 0
	for _, isGiven := range []bool{len(opt.components) > 0, opt.proposed, opt.selection != ""} {
		if isGiven {
			count++
		}
	}
	if count != 1 {
		return usage.Errorf("what to remove: say --components 2,5, --proposed or --selection FILE, " +
			"one of the three")
	}
	return nil
}

// A choice is the recovered signals to remove.
type choice struct {
	rows      []int  // from 0
	by        string // how they were chosen; "" for --components
	reference string // reference of the proposal; "" for none
	inspected        // recording for which they were chosen
	caution   string // "" for none
}

// notes returns notes for people who remove the chosen signals from a recording.
func (c choice) notes(from inspected) (notes []string) {
	if c.by != "" && !c.equals(from) {
		notes = append(notes, "this is another recording: "+from.String())
	}
	if c.caution != "" {
		notes = append(notes, c.caution)
	}
	return notes
}

// choose returns the signals to remove, as given by the flags.
func (opt *removeOptions) choose(model *files.Model) (c choice, err error) {
	if opt.proposed {
		p, err := readProposal(model)
		by := "proposed with the reference " + p.Reference
		return choice{p.Signals, by, p.Reference, p.inspected, p.caution()}, err
	}
	if opt.selection != "" {
		s, err := readSelection(opt.selection, model)
		return choice{rows: s.Signals, by: "ticked", inspected: s.inspected}, err
	}
	k := model.Signals()
	for _, number := range opt.components {
		if number < 1 || number > k {
			return c, usage.Errorf("--components %d: the separation recovered signals 1 to %d", number, k)
		}
		if slices.Contains(c.rows, number-1) {
			return c, usage.Errorf("--components: %d is there twice", number)
		}
		c.rows = append(c.rows, number-1)
	}
	return c, nil
}
