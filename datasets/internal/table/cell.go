package table

import (
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// cells returns the cells of a row without the spaces around them.
func (d *dialect) cells(line string) ([]string, error) {
	if time, values, ok := strings.Cut(line, serialArrow); ok {
		if _, ok := DateTime(strings.TrimSpace(time)); ok {
			line = time + string(d.separator) + values
		}
	}
	if trimmed := strings.TrimSpace(line); d.separator == '|' && len(trimmed) > 1 &&
		trimmed[0] == '|' && trimmed[len(trimmed)-1] == '|' { // as in Markdown
		line = trimmed[1 : len(trimmed)-1]
	}
	if strings.Contains(line, textCell) { // which a spreadsheet doesn't change
		line = strings.ReplaceAll(line, textCell, `"`)
	}
	var row []string
	switch isQuoted := strings.Contains(line, `"`); {
	case d.separator == ' ' && !isQuoted:
		row = strings.Fields(line)
	case !isQuoted:
		row = strings.Split(line, string(d.separator))
	default:
		if d.separator == ' ' {
			line = strings.ReplaceAll(strings.TrimSpace(line), "\t", " ")
		}
		r := csv.NewReader(strings.NewReader(line))
		r.Comma, r.TrimLeadingSpace = d.separator, true
		var err error
		if row, err = r.Read(); err != nil {
			return nil, err
		}
	}
	for i, cell := range row {
		row[i] = plainCell(cell)
	}
	if k := len(row) - 1; k > 0 && strings.HasPrefix(row[k], labChartComment) {
		row = row[:k]
	}
	return row, nil
}

// plainCell returns a cell without the spaces and the apostrophes around it, with a hyphen for a
// minus and without spaces after the sign of a number.
func plainCell(cell string) string {
	cell = strings.TrimSpace(cell)
	if rest, ok := strings.CutPrefix(cell, minusSign); ok {
		cell = "-" + rest
	}
	if len(cell) > 2 && strings.IndexByte("+-", cell[0]) >= 0 && cell[1] == ' ' {
		if number := strings.TrimLeft(cell[1:], " "); startsNumber(number) { // as in "-  1.5"
			cell = cell[:1] + number
		}
	}
	return withoutApostrophes(cell)
}

// withoutApostrophes returns a text without those around it.
func withoutApostrophes(text string) string {
	if inner := strings.Trim(text, "'"); inner != "" && text == "'"+inner+"'" {
		return inner
	}
	return text
}

const (
	// labChartComment begins a comment of LabChart, in one more cell of a row.
	labChartComment = "#* "
	// serialArrow is between the time and the values in a line of Arduino's serial monitor.
	serialArrow = " -> "
	// textCell begins a cell such as ="1.5".
	textCell = `="`
	// minusSign is before negative numbers that were written to be looked at.
	minusSign = "\u2212"
)

// missing are the cells without a value that programs write, in lower case.
var missing = []string{"", "na", "n/a", "nan", "-nan", "null", "none", "-", "?", ".", "#n/a"}

// isMissing reports whether a cell stands for a value that isn't there.
func isMissing(cell string) bool {
	return strings.Trim(cell, "-") == "" || slices.Contains(missing, strings.ToLower(cell))
}

func hasDigits(cell string) bool { return strings.ContainsAny(cell, "0123456789") }

// isValue reports whether a cell is a number with digits: neither missing nor a word such as inf.
func (d *dialect) isValue(cell string) bool { return hasDigits(cell) && d.isNumber(cell) }

// isNumber reports whether a cell is a number or missing.
func (d *dialect) isNumber(cell string) bool {
	if isMissing(cell) {
		return true
	}
	_, ok := d.parse(cell)
	return ok
}

// cellUnits are the units that may follow a number in its cell.
var cellUnits = []string{
	"V", "mV", "uV", "µV", "μV", "nV", "mA", "uA", "µA", "s", "ms", "us", "µs", "Hz", "kHz", "mmHg",
	"bpm", "°C", "°", "%", "dB", "Pa", "kPa", "kOhm", "T", "pT", "fT",
}

// cutUnit returns the number of a cell and the unit that follows it, "" for none. Before a unit of
// one letter there must be a space.
func cutUnit(cell string) (number, unit string) {
	end := strings.LastIndexAny(cell, "0123456789.") + 1
	number, unit = cell[:end], strings.TrimSpace(cell[end:])
	isLetter := len(unit) == 1 && unit != "%" && len(cell) == end+1
	if end == 0 || isLetter || !slices.Contains(cellUnits, unit) {
		return cell, ""
	}
	return number, unit
}

// isUnitless reports whether a cell is missing or a number without a unit.
func (d *dialect) isUnitless(cell string) bool {
	_, unit := cutUnit(cell)
	return unit == "" && d.isNumber(cell)
}

// startsNumber reports whether a cell begins like a number.
func startsNumber(cell string) bool {
	cell = strings.TrimLeft(cell, "+-")
	return cell != "" && (cell[0] >= '0' && cell[0] <= '9' || cell[0] == ',' || cell[0] == '.')
}

// parse returns the value of a cell, with the dialect's decimal sign. It may have signs between
// thousands, an exponent after D, as Fortran writes it, or a unit after it. A value that is too
// large for a float64 is infinite.
func (d *dialect) parse(cell string) (float64, bool) {
	if !d.hasSigns(cell) {
		v, err := strconv.ParseFloat(cell, 64)
		if err == nil || math.IsInf(v, 0) {
			return v, true
		}
	}
	if !startsNumber(cell) {
		return 0, false
	}
	cell, _ = cutUnit(cell)
	if d.decimal == ',' {
		cell = strings.NewReplacer(",", ".", ".", ",").Replace(cell)
	}
	cell = withoutThousands(cell)
	if at := strings.IndexAny(cell, "dD"); at > 0 {
		cell = cell[:at] + "e" + cell[at+1:]
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, err == nil || math.IsInf(v, 0)
}

// hasSigns reports whether a cell has commas or points that mean something else than in Go.
func (d *dialect) hasSigns(cell string) bool {
	if d.decimal != ',' {
		return false
	}
	return strings.Contains(cell, ",") || d.thousands && strings.Contains(cell, ".")
}

// withoutThousands returns a number without the signs between its groups of three digits:
// commas, apostrophes or spaces. Other numbers come back as they are.
func withoutThousands(cell string) string {
	whole, rest, _ := strings.Cut(cell, ".")
	for _, sign := range []string{",", "'", "’", " ", "\u00a0", "\u202f"} {
		groups := strings.Split(strings.TrimLeft(whole, "+-"), sign)
		if len(groups) < 2 {
			continue
		}
		for i, group := range groups {
			digits := strings.Trim(group, "0123456789") == ""
			isFirst := i == 0 && group != "" && len(group) <= 3 && group[0] != '0'
			if !digits || !isFirst && (i == 0 || len(group) != 3) {
				return cell
			}
		}
		return strings.ReplaceAll(whole, sign, "") + "." + rest
	}
	return cell
}

// dateLayouts are the layouts of dates and times that are read.
var dateLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04:05.999999999Z07:00", "2006/01/02 15:04:05.999999999",
	"02.01.2006 15:04:05.999999999", "15:04:05.999999999", "4:05.999999999",
	"1/2/2006 3:04:05.999999999 PM", "1/2/2006 15:04:05.999999999", "2/1/2006 15:04:05.999999999",
	"1/2/06 3:04:05.999999999 PM", "1/2/06 15:04:05.999999999", "15:04:05.999999999 02/01/2006",
}

// secondsEnding ends the times in seconds of MATLAB's writetimetable.
const (
	secondsEnding = " sec"
	maxSeconds    = 1e9 // that fit into a time.Duration, 30 years
)

// DateTime returns the time that a cell writes.
func DateTime(cell string) (time.Time, bool) {
	if number, ok := strings.CutSuffix(cell, secondsEnding); ok {
		seconds, err := strconv.ParseFloat(number, 64)
		return time.Unix(0, int64(seconds*float64(time.Second))),
			err == nil && math.Abs(seconds) < maxSeconds
	}
	cell = strings.Trim(strings.TrimSuffix(strings.ReplaceAll(cell, ",", "."), " UTC"), "[]")
	if at := strings.LastIndexByte(cell, ':'); strings.Count(cell, ":") == 3 && len(cell) == at+4 {
		cell = cell[:at] + "." + cell[at+1:] // three digits of milliseconds
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, cell); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
