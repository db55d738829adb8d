package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-47b1e431/gosica/laboratory/experiment"
	"github.com/seed-47b1e431/gosica/sica/report"
)

// newGrades is the command of the table grades.
func newGrades() *cobra.Command {
	j := judgement[experiment.GradeOutcome]{"grades",
		"Measure how often graded signals are one source", 8, 2001, experiment.GradeSimulations(), writeGrades}
	return j.command()
}

// The smallest repeats of the rows of the table of comparable signals, and the smallest shares of
// the channels' variance of its columns.
var (
	comparedRepeats = []float64{0, 0.9, 0.95, 0.99, 0.998}
	comparedShares  = []float64{0, 0.02, 0.05}
)

// A gradeTally counts signals of a kind by grade, and those that are right.
type gradeTally struct{ signals, identified, alone, grouped [2]int } // all, right

func (t *gradeTally) add(s *experiment.GradedSignal) {
	count := func(n *[2]int) {
		n[0]++
		if s.IsRight() {
			n[1]++
		}
	}
	count(&t.signals)
	switch {
	case s.Grade == report.Identified:
		count(&t.identified)
	case s.Grade == report.Repeats && s.Alone():
		count(&t.alone)
	case s.Grade == report.Repeats:
		count(&t.grouped)
	}
}

// writeGrades writes the grades by kind of recording, and how often comparable signals are one
// source.
func writeGrades(w io.Writer, outcomes []experiment.GradeOutcome) {
	fmt.Fprint(w, "| recordings | signals | identified, right | "+
		"repeat alone, one source | repeat together, as many sources | doubtful |\n"+
		"| --- | ---: | ---: | ---: | ---: | ---: |\n")
	var surplus, exact gradeTally
	var compared []experiment.GradedSignal
	for _, k := range experiment.GradeSimulations() {
		var these gradeTally
		for _, o := range outcomes {
			if o.Kind != k.Name {
				continue
			}
			total := &exact
			if k.Surplus {
				total = &surplus
				compared = append(compared, o.Signals...)
			}
			for i := range o.Signals {
				these.add(&o.Signals[i])
				total.add(&o.Signals[i])
			}
		}
		these.write(w, k.Name)
	}
	surplus.write(w, "all with more sources than channels")
	exact.write(w, "all others")
	writeCompared(w, compared)
}

// write writes the row of the tally; nothing of no signals.
func (t *gradeTally) write(w io.Writer, name string) {
	if t.signals[0] == 0 {
		return
	}
	fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %d |\n", name, t.signals[0],
		shareText(t.identified[1], t.identified[0]),
		shareText(t.alone[1], t.alone[0]), shareText(t.grouped[1], t.grouped[0]),
		t.signals[0]-t.identified[0]-t.alone[0]-t.grouped[0])
}

// writeCompared writes how many signals are one source, by repeat and share.
func writeCompared(w io.Writer, signals []experiment.GradedSignal) {
	fmt.Fprint(w, "\n| repeat |")
	for _, share := range comparedShares {
		fmt.Fprintf(w, " share from %g %% |", 100*share)
	}
	fmt.Fprint(w, "\n| --- |"+" ---: |"+" ---: |"+" ---: |\n")
	place := func(limits []float64, v float64) (k int) {
		for k+1 < len(limits) && v >= limits[k+1] {
			k++
		}
		return k
	}
	for row, repeat := range comparedRepeats {
		fmt.Fprintf(w, "| from %g |", repeat)
		for column := range comparedShares {
			right, all := 0, 0
			for _, s := range signals {
				if place(comparedRepeats, s.Repeat) != row ||
					place(comparedShares, s.Share) != column {
					continue
				}
				all++
				if s.OneSource >= 0.9 {
					right++
				}
			}
			fmt.Fprintf(w, " %s |", shareText(right, all))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
}
