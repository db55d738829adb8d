package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/internal/notes"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/sica/ica"
	"github.com/seed-47b1e431/gosica/sica/methods"
	"github.com/seed-47b1e431/gosica/sica/metric"
	"github.com/seed-47b1e431/gosica/sica/plot"
)

// compared is the row of a method in the table.
type compared struct {
	Method  string         `json:"method"`
	Preset  methods.Preset `json:"preset,omitempty"`
	MCC     *float64       `json:"mcc"` // null without a truth
	Match   *matchReport   `json:"match,omitempty"`
	Seconds float64        `json:"seconds"`
	ica.Convergence
	Why   string `json:"why,omitempty"`
	Error string `json:"error,omitempty"`
	File  string `json:"file,omitempty"`
	// Best holds, without a truth, the signal with which each signal of Default correlates most.
	Best   []best `json:"best,omitempty"`
	Config any    `json:"config,omitempty"`

	label string
	z     *mat.Dense
}

// print prints the rows, as JSON or as a table with notes.
func (opt *compareOptions) print(
	out io.Writer, rows []compared, part files.Part, hasTruth bool,
) error {
	if opt.json {
		return files.PrintJSON(out, rows)
	}
	err := printCompared(out, rows, hasTruth)
	part.Note(out)
	if part.About.Interpolated != nil {
		files.Note(out, interpolatedNote(part.Shape))
	}
	return err
}

// printCompared prints the rows as a table, followed by what the methods say about them. The table
// has a column of MCCs if scored is true.
func printCompared(out io.Writer, rows []compared, scored bool) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(method, settings, mcc, seconds, converged, iterations string) {
		cells := []string{method, settings, mcc, seconds, converged, iterations}
		if !scored {
			cells = slices.Delete(cells, 2, 3)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t")+"\t")
	}
	line("method", "settings", "MCC", "seconds", "converged", "iterations")
	for _, r := range rows {
		mcc, seconds, converged := "", fmt.Sprintf("%.2f", r.Seconds), "yes"
		if r.Error != "" {
			line(r.label, string(r.Preset), mcc, seconds, "failed", "")
			continue
		}
		if r.MCC != nil {
			mcc = fmt.Sprintf("%.4f", *r.MCC)
		}
		if !r.Converged {
			converged = "no"
		}
		line(r.label, string(r.Preset), mcc, seconds, converged, strconv.Itoa(r.Iterations))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if err := printAgreement(out, rows); err != nil {
		return err
	}
	for _, r := range rows {
		for _, note := range slices.Compact([]string{r.Error, r.Warning, r.Why}) {
			if note != "" {
				fmt.Fprintf(out, "\n%s:\n%s", r.label, text.Wrap("  ", note))
			}
		}
	}
	return nil
}

// addBest sets Best of all rows after the first, if the first has signals.
func addBest(rows []compared) {
	for k := range rows[1:] {
		if r := &rows[k+1]; rows[0].z != nil && r.z != nil {
			r.Best = bestMatches(rows[0].z, r.z)
		}
	}
}

// printAgreement prints how well the methods with a Best recover each signal of the first row, if
// there are any.
func printAgreement(out io.Writer, rows []compared) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	others := slices.DeleteFunc(slices.Clone(rows[1:]), func(r compared) bool { return r.Best == nil })
	if len(others) == 0 {
		return nil
	}
	fmt.Fprintf(out, "\nlargest |correlation| of a signal of %s with one of\n", rows[0].label)
	fmt.Fprint(table, "signal\t")
	for _, r := range others {
		fmt.Fprint(table, r.label+"\t")
	}
	d := len(others[0].Best)
	for i := range min(d, notes.MaxRows) {
		fmt.Fprintf(table, "\n%d\t", i+1)
		for _, r := range others {
			fmt.Fprintf(table, "%.3f\t", math.Abs(r.Best[i].Correlation))
		}
	}
	fmt.Fprintln(table)
	if err := table.Flush(); err != nil {
		return err
	}
	if more := d - notes.MaxRows; more > 0 {
		fmt.Fprintf(out, "and %s: see --json\n", text.Counted(more, "more signal"))
	}
	return nil
}

// draw draws all recovered signals in the order, sign and scale of the truth or, without one, of
// Default's signals. It prints the paths of the signals and of the picture.
func (opt *compareOptions) draw(
	out io.Writer, rows []compared, part files.Part, truth *mat.Dense,
) error {
	if opt.out == "" {
		return nil
	}
	for _, r := range rows {
		if r.File != "" {
			fmt.Fprintln(out, "wrote", r.File)
		}
	}
	target := truth
	groups := []plot.Group{{Method: plot.Mixed, Signals: part.X}}
	for _, r := range rows {
		if r.Error != "" {
			continue
		}
		if target == nil {
			target = r.z
		}
		groups = append(groups, plot.Group{Method: r.label, Signals: r.z})
	}
	if target == nil {
		return nil
	}
	d, _ := target.Dims()
	groups = slices.DeleteFunc(groups, func(g plot.Group) bool {
		return g.Signals.RawMatrix().Rows != d // the mixed signals were reduced
	})
	for i := range groups {
		aligned, err := metric.Align(groups[i].Signals, target)
		if err != nil {
			return fmt.Errorf("%s: %w", groups[i].Method, err)
		}
		groups[i].Signals = aligned
	}
	picture, err := drawCompared(part.Shape, truth, groups)
	if err != nil {
		return err
	}
	if err := writePNG(opt.picture(), picture); err != nil {
		return err
	}
	fmt.Fprintln(out, "wrote", opt.picture())
	return nil
}

// drawCompared draws, for each group, a row of images, or of traces over those of the truth.
func drawCompared(shape []int, truth *mat.Dense, groups []plot.Group) (*plot.Picture, error) {
	if len(shape) == 2 {
		if truth != nil {
			groups = append(groups, plot.Group{Method: plot.Truth, Signals: truth})
		}
		return plot.Images(shape[0], shape[1], groups...)
	}
	_, n := groups[0].Signals.Dims()
	return plot.TraceGrid(max(0, n-traceLength), n, truth, groups...)
}
