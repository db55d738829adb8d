package datasets

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

var errLongRow = errors.New("a row of more than 1 MiB: need a row for each position and a column for each signal")

func readCSV(r io.Reader) (*Recording, error) {
	text := bufio.NewReader(skipByteOrderMark(r))
	comma := separatorOf(text)
	ahead := &boundedReader{r: text, err: errLongRow}
	lines := csv.NewReader(ahead)
	lines.Comma = comma
	lines.FieldsPerRecord = -1 // Checked here, for a message that says more.
	lines.ReuseRecord = true
	var values []float64
	var names []string
	columns := 0 // As soon as a row was read, its number of cells.
	next := 1    // The line where the next row must be.
	for {
		ahead.left = maxRowBytes
		row, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, errLongRow) {
			err = fmt.Errorf("line %d: %w", next, err)
		}
		if err != nil {
			return nil, err
		}
		line, _ := lines.FieldPos(0)
		first := columns == 0
		if first {
			columns = len(row)
		}
		if len(row) != columns {
			return nil, fmt.Errorf("line %d has %d columns: need %d, as before it", line, len(row), columns)
		}
		// The csv package passes over empty lines, which would lose positions.
		if line != next {
			return nil, fmt.Errorf("line %d is empty", next)
		}
		next = line + 1
		for _, cell := range row {
			next += strings.Count(cell, "\n") // Within quotes.
		}
		if first && isHeader(row) {
			for _, cell := range row {
				names = append(names, strings.TrimSpace(cell))
			}
			continue
		}
		if len(values) > MaxEntries-columns {
			return nil, fmt.Errorf("line %d: more than the limit of %d entries", line, MaxEntries)
		}
		for i, cell := range row {
			v, err := parseCell(cell, comma)
			if err != nil {
				return nil, fmt.Errorf("line %d, column %d: %w", line, i+1, err)
			}
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil, errors.New("no rows of numbers")
	}
	return newRecording(fromPositions(values, columns), names), nil
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
func isHeader(row []string) bool {
	for _, cell := range row {
		cell = strings.TrimSpace(cell)
		_, err := strconv.ParseFloat(cell, 64)
		if cell == "" || err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
	}
	return true
}

// parseCell reads a number, with a decimal comma if that doesn't separate cells.
func parseCell(cell string, comma rune) (float64, error) {
	cell = strings.TrimSpace(cell)
	if comma != ',' && strings.Count(cell, ",") == 1 && !strings.Contains(cell, ".") {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	if cell == "" {
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
	columns := csv.NewWriter(w)
	names := r.names()
	timed := r.TimeColumn != "" && r.Rate > 0
	if timed {
		names = append([]string{r.TimeColumn}, names...)
	}
	if err := columns.Write(names); err != nil {
		return err
	}
	row := make([]string, 0, len(names))
	d, T := r.Signals.Dims()
	for t := range T {
		row = row[:0]
		if timed {
			row = append(row, strconv.FormatFloat(r.Start+float64(t)/r.Rate, 'g', 12, 64))
		}
		for i := range d {
			row = append(row, strconv.FormatFloat(r.Signals.At(i, t), 'g', -1, 64))
		}
		if err := columns.Write(row); err != nil {
			return err
		}
	}
	columns.Flush()
	return columns.Error()
}
