package datasets

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

var errLongRow = errors.New("a row of more than 1 MiB: need a row for each position and a column for each signal")

func readCSV(r io.Reader) (*Recording, error) {
	rows := newCSVRows(r)
	var values []float64
	for {
		row, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(values) > MaxEntries-rows.columns {
			return nil, fmt.Errorf("line %d: more than the limit of %d entries", rows.line, MaxEntries)
		}
		if values, err = rows.appendTo(values, row); err != nil {
			return nil, err
		}
	}
	if len(values) == 0 {
		return nil, errNoRows
	}
	return newRecording(fromPositions(values, rows.columns), rows.names)
}

var errNoRows = errors.New("no rows of numbers")

// csvRows are the rows of a CSV file.
type csvRows struct {
	ahead   *boundedReader
	lines   *csv.Reader
	names   []string // of the columns, as soon as a row was read; nil for none
	columns int      // as soon as a row was read, its number of cells
	line    int      // of the row that was read last
	follows int      // the line where the next row must be
	counts  bool     // the row that was read last is the first, and counts the columns
}

func newCSVRows(r io.Reader) *csvRows {
	text := bufio.NewReader(skipByteOrderMark(r))
	comma := separatorOf(text)
	rows := &csvRows{ahead: &boundedReader{r: text, err: errLongRow}, follows: 1}
	rows.lines = csv.NewReader(rows.ahead)
	rows.lines.Comma = comma
	rows.lines.FieldsPerRecord = -1 // Checked in next, for a message that says more.
	rows.lines.ReuseRecord = true
	return rows
}

// next reads a row of cells, or io.EOF. A header isn't among the rows.
func (r *csvRows) next() ([]string, error) {
	r.ahead.left = maxRowBytes
	row, err := r.lines.Read()
	if errors.Is(err, errLongRow) {
		err = fmt.Errorf("line %d: %w", r.follows, err)
	}
	if err != nil {
		return nil, err
	}
	r.line, _ = r.lines.FieldPos(0)
	first := r.columns == 0
	if first {
		r.columns = len(row)
	}
	if len(row) != r.columns {
		return nil, fmt.Errorf("line %d has %d columns: need %d, as before it", r.line, len(row), r.columns)
	}
	// The csv package passes over empty lines, which would lose positions.
	if r.line != r.follows {
		return nil, fmt.Errorf("line %d is empty", r.follows)
	}
	r.follows++
	for _, cell := range row {
		r.follows += strings.Count(cell, "\n") // Within quotes.
	}
	counted := r.counts
	if r.counts = first && isCount(row); counted && hasFraction(row, r.lines.Comma) {
		return nil, errors.New("line 1 has the numbers of the columns, as pandas writes them, or the values at the first position: name the columns, or leave that line out")
	}
	if first && isHeader(row, r.lines.Comma) {
		for _, cell := range row {
			r.names = append(r.names, strings.TrimSpace(cell))
		}
		return r.next()
	}
	return row, nil
}

// appendTo appends the numbers of the row that was read last.
func (r *csvRows) appendTo(values []float64, row []string) ([]float64, error) {
	for i, cell := range row {
		v, err := parseCell(cell, r.lines.Comma)
		if err != nil && r.line == 1 {
			err = fmt.Errorf("%w; a header must name all columns, and none by a number", err)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d, column %d: %w", r.line, i+1, err)
		}
		values = append(values, v)
	}
	return values, nil
}

// read reads the numbers of as many rows as there is room for.
func (r *csvRows) read(values []float64) error {
	for read := values[:0]; len(read) < len(values); {
		row, err := r.next()
		if errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF // it has become shorter
		}
		if err != nil {
			return err
		}
		if len(row) > len(values)-len(read) {
			return fmt.Errorf("line %d has %d columns: it had fewer", r.line, len(row))
		}
		if read, err = r.appendTo(read, row); err != nil {
			return err
		}
	}
	return nil
}

// separatorOf is what separates the cells of the first row: a semicolon or a tab if
// there is one, else a comma.
func separatorOf(text *bufio.Reader) rune {
	start, _ := text.Peek(text.Size()) // what there is, at the end of a short file
	row, _, _ := bytes.Cut(start, []byte("\n"))
	for _, comma := range []rune{';', '\t'} {
		if bytes.ContainsRune(row, comma) {
			return comma
		}
	}
	return ','
}

