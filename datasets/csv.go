package datasets

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

var errLongRow = errors.New("a row of more than 1 MiB: need a row for each position and a column for each signal")

func readCSV(r io.Reader) (*mat.Dense, error) {
	ahead := &boundedReader{r: skipByteOrderMark(r), err: errLongRow}
	lines := csv.NewReader(ahead)
	lines.FieldsPerRecord = -1 // Checked here, for a message that says more.
	lines.ReuseRecord = true
	var values []float64
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
			continue
		}
		if len(values) > MaxEntries-columns {
			return nil, fmt.Errorf("line %d: more than the limit of %d entries", line, MaxEntries)
		}
		for i, cell := range row {
			v, err := parseCell(cell)
			if err != nil {
				return nil, fmt.Errorf("line %d, column %d: %w", line, i+1, err)
			}
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return nil, errors.New("no rows of numbers")
	}
	return fromPositions(values, columns), nil
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

func parseCell(cell string) (float64, error) {
	cell = strings.TrimSpace(cell)
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

func writeCSV(w io.Writer, z *mat.Dense) error {
	d, T := z.Dims()
	var line []byte
	for i := range d {
		line = append(line, 's')
		line = strconv.AppendInt(line, int64(i+1), 10)
		line = append(line, separator(i, d))
	}
	if _, err := w.Write(line); err != nil {
		return err
	}
	for t := range T {
		line = line[:0]
		for i := range d {
			line = strconv.AppendFloat(line, z.At(i, t), 'g', -1, 64)
			line = append(line, separator(i, d))
		}
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func separator(i, d int) byte {
	if i == d-1 {
		return '\n'
	}
	return ','
}
