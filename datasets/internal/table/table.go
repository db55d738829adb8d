// Package table reads tables of numbers in text, with a row for each position, as spreadsheets,
// programs and recorders write them: it guesses from the first rows what stands between cells,
// which decimal sign numbers have, where the table begins, and which columns hold names, units,
// text and times. [Open] reads up to the first row of numbers, [Reader.Next] the rows.
package table

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/text"
	"github.com/seed-47b1e431/gosica/internal/unit"
)

var errNoRows = errors.New("no rows of numbers; must have one for each position")

// notTables are how texts begin that hold no table, and what to do with them.
var notTables = []struct {
	start  *regexp.Regexp
	advice string
}{
	{regexp.MustCompile(`^\s*(\{\s*"|(array\()?\[\s*[{\[])`), "the text is a list in brackets, " +
		"such as JSON; must be a table with a row for each position: save it by to_csv in pandas, or " +
		"by numpy.savetxt"},
	{regexp.MustCompile(`^(?i)\s*<(!doctype|html|\?xml)`), "the text is a web page or XML; must be " +
		"a table with a row for each position: save the file itself"},
	{regexp.MustCompile(`^%START AT`), "the text is that of OpenBCI's SD card, in hexadecimal; must " +
		"have decimal numbers: convert it by the OpenBCI GUI"},
	{regexp.MustCompile(`^"INFORMATION"`), "the text has one channel of Spike2 after another; must " +
		"have a column for each: export it as spreadsheet text"},
	{regexp.MustCompile("^PK\x03\x04"), "the file is a spreadsheet or a ZIP archive, no text: save " +
		"the sheet as CSV, or unpack it"},
	{regexp.MustCompile("^\x1f‹"), "the file is compressed, no text: unpack it by gunzip"},
}

// MaxRowBytes is the limit of a row: 8 MiB. A row may be all of a signal.
const MaxRowBytes = 1 << 23

// Options settle what a text leaves open, and what is kept of it.
type Options struct {
	// Separator is what stands between cells, ' ' for any run of spaces and tabs, and Decimal is
	// the decimal sign, '.' or ','. For 0 the text decides.
	Separator, Decimal rune
	// FillMissing reads values that the text lacks as NaN. Otherwise they are an error.
	FillMissing bool
	// IsLeftOut reports whether the caller leaves out the column of a name. For nil none is.
	// Without has the numbers, from 1 on, of others that are left out. Such columns may lack
	// values.
	IsLeftOut func(name string) bool
	Without   []string
	// Numeric are the columns, from 0 on, that are channels though their first rows have no
	// numbers, as a ChannelError says.
	Numeric []int
	// MaxText is how many cells of columns of text are kept, of all together. If there are more, or
	// for 0, none is.
	MaxText int
}

// A Reader reads the numbers of a table, row by row.
type Reader struct {
	Names     []string // of the columns of numbers; nil without a header
	Units     []string // of these; nil if the text has none
	Places    []int    // which columns of the text these are, from 0 on; nil if they are all
	Notes     []string // what was taken for what, where that isn't obvious
	Rate      float64  // positions a second, as the head of a recorder's program says; 0 for none
	Timed     bool     // the first column holds seconds, which the text writes as dates and times
	TimeUnit  float64  // seconds that 1 in the first column stands for, if it holds times
	FirstLine int      // of the text, with the first row of numbers

	options Options
	dialect dialect
	eyeLink *eyeLink // whose samples the rows are; nil for another text
	lines   *bufio.Scanner
	line    int // of the last row

	columns     []string // names of all columns; nil without a header
	columnUnits []string // of the columns
	secondNames bool     // the names are those of the second row
	width       int      // cells of a row; 0 before the first
	kept        []int    // the columns of numbers, the times of dialect.clock first
	first       time.Time
	firstRow    []string   // the cells of the first row
	units       []string   // after the numbers of each column, in its cells; "" for none
	texts       [][]string // what the columns of text hold; nil if that isn't kept
	filled      []filling  // of the columns of text
	unread      filling    // cells of text in columns of numbers, taken for missing values

	after      []string // the row after rows of empty cells; nil for none
	emptyRows  int      // those before it that weren't returned yet
	emptyWidth int      // their cells

	numbers    []float64 // of the last row
	isAtFirst  bool      // Next hasn't returned those of the first row
	mayBeBlank bool      // whether a blank line may stand before the next row
	open       bool      // the last line has no end
	cutOff     bool      // the last line has no end, and fewer cells
	begun      bool      // a row of numbers was read
}

