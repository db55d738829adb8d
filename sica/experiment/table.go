package experiment

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// WriteTable writes the lines of a figure as a Markdown table: each method's mean
// MCC and standard error at each number of mixing steps, the number of runs
// behind them, and the mean seconds of a run.
func WriteTable(w io.Writer, lines []Line) error {
	if len(lines) == 0 {
		_, err := fmt.Fprintln(w, "no outcome yet")
		return err
	}
	head, rule := "| method | settings |", "| --- | --- |"
	for _, p := range lines[0].Points {
		if p.Steps > 0 {
			head += fmt.Sprintf(" J=%d |", p.Steps)
		} else {
			head += " MCC |"
		}
		rule += " ---: |"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s runs | seconds |\n%s ---: | ---: |\n", head, rule)
	for _, l := range lines {
		fmt.Fprintf(&b, "| %s | %s |", l.Method.Label, l.Preset)
		var seconds float64
		var timed int
		for _, p := range l.Points {
			fmt.Fprintf(&b, " %s |", p)
			if p.Runs > 0 {
				seconds += p.Seconds
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
func (p Point) String() string {
	switch {
	case p.Runs == 0 && p.Failed > 0:
		return "fails"
	case p.Runs == 0:
		return "–"
	case math.IsNaN(p.SE):
		return fmt.Sprintf("%.3f", p.Mean)
	}
	return fmt.Sprintf("%.3f (%.3f)", p.Mean, p.SE)
}

// runs is the number of runs behind the points, such as "20" or "1–3".
func (l Line) runs() string {
	least, most := l.Runs()
	if least == most {
		return fmt.Sprint(most)
	}
	return fmt.Sprintf("%d–%d", least, most)
}
