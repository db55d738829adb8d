package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

const (
	// summaryRows is the largest number of signals that separate lists, so that they fit a
	// screen. A choice.
	summaryRows = 20
	// mentionedNoise is the least share of the channels' variance that is mentioned as noise.
	// A tenth of a per cent leaves a signal a correlation of 0.9995 with its source.
	mentionedNoise = 0.001
)

// printSummary says how long the separation took, lists the recovered signals in the order of
// the file, and says what was done and how sure it is. Learned are the mixed signals, d×n, that
// were learned from, nil if they aren't in memory.
func printSummary(out io.Writer, res *sica.Result, learned *mat.Dense, channels []string) error {
	if res.Stopped == sica.StoppedMethod {
		fmt.Fprintf(out, "separated in %.1f s\n\n", res.Elapsed.Seconds())
	} else {
		fmt.Fprintf(out, "stopped after %d iterations and %.1f s\n\n", res.Iterations,
			res.Elapsed.Seconds())
	}
	if err := writeSummary(out, res, learned, channels); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n"+text.Wrap("", usage.Flags(res.Why))+"\n")
	return err
}

// writeSummary writes a table with a row for each recovered signal, in their order.
func writeSummary(
	out io.Writer, res *sica.Result, learned *mat.Dense, channels []string,
) error {
	d, _ := res.Z.Dims()
	components := explained(res, learned)
	ofInitial := res.Best == 0 // what is known of Initial is known of Z
	t := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	header := "signal"
	if components != nil {
		header += "\tshare\tmost in"
	}
	header += "\tidentified"
	if ofInitial && res.Linear != nil {
		header += "\texpected error"
	}
	fmt.Fprintln(t, header)
	for i := range min(d, summaryRows) {
		fmt.Fprint(t, i+1)
		if components != nil {
			c := components[i]
			fmt.Fprintf(t, "\t%.1f %%\t%s", 100*c.Share, channelName(channels, c.Channel))
		}
		switch {
		case ofInitial && res.Linear != nil:
			fmt.Fprintf(t, "\t%s\t%s", identification(res.Linear.Groups, i, d),
				expectedError(res.Linear.ExpectedError[i]))
		case ofInitial && res.Network != nil && res.Network.Identified:
			fmt.Fprint(t, "\tyes")
		case ofInitial && res.Network != nil:
			fmt.Fprint(t, "\tno")
		default:
			fmt.Fprint(t, "\tnot examined")
		}
		fmt.Fprintln(t)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := d - summaryRows; more > 0 {
		fmt.Fprintf(out, "and %d more signals, which sica inspect lists\n", more)
	}
	if ofInitial && res.Linear != nil {
		writeNoise(out, res.Linear.Noise, components, channels)
	}
	return nil
}

// explained returns what each recovered signal explains, in their order, or nil if that isn't
// known: of a nonlinear separation, or of too few positions.
func explained(res *sica.Result, learned *mat.Dense) []inspect.Component {
	if learned == nil {
		demixing, err := res.Demixing()
		if err != nil {
			return nil
		}
		learned = new(mat.Dense) // without its mean, and without what a reduction left out
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

// channelName returns the name of a channel, or its number from 1 without names.
func channelName(names []string, channel int) string {
	if names == nil {
		return strconv.Itoa(channel + 1)
	}
	return names[channel]
}

// identification says from which others signal i of d isn't distinguishable.
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
	return "not from " + strings.Join(others, ", ")
}

// expectedError returns an expected 1 − |correlation| as text, a dash where nothing is known.
func expectedError(e float64) string {
	switch {
	case e >= 1:
		return "–"
	case e < 0.00005:
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", e)
}

// writeNoise says how much of the channels' variance is estimated to be their own white noise,
// with the channel that has most of it. Noise that the rule found in principal components isn't
// that of single channels.
func writeNoise(out io.Writer, noise []float64, components []inspect.Component, channels []string) {
	if len(noise) == 0 || stat.Mean(noise, nil) < mentionedNoise {
		return
	}
	fmt.Fprintf(out, "noise of the channels: %.1f %% of their variance", 100*stat.Mean(noise, nil))
	if components != nil && len(components[0].Pattern) == len(noise) {
		most := floats.MaxIdx(noise)
		fmt.Fprintf(out, ", most in %s (%.1f %%)", channelName(channels, most), 100*noise[most])
	}
	fmt.Fprintln(out)
}
