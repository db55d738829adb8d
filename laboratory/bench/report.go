package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/atomicfile"
)

// report writes the table and the plot of the rows.
func report(folder string, rows []row) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	table := filepath.Join(folder, "results.md")
	err := atomicfile.Write(table, func(w io.Writer) error { return writeTable(w, rows) })
	if err != nil {
		return err
	}
	return drawCost(filepath.Join(folder, "cost.png"), rows)
}

// key returns the same for rows of the same problem.
func (r row) key() string {
	return fmt.Sprint(r.Case, " ", r.Cores, " ", r.D, " ", r.Shape, " ", r.Runs)
}

// writeTable writes the rows as Markdown, a problem's next to one another,
// with the time of each as a multiple of ours on XLA.
func writeTable(w io.Writer, rows []row) error {
	var text strings.Builder
	text.WriteString("| case | d | T | runs | cores | implementation | median ms | 10 % to 90 % " +
		"| × ours | compiled in s | arithmetic, traffic |\n")
	text.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range inOrder(rows) {
		ratio, peak := "", ""
		if ours, ok := reference(rows, r); ok {
			ratio = fmt.Sprintf("%.2f", r.Median/ours.Median)
		}
		if r.Roofline != nil {
			arithmetic, traffic := r.Roofline.bounds()
			peak = fmt.Sprintf("%.0f %%, %.0f %%", 100*arithmetic/r.Median, 100*traffic/r.Median)
		}
		fmt.Fprintf(&text, "| %s | %d | %s | %d | %d | %s (%s) | ",
			r.Case, r.D, axes(r.Shape), r.Runs, r.Cores, r.Impl, r.Backend)
		fmt.Fprintf(&text, "%.4g | %.4g to %.4g | %s | %.1f | %s |\n",
			r.Median, r.P10, r.P90, ratio, r.Compile/1e3, peak)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// inOrder puts the rows of a problem together, in the order in which the
// problems came first.
func inOrder(rows []row) []row {
	var keys []string
	for _, r := range rows {
		if !slices.Contains(keys, r.key()) {
			keys = append(keys, r.key())
		}
	}
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b row) int {
		return slices.Index(keys, a.key()) - slices.Index(keys, b.key())
	})
	return sorted
}

// reference returns the row of ours on XLA for the same problem.
func reference(rows []row, like row) (row, bool) {
	for _, r := range rows {
		if r.key() == like.key() && r.Impl == "gosica" && strings.HasPrefix(r.Backend, "xla") {
			return r, true
		}
	}
	return row{}, false
}

func axes(shape []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", "×")
}
