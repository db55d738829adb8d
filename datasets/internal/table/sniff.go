package table

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/seed-47b1e431/gosica/internal/signal"
	"github.com/seed-47b1e431/gosica/internal/unit"
)

// A dialect is the way in which a text file writes a table of numbers.
type dialect struct {
	separator rune   // between cells; ' ' stands for any run of spaces and tabs
	decimal   rune   // '.' or ','
	preamble  int    // lines before the header or, without one, before the first row
	header    bool   // a row of names comes first
	unnamed   bool   // it lacks the name of the first column, which is an index
	commented bool   // the header is the last line of the preamble, after a comment sign
	units     bool   // a row of units comes next
	index     bool   // the first column counts the rows
	counted   bool   // the first row may count the columns: 0, 1, 2… above a row with fractions
	padding   int    // every row ends with so many empty cells without a name
	thousands bool   // with decimal commas: a point is between thousands
	whole     bool   // there are no decimal commas, as the numbers are whole
	text      []int  // columns that hold text or nothing, in order
	empty     []int  // those that hold nothing
	lacking   []int  // columns of numbers that lack some
	sparse    []int  // those of them that lack most
	clock     int    // the column of text that holds dates and times; −1 for none
	head      *head  // the first lines by a recorder's program, part of the preamble; nil for none
	title     string // the first line of words in the preamble; "" for none
	foreign   string // a line of numbers between other separators in the preamble; "" for none
}

// separators are tried in this order. The one with the best score is chosen, of equal ones the
// first. A comma comes late as it may be a decimal sign, spaces last as they may stand around any
// separator.
var separators = []rune{';', '\t', '|', ',', ' '}

// commentSigns begin a line that isn't part of the table.
var commentSigns = []string{"#", "%", "//"}

// isComment reports whether a line is a comment, and no row of the table. A semicolon begins one
// if words follow it, as in files of MATLAB and of some recorders. A line of dashes is one, too, as
// below the names in Markdown.
func (d *dialect) isComment(line string) bool {
	line = strings.TrimSpace(line)
	hasRule := strings.Contains(line, "---") || strings.Contains(line, "===")
	if hasRule && strings.Trim(line, "|-:+= \t") == "" {
		return true
	}
	for _, sign := range commentSigns {
		if strings.HasPrefix(line, sign) {
			return true
		}
	}
	rest, semicolon := strings.CutPrefix(line, ";")
	return semicolon && d.separator != ';' && strings.ContainsFunc(rest, unicode.IsLetter)
}

// maxSniffedRows is the number of rows that decide about a dialect. More of them change nothing in
// a file that is the same all through.
const maxSniffedRows = 200

// sniff returns the dialect of a file that begins with text. Whole is whether that is all of the
// file; otherwise the last line of text may be cut, and isn't used.
func sniff(text string, whole bool, o Options) dialect {
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	if !whole && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	candidates := separators
	if o.Separator != 0 {
		candidates = []rune{o.Separator}
	}
	best, bestScore := dialect{separator: ',', decimal: '.', clock: -1}, -1.0
	known := findHead(lines)
	for _, separator := range candidates {
		if o.Separator == 0 && strings.ContainsRune(";\t|", separator) &&
			!strings.ContainsRune(text, separator) {
			continue
		}
		d := dialect{separator: separator, clock: -1, head: known}
		rows := d.begin(lines, o)
		if len(rows) == 0 {
			continue
		}
		score := d.score(rows)
		if score > bestScore+1e-9 { // beyond rounding
			d.describe(lines[:d.preamble], rows)
			best, bestScore = d, score
		}
	}
	return best
}

