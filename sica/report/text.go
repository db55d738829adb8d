package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed-47b1e431/gosica/sica/linear"
)

// maxRows is the most signals, and the most pairs, that the text shows.
const maxRows = 6

// String is what WriteText writes.
func (r *Report) String() string {
	var b strings.Builder
	r.WriteText(&b) // a Builder never fails
	return b.String()
}

// WriteText writes the report as text, at most a screen of it: of more than six
// signals or pairs those that speak most against a separation. Signals count
// from 1.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Verdict: %s\n\n", r.Verdict)
	for _, reason := range r.Reasons {
		b.WriteString(wrapped("  ", reason))
	}
	for _, next := range r.Next {
		b.WriteString(wrapped("  Next: ", next))
	}
	fmt.Fprintf(&b, "\n%d signals, %d positions%s, seed %d; reported in %.1f s\n\n", r.Signals, r.Positions, r.WithoutOutliers(), r.Seed, r.Elapsed.Seconds())
	r.writeDivergences(&b)
	b.WriteByte('\n')
	r.writeSignals(&b)
	b.WriteByte('\n')
	r.writePairs(&b)
	if r.Halves != nil {
		b.WriteByte('\n')
		b.WriteString(wrapped("", r.Halves.String()))
	}
	if s := r.Stability; s != nil {
		b.WriteByte('\n')
		b.WriteString(wrapped("", fmt.Sprintf("stability: %s, %s, and the fit agree with an MCC of %.3f", s.refits(), s.without(), s.MCC)))
	}
	if r.NotRefitted != "" {
		b.WriteByte('\n')
		b.WriteString(wrapped("", r.NotRefitted))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WithoutOutliers says behind the number of positions how many were left out; it is empty if
// none were.
func (r *Report) WithoutOutliers() string {
	if len(r.Outliers) == 0 {
		return ""
	}
	return fmt.Sprintf(" (without %d that must be accidents)", len(r.Outliers))
}

// wrapped is text in lines of at most 79 characters, the first after a prefix and
// the others indented as far.
func wrapped(prefix, text string) string {
	const width = 79
	var b strings.Builder
	line := prefix
	indent := strings.Repeat(" ", len(prefix))
	for word := range strings.FieldsSeq(text) {
		if line != prefix && line != indent {
			if len([]rune(line))+1+len([]rune(word)) > width {
				b.WriteString(line + "\n")
				line = indent
			} else {
				line += " "
			}
		}
		line += word
	}
	return b.String() + line + "\n"
}

// table writes tab-separated rows in columns.
func table(b *strings.Builder, rows ...string) {
	t := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, row)
	}
	t.Flush() // to a Builder, which never fails
}

func (r *Report) writeDivergences(b *strings.Builder) {
	rows := []string{
		"\tmixed, whitened\trecovered",
		fmt.Sprintf("dependence of a pair\t%s\t%s", r.Mixed.Dependence, r.Recovered.Dependence),
	}
	if r.Mixed.Judged != nil && r.Recovered.Judged != nil {
		rows = append(rows, fmt.Sprintf("divergence, nats\t%s\t%s", r.Mixed.Judged, r.Recovered.Judged))
	}
	table(b, rows...)
}

func (r *Report) writeSignals(b *strings.Builder) {
	order := make([]int, len(r.Predictability))
	for i := range order {
		order[i] = i
	}
	if len(order) > maxRows { // those relied on last, the stablest or the most self-sufficient of them
		slices.SortStableFunc(order, func(i, j int) int {
			if c := -cmp.Compare(len(r.Doubts[i]), len(r.Doubts[j])); c != 0 {
				return c
			}
			if r.Stability != nil {
				return cmp.Compare(r.Stability.Signals[i], r.Stability.Signals[j])
			}
			p, q := r.Predictability[i], r.Predictability[j]
			return -cmp.Compare(p.All-p.Own, q.All-q.Own)
		})
	}
	rows := []string{"signal\tshare\town R²\tall contexts\tstability\thalves\terror\trelied on"}
	for _, i := range order[:min(maxRows, len(order))] {
		p := r.Predictability[i]
		rows = append(rows, fmt.Sprintf("%d\t%s\t%.3f\t%.3f ± %.3f\t%s\t%s\t%s\t%s", i+1, r.ShareOf(i), p.Own, p.All, p.SE, r.Stability.of(i), r.Halves.of(i), r.Linear.ErrorOf(i), r.RelianceOn(i)))
	}
	table(b, rows...)
	writeRest(b, len(order), "signals")
}

// ShareOf is the share of signal i in the mixed signals' variance as text.
func (r *Report) ShareOf(i int) string {
	if i >= len(r.Shares) {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*r.Shares[i])
}

// RelianceOn is whether signal i can be relied on as text: yes, or why not, or that the
// verdict is against all signals together.
func (r *Report) RelianceOn(i int) string {
	switch {
	case i < len(r.Doubts) && len(r.Doubts[i]) > 0:
		return "no: " + strings.Join(r.Doubts[i], ", ")
	case len(r.againstAll()) > 0:
		return "see the verdict"
	}
	return "yes"
}

func (r *Report) writePairs(b *strings.Builder) {
	pairs := slices.Clone(r.Linear.Pairs)
	if len(pairs) > maxRows {
		slices.SortStableFunc(pairs, func(p, q linear.Pair) int { return cmp.Compare(p.Evidence, q.Evidence) })
	}
	rows := []string{"pair\tevidence, nats\tidentified\tangle\tsizes correlate by"}
	for _, p := range pairs[:min(maxRows, len(pairs))] {
		angle := "–"
		if p.Identified {
			angle = fmt.Sprintf("± %.1f°", p.AngleError*180/math.Pi)
		}
		rows = append(rows, fmt.Sprintf("%s\t%.1f\t%s\t%s\t%.2f", numbered([]int{p.J, p.I}), p.Evidence, yes(p.Identified), angle, p.Dependence))
	}
	table(b, rows...)
	writeRest(b, len(pairs), "pairs")
}

func writeRest(b *strings.Builder, n int, what string) {
	if n > maxRows {
		fmt.Fprintf(b, "and %d more %s\n", n-maxRows, what)
	}
}

func yes(v bool) string {
	if v {
		return "yes"
	}
	return "no"
}

// of is the stability of a signal as text.
func (s *Stability) of(signal int) string {
	if s == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f", s.Signals[signal])
}

// refits says how many there are.
func (s *Stability) refits() string {
	if n := len(s.Recoveries) - 1; n != 1 {
		return fmt.Sprintf("%d refits", n)
	}
	return "one refit"
}

// without says what the refits did without.
func (s *Stability) without() string {
	if s.LeftOut == 0 {
		return "each with another seed and all positions"
	}
	return fmt.Sprintf("each with another seed and without %d other positions", s.LeftOut)
}
