package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// maxGainSE is the least standard error with which the R² from all contexts is uninformative: half
// of a signal's variance. Events that occur once can't be predicted from the rest.
const maxGainSE = 0.5

// maxPairs is the largest number of rows in the table of pairs, so that it fits a screen.
const maxPairs = 6

// maxReasons is the largest number of Reasons in WriteText.
const maxReasons = 2

// String returns the output of WriteText and WriteDetails.
func (r *Report) String() string {
	if r.isEmpty() {
		return "no report"
	}
	return r.text(true) + "\n" + r.details(true)
}

// Uses returns a sentence about the signals that can be removed from the recording, if that is
// known, and one about the signals that are sources. Signals count from 1.
func (r *Report) Uses() (uses []string) {
	if use := r.artefacts(); use != "" {
		uses = append(uses, use)
	}
	return append(uses, asSources+r.sources())
}

const asSources = "As sources: "

// isEmpty reports whether r is nil or the zero Report.
func (r *Report) isEmpty() bool { return r == nil || r.Signals == 0 && len(r.Grades) == 0 }

// errEmpty is the error for a Report that is nil or empty.
var errEmpty = errors.New("report: is nil or empty; must be one that New returned")

// WriteText writes the conclusions of the report as text of at most a screen: which signals can be
// removed from a recording, which are sources, the verdict with up to two Reasons and the first of
// Next, and the Table of the signals. Signals count from 1. WriteDetails writes the rest. A nil or
// zero Report is an error.
func (r *Report) WriteText(w io.Writer) error {
	if r.isEmpty() {
		return errEmpty
	}
	_, err := io.WriteString(w, r.text(false))
	return err
}

// text returns the output of WriteText; if isWhole is true, with the table of all signals.
func (r *Report) text(isWhole bool) string {
	var b strings.Builder
	use := r.artefacts()
	if use != "" {
		b.WriteString(text.Wrap("", use))
	}
	b.WriteString(text.Wrap(asSources, r.sources()))
	verdict := string(r.Verdict) + "."
	if r.Verdict != Separated && use != "" {
		verdict += " Not all components are confirmed as sources; those that come back can be used as above."
	}
	for _, reason := range r.Reasons[:min(len(r.Reasons), maxReasons)] {
		verdict += " " + reason
	}
	b.WriteString("\n" + text.Wrap("Verdict: ", verdict))
	if len(r.Next) > 0 {
		b.WriteString(text.Wrap("Next: ", r.Next[0]))
	}
	b.WriteByte('\n')
	table := r.table()
	table.All = isWhole
	table.Write(&b) // a Builder never fails
	if note := r.whiteningNote(); note != "" {
		b.WriteString(text.Wrap("", note))
	}
	return b.String()
}

func (r *Report) table() Table {
	return Table{Components: r.Components, Channels: r.Channels, Grades: r.Grades}
}

// WriteDetails writes as text what WriteText omits: the other signals, Reasons and Next, the
// dependence before and after, the tests of each signal, the six pairs with the least evidence,
// remarks on the mixing, halves and stability.
func (r *Report) WriteDetails(w io.Writer) error {
	if r.isEmpty() {
		return errEmpty
	}
	_, err := io.WriteString(w, r.details(false))
	return err
}