// begin sets where the table begins, if d's separator is between the cells, and how its numbers are
// written. It returns the table's rows, or none if that can't be the separator.
func (d *dialect) begin(lines []string, o Options) [][]string {
	if d.head != nil {
		d.preamble = d.head.lines
	}
	// Spreadsheets write their separator into a first line such as "sep=;".
	if sign, ok := strings.CutPrefix(strings.ToLower(lines[0]), "sep="); ok {
		d.preamble = 1
		if o.Separator == 0 && !strings.HasPrefix(sign, string(d.separator)) {
			return nil
		}
	}
	blank := d.skipComments(lines)
	if k := d.titleLines(lines[d.preamble:]); k > 0 {
		d.describeTitle(lines[d.preamble : d.preamble+k])
		d.preamble += k
	}
	rows, _ := d.split(lines[d.preamble:])
	if len(rows) == 0 {
		return nil
	}
	if blank >= 0 && len(rows[0]) == 1 { // it may stand for a value
		d.preamble = min(d.preamble, blank)
	}
	d.decimal = o.Decimal
	if d.decimal == 0 {
		d.decimal = decimalSign(rows)
	}
	d.thousands = d.decimal == ',' && !haveDecimalPoints(rows)
	if o.Decimal == 0 && haveThousands(rows) {
		d.decimal, d.thousands, d.whole = ',', true, true
	}
	if o.Separator == 0 && d.separator != ',' &&
		!slices.ContainsFunc(rows, func(row []string) bool { return len(row) > 1 }) {
		return nil // one column, as with a comma
	}
	return rows
}

// skipComments moves the preamble's end past blank lines and comments, and returns the first blank
// one, or -1.
func (d *dialect) skipComments(lines []string) (blank int) {
	blank = -1
	for ; d.preamble < len(lines); d.preamble++ {
		isBlank := strings.TrimSpace(lines[d.preamble]) == ""
		if !isBlank && !d.isComment(lines[d.preamble]) {
			break
		}
		if isBlank && blank < 0 {
			blank = d.preamble
		}
	}
	return blank
}

// split returns the rows of the table in lines, without blank ones and comments, and the line, from
// 0, at which each begins.
func (d *dialect) split(lines []string) (rows [][]string, places []int) {
	for k := 0; k < len(lines) && len(rows) < maxSniffedRows; k++ {
		line, from := lines[k], k
		for open := oddQuotes(line); open && k+1 < len(lines); { // a cell of several lines
			k++
			open = oddQuotes(lines[k]) != open
		}
		if k > from {
			line = strings.Join(lines[from:k+1], "\n")
		}
		if strings.TrimSpace(line) == "" || d.isComment(line) {
			continue
		}
		if row, err := d.cells(line); err == nil {
			rows, places = append(rows, row), append(places, from)
		}
	}
	return rows, places
}

// oddQuotes reports whether a line opens a quotation without closing it, or the reverse.
func oddQuotes(line string) bool { return strings.Count(line, `"`)%2 == 1 }

// score returns how well the rows are a table of numbers, from 0 to 2.5: the share of the cells
// that are numbers or missing, below the names and units, and the share of the rows that are as
// long as the last. Several columns add a half.
func (d *dialect) score(rows [][]string) float64 {
	numbers, cells, sameLength := 0, 0, 0
	width := len(rows[len(rows)-1])
	for k, row := range rows {
		if len(row) == width {
			sameLength++
		}
		if k < 2 && k < len(rows)-1 && d.countValues(row) == 0 {
			continue
		}
		for _, cell := range row {
			cells++
			if d.isNumber(cell) {
				numbers++
			}
		}
	}
	score := float64(numbers)/float64(cells) + float64(sameLength)/float64(len(rows))
	if width > 1 {
		score += 0.5
	}
	return score
}

// decimalSign returns the decimal sign of the rows' numbers: a comma if there are numbers
// like 1,5 or 1.234,5 and none like 1.5 with a comma before the point. Numbers like
// 1,234,567 have commas between thousands.
func decimalSign(rows [][]string) rune {
	commas, points := 0, 0
	for _, row := range rows {
		for _, cell := range row {
			comma, point := strings.LastIndexByte(cell, ','), strings.LastIndexByte(cell, '.')
			if comma < 0 || !startsNumber(cell) {
				continue
			}
			if point > comma || strings.Count(cell, ",") > 1 {
				points++
			} else {
				commas++
			}
		}
	}
	if commas > points {
		return ','
	}
	return '.'
}

// minThousands is how many numbers of a column with points, and how many without, decide that
// points are between thousands. Numbers with three digits after the point have it always.
const minThousands = 10

