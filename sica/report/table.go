package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// A Table lists up to 32 recovered signals in order, as sica separate and WriteText print them.
// Columns without a value are omitted. With more than 12 signals, of which some repeat, doubtful
// signals without a label and with at most the mean share are only counted.
type Table struct {
	// Components are the components of the signals, in order; nil for none.
	Components []inspect.Component
	// Channels are the names of the mixed signals; nil for numbers from 1.
	Channels []string
	// Grades are the grades of the signals; nil for none.
	Grades []Graded
	// Words fill the column of the grades if there are no Grades.
	Words []string
	// All is whether every signal has a row.
	All bool
}

// maxAllRows is the largest number of signals that all have rows.
const maxAllRows = 12

// Write writes the table as text.
func (t Table) Write(w io.Writer) error {
	rows, rest := t.split()
	if err := t.write(w, rows); err != nil || rest == nil {
		return err
	}
	_, err := fmt.Fprintf(w, "and %d more, doubtful: not found in both halves; WriteDetails shows them\n",
		len(rest))
	return err
}

// split returns the signals with rows, and those that are only counted.
func (t Table) split() (rows, rest []int) {
	all := grid.Range(max(len(t.Components), len(t.Grades), len(t.Words)))
	if t.All || len(all) <= maxAllRows || !t.isRepeated() {
		return all, nil
	}
	mean := 0.0
	for _, i := range all {
		mean += t.share(i) / float64(len(all))
	}
	for _, i := range all {
		isLabelled := t.Components != nil && t.Components[i].Label.Name != ""
		if t.Grades[i].Grade == Doubtful && !isLabelled && t.share(i) <= mean {
			rest = append(rest, i)
		} else {
			rows = append(rows, i)
		}
	}
	return rows, rest
}

// isRepeated reports whether repeats were measured.
func (t Table) isRepeated() bool {
	return slices.ContainsFunc(t.Grades, func(g Graded) bool { return g.Repeat > 0 })
}

// write writes the rows of some signals as text.
func (t Table) write(w io.Writer, rows []int) error {
	out := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	header := "#"
	hasShare := t.Components != nil || t.Grades != nil
	if hasShare {
		header += "\tshare"
	}
	if t.Components != nil {
		header += "\tstrongest in"
	}
	isLabelled := slices.ContainsFunc(t.Components,
		func(c inspect.Component) bool { return c.Label.Name != "" })
	if isLabelled {
		header += "\tlooks like"
	}
	isRepeated := t.isRepeated()
	if isRepeated {
		header += "\trepeats"
	}
	fmt.Fprintln(out, header+"\tgrade")
	for _, i := range rows[:min(len(rows), notes.MaxRows)] {
		fmt.Fprint(out, i+1)
		if hasShare {
			fmt.Fprintf(out, "\t%.1f %%", 100*t.share(i))
		}
		if t.Components != nil {
			fmt.Fprint(out, "\t"+t.channel(t.Components[i].Channel))
		}
		if isLabelled {
			fmt.Fprint(out, "\t"+labelText(t.Components[i].Label))
		}
		if isRepeated {
			fmt.Fprintf(out, "\t%.3f", math.Floor(1000*t.Grades[i].Repeat)/1000)
		}
		fmt.Fprintf(out, "\t%s\n", t.grade(i))
	}
	if more := len(rows) - notes.MaxRows; more > 0 {
		fmt.Fprintf(out, "and %d more in JSON\n", more)
	}
	return out.Flush()
}

// labelText returns the name of a label and, for beats, the rate.
func labelText(l inspect.Label) string {
	if l.Beats == 0 {
		return l.Name
	}
	return fmt.Sprintf("%s %.0f/min", l.Name, l.Beats)
}

func (t Table) share(i int) float64 {
	if t.Components != nil {
		return t.Components[i].Share
	}
	return t.Grades[i].Share
}

func (t Table) channel(c int) string {
	if len(t.Channels) == 0 {
		return strconv.Itoa(c + 1)
	}
	return t.Channels[c]
}

func (t Table) grade(i int) string {
	if t.Grades == nil {
		return t.Words[i]
	}
	return t.Grades[i].Words(i)
}

