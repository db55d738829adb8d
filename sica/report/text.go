package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-47b1e431/gosica/internal/grid"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/linear"
)

// maxGainSE is the standard error from which the R² from all contexts says nothing: events that
// come once can't be predicted from the rest. A choice: half of a signal's variance.
const maxGainSE = 0.5

// The largest numbers of rows in the tables of the text, so that it fits a screen.
const (
	maxSignals = 8
	maxPairs   = 6
)

// shownRows returns how many of n rows a table of at most limit shows: all if only one more is
// left.
func shownRows(n, limit int) int {
	if n <= limit+1 {
		return n
	}
	return limit
}

// String returns what WriteText writes.
func (r *Report) String() string {
	var b strings.Builder
	r.WriteText(&b) // a Builder never fails
	return b.String()
}

// WriteText writes the report as text of at most a screen. Signals count from 1. Of more than nine
// it shows eight: first those that fail a test or whose stability or halves are below 0.95, then
// others that aren't reliable, each by decreasing share. Of more than seven pairs it shows the six
// with the least evidence. Row has the other signals.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	if use := r.ArtefactNote(); use != "" {
		b.WriteString(text.Wrap("As artefacts: ", use))
		b.WriteString("As sources: see the verdict.\n\n")
	}
	fmt.Fprintf(&b, "Verdict: %s\n\n", r.Verdict)
	for _, reason := range r.Reasons {
		b.WriteString(text.Wrap("  ", reason))
	}
	if len(r.Next) > 0 {
		b.WriteString(text.Wrap("  Next: ", strings.Join(r.Next, " ")))
	}
	fmt.Fprintf(&b, "\n%d signals, %d positions%s, seed %d; reported in %.1f s\n\n",
		r.Signals, r.Positions, r.OutlierNote(), r.Seed, r.Elapsed.Seconds())
	r.writeDivergences(&b)
	b.WriteByte('\n')
	r.writeSignals(&b)
	b.WriteByte('\n')
	r.writePairs(&b)
	b.WriteByte('\n')
	for _, m := range r.remarks() {
		b.WriteString(text.Wrap(m.key+": ", m.text))
	}
	if r.Halves != nil {
		b.WriteString("\n" + text.Wrap("halves: ", r.Halves.String()))
	}
	if s := r.Stability; s != nil {
		agreement := s.String() + ", " + s.conditions(r.Positions)
		b.WriteString("\n" + text.Wrap("stability: ", agreement))
	}
	if r.NotRefitted != "" {
		b.WriteString("\n" + text.Wrap("", r.NotRefitted))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ArtefactNote says which signals can be taken out of a recording, such as "alone 2, 3; together with
// others 1, 4; doubtful 5.": those that are identified or repeat alone, those that repeat together, and
// the others. It is "" unless the recording has a rate and the halves were separated.
func (r *Report) ArtefactNote() string {
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
	var parts []string
	for _, p := range []struct {
		signals []int
		name    string
	}{
		{alone, "alone"}, {together, "together with others"}, {doubtful, "doubtful"},
	} {
		if p.signals != nil {
			parts = append(parts, p.name+" "+text.Numbers(p.signals))
		}
	}
	return strings.Join(parts, "; ") + "."
}

// OutlierNote returns the number of excluded outliers, such as " (2 outliers excluded)", to follow
// the number of positions. It is empty if there are none.
func (r *Report) OutlierNote() string {
	switch n := len(r.Outliers); n {
	case 0:
		return ""
	case 1:
		return " (1 outlier excluded)"
	default:
		return fmt.Sprintf(" (%d outliers excluded)", n)
	}
}

// ClassifiedNote returns the number of positions that the networks of SelfSufficiency.Classifier
// saw, such as " (of 8192 positions)", to follow the name of that value. It is empty if they saw
// all.
func (r *Report) ClassifiedNote() string {
	if n := r.Recovered.Classified; n > 0 {
		return fmt.Sprintf(" (of %d positions)", n)
	}
	return ""
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
		rows = append(rows, fmt.Sprintf("divergence, nats%s\t%s\t%s",
			r.ClassifiedNote(), r.Mixed.Classifier, r.Recovered.Classifier))
	}
	writeTable(b, rows...)
}

// WhiteningNote says that stability and halves say nothing where symmetric whitening was kept,
// which makes the same signals of any part; "" elsewhere.
func (r *Report) WhiteningNote() string {
	l := &r.Linear
	isKept := r.fit.origin == thisFit && l.KeptWhitening()
	if !isKept || r.Stability == nil && r.Halves == nil {
		return ""
	}
	return "Symmetric whitening was kept, so stability and halves are near 1 whatever the truth is."
}

func (r *Report) writeSignals(b *strings.Builder) {
	n := len(r.Predictability)
	shown := shownRows(n, maxSignals)
	rows := []string{"signal\tshare\town R²\tall contexts\tstability\thalves\terror\treliable"}
	for _, i := range r.shownSignals(shown) {
		s := r.Row(i)
		rows = append(rows, fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s",
			i+1, s.Share, s.Own, s.AllContexts(), s.Stability, s.Halves, s.Error, s.Reliable))
	}
	writeTable(b, rows...)
	if more := n - shown; more > 0 {
		fmt.Fprintf(b, "and %s: see %s\n", text.Counted(more, "more signal"),
			cmp.Or(r.opts.AllSignals, "JSON or Row"))
	}
	if note := r.ErrorNote(); note != "" {
		b.WriteString(text.Wrap("error: ", note))
	}
	if note := r.WhiteningNote(); note != "" {
		b.WriteString(text.Wrap("", note))
	}
}

