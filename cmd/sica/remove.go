package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/stats"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
)

type removeOptions struct {
	reading    files.Reading
	model, out string
	in         []string
	components []int
	proposed   bool
}

func newRemove() *cobra.Command {
	var opt removeOptions
	cmd := &cobra.Command{
		Use:   "remove --model DIR --in recording.csv --out clean.csv (--components 2,5 | --proposed)",
		Short: "Remove recovered signals from a recording",
		Long: `Remove reads what sica separate --save wrote, and a recording of the same
channels, and subtracts what some of the recovered signals contribute to it, such
as the heartbeat in an electroencephalogram: those of --components, or with
--proposed those that sica inspect --reference proposed. The channels keep their
names, times and units. sica inspect says which recovered signal is which; they
count from 1. The recording may be of any length. It prints how much of each channel's
variance was taken out.

` + files.Formats,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opt.run(cmd) },
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
	opt.reading.Add(cmd)
	require(cmd, "model", "in", "out")
	return cmd
}

// separateAgain is how a saved separation gets the sampling rate of a recording without one.
const separateAgain = "sica separate --rate, with --save, keeps the right one"

func (opt *removeOptions) run(cmd *cobra.Command) error {
	if opt.proposed == (len(opt.components) > 0) {
		return usage.Errorf("what to remove: say --components 2,5 or --proposed, one of the two")
	}
	if err := files.CheckSignalsName(opt.out); err != nil {
		return err
	}
	places := files.Places("--out", opt.out, "--model", opt.model)
	if err := files.CheckApart(places...); err != nil {
		return err
	}
	if err := files.CheckNotInput("--in", opt.in, places[0]); err != nil {
		return err
	}
	result, err := sica.Load(opt.model)
	if err != nil {
		return err
	}
	rows, p, err := opt.rows(result)
	if err != nil {
		return err
	}
	if opt.proposed {
		fmt.Fprintf(cmd.OutOrStdout(), "removing %s, as proposed with the reference %s for %s\n",
			p.numbers(), p.Reference, recordingName(p.Input, p.Positions))
	}
	shown := progress.NewQuiet(cmd.ErrOrStderr())
	defer shown.Done()
	if err := opt.reading.Recall(opt.model, result.Channels, true); err != nil {
		return err
	}
	in, err := opt.reading.Open(cmd.Context(), opt.in, shown.Part)
	if err != nil {
		return err
	}
	if err := files.RecallRate(opt.model, &in.About); err != nil {
		return err
	}
	files.Note(cmd.OutOrStdout(), in.About.Notes)
	if opt.proposed {
		_, n := in.Dims()
		if difference := p.difference(opt.in, n); difference != "" {
			files.Note(cmd.OutOrStdout(), []string{difference})
		}
	}
	in.Doing = "removing"
	var taken removal
	clean := blockwise.Remove(result, taken.mixed(in.Blocks(files.BlockSize)), rows...)
	if err := in.Write(opt.out, taken.cleaned(clean)); err != nil {
		return fmt.Errorf("%s: %w", opt.in[0], err)
	}
	shown.Done()
	names := files.ChannelNames(&in.About)
	highpass, err := files.FitHighpass(opt.model)
	if err != nil {
		return err
	}
	fmt.Fprintln(cmd.OutOrStdout(), taken.String(names))
	if k, _ := result.Z.Dims(); len(rows) == k {
		files.Note(cmd.OutOrStdout(), []string{"all components were removed, so nothing is left"})
	} else {
		files.Note(cmd.OutOrStdout(), taken.excess(names, highpass))
	}
	files.Wrote(cmd.OutOrStdout(), opt.out)
	noteRate(cmd.OutOrStdout(), opt.out, in.About.Rate, separateAgain)
	noteCleaned(cmd.OutOrStdout(), opt.out, taken.peak)
	return nil
}

// rows returns the recovered signals to remove, counted from 0, and the proposal if it says which.
func (opt *removeOptions) rows(result *sica.Result) (rows []int, p proposal, err error) {
	k, _ := result.Z.Dims()
	if opt.proposed {
		p, err = readProposal(opt.model, k)
		return p.Signals, p, err
	}
	for _, c := range opt.components {
		if c < 1 || c > k {
			return nil, p, usage.Errorf("--components %d: the separation recovered signals 1 to %d", c, k)
		}
		if slices.Contains(rows, c-1) {
			return nil, p, usage.Errorf("--components: %d is there twice", c)
		}
		rows = append(rows, c-1)
	}
	return rows, p, nil
}

