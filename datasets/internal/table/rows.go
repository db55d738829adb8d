package table

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/text"
)

var (
	errQuotes  = errors.New(`a quotation mark within a cell; must be around the cell, or doubled`)
	errLongRow = errors.New("a row of more than 8 MiB; " +
		"must have a row for each position and a column for each signal")
)

// Next returns the numbers of the next row, valid until the next call. The error after the last row
// is io.EOF.
func (r *Reader) Next() ([]float64, error) {
	if r.isAtFirst {
		r.isAtFirst = false
		return r.numbers, nil
	}
	row, err := r.row()
	if err != nil {
		return nil, err
	}
	if err := r.parse(row); err != nil && len(row) < r.width && r.open {
		r.cutOff = true // as where a recorder lost its power
		return nil, io.EOF
	} else if err != nil {
		return nil, err
	}
	return r.numbers, nil
}

// parse reads the numbers of a row.
func (r *Reader) parse(row []string) error {
	if h := r.dialect.head; h != nil && h.block != "" && strings.HasPrefix(row[0], h.block) {
		return fmt.Errorf("another block of %s begins at line %d; must be one: save each block in a "+
			"file", h.program, r.line)
	}
	if len(row) != r.width {
		return fmt.Errorf("line %d has %s; must have %d, like those before it%s",
			r.line, text.Counted(len(row), "column"), r.width, r.otherKind(row))
	}
	r.numbers = r.numbers[:0]
	for _, i := range r.kept {
		v, err := r.number(row[i], i)
		if err != nil {
			return r.cellError(i, row, err)
		}
		r.numbers = append(r.numbers, v)
	}
	r.begun = true
	r.observeText(row)
	if len(r.texts) > 0 && len(r.texts)*len(r.texts[0]) >= r.options.MaxText {
		r.texts = nil
	}
	for k := range r.texts {
		r.texts[k] = append(r.texts[k], strings.Clone(row[r.dialect.text[k]]))
	}
	return nil
}

// otherKind says that a row, and those before it, are of several kinds, if a column of text names
// the kind; else it returns "".
func (r *Reader) otherKind(row []string) string {
	for _, i := range r.dialect.text {
		if i >= len(row) || row[i] == "" || row[i] == r.firstRow[i] || hasDigits(row[i]) {
			continue
		}
		return fmt.Sprintf(": column %d has %q here and %q before: keep the rows of one kind, by "+
			"grep for example", i+1, text.Shortened(row[i]), text.Shortened(r.firstRow[i]))
	}
	return ""
}

// number returns the value of a cell of column i; NaN for a missing one, if it may be.
func (r *Reader) number(cell string, i int) (float64, error) {
	if i == r.dialect.clock {
		t, ok := DateTime(cell)
		if !ok {
			return 0, fmt.Errorf("%q is no date and time, like those before it", text.Shortened(cell))
		}
		if r.first.IsZero() {
			r.first = t
		}
		return t.Sub(r.first).Seconds(), nil
	}
	if isMissing(cell) {
		if !r.options.FillMissing {
			return 0, errMissing
		}
		return math.NaN(), nil
	}
	v, ok := r.dialect.parse(cell)
	if !ok && r.options.FillMissing {
		if r.unread.others++; r.unread.others == 1 {
			r.unread.line, r.unread.cell = r.line, text.Shortened(cell)
		}
		return math.NaN(), nil
	}
	if !ok {
		return 0, errText
	}
	if !signal.Finite(v) {
		return 0, fmt.Errorf("%s is not finite as a float64", text.Shortened(cell))
	}
	if unit := r.units[i]; unit != "" || !endsNumber(cell) {
		if _, other := cutUnit(cell); other != unit {
			return 0, fmt.Errorf("%q has the unit %q; must have %q, like those before it",
				text.Shortened(cell), other, unit)
		}
	}
	return v, nil
}

// errMissing and errText are the errors of a cell without a value and of one that is no number.
// CellError words them.
var (
	errMissing = errors.New("a value is missing")
	errText    = errors.New("a cell is text")
)

// maxAdvisedName is the length up to which advice has the name of a column.
const maxAdvisedName = 60

// howToFill says what may become of missing values in column i.
func (r *Reader) howToFill(i int) string {
	name := " " + strconv.Itoa(i+1)
	if r.columns != nil {
		name = " " + strconv.Quote(r.columns[i])
	}
	if len(name) > maxAdvisedName {
		name = ""
	}
	return "filled in (MissingInterpolate) or left out, by position (MissingDrop) or by column " +
		"(ReadOptions.Without" + name + ")"
}