// Open reads the text of source up to its first row of numbers.
func Open(source io.Reader, o Options) (*Reader, error) {
	if o.IsLeftOut == nil {
		o.IsLeftOut = func(string) bool { return false }
	}
	decoded, start, whole, err := decode(source)
	if err != nil {
		return nil, err
	}
	for _, kind := range notTables {
		if kind.start.Match(start) {
			return nil, errors.New(kind.advice)
		}
	}
	r := &Reader{options: o, dialect: sniff(string(start), whole, o), lines: bufio.NewScanner(decoded)}
	r.dialect.text = slices.DeleteFunc(r.dialect.text, func(i int) bool {
		return slices.Contains(o.Numeric, i)
	})
	if line := r.dialect.foreign; line != "" {
		return nil, fmt.Errorf("lines before the table have numbers, too, with another separator, such "+
			"as %q; must be one table with one separator: delete lines that aren't part of it",
			text.Shortened(strings.TrimSpace(line)))
	}
	r.lines.Buffer(nil, MaxRowBytes)
	r.lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		r.open = atEOF && bytes.IndexByte(data, '\n') < 0
		return bufio.ScanLines(data, atEOF)
	})
	err = r.begin()
	if errors.Is(err, io.EOF) || errors.Is(err, errNoRows) {
		err = r.noRowsError(string(start))
	}
	if err != nil {
		return nil, err
	}
	r.describe()
	return r, nil
}

// noRowsError is the error of a text that begins with start and has no rows of numbers.
func (r *Reader) noRowsError(start string) error {
	line, _, _ := strings.Cut(strings.TrimSpace(start), "\n")
	if line == "" {
		return errNoRows
	}
	advice := ""
	if r.options.Separator == 0 {
		advice = " (with an unusual sign between cells, set ReadOptions.Separator)"
	}
	return fmt.Errorf("%w%s; the first line is %q", errNoRows, advice, text.Shortened(line))
}

// wideRow is the number of cells, for each name in the header, from which a row looks like a
// signal. A comma taken for the wrong one makes about twice as many.
const wideRow = 10

// begin reads up to the first row of numbers.
func (r *Reader) begin() error {
	header, err := r.readHeader()
	if err != nil {
		return err
	}
	r.mayBeBlank = len(header) > 1 // below the names
	row, err := r.row()
	if err != nil {
		return err
	}
	r.FirstLine, r.firstRow = r.line, slices.Clone(row)
	r.width, r.mayBeBlank = len(row), false
	if err := r.checkWidth(header); err != nil {
		return err
	}
	r.choose(header)
	if len(r.kept) == 0 {
		return errNoRows
	}
	r.units = make([]string, r.width)
	for _, i := range r.kept {
		_, r.units[i] = cutUnit(row[i])
	}
	r.TimeUnit = 1
	if header != nil && r.dialect.clock < 0 {
		r.TimeUnit, _ = column.TimeUnit(header[r.kept[0]], r.unit(r.kept[0]))
	}
	if r.dialect.counted {
		return errors.New("line 1 has the numbers of the columns, as pandas writes them, " +
			"or the values at the first position; must name the columns, or be left out")
	}
	r.isAtFirst = true
	return r.parse(row)
}

// readHeader reads what is before the first row of numbers, sets columnUnits, and returns the names
// of the columns; nil without them.
func (r *Reader) readHeader() (header []string, err error) {
	var units []string
	for range r.dialect.preamble {
		if !r.lines.Scan() {
			return nil, io.EOF
		}
		r.line++
	}
	if r.dialect.commented {
		header, _ = r.dialect.commentedHeader(r.lines.Text())
	}
	if h := r.dialect.head; h != nil && h.names != nil {
		header = h.names
	}
	for _, row := range []struct {
		has   bool
		cells *[]string
	}{{r.dialect.header, &header}, {r.dialect.units, &units}} {
		if row.has {
			cells, err := r.row()
			if err != nil {
				return nil, err
			}
			*row.cells = slices.Clone(cells)
		}
	}
	if r.dialect.unnamed {
		header = append([]string{""}, header...)
	}
	if r.secondNames = repeats(header) && units != nil && !repeats(units); r.secondNames {
		header, units = units, nil
	}
	return r.splitUnits(header, units), nil
}

