package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/laboratory/experiment"
)

// newLabels is the command of the table labels.
func newLabels() *cobra.Command {
	j := judgement[experiment.LabelOutcome]{"labels",
		"Measure how often the labels of components are right", 12, 1001, experiment.LabelSimulations(), writeLabels}
	return j.command()
}

// writeLabels writes the confusion of labels, rows, with what components are, columns.
func writeLabels(w io.Writer, outcomes []experiment.LabelOutcome) {
	counts := make(map[[2]string]int)
	var kinds []string
	add := func(kind string) {
		if !slices.Contains(kinds, kind) && kind != "" && kind != experiment.Mixture {
			kinds = append(kinds, kind)
		}
	}
	for _, o := range outcomes {
		for _, c := range o.Components {
			counts[[2]string{c.Label, c.Truth}]++
			add(c.Label)
			add(c.Truth)
		}
	}
	slices.Sort(kinds)
	truths := append(slices.Clone(kinds), "", experiment.Mixture)
	fmt.Fprint(w, "| label |")
	for _, truth := range truths {
		fmt.Fprintf(w, " %s |", cmp.Or(truth, "other source"))
	}
	fmt.Fprint(w, " right |\n| --- |")
	for range len(truths) + 1 {
		fmt.Fprint(w, " ---: |")
	}
	fmt.Fprintln(w)
	for _, label := range append(kinds, "") {
		fmt.Fprintf(w, "| %s |", cmp.Or(label, "none"))
		all := 0
		for _, truth := range truths {
			n := counts[[2]string{label, truth}]
			all += n
			fmt.Fprintf(w, " %d |", n)
		}
		right := counts[[2]string{label, label}]
		if label == "" {
			right += counts[[2]string{label, experiment.Mixture}]
		}
		fmt.Fprintf(w, " %s |\n", shareText(right, all))
	}
	fmt.Fprintln(w)
}