// cellError returns the error err of column i in the row that was read last. If its cell is empty
// or text, the rest of the file is read to count such cells.
func (r *Reader) cellError(i int, row []string, err error) error {
	place := fmt.Sprintf("line %d, column %d", r.line, i+1)
	if r.columns != nil {
		place += fmt.Sprintf(" (%q)", text.Shortened(r.columns[i]))
	}
	lacksNumber, kind := isMissing, "missing values"
	what := fmt.Sprintf("the value is missing (%s)", text.Shortened(row[i]))
	switch {
	case errors.Is(err, errText):
		lacksNumber = func(cell string) bool { return !r.dialect.isNumber(cell) }
		what, kind = fmt.Sprintf("%q is not a number", text.Shortened(row[i])), "such cells"
	case !errors.Is(err, errMissing):
		return fmt.Errorf("%s: %w", place, err)
	case row[i] == "":
		what = "the cell is empty"
	}
	if cells, columns := r.count(row, lacksNumber); cells > 1 {
		what += fmt.Sprintf(", the first of %d %s in %s", cells, kind, text.Counted(columns, "column"))
	}
	advice := r.howToFill(i)
	if !r.begun && r.columns != nil {
		advice += ", or the line be deleted if it is no data, such as units"
	}
	return fmt.Errorf("%s: %s; must be a number, or be %s", place, what, advice)
}

// count returns how many cells of numbers in the row and those after it are of a kind, and in how
// many columns.
func (r *Reader) count(row []string, isOfKind func(cell string) bool) (cells, columns int) {
	counts := make([]int, r.width)
	var err error
	for ; err == nil; row, err = r.row() {
		for _, i := range r.kept {
			if i < len(row) && i != r.dialect.clock && isOfKind(row[i]) {
				counts[i]++
			}
		}
	}
	for _, count := range counts {
		if cells += count; count > 0 {
			columns++
		}
	}
	return cells, columns
}

// endsNumber reports whether a cell ends like a number, without a unit.
func endsNumber(cell string) bool {
	return strings.IndexByte("0123456789.", cell[len(cell)-1]) >= 0
}

// joinQuoted returns a line. If it has an open quotation mark, it is joined with the lines up to
// the one that closes it.
func (r *Reader) joinQuoted(line string) (string, error) {
	if !oddQuotes(line) {
		return line, nil
	}
	start := r.line
	var all strings.Builder
	all.WriteString(line)
	for r.lines.Scan() {
		r.line++
		if all.Len() > MaxRowBytes {
			return "", fmt.Errorf("line %d: %w", start, errLongRow)
		}
		all.WriteString("\n" + r.lines.Text())
		if oddQuotes(r.lines.Text()) {
			return all.String(), nil
		}
	}
	return "", fmt.Errorf("line %d: a quotation mark isn't closed", start)
}

// row returns the cells of the next row; the error is io.EOF after the last. Rows of empty cells at
// the end, as spreadsheets write them, are none.
func (r *Reader) row() ([]string, error) {
	if row := r.heldRow(); row != nil {
		return row, nil
	}
	blank := 0 // the first blank line before the row
	for r.lines.Scan() {
		r.line++
		row, err := r.cells()
		if err != nil {
			return nil, err
		}
		if row == nil {
			continue
		}
		if !slices.ContainsFunc(row, func(cell string) bool { return cell != "" }) {
			if len(row) > 1 {
				r.emptyRows, r.emptyWidth = r.emptyRows+1, len(row)
			} else if blank == 0 {
				blank = r.line
			}
			continue
		}
		if blank != 0 && !r.mayBeBlank { // a position would be lost
			return nil, fmt.Errorf("line %d is empty; must be a row of numbers", blank)
		}
		if r.emptyRows > 0 {
			r.after, r.line = slices.Clone(row), r.line-r.emptyRows-1
			return r.heldRow(), nil
		}
		return row, nil
	}
	if err := r.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: %w", r.line+1, errLongRow)
	} else if err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// cells returns those of the line that was read last, with the lines that continue it; nil for a
// comment.
func (r *Reader) cells() ([]string, error) {
	line, err := r.joinQuoted(r.lines.Text())
	if err != nil || r.dialect.isComment(line) {
		return nil, err
	}
	row, err := r.dialect.cells(line)
	if errors.Is(err, csv.ErrBareQuote) || errors.Is(err, csv.ErrQuote) {
		err = errQuotes
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", r.line, err)
	}
	if row == nil {
		row = []string{} // of a blank line
	}
	return row, nil
}

// heldRow returns the next of some rows of empty cells and the row after them; nil if there are
// none.
func (r *Reader) heldRow() (row []string) {
	if r.after == nil {
		return nil
	}
	r.line++
	if r.emptyRows > 0 {
		r.emptyRows--
		return make([]string, r.emptyWidth)
	}
	row, r.after = r.after, nil
	return row
}
