package datasets

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

var (
	errNoRows  = errors.New("no rows of numbers; must have one for each position")
	errLongRow = errors.New("a row of more than 1 MiB; " +
		"must have a row for each position and a column for each signal")
)

// openCSV reads a CSV file up to its first row of numbers.
func openCSV(r io.Reader) (*content, error) {
	text := bufio.NewReader(withoutByteOrderMark(r))
	rows := &csvReader{
		dialect:  sniff(text),
		bounded:  &boundedReader{r: text, err: errLongRow},
		nextLine: 1,
	}
	rows.cells = csv.NewReader(rows.bounded)
	rows.cells.Comma = rows.dialect.separator
	rows.cells.FieldsPerRecord = -1 // checked by row, whose error says more
	rows.cells.ReuseRecord = true
	if err := rows.fill(); errors.Is(err, io.EOF) {
		return nil, errNoRows
	} else if err != nil {
		return nil, err
	}
	about := Recording{Names: rows.names}
	return &content{about: about, d: rows.columns, n: unknownLength, read: rows.read}, nil
}

// A csvReader reads the numbers of a CSV file.
type csvReader struct {
	dialect  dialect
	bounded  *boundedReader // the text, at most maxRowBytes of it for a row
	cells    *csv.Reader
	names    []string // of the columns; nil without a header
	columns  int      // 0 before the first row
	line     int      // of the last row
	nextLine int      // at which the next row must begin
	counted  bool     // the last row is the first, and counts the columns

	numbers []float64 // of the last row
	pending []float64 // those of them that read has not returned
}

// read is content.read.
func (c *csvReader) read(values []float64) (int, error) {
	for k := 0; ; {
		n := copy(values[k:], c.pending)
		c.pending = c.pending[n:]
		if k += n; k == len(values) {
			return k, nil
		}
		if err := c.fill(); err != nil {
			return k, err
		}
	}
}

// fill reads the numbers of the next row.
func (c *csvReader) fill() error {
	row, err := c.row()
	if err != nil {
		return err
	}
	c.numbers = c.numbers[:0]
	for i, cell := range row {
		v, err := c.dialect.number(cell)
		if err != nil && c.line == 1 {
			err = fmt.Errorf("%w; a header must name all columns, and none by a number", err)
		}
		if err != nil {
			return fmt.Errorf("line %d, column %d: %w", c.line, i+1, err)
		}
		c.numbers = append(c.numbers, v)
	}
	c.pending = c.numbers
	return nil
}

// row reads the cells of the next row, or io.EOF. A header is read on the way.
func (c *csvReader) row() ([]string, error) {
	c.bounded.left = maxRowBytes
	row, err := c.cells.Read()
	if errors.Is(err, errLongRow) {
		err = fmt.Errorf("line %d: %w", c.nextLine, err)
	}
	if err != nil {
		return nil, err
	}
	c.line, _ = c.cells.FieldPos(0)
	first := c.columns == 0
	if first {
		c.columns = len(row)
	}
	if len(row) != c.columns {
		return nil, fmt.Errorf("line %d has %d columns; must have %d, like those before it",
			c.line, len(row), c.columns)
	}
	// Package csv skips empty lines, which would lose positions.
	if c.line != c.nextLine {
		return nil, fmt.Errorf("line %d is empty; must be a row of numbers", c.nextLine)
	}
	c.nextLine++
	for _, cell := range row {
		c.nextLine += strings.Count(cell, "\n") // within quotes
	}
	counted := c.counted
	if c.counted = first && isColumnCount(row); counted && c.dialect.hasFraction(row) {
		return nil, errors.New("line 1 has the numbers of the columns, as pandas writes them, " +
			"or the values at the first position; must name the columns, or be left out")
	}
	if first && c.dialect.isHeader(row) {
		for _, cell := range row {
			c.names = append(c.names, strings.TrimSpace(cell))
		}
		return c.row()
	}
	return row, nil
}

// hasTimes reports whether the first of d columns may hold the times of n positions.
func hasTimes(names []string, d, n int) bool {
	return names != nil && d >= 2 && n >= 2 && isTimeName(names[0])
}

