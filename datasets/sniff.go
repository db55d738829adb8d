package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A dialect is one way of writing numbers as CSV.
type dialect struct {
	separator    rune // between the cells of a row
	decimalComma bool // 1,5 is a number, as well as 1.5
}

// dialects are those that are told from the first row: the first whose separator is in it.
// The last is for files of one column, too.
var dialects = []dialect{
	{separator: ';', decimalComma: true},
	{separator: '\t', decimalComma: true},
	{separator: ','},
}

// sniff returns the dialect of a text, of which it reads nothing.
func sniff(text *bufio.Reader) dialect {
	start, _ := text.Peek(text.Size()) // all of a file that is shorter
	row, _, _ := bytes.Cut(start, []byte("\n"))
	for _, d := range dialects {
		if bytes.ContainsRune(row, d.separator) {
			return d
		}
	}
	return dialects[len(dialects)-1]
}

// normalised returns a cell without the spaces around it, with a decimal point.
func (d dialect) normalised(cell string) string {
	cell = strings.TrimSpace(cell)
	if d.decimalComma && strings.Count(cell, ",") == 1 && !strings.Contains(cell, ".") {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	return cell
}

// number returns the value of a cell, which must be finite.
func (d dialect) number(cell string) (float64, error) {
	if cell = d.normalised(cell); cell == "" {
		return 0, errors.New("the cell is empty; must be a number")
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

// isHeader reports whether a row names the columns: no cell is empty or a number.
func (d dialect) isHeader(row []string) bool {
	for _, cell := range row {
		if cell = d.normalised(cell); cell == "" {
			return false
		}
		if _, err := strconv.ParseFloat(cell, 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
	}
	return true
}

// isColumnCount reports whether a row of at least two cells counts them, from 0 or from 1.
func isColumnCount(row []string) bool {
	first, err := strconv.Atoi(strings.TrimSpace(row[0]))
	if err != nil || first < 0 || first > 1 || len(row) < 2 {
		return false
	}
	for i, cell := range row {
		if strings.TrimSpace(cell) != strconv.Itoa(first+i) {
			return false
		}
	}
	return true
}

// hasFraction reports whether a row holds numbers, not all of them integers.
func (d dialect) hasFraction(row []string) bool {
	fraction := false
	for _, cell := range row {
		if _, err := d.number(cell); err != nil {
			return false
		}
		_, err := strconv.Atoi(strings.TrimSpace(cell))
		fraction = fraction || err != nil
	}
	return fraction
}

// timeNames are the names of a column of times in seconds, in lower case and without a unit.
var timeNames = []string{"time", "t", "seconds", "timestamp"}

// isTimeName reports whether a column's name is one for times in seconds: one of timeNames
// in any case, with or without (s) or [s].
func isTimeName(name string) bool {
	name = strings.ToLower(strings.Join(strings.Fields(name), ""))
	name, _ = strings.CutSuffix(name, "(s)")
	name, _ = strings.CutSuffix(name, "[s]")
	return slices.Contains(timeNames, name)
}

// withoutByteOrderMark returns r without the UTF-8 mark that spreadsheets begin a file
// with, which would make any first row a header.
func withoutByteOrderMark(r io.Reader) io.Reader {
	mark := []byte("\ufeff")
	start := make([]byte, len(mark))
	n, err := io.ReadFull(r, start)
	if err == nil && bytes.Equal(start, mark) {
		return r
	}
	return io.MultiReader(bytes.NewReader(start[:n]), r)
}