// haveThousands reports whether the numbers of the rows are whole ones with points between their
// thousands, such as 1.234 above 567, and without commas.
func haveThousands(rows [][]string) bool {
	width, found := len(rows[len(rows)-1]), false
	for i := range width {
		small, large := 0, 0
		for _, row := range rows {
			if i >= len(row) {
				continue
			}
			cell := strings.TrimLeft(row[i], "+-")
			if cell == "" || strings.Trim(cell, "0123456789.,") != "" {
				continue
			}
			swapped := strings.ReplaceAll(cell, ".", ",")
			isGrouped := withoutThousands(swapped) != swapped
			switch {
			case isGrouped && !strings.Contains(cell, ","):
				large++
			case len(cell) > 3 || strings.ContainsAny(cell, ".,"):
				return false
			default:
				small++
			}
		}
		found = found || small >= minThousands && large >= minThousands
	}
	return found
}

// haveDecimalPoints reports whether a number of the rows has a point that isn't between thousands.
func haveDecimalPoints(rows [][]string) bool {
	return slices.ContainsFunc(rows, func(row []string) bool {
		return slices.ContainsFunc(row, func(cell string) bool {
			number, _ := cutUnit(cell)
			if !startsNumber(number) || strings.Contains(number, ",") ||
				strings.Count(number, ".") != 1 {
				return false
			}
			_, err := strconv.ParseFloat(number, 64)
			swapped := strings.ReplaceAll(number, ".", ",")
			return err == nil && withoutThousands(swapped) == swapped
		})
	})
}

// describe sets what the rows, and the last of the lines before them, say of the table: padding,
// header, units, columns of text and of times, and an index.
func (d *dialect) describe(before []string, rows [][]string) {
	width := len(rows[len(rows)-1])
	d.padding = d.countPadding(rows)
	width -= d.padding
	d.header = (d.head == nil || d.head.names == nil) && d.isHeader(rows[0], width, rows[1:])
	body := rows
	if d.header {
		body = rows[1:]
	} else if len(before) > 0 && d.head == nil {
		names, err := d.commentedHeader(before[len(before)-1])
		d.commented = err == nil && len(names) == width && !slices.ContainsFunc(names, d.isNumber)
	}
	hasSecond := d.header && len(body) > 1 && slices.ContainsFunc(body[1], hasDigits)
	if hasSecond && (isUnits(body[0]) || repeats(rows[0]) && d.isWords(body[0])) {
		d.units, body = true, body[1:]
	}
	for i := range width {
		d.describeColumn(i, body)
	}
	d.counted = !d.header && width > 1 && countsColumns(rows[0]) && len(rows) > 1 &&
		d.hasFraction(rows[1])
	if d.header && width > 1 && countsRows(body) {
		// Below a header of one cell, two cells may be one number with a decimal comma.
		d.unnamed = len(rows[0]) == width-1 && (d.separator != ',' || width > 2)
		name := strings.ToLower(rows[0][0])
		d.index = d.unnamed || name == "" || name == "index" ||
			strings.HasPrefix(name, "unnamed: ")
	}
}

// The limits of columns without most of their values, such as a counter of events or a temperature
// that is measured now and then. A column that begins late lacks fewer.
const (
	minSparseRows = 40
	maxFilled     = 0.05 // share of rows
)

// describeColumn adds column i to those that are empty, hold text or times, or lack numbers.
func (d *dialect) describeColumn(i int, body [][]string) {
	c := d.countCells(i, body)
	isEmpty := len(body) > 2 && c.blank == len(body)
	if isEmpty {
		d.empty = append(d.empty, i)
	}
	isText := len(body) > 1 && c.filled > 0 && c.numbers == 0
	isNominal := d.head != nil && slices.Contains(d.head.text, i)
	switch {
	case isEmpty || isText || isNominal:
		d.text = append(d.text, i)
		if d.clock < 0 && c.times > 0 && c.times == len(body) {
			d.clock = i
		}
	case c.filled < c.all:
		d.lacking = append(d.lacking, i)
		if len(body) >= minSparseRows && float64(c.filled) <= maxFilled*float64(len(body)) {
			d.sparse = append(d.sparse, i)
		}
	}
}

// cellCounts are how many cells a column has, and how many of a kind. Filled ones aren't missing.
type cellCounts struct{ all, blank, filled, numbers, times int }