// details returns what WriteDetails writes, without the other signals if those are there already.
func (r *Report) details(isWhole bool) string {
	var b strings.Builder
	if _, rest := r.table().split(); rest != nil && !isWhole {
		r.table().write(&b, rest)
		b.WriteByte('\n')
	}
	if more := r.Reasons[min(len(r.Reasons), maxReasons):]; len(more) > 0 {
		b.WriteString(text.Wrap("Reasons: ", strings.Join(more, " ")))
	}
	if len(r.Next) > 1 {
		b.WriteString(text.Wrap("Next: ", strings.Join(r.Next[1:], " ")))
	}
	if len(r.Reasons) > maxReasons || len(r.Next) > 1 {
		b.WriteByte('\n')
	}
	outliers := ""
	if n := len(r.Outliers); n > 0 {
		outliers = fmt.Sprintf(" (%s excluded)", text.Counted(n, "outlier"))
	}
	fmt.Fprintf(&b, "%d signals, %d positions%s, seed %d; reported in %.1f s\n\n",
		r.Signals, r.Positions, outliers, r.Seed, r.Elapsed.Seconds())
	r.writeDivergences(&b)
	b.WriteByte('\n')
	r.writeTests(&b)
	b.WriteByte('\n')
	r.writePairs(&b)
	b.WriteByte('\n')
	for _, m := range r.remarks() {
		b.WriteString(text.Wrap(m.key+": ", m.text))
	}
	if r.Halves != nil {
		b.WriteString("\n" + text.Wrap("halves: ", r.Halves.String()))
	}
	if r.NotHalved != "" {
		b.WriteString("\n" + text.Wrap("", r.NotHalved))
	}
	if s := r.Stability; s != nil {
		agreement := s.String() + ", " + s.conditions(r.Positions)
		b.WriteString("\n" + text.Wrap("stability: ", agreement))
	}
	if r.NotRefitted != "" {
		b.WriteString("\n" + text.Wrap("", r.NotRefitted))
	}
	return b.String()
}

// writeTable writes tab-separated rows in columns.
func writeTable(b *strings.Builder, rows ...string) {
	t := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, row)
	}
	t.Flush() // to a Builder, which never fails
}

func (r *Report) writeDivergences(b *strings.Builder) {
	rows := []string{
		"\tmixed, whitened\trecovered",
		fmt.Sprintf("dependence of the worst pair (no unit)\t%s\t%s",
			r.Mixed.Dependence, r.Recovered.Dependence),
	}
	if r.Mixed.Classifier != nil && r.Recovered.Classifier != nil {
		part := ""
		if n := r.Recovered.Classified; n > 0 {
			part = fmt.Sprintf(" (of %d positions)", n)
		}
		rows = append(rows, fmt.Sprintf("divergence, nats%s\t%s\t%s",
			part, r.Mixed.Classifier, r.Recovered.Classifier))
	}
	writeTable(b, rows...)
}

// whiteningNote returns a note that stability and halves are uninformative if symmetric whitening
// was kept, which gives the same signals from any part; "" otherwise.
func (r *Report) whiteningNote() string {
	if !r.fit.keptWhitening(&r.Linear.Findings) || r.Stability == nil && r.Halves == nil {
		return ""
	}
	return "Symmetric whitening was kept, so stability and halves are near 1 whatever the truth is."
}

// writeTests writes the test results of up to notes.MaxRows signals.
func (r *Report) writeTests(b *strings.Builder) {
	rows := []string{"#\town R²\tall contexts\tstability\thalves\terror\tdoubts"}
	n := len(r.Predictability)
	for i := range min(n, notes.MaxRows) {
		s := r.Row(i)
		rows = append(rows, fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%s",
			i+1, s.Own, s.AllContexts, s.Stability, s.Halves, s.Error, s.Doubts))
	}
	writeTable(b, rows...)
	if more := n - notes.MaxRows; more > 0 {
		fmt.Fprintf(b, "and %d more in JSON\n", more)
	}
	if note := r.errorNote(); note != "" {
		b.WriteString(text.Wrap("error: ", note))
	}
}

// A Row is the row of one recovered signal in a table. Values that weren't measured are dashes.
type Row struct {
	Share       string // see Report.Shares
	Own         string // Own of Predictability
	AllContexts string // All ± SE of Predictability
	Stability   string // see Stability.Signals
	Halves      string // see Halves.Signals
	Error       string // expected 1 − |correlation| with the source; none after a nonlinear demixing
	Doubts      string // which tests failed, and warnings; a dash for none
}

// unknown stands for a value that wasn't measured.
const unknown = "–"

