package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica"
	"github.com/seed-47b1e431/gosica/sica/blockwise"
	"github.com/seed-47b1e431/gosica/sica/klflow"
	"github.com/seed-47b1e431/gosica/sica/linear"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// printSummary prints how long the command and the halves took, a table of the recovered signals in
// file order, and why they are the result.
func (opt *separateOptions) printSummary(
	out io.Writer, res *sica.Result, in *mixture, all described,
) error {
	took := fmt.Sprintf("%.1f s", (time.Since(opt.began) - all.halves).Seconds())
	if all.halves >= 50*time.Millisecond { // shorter times would print as 0.0 s
		took += fmt.Sprintf(", its halves in %.1f s", all.halves.Seconds())
	}
	if res.Stopped == klflow.StoppedMethod {
		fmt.Fprintf(out, "separated in %s\n\n", took)
	} else {
		fmt.Fprintf(out, "stopped after %s and %s\n\n", text.Counted(res.Iterations, "iteration"), took)
	}
	table := report.Table{
		Components: all.components, Channels: files.ChannelNames(&in.About), Grades: all.grades,
		Words: ungraded(res), All: opt.details,
	}
	var rows strings.Builder
	if err := table.Write(&rows); err != nil {
		return err
	}
	fmt.Fprint(out, usage.Flags(rows.String()))
	if opt.details {
		opt.writeDetails(out, res, in)
	}
	writeTransients(out, res, in)
	writeClipped(out, res, in)
	why := usage.Flags(res.WhyAt(in.About.Rate, in.About.Start))
	keptWhitening := res.Linear != nil && res.Linear.KeptWhitening
	if note := all.repeatNote(); note != "" && !keptWhitening {
		why = strings.TrimSpace(why + " " + note)
	}
	fmt.Fprintf(out, "\n%s\n", text.Wrap("", why))
	return nil
}

// writeDetails writes further findings, for --details.
func (opt *separateOptions) writeDetails(out io.Writer, res *sica.Result, in *mixture) {
	if found := res.Linear; res.Best == 0 && found != nil {
		note := notes.ExpectedError(found.ExpectedError, found.Groups, found.Noise, found.Drift)
		if note != "" {
			fmt.Fprintln(out, "expected error:", note)
		}
		writeNoise(out, found)
		if note := notes.Drift(found.Drift); note != "" {
			fmt.Fprintln(out, "change with time:", note)
		}
		writeCorrelation(out, res, in.recovered(res), in.About.Rate > 0 && opt.fitting.Filter.Highpass == 0)
	}
}

// writeClipped names the clipped channels, if they have names.
func writeClipped(out io.Writer, res *sica.Result, in *mixture) {
	if len(res.Clipped) == 0 || files.ChannelNames(&in.About) == nil {
		return
	}
	found := in.clipped()
	if !slices.Equal(found.Channels, res.Clipped) {
		found = files.ClippedIn{Channels: res.Clipped}
	}
	fmt.Fprint(out, text.Wrap("", fmt.Sprintf("clipped: %s%s; %s",
		text.List(found.Names(&in.About)), found.Where(&in.About), files.ClippingAdvice)))
}

// ungraded returns the words in place of the grade of each signal if none was measured.
func ungraded(res *sica.Result) []string {
	d, _ := res.Z.Dims()
	words := make([]string, d)
	for i := range words {
		switch {
		case res.Best > 0 || res.Linear == nil && res.Network == nil:
			words[i] = "not examined"
		case res.Linear == nil && res.Network.Identified:
			words[i] = "identified"
		case res.Linear != nil && res.Linear.Identified(i):
			words[i] = "identified, error " + notes.ErrorText(res.Linear.ExpectedError[i])
		default:
			words[i] = "not identified"
		}
	}
	return words
}

// writeNoise writes the estimated share of white noise in the channels' variance.
func writeNoise(out io.Writer, found *linear.Findings) {
	noise := found.Noise
	if len(noise) == 0 || stat.Mean(noise, nil) < notes.MinNoise {
		return
	}
	fmt.Fprintf(out, "noise of the channels: about %.1f %% of their variance, a rough estimate\n",
		100*stat.Mean(noise, nil))
}

// writeTransients warns of short stretches of a sequence that dominate recovered signals.
func writeTransients(out io.Writer, res *sica.Result, in *mixture) {
	if len(res.Shape) > 1 {
		return
	}
	_, n := res.Z.Dims()
	positions, kept := blockwise.Positions(in.fitted.Source, n), in.kept(res)
	for _, t := range report.Transients(in.recovered(res)) {
		first, last := positions[kept[t.First]], positions[kept[t.Last]]
		have, advice := "have more than half of their", "leave it out by --skip"
		if len(t.Signals) == 1 {
			have, advice = "has more than half of its", advice+" unless it is what you look for"
		}
		fmt.Fprint(out, text.Wrap("", fmt.Sprintf("transient: %s %s variance in one short stretch, %s, "+
			"which alone decides the result there; %s", text.Signals(t.Signals), have,
			notes.Span(first, last, in.About.Rate, in.About.Start), advice)))
	}
}

// writeCorrelation warns of recovered signals z of a sequence that are correlated. It recommends a
// filter only if mayBeFiltered is true: if there is a sampling rate, without which the rows of a
// table may be in any order, and no such filter yet.
func writeCorrelation(out io.Writer, res *sica.Result, z *mat.Dense, mayBeFiltered bool) {
	if len(res.Shape) > 1 {
		return
	}
	all := report.Correlated(z)
	if len(all) == 0 {
		return
	}
	warning := notes.Correlation(mayBeFiltered)
	if mayBeFiltered {
		warning += " (--highpass 1)"
	}
	fmt.Fprint(out, text.Wrap("", fmt.Sprintf("correlated: %s, by %.2f%s: %s",
		text.Signals(all[0].Pair[:]), all[0].Value, notes.OtherPairs(all[1:]), warning)))
}
