package table

import (
	"slices"
	"strings"
)

// titleLines returns the number of lines before a table that aren't part of it, such as messages
// of a device before it sends numbers. The table begins with its names or, without these, with the
// first row that has numbers where most rows have them. A single row of several cells is part of
// it unless names follow, as its separator may have been misread.
func (d *dialect) titleLines(lines []string) int {
	rows, places := d.split(lines)
	if len(rows) < 3 {
		return 0
	}
	if d.decimal == 0 {
		d.decimal = decimalSign(rows)
		defer func() { d.decimal = 0 }()
	}
	usual := d.usualRow(rows)
	width := len(usual)
	begin := slices.IndexFunc(rows, func(row []string) bool {
		for i := range row {
			if len(row) != width || d.isValue(usual[i]) && !d.isNumber(row[i]) {
				return false
			}
		}
		return d.countValues(row) > 0 || d.countValues(usual) == 0
	})
	if begin < 1 {
		return 0
	}
	for begin > 0 && d.isWithoutValues(rows, begin-1, usual) {
		begin--
	}
	if begin < 1 {
		return 0
	}
	names := d.namesBefore(rows, begin, width)
	if d.hasDamaged(rows[:names], width) {
		return 0
	}
	if names == 0 || names == begin && begin == 1 && (width < 3 || len(rows[0]) > 1) {
		return 0
	}
	return places[names]
}

// usualRow returns the row with the most numbers in the second half of the rows.
func (d *dialect) usualRow(rows [][]string) []string {
	usual := rows[len(rows)/2]
	for _, row := range rows[len(rows)/2:] {
		if d.countValues(row) > d.countValues(usual) {
			usual = row
		}
	}
	return usual
}

// isWithoutValues reports whether row k before the usual ones is a position all of whose values are
// missing: perhaps with a time, or below a row of names with some text.
func (d *dialect) isWithoutValues(rows [][]string, k int, usual []string) bool {
	row := rows[k]
	if len(row) != len(usual) {
		return false
	}
	isBelow := k > 0 && len(rows[k-1]) == len(row) && countFilled(rows[k-1]) == len(row) &&
		d.countValues(rows[k-1]) == 0
	isTimed := false
	for i, cell := range row {
		if isMissing(cell) {
			continue
		}
		_, isTime := DateTime(cell)
		if d.isNumber(usual[i]) || !isTime && !isBelow {
			return false
		}
		isTimed = isTimed || isTime
	}
	return isBelow || isTimed
}

// namesBefore returns the row of the names, above that of the units, if there is one, of a table
// whose numbers begin at a row and have width columns; without names it is the row where they
// begin.
func (d *dialect) namesBefore(rows [][]string, begin, width int) int {
	body := rows[begin:]
	mayBeShort := d.countPadding(body) > 0 || countsRows(body)
	isNames := func(row []string) bool {
		fits := len(row) == width || len(row) == width-1 && mayBeShort
		return fits && d.isHeader(row, width, body)
	}
	if !isNames(rows[begin-1]) {
		return begin
	}
	if begin > 1 && isNames(rows[begin-2]) &&
		countFilled(rows[begin-2]) >= countFilled(rows[begin-1]) &&
		(isUnits(rows[begin-1]) || repeats(rows[begin-2])) {
		return begin - 2
	}
	// Below names, full rows of words and rows without values may be data, which is an error later.
	names := begin - 1
	for k := names; k >= 0 && len(rows[k]) == width && countFilled(rows[begin-1]) == width; k-- {
		isFull := countFilled(rows[k]) == width
		if isFull && !isNames(rows[k]) || !isFull && slices.ContainsFunc(rows[k], func(cell string) bool {
			return !isMissing(cell)
		}) {
			break
		}
		if isFull {
			names = k
		}
	}
	return names
}

// hasDamaged reports whether one of the rows before a table of width columns is of numbers, and so
// a damaged row of it.
func (d *dialect) hasDamaged(rows [][]string, width int) bool {
	hasWords := slices.ContainsFunc(rows, func(row []string) bool { return d.countValues(row) == 0 })
	return slices.ContainsFunc(rows, func(row []string) bool {
		isAlone := len(row) == 1 && width > 2 && hasWords // as a rate below a title
		return 2*d.countValues(row) > len(row) && !isAlone
	})
}

// describeTitle sets title and foreign by the lines before a table.
func (d *dialect) describeTitle(lines []string) {
	for _, line := range lines {
		if strings.TrimSpace(line) == "" || d.isComment(line) {
			continue
		}
		if d.title == "" {
			d.title = line
		}
		if d.foreign == "" && isRowOfNumbers(line) {
			d.foreign = line
		}
	}
}

// isRowOfNumbers reports whether a line is two or more numbers, and nothing else, with one of the
// separators between them. A single comma may be a decimal sign.
func isRowOfNumbers(line string) bool {
	return slices.ContainsFunc(separators, func(separator rune) bool {
		if separator == ',' && strings.Count(line, ",") == 1 && !strings.Contains(line, ".") {
			return false
		}
		for _, decimal := range ".," {
			d := dialect{separator: separator, decimal: decimal}
			cells, err := d.cells(line)
			if err == nil && len(cells) > 1 && !slices.ContainsFunc(cells, func(cell string) bool {
				return !d.isValue(cell)
			}) {
				return true
			}
		}
		return false
	})
}

// countFilled returns how many cells of a row aren't empty.
func countFilled(row []string) (count int) {
	for _, cell := range row {
		if cell != "" {
			count++
		}
	}
	return count
}

// countValues returns how many cells of a row are numbers.
func (d *dialect) countValues(row []string) (count int) {
	for _, cell := range row {
		if d.isValue(cell) {
			count++
		}
	}
	return count
}