// countCells counts the cells of column i of the rows.
func (d *dialect) countCells(i int, rows [][]string) (c cellCounts) {
	for _, row := range rows {
		if i >= len(row) {
			continue
		}
		c.all++
		if row[i] == "" {
			c.blank++
		}
		if isMissing(row[i]) {
			continue
		}
		c.filled++
		if d.isNumber(row[i]) {
			c.numbers++
		} else if _, ok := DateTime(row[i]); ok {
			c.times++
		}
	}
	return c
}

// countPadding returns the number of cells that are empty at the end of every row. The first row,
// which may have names, may be shorter.
func (d *dialect) countPadding(rows [][]string) int {
	width := len(rows[len(rows)-1])
	if d.separator == ' ' || len(rows) < 2 {
		return 0
	}
	for k := range width - 1 {
		i := width - 1 - k
		if i < len(rows[0]) && rows[0][i] != "" {
			return k
		}
		if slices.ContainsFunc(rows[1:], func(row []string) bool {
			return len(row) != width || row[i] != ""
		}) {
			return k
		}
	}
	return width - 1
}

// commentedHeader returns the cells of a line after its comment sign.
func (d *dialect) commentedHeader(line string) ([]string, error) {
	line = strings.TrimSpace(line)
	for _, sign := range append(slices.Clone(commentSigns), ";") {
		line = strings.TrimPrefix(line, sign)
	}
	return d.cells(strings.TrimSpace(line))
}

// isHeader reports whether a row names the columns of the body, of which there are width. It does
//
//   - if it has words and no number,
//   - if its first cell is a word, and the cell below that a number, or
//   - if it counts the columns after an empty first cell, as pandas writes a table without names.
func (d *dialect) isHeader(row []string, width int, body [][]string) bool {
	words, numbers := 0, 0
	for i, cell := range row[:min(len(row), width)] {
		switch {
		case cell == "" || isMissing(cell):
		case d.isValue(cell) && !namesFrequency(cell, i, body):
			numbers++
		default:
			words++
		}
	}
	if numbers == 0 {
		return words > 0
	}
	first := row[0]
	if first == "" && len(row) > 1 && countsColumns(row[1:]) {
		return true
	}
	if len(body) > 1 && isUnits(body[0]) {
		body = body[1:]
	}
	return !d.isNumber(first) && len(body) > 0 && len(body[0]) > 0 && d.isValue(body[0][0])
}

// namesFrequency reports whether cell i of the first row is a name such as "10 Hz": a number with a
// unit above one without.
func namesFrequency(cell string, i int, body [][]string) bool {
	if _, unit := cutUnit(cell); unit == "" {
		return false
	}
	if len(body) == 0 || i >= len(body[0]) {
		return false
	}
	_, below := cutUnit(body[0][i])
	return below == ""
}

// isUnits reports whether a row below the names has units, and nothing else.
func isUnits(row []string) bool {
	units := 0
	for _, cell := range row {
		switch {
		case cell == "" || isMissing(cell):
		case !unit.Is(cell):
			return false
		default:
			units++
		}
	}
	return units > 0
}

// isWords reports whether a row has words and no number.
func (d *dialect) isWords(row []string) bool {
	return !slices.ContainsFunc(row, d.isValue) && slices.ContainsFunc(row, func(cell string) bool {
		return cell != "" && !isMissing(cell)
	})
}

// hasFraction reports whether a row has a number that isn't an integer.
func (d *dialect) hasFraction(row []string) bool {
	return slices.ContainsFunc(row, func(cell string) bool {
		v, ok := d.parse(cell)
		return ok && signal.Finite(v) && v != math.Trunc(v)
	})
}

// countsRows reports whether the first cells of the rows rise by 1 from each to the next.
func countsRows(rows [][]string) bool {
	for t, row := range rows {
		first, err := strconv.Atoi(rows[0][0])
		if v, e := strconv.Atoi(row[0]); err != nil || e != nil || v != first+t {
			return false
		}
	}
	return len(rows) > 0
}

// countsColumns reports whether the cells of a row count from 0 or from 1.
func countsColumns(cells []string) bool {
	first, err := strconv.Atoi(cells[0])
	if err != nil || first < 0 || first > 1 {
		return false
	}
	for i, cell := range cells {
		if cell != strconv.Itoa(first+i) {
			return false
		}
	}
	return true
}