// splitUnits takes the units off the names of the columns, except off those of times, and sets
// columnUnits to them, or to the cells of a row of units.
func (r *Reader) splitUnits(header, row []string) (bare []string) {
	if header == nil {
		return nil
	}
	for i, name := range header {
		header[i] = withoutApostrophes(name)
	}
	bare, r.columnUnits = unit.Split(header)
	for i, name := range header {
		if _, isTime := column.TimeUnit(name, ""); isTime {
			bare[i], r.columnUnits[i] = name, ""
		}
		if i < len(row) && row[i] != "" {
			r.columnUnits[i] = strings.Trim(row[i], `'"()[] `)
		}
	}
	return bare
}

// checkWidth returns an error if the first row of numbers has fewer or more cells than there are
// names, or fewer than the rows after it.
func (r *Reader) checkWidth(header []string) error {
	if header != nil && (len(header) > r.width || len(header) < r.width-r.dialect.padding) {
		advice := "ReadOptions.Decimal or ReadOptions.Separator, if a comma was taken for the wrong one"
		switch {
		case r.width >= wideRow*len(header):
			advice = "ReadOptions.Transpose without the header, if each row is a signal"
		case r.dialect.separator == ' ':
			advice = "names with spaces, in quotation marks"
		}
		return fmt.Errorf("line %d has %d cells below a header of %d; must have as many (%s)",
			r.line, r.width, len(header), advice)
	}
	if k := len(r.dialect.text) - 1; k >= 0 && r.dialect.text[k] >= r.width {
		return fmt.Errorf("line %d has %s; must have %d, like those after it",
			r.line, text.Counted(r.width, "column"), r.dialect.text[k]+1)
	}
	return nil
}

// repeats reports whether the names after the first, which may be that of an index, are all the
// same.
func repeats(names []string) bool {
	return len(names) > 2 && len(slices.Compact(slices.Clone(names[1:]))) == 1
}

// choose decides which columns are kept, given the header.
func (r *Reader) choose(header []string) {
	width := r.width - r.dialect.padding
	r.addUnreadText(header)
	r.filled = make([]filling, len(r.dialect.text))
	r.texts = make([][]string, len(r.dialect.text))
	if r.dialect.clock >= 0 {
		r.kept = append(r.kept, r.dialect.clock)
	}
	for i := range width {
		if !slices.Contains(r.dialect.text, i) && !(r.dialect.index && i == 0) {
			r.kept = append(r.kept, i)
		}
	}
	if header != nil {
		r.nameColumns(header)
	}
}

// addUnreadText adds to the columns of text those whose numbers aren't read: left out and lacking
// some, or lacking most, unless missing values are filled.
func (r *Reader) addUnreadText(header []string) {
	isBeyond := func(i int) bool { return i >= r.width } // in longer rows, which are errors later
	r.dialect.lacking = slices.DeleteFunc(r.dialect.lacking, isBeyond)
	r.dialect.sparse = slices.DeleteFunc(r.dialect.sparse, isBeyond)
	for _, i := range r.dialect.lacking {
		isNumbered := header == nil && slices.Contains(r.options.Without, strconv.Itoa(i+1))
		if isNumbered || i < len(header) && r.options.IsLeftOut(header[i]) {
			r.dialect.text = append(r.dialect.text, i)
		}
	}
	if !r.options.FillMissing {
		for _, i := range r.dialect.sparse {
			if !slices.Contains(r.dialect.text, i) {
				r.dialect.text = append(r.dialect.text, i)
			}
		}
	}
	slices.Sort(r.dialect.text)
}

// nameColumns sets the names of the columns, and of those that are kept.
func (r *Reader) nameColumns(header []string) {
	r.columns = make([]string, r.width)
	for i := range r.columns {
		name := ""
		if i < len(header) {
			name = header[i]
		}
		if r.dialect.isUnitless(name) {
			name = "column " + cmp.Or(name, strconv.Itoa(i+1))
		}
		r.columns[i] = name
	}
	for _, i := range r.kept {
		r.Names = append(r.Names, r.columns[i])
	}
	r.Names = column.DistinctNames(r.Names)
}

// describe sets what the first rows say of the table.
func (r *Reader) describe() {
	if len(r.kept) < r.width { // columns of text are in between
		r.Places = r.kept
	}
	if h := r.dialect.head; h != nil {
		r.Rate = h.rate
	}
	r.Timed, r.Notes = r.dialect.clock >= 0, r.notes()
	var units []string
	for _, i := range r.kept {
		units = append(units, r.unit(i))
	}
	if slices.ContainsFunc(units, func(unit string) bool { return unit != "" }) {
		r.Units = units
	}
}