// splitTimes moves the times out of the first column of r into its rate and start, if that
// is a column of times that rise. It is an error if these aren't evenly spaced.
func splitTimes(r *Recording) error {
	d, n := r.Signals.Dims()
	if !hasTimes(r.Names, d, n) {
		return nil
	}
	column := r.Signals.RawRowView(0)
	clock := newClock(column[0], column[n-1], n)
	for t, time := range column {
		clock.observe(t, time)
	}
	if !clock.rises() {
		return nil
	}
	signals := mat.DenseCopyOf(r.Signals.Slice(1, d, 0, n))
	*r = clock.recording(r.Names)
	r.Signals = signals
	return clock.uneven
}

// A clock is a column of numbers that may be times in seconds.
type clock struct {
	start, step float64 // of evenly spaced times with the same ends
	last        float64
	falls       bool  // somewhere
	uneven      error // for the first time that isn't evenly spaced
}

// newClock returns the clock of n ≥ 2 times with these ends.
func newClock(first, last float64, n int) *clock {
	return &clock{start: first, step: (last - first) / float64(n-1), last: first}
}

// maxJitter is how far a time may be from its evenly spaced place, in steps. Times at 250 Hz
// that are rounded to 0.01 s are off by 1.25 steps, and clocks jitter by about one; a lost
// position shows as soon as two more are lost. It is a choice: half of it would refuse rounded
// times, twice of it accept short gaps.
const maxJitter = 2

// observe takes note of the time of position t.
func (c *clock) observe(t int, time float64) {
	c.falls = c.falls || time < c.last
	c.last = time
	jitter := math.Abs(time-c.start-float64(t)*c.step) / c.step
	if c.uneven == nil && jitter > maxJitter {
		c.uneven = fmt.Errorf("line %d: the times aren't evenly spaced (%g is off by %.3g steps); "+
			"must be resampled, or the column renamed if it doesn't hold times", t+2, time, jitter)
	}
}

// rises reports whether the numbers rise from the first to the last and never fall.
func (c *clock) rises() bool { return c.step > 0 && !c.falls }

// recording returns what the clock says of the columns after it, without Signals.
func (c *clock) recording(names []string) Recording {
	rate := 1 / c.step
	if near := math.Round(rate); near > 0 && math.Abs(rate-near) < 1e-6*near {
		rate = near // times have few digits
	}
	return Recording{TimeColumn: names[0], Names: names[1:], Start: c.start, Rate: rate}
}

// createCSV writes a header and returns what writes the next positions of the signals.
func createCSV(w io.Writer, about *Recording, d, _ int) (func(*mat.Dense) error, error) {
	if err := about.checkHeader(d); err != nil {
		return nil, err
	}
	out, position := csv.NewWriter(w), 0
	err := out.Write(about.header(d))
	return func(z *mat.Dense) error {
		d, n := z.Dims()
		var row []string
		for t := range n {
			row = row[:0]
			if about.hasClock() {
				time := about.Start + float64(position)/about.Rate
				row = append(row, formatTime(time, about.Rate))
			}
			for i := range d {
				row = append(row, strconv.FormatFloat(z.At(i, t), 'g', -1, 64))
			}
			if err := out.Write(row); err != nil {
				return err
			}
			position++
		}
		out.Flush()
		return out.Error()
	}, err
}

// hasClock reports whether a CSV file has a column of times.
func (r *Recording) hasClock() bool { return r.TimeColumn != "" && r.Rate > 0 }

// header returns the names of the columns of d signals: s1, s2, … without Names.
func (r *Recording) header(d int) (names []string) {
	if r.hasClock() {
		names = append(names, r.TimeColumn)
	}
	if r.Names != nil {
		return append(names, r.Names...)
	}
	for i := range d {
		names = append(names, fmt.Sprintf("s%d", i+1))
	}
	return names
}

// checkHeader returns an error unless the header of d signals would be read as one.
func (r *Recording) checkHeader(d int) error {
	written := dialect{separator: ','}
	for _, name := range r.header(d) {
		if !written.isHeader([]string{name}) || strings.ContainsAny(name, ";\t") ||
			name != strings.TrimSpace(name) {
			return fmt.Errorf("the name %q can't head a column of CSV; must not be empty or a "+
				"number, nor have semicolons, tabs or spaces around it", name)
		}
	}
	return nil
}

// formatTime returns a time to a thousandth of a step at this rate, or to twelve digits if
// those are more. Times since 1970 need that many.
func formatTime(time, rate float64) string {
	steps := max(1, math.Abs(time)*rate)
	digits := max(12, int(math.Ceil(math.Log10(steps)))+4)
	if digits > 16 {
		digits = -1 // all that a float64 has
	}
	return strconv.FormatFloat(time, 'g', digits, 64)
}
