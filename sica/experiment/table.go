package experiment

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// WriteTable writes a Markdown table of what the results have of the figure for a
// preset and its first runs: each method's mean MCC and standard error at each
// number of mixing steps, how many runs there are, and the mean seconds of one.
func (f Figure) WriteTable(w io.Writer, r *Results, p Preset, runs int) error {
	lines := f.summarise(r, p, runs)
	if len(lines) == 0 {
		_, err := fmt.Fprintln(w, "no outcome yet")
		return err
	}
	head, rule := "| method | settings |", "| --- | --- |"
	for _, at := range lines[0].points {
		if at.steps > 0 {
			head += fmt.Sprintf(" J=%d |", at.steps)
		} else {
			head += " MCC |"
		}
		rule += " ---: |"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s runs | seconds |\n%s ---: | ---: |\n", head, rule)
	for _, l := range lines {
		fmt.Fprintf(&b, "| %s | %s |", l.method.Label, l.preset)
		var seconds float64
		var timed int
		for _, at := range l.points {
			fmt.Fprintf(&b, " %s |", at)
			if at.runs > 0 {
				seconds += at.seconds
				timed++
			}
		}
		fmt.Fprintf(&b, " %s | %s |\n", l.runs(), secondsText(seconds/float64(max(timed, 1))))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// secondsText is a time in seconds to two or three digits.
func secondsText(seconds float64) string {
	switch {
	case seconds < 0.001:
		return "<0.001"
	case seconds < 100:
		return fmt.Sprintf("%.2g", seconds)
	}
	return fmt.Sprintf("%.0f", seconds)
}

// String is the mean with the standard error in brackets, as far as they are
// known.
func (p point) String() string {
	switch {
	case p.runs == 0 && p.failed > 0:
		return "fails"
	case p.runs == 0:
		return "–"
	}
	return fmt.Sprintf("%.3f%s", p.mean, inBrackets(p.se))
}

// runs is the number of runs behind the points, such as "20" or "1–3".
func (l line) runs() string {
	least, most := math.MaxInt, 0
	for _, p := range l.points {
		least, most = min(least, p.runs), max(most, p.runs)
	}
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d–%d", least, most)
}
