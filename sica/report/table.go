package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/inspect"
)

// A Table lists the recovered signals in their order, at most TableRows of them, as sica separate
// and WriteText print them. Columns without a value are left out.
type Table struct {
	// Components are those of the signals, in their order; nil after a nonlinear demixing.
	Components []inspect.Component
	// Channels are the names of the mixed signals; nil for numbers from 1.
	Channels []string
	// Grades are those of the signals; nil for none.
	Grades []Graded
	// Words stand in the column of the grades where there are no Grades.
	Words []string
}

// TableRows is the largest number of signals in a Table, so that it fits a screen. A choice.
const TableRows = 32

// Write writes the table as text.
func (t Table) Write(w io.Writer) error {
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
	isRepeated := slices.ContainsFunc(t.Grades, func(g Graded) bool { return g.Repeat > 0 })
	if isRepeated {
		header += "\trepeats\tone source"
	}
	fmt.Fprintln(out, header+"\tgrade")
	d := max(len(t.Components), len(t.Grades), len(t.Words))
	for i := range min(d, TableRows) {
		fmt.Fprint(out, i+1)
		if hasShare {
			fmt.Fprintf(out, "\t%.1f %%", 100*t.share(i))
		}
		if t.Components != nil {
			fmt.Fprint(out, "\t"+t.channel(t.Components[i].Channel))
		}
		if isLabelled {
			fmt.Fprint(out, "\t"+t.Components[i].Label.Name)
		}
		if isRepeated {
			g := &t.Grades[i]
			oneSource := unknown // of one that is identified its error says more
			if g.Grade != Identified {
				oneSource = fmt.Sprintf("%.0f %%", 100*g.Comparable)
			}
			fmt.Fprintf(out, "\t%.2f\t%s", math.Floor(100*g.Repeat)/100, oneSource)
		}
		fmt.Fprintf(out, "\t%s\n", t.grade(i))
	}
	if more := d - TableRows; more > 0 {
		fmt.Fprintf(out, "and %d more in JSON\n", more)
	}
	return out.Flush()
}

func (t Table) share(i int) float64 {
	if t.Components != nil {
		return t.Components[i].Share
	}
	return t.Grades[i].Share
}

func (t Table) channel(c int) string {
	if t.Channels == nil {
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
// with 2, 4" or "doubtful".
func (g *Graded) Words(i int) string {
	switch {
	case g.Grade == Identified && g.ExpectedError > 0:
		return "identified, error " + ErrorText(g.ExpectedError)
	case g.Grade == Repeats && !g.Alone():
		return "repeats with " + others(g.Group, i)
	}
	return g.Grade.String()
}

// ErrorText returns an expected 1 − |correlation| in words: "0.0123" or "< 0.0001".
func ErrorText(e float64) string {
	if e < 0.00005 {
		return "< 0.0001"
	}
	return fmt.Sprintf("%.4f", e)
}

// maxOthers is how many signals others names, so that rows stay short. A choice.
const maxOthers = 3

// others names the signals of a group but i, or their number.
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

// artefacts says which signals can be taken out of a recording, such as "alone 2, 3; together
// with others 1, 4; doubtful 5.": those that are identified or repeat alone, those that repeat
// together, and the others. It is "" unless the recording has a rate and the halves were
// separated.
func (r *Report) artefacts() string {
	if r.Halves == nil || len(r.Grades) == 0 || r.opts.Rate == 0 {
		return ""
	}
	var alone, together, doubtful []int
	for i := range r.Grades {
		switch g := &r.Grades[i]; {
		case g.Grade == Doubtful:
			doubtful = append(doubtful, i)
		case g.Grade == Repeats && !g.Alone():
			together = append(together, i)
		default:
			alone = append(alone, i)
		}
	}
	return named([]string{"alone", "together with others", "doubtful"}, alone, together, doubtful)
}

// sources says which signals are sources, such as "identified 1 and 2; probable
// 3; the others can be mixtures."
func (r *Report) sources() string {
	var identified, probable []int
	for i := range r.Grades {
		switch g := &r.Grades[i]; {
		case g.Grade == Identified:
			identified = append(identified, i)
		case g.IsOneSource():
			probable = append(probable, i)
		}
	}
	switch len(identified) {
	case 0:
		if probable == nil {
			return "none identified; all can be mixtures."
		}
		return "none identified; probable " + text.Numbers(probable) +
			"; the others can be mixtures."
	case len(r.Grades):
		return "all are identified."
	}
	return strings.TrimSuffix(named([]string{"identified", "probable"}, identified,
		probable), ".") + "; the others can be mixtures."
}

// named names groups of signals, each after its name, as a sentence.
func named(names []string, groups ...[]int) string {
	var parts []string
	for k, signals := range groups {
		if signals != nil {
			parts = append(parts, names[k]+" "+text.Numbers(signals))
		}
	}
	return strings.Join(parts, "; ") + "."
}
