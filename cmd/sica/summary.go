package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/datasets"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/inspect"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// summaryRows is the largest number of signals that separate lists, so that they fit a screen. A
// choice.
const summaryRows = 20

// printSummary prints how long it took since the command began, and the summary.
func printSummary(out io.Writer, res *sica.Result, summary string, began time.Time) {
	seconds := time.Since(began).Seconds()
	if res.Stopped == sica.StoppedMethod {
		fmt.Fprintf(out, "separated in %.1f s\n\n%s", seconds, summary)
	} else {
		fmt.Fprintf(out, "stopped after %s and %.1f s\n\n%s",
			text.Counted(res.Iterations, "iteration"), seconds, summary)
	}
}

// summarise returns a table of the recovered signals in the order of the file, and why they are the
// result.
func summarise(res *sica.Result, in fitted) (string, error) {
	var out strings.Builder
	if err := writeSummary(&out, res, in); err != nil {
		return "", err
	}
	why := []string{usage.Flags(res.Why)}
	if res.Linear != nil && mayBeRight(res.Linear) {
		why = append(why, "Strong signals can be right all the same. sica report says how stable each "+
			"is, but even stable signals can be mixtures.")
	}
	if res.Config.Method == sica.LinearOnly && len(res.Shape) < 2 && res.Chosen.Name == "" &&
		res.Linear != nil && len(res.Linear.Groups) > 1 {
		why = append(why, "The test for a nonlinear mixing, which --method sica makes, also shows many "+
			"cases of more sources than channels.")
	}
	fmt.Fprintf(&out, "\n%s\n", text.Wrap("", strings.Join(why, " ")))
	return out.String(), nil
}

// maxTimes is how many outliers a line names by their times, as many as the reason has.
const maxTimes = 5

// writeOutliers writes the times of outliers, of a recording with a rate.
func writeOutliers(out io.Writer, outliers []int, about *datasets.Recording) {
	if about.Rate == 0 || len(outliers) == 0 {
		return
	}
	var times []string
	for _, t := range outliers[:min(len(outliers), maxTimes)] {
		times = append(times, fmt.Sprintf("%.6g", about.Start+float64(t)/about.Rate))
	}
	more := ""
	if len(outliers) > maxTimes {
		more = " and more"
	}
	fmt.Fprintf(out, "outliers: at %s s%s\n", strings.Join(times, ", "), more)
}

// mayBeRight reports whether strong signals can be right though some aren't identified: because of
// noise, dependence or more sources than channels, which the linear rule's model doesn't have. If
// one signal is like noise, a source may be hidden under it, and the others be mixtures.
func mayBeRight(l *linear.Findings) bool {
	switch l.Reason {
	case linear.MoreSources:
		return true
	case linear.Noise, linear.HiddenNoise, linear.LikeNoise, linear.Dependence:
		return len(l.NoiseLike) != 1
	}
	return false
}

// writeSummary writes a table with a row for each recovered signal, in their order, and what was
// found besides.
func writeSummary(out io.Writer, res *sica.Result, in fitted) error {
	channels := files.ChannelNames(in.about)
	if err := writeSignals(out, res, signalComponents(res, in.learned), channels); err != nil {
		return err
	}
	d, _ := res.Z.Dims()
	if more := d - summaryRows; more > 0 {
		fmt.Fprintf(out, "and %s; sica inspect lists all\n", text.Counted(more, "more signal"))
	}
	if res.Best == 0 && res.Linear != nil {
		if note := res.Linear.ErrorNote(); note != "" {
			fmt.Fprintln(out, "expected error:", note)
		}
		writeNoise(out, res.Linear)
		if note := res.Linear.DriftNote(); note != "" {
			fmt.Fprintln(out, "change with time:", note)
		}
		writeCorrelation(out, res, in.recovered(res), in.about.Rate > 0 && !in.isHighpassed)
	}
	writeTransients(out, res, in)
	writeOutliers(out, res.Outliers, in.about)
	if len(res.Clipped) > 0 && channels != nil {
		found := in.clipped()
		if !slices.Equal(found.Channels, res.Clipped) {
			found = files.ClippedIn{Channels: res.Clipped}
		}
		fmt.Fprint(out, text.Wrap("", fmt.Sprintf("clipped: %s%s; %s",
			text.List(found.Names(in.about)), found.Where(in.about), files.ClippingAdvice)))
	}
	return nil
}

// writeSignals writes the table: at most summaryRows signals, with their components if these are
// known.
func writeSignals(
	out io.Writer, res *sica.Result, components []inspect.Component, channels []string,
) error {
	t := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	header := "signal"
	if components != nil {
		header += "\tshare\tmost in"
	}
	header += "\tidentified"
	if res.Best == 0 && res.Linear != nil {
		header += "\texpected error"
	}
	fmt.Fprintln(t, header)
	d, _ := res.Z.Dims()
	for i := range min(d, summaryRows) {
		fmt.Fprint(t, i+1)
		if components != nil {
			c := components[i]
			fmt.Fprintf(t, "\t%.1f %%\t%s", 100*c.Share, files.ChannelName(channels, c.Channel))
		}
		fmt.Fprintf(t, "\t%s\n", certainty(res, i))
	}
	return t.Flush()
}