// Words returns the grade of signal i in words: "identified, error 0.0012", "repeats", "repeats
// with 2, 4", "doubtful" or "not identified".
func (g *Graded) Words(i int) string {
	switch {
	case g.Grade == Identified && g.ExpectedError > 0:
		return "identified, error " + notes.ErrorText(g.ExpectedError)
	case g.Grade == Repeats && !g.Alone():
		return "repeats with " + others(g.Group, i)
	}
	return g.Grade.String()
}

// maxOthers is the largest number of signals that others names, to keep rows short.
const maxOthers = 3

// others returns the names of the signals of a group except i, or their number.
func others(group []int, i int) string {
	var names []string
	for _, j := range group {
		if j != i {
			names = append(names, strconv.Itoa(j+1))
		}
	}
	if len(names) > maxOthers {
		return fmt.Sprintf("%d others", len(names))
	}
	return strings.Join(names, ", ")
}

// artefacts returns a sentence that lists the signals of a recording that come back from both
// halves, and so can be removed: by label, hearts also by rate; then alpha, which is no artefact,
// and signals without a label. It is "" unless the recording has a rate and the halves were
// separated.
func (r *Report) artefacts() string {
	if r.Halves == nil || len(r.Grades) == 0 || r.cfg.Rate == 0 {
		return ""
	}
	var alone, together []string // in words
	var kinds []kind
	for i := range r.Grades {
		switch g := &r.Grades[i]; {
		case g.Grade == Repeats && !g.Alone():
			label := r.label(i).Name
			together = append(together, strings.TrimSpace(fmt.Sprintf("%s %d (with %s)", label, i+1,
				others(g.Group, i))))
		case g.Grade >= Repeats:
			kinds = addKind(kinds, r.label(i), i)
		}
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return a.place() - b.place() })
	for _, k := range kinds {
		alone = append(alone, k.String())
	}
	said := "None comes back from both halves alone"
	if alone != nil {
		said = "Come back from both halves, so can be taken out whole: " + strings.Join(alone, ", ")
	}
	if together != nil {
		said += "; only with others: " + strings.Join(together, ", ")
	}
	return said + "."
}

// label returns the label of signal i; the zero Label without one.
func (r *Report) label(i int) (l inspect.Label) {
	if i < len(r.Components) {
		l = r.Components[i].Label
	}
	return l
}

// A kind is a set of signals with the same label; hearts of different rates are different kinds.
type kind struct {
	label   inspect.Label // of the first
	signals []int
}

// sameRate is the largest relative difference between rates of the same heart, above the rounding
// of rates. Two hearts whose rates differ by less count as one.
const sameRate = 0.05

// addKind adds a signal to the kind with its label.
func addKind(kinds []kind, l inspect.Label, signal int) []kind {
	for k := range kinds {
		first := kinds[k].label
		if first.Name == l.Name && math.Abs(first.Beats-l.Beats) <= sameRate*first.Beats {
			kinds[k].signals = append(kinds[k].signals, signal)
			return kinds
		}
	}
	return append(kinds, kind{l, []int{signal}})
}

// place orders kinds: artefacts, what is the brain's, and what has no label.
func (k kind) place() int {
	switch {
	case k.label.Name == "":
		return 2
	case k.label.Brain():
		return 1
	}
	return 0
}

// String returns k in words, such as "heartbeats 3 and 4 (76 a minute, together)".
func (k kind) String() string {
	name, note := cmp.Or(k.label.Name, "without a label"), ""
	if k.label.Brain() {
		note = " (no artefact)"
	}
	if k.label.Beats > 0 {
		note = fmt.Sprintf("%.0f a minute", k.label.Beats)
		if len(k.signals) > 1 {
			name, note = name+"s", note+", together"
		}
		note = " (" + note + ")"
	}
	return name + " " + text.Numbers(k.signals) + note
}

// sources returns a clause about which signals are sources, such as "identified 1 and 2; others can
// be mixtures."
func (r *Report) sources() string {
	var identified []int
	for i := range r.Grades {
		if r.Grades[i].Grade == Identified {
			identified = append(identified, i)
		}
	}
	switch len(identified) {
	case 0:
		return "none identified; all can be mixtures."
	case len(r.Grades):
		return "all are identified."
	}
	return "identified " + text.Numbers(identified) + "; others can be mixtures."
}