// A removal measures what is removed from each channel while a recording is cleaned block by block.
type removal struct {
	before  *mat.Dense      // the block that is being cleaned
	all     []stats.Moments // of each channel before
	removed []stats.Moments // of what is removed from it
	peak    float64         // largest absolute value of the cleaned recording
}

// mixed returns the blocks of the recording, and keeps the last one.
func (r *removal) mixed(blocks blockwise.Blocks) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		for x, err := range blocks {
			r.before = x
			if !yield(x, err) {
				return
			}
		}
	}
}

// cleaned returns the cleaned blocks, and measures what each lacks.
func (r *removal) cleaned(blocks blockwise.Blocks) blockwise.Blocks {
	return func(yield func(*mat.Dense, error) bool) {
		for z, err := range blocks {
			if err == nil {
				r.measure(z)
			}
			if !yield(z, err) {
				return
			}
		}
	}
}

func (r *removal) measure(cleaned *mat.Dense) {
	d, _ := cleaned.Dims()
	if r.all == nil {
		r.all, r.removed = make([]stats.Moments, d), make([]stats.Moments, d)
	}
	for i := range d {
		before, after := r.before.RawRowView(i), cleaned.RawRowView(i)
		r.peak = max(r.peak, floats.Norm(after, math.Inf(1)))
		r.all[i].Add(before)
		r.removed[i].Add(floats.SubTo(make([]float64, len(before)), before, after))
	}
}

// maxRemovalChannels is how many channels String names: as many as fit a line of a terminal. A
// choice.
const maxRemovalChannels = 5

// shares returns what was removed from each channel, as a share of its variance.
func (r *removal) shares() []float64 {
	shares := make([]float64, len(r.all))
	for i := range shares {
		if v := r.all[i].Variance(); v > 0 {
			shares[i] = r.removed[i].Variance() / v
		}
	}
	return shares
}

// excess returns a note on the channels of which more was removed than there was. The separation
// was learned after a high-pass filter, in Hz, or 0 for none. After a filter there is a note in any
// case: smaller shares, too, can be drift that the fit didn't see.
func (r *removal) excess(names []string, highpass float64) []string {
	var channels []string
	for i, share := range r.shares() {
		if share > 1 {
			channels = append(channels, files.ChannelName(names, i))
		}
	}
	switch {
	case len(channels) > 0:
	case highpass > 0:
		return []string{fmt.Sprintf("below %g Hz, which the fit didn't see, the cleaned channels "+
			"can be wrong by as much as their drift: high-pass them at %[1]g Hz, too", highpass)}
	default:
		return nil
	}
	return []string{"more was taken out than there was: " + strings.Join(channels, ", ") + ". " +
		excessCause(highpass)}
}

// excessCause returns the usual cause of components larger than their channels, and what to do. The
// separation was learned after a high-pass filter, in Hz, or 0 for none.
func excessCause(highpass float64) string {
	if highpass == 0 {
		return "The components don't fit this recording, so don't use the cleaned file. Separate this " +
			"recording itself or, if you did, its raw form with --highpass 1 in place of a filtered one"
	}
	return fmt.Sprintf("The usual cause is drift below %g Hz, which the fit didn't see: high-pass the "+
		"recording itself at %[1]g Hz, then separate that file without --highpass", highpass)
}

// String returns the share of the variance that was removed from the channels that lose most.
func (r *removal) String(names []string) string {
	shares := r.shares()
	order := grid.Range(len(shares))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(shares[j], shares[i]) })
	var words []string
	for _, i := range order[:min(len(order), maxRemovalChannels)] {
		name := files.ChannelName(names, i)
		if names == nil {
			name = "channel " + name
		}
		words = append(words, fmt.Sprintf("%s %.1f %%", name, 100*shares[i]))
	}
	described := "taken out, as a share of the channel's variance: " + strings.Join(words, ", ")
	if more := len(order) - maxRemovalChannels; more > 0 {
		described += "; less in " + text.Counted(more, "more channel")
	}
	return described
}
