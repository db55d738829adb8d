package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/progress"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/plot"
	"github.com/seed-47b1e431/gosica/sica/report"
	"github.com/seed-47b1e431/gosica/sica/report/html"
)

type inspectOptions struct {
	reading           files.Reading
	in                []string
	fitting           files.Fitting
	model, json, plot string
	html              string
	references        []string
}

func newInspect() *cobra.Command {
	var opt inspectOptions
	cmd := &cobra.Command{
		Use:   "inspect --model DIR --in recording.csv",
		Short: "Say which recovered signal is what",
		Long: `Inspect reads what sica separate --save wrote and a recording of the same channels.
For each recovered signal it prints what removing it alone would take: its share of
the channels' variance, and the channel that loses most, with how much of its own. Of a
nonlinear separation that is what it explains by least squares. Then come its excess
kurtosis (0 for Gaussian values, more for rare large ones), its strongest rhythm and,
if the rate is known, what it looks like: line, blink, eye movement, alpha, heartbeat,
drift, muscle, one electrode, or none of these. With --reference, a channel of
the recording, of any rate, or a file of one signal, it also prints their correlation
and their coherence: the share of the reference's variance that a filter of the
recovered signal explains; signals are then sorted by coherence. It proposes to remove
those of which |correlation| or coherence is at least 0.5 and those that look like a
line, a blink, an eye movement or a muscle, and keeps that in the model's folder for
sica remove --proposed. Signals count from 1, as the columns of what separate writes,
and as for sica remove.
--plot draws the first unskipped seconds of each, its spectrum and its pattern, what
a value of 1 adds to each channel: as bars, scaled to the largest of each row, and, of
channels with names such as Fp1 and Cz, as a map of the head. --html writes a page
that shows the same over the whole recording and, of a linear separation, the channels
without the components that are ticked there; it gives the command that removes them,
and a file for sica remove --selection. Signs are those of the recovered signals. The
signals, and a reference, are filtered and skipped as sica separate learned from
them, unless --highpass, --lowpass, --notch or --skip say otherwise. For these
numbers and the picture outliers, such as clicks, are interpolated; the files that
separate and remove write keep them. The recording may be of any length.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return opt.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&opt.model, "model", "", "folder `DIR` of the separation (required)")
	f.StringArrayVar(&opt.in, "in", nil, "`FILE` of the recording (required)")
	f.StringSliceVar(&opt.references, "reference", nil,
		"`NAME` of a channel or of its electrode, such as Fp1, its number as for --without, or a file "+
			"of one signal, to compare with; several with commas between, each component then with the "+
			"one that it is most like")
	f.StringVar(&opt.plot, "plot", "",
		"`FILE` for a picture of the components and their patterns, .png or .svg")
	f.StringVar(&opt.html, "html", "",
		"`FILE` for a page to look at the components and choose what to remove")
	f.StringVar(&opt.json, "json", "", "`FILE` for all of it, with the patterns; signals count from 0 there")
	opt.reading.Add(cmd)
	opt.fitting.Add(cmd, "look at")
	require(cmd, "model", "in")
	return cmd
}

// check returns a usage error if flags conflict.
func (opt *inspectOptions) check() error {
	if err := opt.fitting.Check(!datasets.IsImage(opt.in[0])); err != nil {
		return err
	}
	if opt.references != nil && len(opt.references) == 0 {
		return usage.Errorf("--reference: it is empty; must be a channel or a file")
	}
	for k, name := range opt.references {
		if slices.Contains(opt.references[:k], name) {
			return usage.Errorf("--reference: %s is there twice", name)
		}
	}
	read := append(files.Each("--in", opt.in), files.Each("--reference", opt.references)...)
	err := files.CheckPlaces(read,
		files.Places("--model", opt.model),
		files.Places("--json", opt.json, "--plot", opt.plot, "--html", opt.html))
	if err != nil {
		return err
	}
	if opt.plot != "" {
		if _, err := plot.FormatOf(opt.plot); err != nil {
			return usage.Error(err)
		}
	}
	return files.CheckWritable(opt.json, opt.plot, opt.html)
}

func (opt *inspectOptions) run(cmd *cobra.Command) error {
	if err := opt.check(); err != nil {
		return err
	}
	shown := progress.NewQuiet(cmd.ErrOrStderr())
	defer shown.Done()
	model, err := files.LoadModel(opt.model)
	if err != nil {
		return err
	}
	in, x, references, err := opt.open(cmd, model, shown.Part)
	if err != nil {
		return err
	}
	all, closest, err := describeComponents(model.Result, x, references)
	if err == nil {
		err = label(all, model.Result, x, &in.About)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", opt.in[0], err)
	}
	var proposed proposal
	if references != nil {
		if proposed, err = opt.propose(all, references, closest, in, model); err != nil {
			return err
		}
	}
	if err := opt.write(cmd, model, all, x, in); err != nil {
		return err
	}
	shown.Done()
	out := cmd.OutOrStdout()
	files.Note(out, in.About.Notes...)
	if err := writeComponents(out, all, &in.About, closest); err != nil {
		return err
	}
	if in.About.Rate == 0 && slices.ContainsFunc(all, func(c inspect.Component) bool { return c.Rhythm > 0 }) {
		files.Note(out, "rhythms are in positions: --rate gives them in Hz")
	}
	files.Note(out, opt.excess(all, model)...)
	for _, path := range []string{opt.json, opt.plot, opt.html} {
		if path != "" {
			fmt.Fprintln(out, "wrote", path)
		}
	}
	if references == nil {
		return nil
	}
	fmt.Fprintln(out, proposed)
	if err := proposed.write(out, opt.model); err != nil {
		return fmt.Errorf("the proposal can't be kept for sica remove --proposed: %w", err)
	}
	return nil
}

// open returns the recording, its signals as the separation learned from them, and the references.
func (opt *inspectOptions) open(
	cmd *cobra.Command, model *files.Model, report func(doing string, fraction float64),
) (in *files.Stream, x blockwise.Source, references []reference, err error) {
	opt.fitting.Recall(model, cmd.Flags().Changed)
	opt.reading.Recall(model, false)
	if in, err = opt.reading.Open(cmd.Context(), opt.in, report); err != nil {
		return nil, nil, nil, err
	}
	if references, err = readReferences(opt.references, in); err != nil {
		return nil, nil, nil, err
	}
	in.Doing = "analysing " + filepath.Base(opt.in[0])
	in.Reads = 2 * max(1, len(references)) // made by inspect.Recording
	// label and write read the recording, too.
	for _, isRead := range []bool{in.About.Rate > 0, opt.plot != "", opt.html != ""} {
		if isRead {
			in.Reads++
		}
	}
	in.MustVary = true
	fitted, err := opt.fitting.Apply(cmd.Context(), in, &in.About)
	if err != nil {
		return nil, nil, nil, err
	}
	in.About.Notes = append(in.About.Notes, fitted.Notes...)
	same := opt.fitting
	same.Skip = fitted.Skip // where the recording is clipped, not the reference
	for k := range references {
		filtered, err := same.Apply(cmd.Context(), references[k].Source, &in.About)
		if err != nil {
			return nil, nil, nil, err
		}
		references[k].Source = filtered.Source
	}
	return in, fitted.Source, references, nil
}

// write writes the requested files.
func (opt *inspectOptions) write(
	cmd *cobra.Command, model *files.Model, all []inspect.Component, x blockwise.Source,
	in *files.Stream,
) error {
	about := &in.About
	if opt.json != "" {
		if err := files.WriteJSON(opt.json, all); err != nil {
			return err
		}
	}
	if opt.plot != "" {
		if err := plotComponents(opt.plot, model.Result, all, x, about); err != nil {
			return err
		}
	}
	if opt.html == "" {
		return nil
	}
	grades, err := readOfSignals[report.Graded](model, gradesFile)
	if err != nil {
		return err
	}
	page := html.Page{
		Result: model.Result, X: x, Channels: files.ChannelNames(about), Units: about.Units,
		Rate: about.Rate, Start: about.Start, Components: all, Grades: grades, Notes: about.Notes,
	}
	if opt.references != nil {
		page.Notes = slices.Concat(page.Notes,
			[]string{"the reference is " + strings.Join(opt.references, ", ")})
	}
	_, n := in.Dims()
	return writePage(opt.html, page, cmd, opt.in, n, model)
}

// propose returns the components to remove from a recording, and records that in the components.
// closest holds the reference that each component is most similar to.
func (opt *inspectOptions) propose(
	all []inspect.Component, references []reference, closest []*reference, in *files.Stream,
	model *files.Model,
) (p proposal, err error) {
	var names []string
	for _, r := range references {
		names = append(names, r.name)
	}
	_, n := in.Dims()
	p = newProposal(all, closest, strings.Join(names, ", "))
	p.inspected, err = newInspected(model, opt.in, n)
	return p, err
}

// excess returns a note on the components with a share above 100 %.
func (opt *inspectOptions) excess(all []inspect.Component, model *files.Model) []string {
	var numbers []string
	for _, c := range all {
		if c.Share > 1 {
			numbers = append(numbers, strconv.Itoa(c.Signal+1))
		}
	}
	if numbers == nil {
		return nil
	}
	cause := misfit
	if highpass := model.Highpass(); highpass > 0 && opt.fitting.Filter.Highpass == 0 {
		cause = fmt.Sprintf("The usual cause is drift below %g Hz, which the fit didn't see: use --highpass %[1]g",
			highpass)
	}
	return []string{"shares above 100 %: " + strings.Join(numbers, ", ") + ". " + cause}
}

// writeComponents writes a table with a row for each component and, if there are references, the
// most similar one.
func writeComponents(
	out io.Writer, all []inspect.Component, in *datasets.Recording, closest []*reference,
) error {
	isSeveral := slices.ContainsFunc(closest, func(r *reference) bool { return r != closest[0] })
	t := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	header := "#\tshare\tremoval takes\tkurtosis\trhythm"
	if closest != nil {
		header += "\tcorrelation\tcoherence"
	}
	if isSeveral {
		header += "\twith"
	}
	isLabelled := slices.ContainsFunc(all, func(c inspect.Component) bool { return c.Label.Name != "" })
	if isLabelled {
		header += "\tlooks like"
	}
	fmt.Fprintln(t, header)
	names := files.ChannelNames(in)
	for k, c := range all {
		fmt.Fprintf(t, "%d\t%.1f %%\t%s %.0f %%\t%s\t%s", c.Signal+1, 100*c.Share,
			files.ChannelName(names, c.Channel), 100*c.ChannelShare, text.Fixed(c.Kurtosis, 1),
			rhythm(c, in.Rate))
		if closest != nil {
			fmt.Fprintf(t, "\t%s\t%.2f", text.Fixed(c.Correlation, 2), c.Coherence)
		}
		if isSeveral {
			fmt.Fprintf(t, "\t%s", closest[k].name)
		}
		if isLabelled {
			fmt.Fprint(t, "\t"+looksLike(c.Label))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// rhythm returns the strongest rhythm as text: if the rate is known, in Hz or, below 1 Hz, in
// seconds.
func rhythm(c inspect.Component, rate float64) string {
	switch {
	case c.Rhythm == 0:
		return "–"
	case rate == 0:
		return fmt.Sprintf("every %.1f positions (%.2f)", c.Period, c.Rhythm)
	case c.Period > rate:
		return fmt.Sprintf("every %.3g s (%.2f)", c.Period/rate, c.Rhythm)
	}
	return fmt.Sprintf("%.3g Hz (%.2f)", rate/c.Period, c.Rhythm)
}