// unit returns the unit of column i, from the header or else from its cells; "" for none.
func (r *Reader) unit(i int) string {
	if i < len(r.columnUnits) && r.columnUnits[i] != "" {
		return r.columnUnits[i]
	}
	return r.units[i]
}

// notes says what of the file was taken for what, where that isn't obvious.
func (r *Reader) notes() (notes []string) {
	d := &r.dialect
	add := func(is bool, format string, a ...any) {
		if is {
			notes = append(notes, fmt.Sprintf(format, a...))
		}
	}
	if h := d.head; h != nil {
		add(h.lines == 1, "the first line is that of %s", h.program)
		add(h.lines > 1, "the first %d lines are those of %s", h.lines, h.program)
		add(h.note != "", "%s", h.note)
	}
	if d.title != "" {
		add(d.preamble == 1, "the first line is no part of the table and was left out: %q",
			text.Shortened(d.title))
		add(d.preamble > 1, "the first %d lines are no part of the table and were left out; they begin "+
			"with %q", d.preamble, text.Shortened(d.title))
	}
	add(d.decimal == ',' && !d.whole, "numbers have decimal commas; what is written has decimal "+
		"points, and commas between cells")
	add(d.whole, "points in numbers are between thousands")
	add(d.separator == ' ', "columns are separated by spaces")
	add(d.separator == '|', "columns are separated by |")
	add(d.commented, "the last comment line names the columns")
	add(d.units && !r.secondNames, "the second row has units")
	add(r.secondNames, "the second row names the columns, as the names of the first repeat")
	if units := slices.DeleteFunc(slices.Clone(r.units), func(unit string) bool {
		return unit == ""
	}); len(units) > 0 {
		slices.Sort(units)
		add(true, "units in the cells, %s, were taken off the numbers", strings.Join(slices.Compact(units), ", "))
	}
	add(d.index, "the first column counts the rows and was left out")
	var set column.Notes
	for _, i := range d.text {
		name := column.Name(r.columns, i)
		switch {
		case i == d.clock:
			set.Add(name, "has dates and times, which were read as seconds from the first one")
		case slices.Contains(d.empty, i):
			set.Add(name, "is empty and was set aside")
		case slices.Contains(d.sparse, i):
			set.Add(name, "lacks most of its values and was set aside")
		case slices.Contains(d.lacking, i):
			set.Add(name, "was left out, as asked")
		default:
			set.Add(name, "is text and was set aside")
		}
	}
	return append(notes, set.List()...)
}

// Columns returns the number of columns of numbers.
func (r *Reader) Columns() int { return len(r.kept) }

// A Text is a column that isn't read as numbers.
type Text struct {
	Name   string
	Unit   string // "" for none
	Cells  []string
	Reason string // why its cells aren't numbers: that it is text, is empty or lacks values
	Place  int    // which column of the text it is, from 0 on
}

// Texts returns the columns of text once all is read; none if they aren't kept.
func (r *Reader) Texts() (texts []Text) {
	for k, cells := range r.texts {
		i, reason := r.dialect.text[k], "is text"
		if slices.Contains(r.dialect.empty, i) {
			reason = "is empty"
		} else if slices.Contains(r.dialect.lacking, i) {
			reason = "lacks values"
		}
		texts = append(texts, Text{column.Name(r.columns, i), r.unit(i), cells, reason, i})
	}
	return texts
}

// LateNotes says what of the text was left out, once all is read.
func (r *Reader) LateNotes() (notes []string) {
	if u := &r.unread; u.others > 0 {
		notes = append(notes, fmt.Sprintf("taken for missing values: %s of text, the first "+
			"in line %d (%q)", text.Counted(u.others, "cell"), u.line, u.cell))
	}
	if r.cutOff {
		notes = append(notes, fmt.Sprintf("the last line, %d, is cut off and was left out", r.line))
	}
	if r.eyeLink != nil {
		notes = append(notes,
			fmt.Sprintf("%d lines of messages and events were left out", r.eyeLink.leftOut))
	}
	return notes
}

// IsName reports whether the header of a table with commas between its cells can have this name for
// a column: whether that is no number, be it with a decimal comma, and is read as it is.
func IsName(name string) bool {
	points := dialect{separator: ',', decimal: '.'}
	commas := dialect{separator: ';', decimal: ','}
	return !points.isUnitless(name) && !commas.isUnitless(name) &&
		!strings.ContainsAny(name, ";\t") && name == strings.TrimSpace(name)
}

// IsComment reports whether a table with this line takes it for a comment.
func IsComment(line string) bool { return new(dialect).isComment(line) }