// Row returns the row of signal i.
func (r *Report) Row(i int) Row {
	p := r.Predictability[i]
	row := Row{
		Share: unknown, Stability: unknown, Halves: unknown, Error: unknown,
		Own: text.Fixed(p.Own, 3), AllContexts: text.Fixed(p.All, 3) + " ± " + text.Fixed(p.SE, 3),
	}
	if p.SE > maxGainSE {
		row.AllContexts = unknown
	}
	if i < len(r.Shares) {
		row.Share = fmt.Sprintf("%.1f %%", 100*r.Shares[i])
	}
	if r.Stability != nil {
		row.Stability = fmt.Sprintf("%.3f", r.Stability.Signals[i])
		if r.Network != nil { // 1 − stability is its error; see errorNote
			row.Stability = fmt.Sprintf("%.4f", r.Stability.Signals[i])
		}
	}
	if r.Halves != nil {
		row.Halves = fmt.Sprintf("%.3f", r.Halves.Signals[i])
	}
	if r.Linear.Identified(i) && i < len(r.Linear.ExpectedError) {
		row.Error = notes.ErrorText(r.Linear.ExpectedError[i])
	}
	var doubts []string
	if i < len(r.Doubts) {
		doubts = slices.DeleteFunc(slices.Clone(r.Doubts[i]),
			func(d string) bool { return d == notIdentified })
	}
	if has, isShared := r.hasTransient(i); has && !isShared {
		doubts = append(doubts, "a transient")
	}
	if r.halvesDiffer(i) {
		doubts = append(doubts, "halves differ")
	}
	row.Doubts = cmp.Or(strings.Join(doubts, ", "), unknown)
	return row
}

func (r *Report) writePairs(b *strings.Builder) {
	pairs := slices.Clone(r.Linear.Pairs)
	shown := min(len(pairs), maxPairs)
	if shown < len(pairs) {
		slices.SortStableFunc(pairs,
			func(p, q linear.Pair) int { return cmp.Compare(p.Evidence, q.Evidence) })
	}
	rows := []string{"pair\tevidence, nats\tidentified\tangle\tmagnitude correlation"}
	for _, p := range pairs[:shown] {
		identified, angle := "no", "–"
		if p.Identified {
			identified, angle = "yes", fmt.Sprintf("± %.1f°", p.AngleError*180/math.Pi)
		}
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%s\t%s", text.Numbers([]int{p.J, p.I}),
			text.Fixed(p.Evidence, 1), identified, angle, text.Fixed(p.Dependence, 2)))
	}
	writeTable(b, rows...)
	if more := len(pairs) - shown; more > 0 {
		fmt.Fprintf(b, "and %s in JSON, with at least as much evidence\n",
			text.Counted(more, "more pair"))
	}
	if slices.ContainsFunc(pairs[:shown], func(p linear.Pair) bool { return p.Evidence < 0 }) {
		b.WriteString("Evidence of 0 or less: Gaussian signals of the same spectrum have a " +
			"shorter code.\n")
	}
	if reasons[r.Linear.Reason].uncounted {
		b.WriteString("Evidence doesn't count noise, more sources than channels or dependence.\n")
	}
}

// String returns a clause about the similarity of the signals of the fit and its refits.
func (s *Stability) String() string {
	refits := "refit"
	if n := len(s.Recoveries) - 1; n != 1 {
		refits = fmt.Sprintf("%d refits", n)
	}
	return fmt.Sprintf("the mean |correlation| among the fit and its %s is %.3f", refits, s.MCC)
}

// conditions returns a clause about the differences between the refits and a fit to n positions.
func (s *Stability) conditions(n int) string {
	if s.LeftOut == 0 {
		said := "each with another seed and all positions"
		if s.WhyAll != "" {
			said += ", as " + s.WhyAll + ": that tests the seed only"
		}
		return said
	}
	return fmt.Sprintf("each with another seed and %d of the %d positions", n-s.LeftOut, n)
}
