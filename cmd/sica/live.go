package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/cmd/sica/internal/files"
	"github.com/seed-47b1e431/gosica/cmd/sica/internal/usage"
	"github.com/seed-47b1e431/gosica/internal/electrode"
	"github.com/seed-47b1e431/gosica/internal/filter"
	"github.com/seed-47b1e431/gosica/internal/unit"
)

// A live maps rows of CSV one by one, as they arrive.
type live struct {
	apply     func(x *mat.Dense) (*mat.Dense, error) // d×1
	names     []string                               // names of the channels; nil for none
	outNames  []string                               // of what apply returns; nil for the file's
	filter    func() *filter.Stream                  // nil for none
	separator string

	channels []int // columns of the channels, in order; nil before the first line
	others   []int // columns that are copied, before the mapped ones
	filters  []*filter.Stream
	last     []float64
	line     int
	noted    bool // whether a lacking value was noted
}

// liveFlags are the flags that go with --stream.
var liveFlags = []string{"model", "in", "out", "stream", "components", "proposed", "selection", "separator",
	"highpass", "lowpass", "notch", "rate", allowUnverified, deterministic}

// checkStream returns a usage error unless a separation can be applied to rows as they arrive, from
// standard input to standard output, and no flag would be ignored.
func checkStream(cmd *cobra.Command, in []string, out string, model *files.Model) error {
	if !slices.Equal(in, []string{files.Pipe}) || out != files.Pipe {
		return usage.Errorf("--stream: use it with --in - --out -")
	}
	var err error
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(liveFlags, flag.Name) {
			err = usage.Errorf("--stream: leave --%s out", flag.Name)
		}
	})
	if err != nil {
		return err
	}
	if err := model.CheckPointwise(); err != nil {
		return fmt.Errorf("--stream: %w", err)
	}
	return nil
}

// newLive returns a live for the channels of a separation.
func newLive(
	model *files.Model, separator string, apply func(x *mat.Dense) (*mat.Dense, error), outNames []string,
) *live {
	if separator == "tab" {
		separator = "\t"
	}
	return &live{apply: apply, names: model.Channels, outNames: outNames, separator: separator}
}

// run maps all rows, and writes each as soon as it is read, or several that arrive together.
func (l *live) run(cmd *cobra.Command) error {
	in, out := bufio.NewReader(cmd.InOrStdin()), bufio.NewWriter(cmd.OutOrStdout())
	for {
		text, err := in.ReadString('\n')
		if text = strings.TrimRight(text, "\r\n"); strings.TrimSpace(text) != "" {
			l.line++
			if err := l.row(out, cmd.ErrOrStderr(), text); err != nil {
				return fmt.Errorf("--stream: line %d: %w", l.line, errors.Join(err, out.Flush()))
			}
		}
		if in.Buffered() == 0 || err != nil {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := cmd.Context().Err(); err != nil {
			return err
		}
	}
}

// row maps a line with the names of the columns, or with numbers.
func (l *live) row(out, notes io.Writer, text string) error {
	l.chooseSeparator(text)
	cells := strings.Split(text, l.separator)
	if l.channels == nil {
		isHeader, err := l.begin(cells)
		if err != nil {
			return err
		}
		if isHeader {
			l.write(out, cells, l.outNames)
			return nil
		}
	}
	if want := len(l.channels) + len(l.others); len(cells) != want {
		return fmt.Errorf("has %d cells; must have %d", len(cells), want)
	}
	x, isWhole := l.values(cells)
	if !isWhole && !l.noted {
		l.noted = true
		files.Note(notes, fmt.Sprintf("line %d, and perhaps others, lacks a value: all of its "+
			"results are NaN", l.line))
	}
	z, err := l.apply(x)
	if err != nil {
		return err
	}
	var mapped []string
	for i := range z.RawMatrix().Rows {
		v := z.At(i, 0)
		if !isWhole {
			v = math.NaN()
		}
		mapped = append(mapped, strconv.FormatFloat(v, 'g', -1, 64))
	}
	l.write(out, cells, mapped)
	return nil
}

// chooseSeparator sets the separator from the first line unless it is set.
func (l *live) chooseSeparator(text string) {
	if l.separator != "" {
		return
	}
	l.separator = ","
	for _, sign := range []string{"\t", ";"} {
		if strings.Contains(text, sign) {
			l.separator = sign
		}
	}
}

// begin prepares for the columns of the first line, and reports whether that line has names.
func (l *live) begin(cells []string) (isHeader bool, err error) {
	isHeader, err = l.findChannels(cells)
	l.last = make([]float64, len(l.channels))
	for i := 0; i < len(l.channels) && l.filter != nil; i++ {
		l.filters = append(l.filters, l.filter())
	}
	if isHeader && l.outNames == nil {
		for _, i := range l.channels {
			l.outNames = append(l.outNames, cells[i])
		}
	}
	return isHeader, err
}

// findChannels finds the channels from the first line, and reports whether that line has names.
func (l *live) findChannels(cells []string) (isHeader bool, err error) {
	isHeader = !slices.ContainsFunc(cells, func(cell string) bool { return !math.IsNaN(number(cell)) })
	if !isHeader || l.names == nil {
		if l.names != nil && len(cells) != len(l.names) {
			return false, fmt.Errorf("has %d columns without names; must have %d, the channels of the "+
				"separation in their order", len(cells), len(l.names))
		}
		for i := range cells {
			l.channels = append(l.channels, i)
		}
		return isHeader, nil
	}
	names := make([]string, len(cells))
	for i, cell := range cells {
		names[i] = strings.Trim(strings.TrimSpace(cell), `"`)
	}
	names, _ = unit.Split(names)
	for _, name := range l.names {
		found := electrode.Find(names, name)
		if len(found) != 1 {
			return false, fmt.Errorf("names %d columns %q, a channel of the separation; must name one",
				len(found), name)
		}
		l.channels = append(l.channels, found[0])
	}
	for i := range cells {
		if !slices.Contains(l.channels, i) {
			l.others = append(l.others, i)
		}
	}
	return true, nil
}

// values returns the channels of a row after the filters, and whether none is missing. A missing
// value is replaced by the previous one.
func (l *live) values(cells []string) (x *mat.Dense, isWhole bool) {
	x, isWhole = mat.NewDense(len(l.channels), 1, nil), true
	for i, column := range l.channels {
		v := number(cells[column])
		if math.IsNaN(v) || math.IsInf(v, 0) {
			v, isWhole = l.last[i], false
		}
		l.last[i] = v
		if l.filters != nil {
			piece := []float64{v}
			l.filters[i].Apply(piece)
			v = piece[0]
		}
		x.Set(i, 0, v)
	}
	return x, isWhole
}

// number returns the number in a cell; NaN if there is none.
func number(cell string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// write writes the other columns and the mapped channels.
func (l *live) write(out io.Writer, cells, mapped []string) {
	var row []string
	for _, i := range l.others {
		row = append(row, cells[i])
	}
	fmt.Fprintln(out, strings.Join(append(row, mapped...), l.separator))
}