// shownSignals returns n signals, or all in order: first those that fail a test, or whose stability
// or halves are below 0.95, then those with another doubt, then the others, each by decreasing
// share.
func (r *Report) shownSignals(n int) []int {
	order := grid.Range(len(r.Predictability))
	if n < len(order) {
		failed := r.failed()
		rank := func(i int) int {
			switch {
			case slices.Contains(failed, i), r.Stability != nil && r.Stability.Signals[i] < minAgreement,
				r.Halves != nil && r.Halves.Signals[i] < minAgreement:
				return 0
			case i < len(r.Doubts) && len(r.Doubts[i]) > 0:
				return 1
			}
			return 2
		}
		share := func(i int) float64 {
			if i < len(r.Shares) {
				return r.Shares[i]
			}
			return 0
		}
		slices.SortStableFunc(order, func(i, j int) int {
			return cmp.Or(cmp.Compare(rank(i), rank(j)), cmp.Compare(share(j), share(i)))
		})
	}
	return order[:n]
}

// failed returns the signals that fail a test of single signals, and the pair that depends most if
// the test of dependence fails.
func (r *Report) failed() (signals []int) {
	for i, doubts := range r.Doubts {
		if slices.ContainsFunc(doubts, func(d string) bool { return d != notIdentified }) {
			signals = append(signals, i)
		}
	}
	if r.isDependent() {
		signals = append(signals, r.Recovered.Pair[:]...)
	}
	return signals
}

// A Row is the row of one recovered signal in a table. Values that weren't measured are dashes.
type Row struct {
	Share        string // of the mixed signals' variance
	Own, All, SE string // see Predictability
	Stability    string // see Stability.Signals
	Halves       string // see Halves.Signals
	Error        string // expected 1 − |correlation| with the source; none after a nonlinear demixing
	Reliable     string // "yes", "yes, but" with a warning, that it repeats, or why not
}

// AllContexts returns All ± SE, or a dash.
func (r Row) AllContexts() string {
	if r.All == unknown {
		return unknown
	}
	return r.All + " ± " + r.SE
}

// unknown stands for a value that wasn't measured.
const unknown = "–"

// Row returns the row of signal i.
func (r *Report) Row(i int) Row {
	p := r.Predictability[i]
	row := Row{
		Share: unknown, Stability: unknown, Halves: unknown, Error: unknown, Reliable: "yes",
		Own: text.Fixed(p.Own, 3), All: text.Fixed(p.All, 3), SE: text.Fixed(p.SE, 3),
	}
	if p.SE > maxGainSE {
		row.All, row.SE = unknown, unknown
	}
	if i < len(r.Shares) {
		row.Share = fmt.Sprintf("%.1f %%", 100*r.Shares[i])
	}
	if r.Stability != nil {
		row.Stability = fmt.Sprintf("%.3f", r.Stability.Signals[i])
		if r.Network != nil { // 1 − stability is its error; see ErrorNote
			row.Stability = fmt.Sprintf("%.4f", r.Stability.Signals[i])
		}
	}
	if r.Halves != nil {
		row.Halves = fmt.Sprintf("%.3f", r.Halves.Signals[i])
	}
	if r.Linear.Identified(i) && i < len(r.Linear.ExpectedError) {
		if row.Error = fmt.Sprintf("%.4f", r.Linear.ExpectedError[i]); row.Error == "0.0000" {
			row.Error = "< 0.0001"
		}
	}
	switch {
	case r.repeatsOnly(i):
		row.Reliable = "not as a source, but it repeats"
	case i < len(r.Doubts) && len(r.Doubts[i]) > 0:
		row.Reliable = "no: " + strings.Join(r.Doubts[i], ", ")
	case r.failsTogether():
		row.Reliable = "see the verdict"
	default:
		var but []string
		if has, _ := r.hasTransient(i); has {
			but = append(but, "a transient")
		}
		if r.halvesDiffer(i) {
			but = append(but, "halves differ")
		}
		if but != nil {
			row.Reliable = "yes, but " + strings.Join(but, ", ")
		}
	}
	return row
}

// repeatsOnly reports whether signal i isn't identified, repeats alone, and passed all other tests.
func (r *Report) repeatsOnly(i int) bool {
	return i < len(r.Doubts) && slices.Equal(r.Doubts[i], []string{notIdentified}) &&
		i < len(r.Grades) && r.Grades[i].Grade == Repeats && r.Grades[i].Alone()
}

func (r *Report) writePairs(b *strings.Builder) {
	pairs := slices.Clone(r.Linear.Pairs)
	shown := shownRows(len(pairs), maxPairs)
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
		fmt.Fprintf(b, "and %s, with at least as much evidence: see %s\n",
			text.Counted(more, "more pair"), cmp.Or(r.opts.AllPairs, "JSON"))
	}
	if slices.ContainsFunc(pairs[:shown], func(p linear.Pair) bool { return p.Evidence < 0 }) {
		b.WriteString("Evidence of 0 or less: Gaussian signals of the same spectrum have a " +
			"shorter code.\n")
	}
	if reasons[r.Linear.Reason].uncounted {
		b.WriteString("Evidence doesn't count noise, more sources than channels or dependence.\n")
	}
}

// String says how similar the signals of the fit and its refits are, in half a sentence.
func (s *Stability) String() string {
	refits := "refit"
	if n := len(s.Recoveries) - 1; n != 1 {
		refits = fmt.Sprintf("%d refits", n)
	}
	return fmt.Sprintf("the mean |correlation| among the fit and its %s is %.3f", refits, s.MCC)
}

// conditions says in what the refits differ from a fit to n positions.
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