// certainty returns whether signal i is identified and, of the linear rule, its expected error.
func certainty(res *sica.Result, i int) string {
	d, _ := res.Z.Dims()
	switch {
	case res.Best > 0: // the findings are about Initial, which is Z before the first iteration only
		return "not examined"
	case res.Linear != nil:
		identified := identification(res.Linear.Groups, i, d)
		if slices.Contains(res.Linear.NoiseLike, i) {
			identified += ", like noise"
		}
		return identified + "\t" + expectedError(res.Linear.ExpectedError[i])
	case res.Network != nil && res.Network.Identified:
		return "yes"
	case res.Network != nil:
		return "no"
	}
	return "not examined"
}

// signalComponents returns the component of each recovered signal, in their order. It returns nil
// for a nonlinear separation, and with too few positions.
func signalComponents(res *sica.Result, learned *mat.Dense) []inspect.Component {
	if learned == nil {
		demixing, err := res.Demixing()
		if err != nil {
			return nil
		}
		learned = new(mat.Dense) // up to its mean and the components that a reduction removed
		learned.Mul(demixing.A, res.Z)
	}
	components, err := inspect.Components(res, learned, nil)
	if err != nil {
		return nil
	}
	inOrder(components)
	return components
}

// inOrder sorts components as they are numbered.
func inOrder(components []inspect.Component) {
	slices.SortFunc(components, func(a, b inspect.Component) int { return a.Signal - b.Signal })
}

// maxNotFrom is how many signals identification names, so that rows stay short. A choice.
const maxNotFrom = 3

// identification returns "yes", "no", or the signals from which signal i of d isn't
// distinguishable: their number, of more than maxNotFrom.
func identification(groups [][]int, i, d int) string {
	var others []string
	for _, group := range groups {
		if !slices.Contains(group, i) {
			continue
		}
		for _, j := range group {
			if j != i {
				others = append(others, strconv.Itoa(j+1))
			}
		}
	}
	switch len(others) {
	case 0:
		return "yes"
	case d - 1:
		return "no"
	}
	if k := len(others); k > maxNotFrom {
		return fmt.Sprintf("not from %d others", k)
	}
	return "not from " + strings.Join(others, ", ")
}

// expectedError returns an expected 1 − |correlation| as text, a dash for 1, which is unknown.
func expectedError(e float64) string {
	switch {
	case e >= 1:
		return "–"
	case e < 0.00005:
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", e)
}

// writeNoise writes the share of the channels' variance that is estimated to be white noise.
func writeNoise(out io.Writer, found *linear.Findings) {
	noise := found.Noise
	if len(noise) == 0 || stat.Mean(noise, nil) < report.MinNoise {
		return
	}
	fmt.Fprintf(out, "noise of the channels: about %.1f %% of their variance, a rough estimate\n",
		100*stat.Mean(noise, nil))
}

// A fitted is what a separation was fitted to.
type fitted struct {
	source       blockwise.Source    // it was fitted to this or to a part of it
	learned      *mat.Dense          // the signals of that, d×n; nil if they aren't in memory
	about        *datasets.Recording // has the channels' names and their rate
	isHighpassed bool                // by a flag
}

// clipped returns which channels are clipped; none if the signals aren't in memory.
func (in fitted) clipped() files.ClippedIn {
	if in.learned == nil {
		return files.ClippedIn{}
	}
	return files.FindClipped(in.learned, in.source)
}

// recovered returns the recovered signals at the positions that were learned from, without
// outliers.
func (in fitted) recovered(res *sica.Result) *mat.Dense {
	if len(res.Outliers) == 0 {
		return res.Z
	}
	_, n := res.Z.Dims()
	return columns(res.Z, without(blockwise.Positions(in.source, n), res.Outliers))
}

// writeTransients warns of short stretches of a sequence that decide what signals are.
func writeTransients(out io.Writer, res *sica.Result, in fitted) {
	if len(res.Shape) > 1 {
		return
	}
	_, n := res.Z.Dims()
	positions := blockwise.Positions(in.source, n)
	kept := without(positions, res.Outliers)
	for _, t := range report.Transients(in.recovered(res)) {
		first, last := positions[kept[t.First]], positions[kept[t.Last]]
		have, advice := "have more than half of their", "leave it out by --skip"
		if len(t.Signals) == 1 {
			have, advice = "has more than half of its", advice+" unless it is what you look for"
		}
		fmt.Fprint(out, text.Wrap("", fmt.Sprintf("transient: %s %s variance in one short stretch, %s, "+
			"which alone decides the result there; %s", text.Signals(t.Signals), have,
			files.Span(first, last, in.about), advice)))
	}
}

// writeCorrelation warns of recovered signals z of a sequence that are correlated. It advises a
// filter only if mayBeFiltered: if there is a sampling rate, without which the rows of a table may
// have no order, and no such filter.
func writeCorrelation(out io.Writer, res *sica.Result, z *mat.Dense, mayBeFiltered bool) {
	if len(res.Shape) > 1 {
		return
	}
	c := report.LargestCorrelation(z)
	if warning := c.Warning(mayBeFiltered); warning != "" {
		if mayBeFiltered {
			warning += " (--highpass 1)"
		}
		fmt.Fprint(out, text.Wrap("", fmt.Sprintf("correlated: %s, by %.2f%s: %s",
			text.Signals(c.Pair[:]), c.Value, report.OtherCorrelated(report.Correlated(z)), warning)))
	}
}