// isHeader reports whether a row names the columns: it has no empty cell and
// none that is a number.
func isHeader(row []string, comma rune) bool {
	for _, cell := range row {
		if cell = withPoint(cell, comma); cell == "" {
			return false
		}
		if _, err := strconv.ParseFloat(cell, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
	}
	return true
}

// isCount is whether a row of two cells or more counts them, from 0 or from 1.
func isCount(row []string) bool {
	from, err := strconv.Atoi(strings.TrimSpace(row[0]))
	if err != nil || from < 0 || from > 1 || len(row) < 2 {
		return false
	}
	for i, cell := range row {
		if strings.TrimSpace(cell) != strconv.Itoa(from+i) {
			return false
		}
	}
	return true
}

// hasFraction is whether a row is of numbers, one of which isn't written as a whole one.
func hasFraction(row []string, comma rune) bool {
	fraction := false
	for _, cell := range row {
		if _, err := parseCell(cell, comma); err != nil {
			return false
		}
		_, err := strconv.Atoi(strings.TrimSpace(cell))
		fraction = fraction || err != nil
	}
	return fraction
}

// withPoint is a cell with a decimal point in place of a decimal comma, which it may have
// if commas don't separate cells, and without spaces around it.
func withPoint(cell string, comma rune) string {
	cell = strings.TrimSpace(cell)
	if comma != ',' && strings.Count(cell, ",") == 1 && !strings.Contains(cell, ".") {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	return cell
}

// parseCell reads a number, with a decimal comma if that doesn't separate cells.
func parseCell(cell string, comma rune) (float64, error) {
	if cell = withPoint(cell, comma); cell == "" {
		return 0, errors.New("the cell is empty")
	}
	v, err := strconv.ParseFloat(cell, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, fmt.Errorf("%q is not a number", shortened(cell))
	}
	if !finite(v) {
		return 0, fmt.Errorf("%s is not finite as a float64", shortened(cell))
	}
	return v, nil
}

// skipByteOrderMark passes over the UTF-8 mark that spreadsheets begin a file
// with, which would make the first row look like a header.
func skipByteOrderMark(r io.Reader) io.Reader {
	mark := []byte("\ufeff")
	start := make([]byte, len(mark))
	n, err := io.ReadFull(r, start)
	if err == nil && bytes.Equal(start, mark) {
		return r
	}
	return io.MultiReader(bytes.NewReader(start[:n]), r)
}

func writeCSV(w io.Writer, r *Recording) error {
	d, _ := r.Signals.Dims()
	columns, err := newCSVColumns(w, r, d)
	if err != nil {
		return err
	}
	return columns.write(r.Signals)
}

// csvColumns writes signals after a header, position by position.
type csvColumns struct {
	of  *Recording // whose signals aren't looked at
	csv *csv.Writer
	row []string
	t   int // positions written
}

func newCSVColumns(w io.Writer, of *Recording, d int) (*csvColumns, error) {
	c := &csvColumns{of: of, csv: csv.NewWriter(w)}
	if of.timed() {
		c.row = append(c.row, of.TimeColumn)
	}
	c.row = append(c.row, of.names(d)...)
	return c, c.csv.Write(c.row)
}

// formatTime is a time to a thousandth of a step at this rate, or to twelve digits if those
// are more, as times since 1970 need.
func formatTime(time, rate float64) string {
	digits := max(12, int(math.Ceil(math.Log10(max(1, math.Abs(time)*rate))))+4)
	if digits > 16 {
		digits = -1 // as many as there are
	}
	return strconv.FormatFloat(time, 'g', digits, 64)
}

// write writes the signals of the next positions.
func (c *csvColumns) write(z *mat.Dense) error {
	d, n := z.Dims()
	for t := range n {
		c.row = c.row[:0]
		if c.of.timed() {
			c.row = append(c.row, formatTime(c.of.time(c.t), c.of.Rate))
		}
		for i := range d {
			c.row = append(c.row, strconv.FormatFloat(z.At(i, t), 'g', -1, 64))
		}
		if err := c.csv.Write(c.row); err != nil {
			return err
		}
		c.t++
	}
	c.csv.Flush()
	return c.csv.Error()
}
