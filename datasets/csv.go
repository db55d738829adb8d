package datasets

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"gonum.org/v1/gonum/mat"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
)

var (
	errNoRows  = errors.New("no rows of numbers; must have one for each position")
	errQuotes  = errors.New(`a quotation mark within a cell; must be around the cell, or doubled`)
	errLongRow = errors.New("a row of more than 8 MiB; " +
		"must have a row for each position and a column for each signal")
)

// notTables are how texts begin that hold no table, and what to do with them.
var notTables = []struct {
	start  *regexp.Regexp
	advice string
}{
	{regexp.MustCompile(`^\s*(\{\s*"|(array\()?\[\s*[{\[])`), "the text is a list in brackets, " +
		"such as JSON; must be a table with a row for each position: save it by to_csv in pandas, or by " +
		"numpy.savetxt"},
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

// openCSV reads a text file of numbers up to its first row of them.
func openCSV(r io.Reader, o *ReadOptions) (*content, error) {
	text, start, whole, err := decoded(r)
	if err != nil {
		return nil, err
	}
	for _, kind := range notTables {
		if kind.start.Match(start) {
			return nil, errors.New(kind.advice)
		}
	}
	separator, decimal, err := o.signs()
	if err != nil {
		return nil, err
	}
	c := &csvReader{
		dialect: sniff(string(start), whole, choices{separator, decimal}),
		lines:   bufio.NewScanner(text),
		missing: o.Missing, skipText: o.skipText, isLeftOut: o.isLeftOut, without: o.Without,
	}
	c.dialect.text = slices.DeleteFunc(c.dialect.text, func(i int) bool {
		return slices.Contains(o.numeric, i)
	})
	if line := c.dialect.foreign; line != "" {
		return nil, fmt.Errorf("lines before the table have numbers, too, with another separator, such "+
			"as %q; must be one table with one separator: delete lines that aren't part of it",
			column.Shortened(strings.TrimSpace(line)))
	}
	c.lines.Buffer(nil, maxRowBytes)
	c.lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		c.open = atEOF && bytes.IndexByte(data, '\n') < 0
		return bufio.ScanLines(data, atEOF)
	})
	err = c.begin()
	if errors.Is(err, io.EOF) || errors.Is(err, errNoRows) {
		err = errNoRows
		if line, _, _ := strings.Cut(strings.TrimSpace(string(start)), "\n"); line != "" {
			advice := ""
			if separator == 0 {
				advice = " (with an unusual sign between cells, set ReadOptions.Separator)"
			}
			err = fmt.Errorf("%w%s; the first line is %q", errNoRows, advice, column.Shortened(line))
		}
	}
	if err != nil {
		return nil, err
	}
	about := Recording{Names: c.names, Notes: c.notes()}
	if len(c.kept) < c.width { // columns of text are in between
		about.Places = c.kept
	}
	if h := c.dialect.head; h != nil && h.rate > 0 {
		about.Rate, about.TimeColumn = h.rate, "time"
	}
	// Times in seconds of dates need a header to be read as times again.
	about.NoHeader = c.names == nil && about.TimeColumn == "" && c.dialect.clock < 0
	return &content{
		about: about,
		d:     len(c.kept), n: unknownLength, read: c.read,
		timed: c.dialect.clock >= 0, timeUnit: c.timeUnit, complete: c.complete, check: c.checkFilled,
	}, nil
}

// maxAsideValues is how many values of columns that were set aside are kept: 32 MiB of numbers, a
// day of one channel at 48 Hz. It is a choice.
const maxAsideValues = 1 << 22

// What of a file decides on its dialect: sniffedBytes, some hundred rows, and as many more as are
// needed for minSniffedLines that aren't all comments, up to maxSniffedBytes.
const (
	sniffedBytes    = 1 << 16
	minSniffedLines = 4
	maxSniffedBytes = minSniffedLines * maxRowBytes
)

// decoded returns the text of r as UTF-8, without the mark that spreadsheets begin a file with, and
// what decides about its dialect, without reading on; whole is whether that is all of it. Text with
// a mark of UTF-16 is read as that, and text that doesn't begin as UTF-8 does as Windows-1252, of
// which Latin-1 is a part. Lines may end as those of old Macintosh programs.
func decoded(r io.Reader) (text *bufio.Reader, start []byte, whole bool, err error) {
	raw := bufio.NewReaderSize(r, sniffedBytes)
	first, err := raw.Peek(sniffedBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, false, err
	}
	decoder := transform.Transformer(transform.Nop)
	switch order, isUTF16 := utf16Order(first); {
	case isUTF16:
		decoder = unicode.UTF16(order, unicode.IgnoreBOM).NewDecoder()
	case !beginsAsUTF8(first):
		decoder = charmap.Windows1252.NewDecoder()
	}
	decoder = unicode.BOMOverride(decoder)
	if bytes.IndexByte(first, '\n') < 0 && bytes.IndexByte(first, '\r') >= 0 {
		decoder = transform.Chain(decoder, runes.Map(func(c rune) rune {
			if c == '\r' {
				return '\n'
			}
			return c
		}))
	}
	text = bufio.NewReaderSize(transform.NewReader(raw, decoder), sniffedBytes)
	for size := sniffedBytes; ; size *= 2 {
		text = bufio.NewReaderSize(text, size)
		start, err = text.Peek(size)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, nil, false, err
		}
		whole := len(start) < size
		isEnough := bytes.Count(start, []byte{'\n'}) >= minSniffedLines && !onlyComments(start)
		if whole || isEnough || size >= maxSniffedBytes {
			return text, start, whole, nil
		}
	}
}

// utf16Order returns the byte order of a text in UTF-16, and whether it is one: whether every other
// byte of its first characters is 0.
func utf16Order(first []byte) (order unicode.Endianness, isUTF16 bool) {
	const characters = 16
	if len(first) < 2*characters {
		return order, false
	}
	var zeros [2]int
	for k, c := range first[:2*characters] {
		if c == 0 {
			zeros[k%2]++
		}
	}
	switch zeros {
	case [2]int{0, characters}:
		return unicode.LittleEndian, true
	case [2]int{characters, 0}:
		return unicode.BigEndian, true
	}
	return order, false
}

// beginsAsUTF8 reports whether the first bytes of a text are UTF-8. The last character may be cut.
func beginsAsUTF8(first []byte) bool {
	for range utf8.UTFMax {
		if utf8.Valid(first) {
			return true
		}
		if len(first) < sniffedBytes-utf8.UTFMax {
			return false // it isn't cut
		}
		first = first[:len(first)-1]
	}
	return false
}

// onlyComments reports whether all lines of a text are comments. The last may be cut.
func onlyComments(text []byte) bool {
	for line := range bytes.Lines(text) {
		if !new(dialect).isComment(string(line)) {
			return false
		}
	}
	return true
}

// A csvReader reads the numbers of a text file.
type csvReader struct {
	dialect dialect
	lines   *bufio.Scanner
	line    int // of the last row
	missing Missing

	names       []string // of the columns that are kept; nil without a header
	columns     []string // names of all columns; nil without a header
	secondNames bool     // the names are those of the second row
	width       int      // cells of a row; 0 before the first
	kept        []int    // the columns of numbers, the times of dialect.clock first
	timeUnit    float64  // seconds that 1 in the first column stands for, if it holds times
	first       time.Time
	firstRow    []string   // the cells of the first row
	units       []string   // after the numbers of each column, in its cells; "" for none
	texts       [][]string // what the columns of text hold; nil if that isn't kept
	skipText    bool
	isLeftOut   func(name string) bool // by the options
	filled      []filling              // of the columns of text
	unread      filling                // cells of text in columns of numbers, taken for missing values
	without     []string               // by the options

	after      []string // the row after rows of empty cells; nil for none
	emptyRows  int      // those before it that weren't returned yet
	emptyWidth int      // their cells

	numbers    []float64 // of the last row
	pending    []float64 // those of them that read has not returned
	mayBeBlank bool      // whether a blank line may stand before the next row
	open       bool      // the last line has no end
	cutOff     bool      // the last line has no end, and fewer cells
	begun      bool      // a row of numbers was read
}

// wideRow is the number of cells, for each name in the header, from which a row looks like a signal.
// It is a choice: a comma taken for the wrong one makes at most about twice as many.
const wideRow = 10

// begin reads up to the first row of numbers.
func (c *csvReader) begin() error {
	header, units, err := c.readHeader()
	if err != nil {
		return err
	}
	c.mayBeBlank = len(header) > 1 // below the names
	row, err := c.row()
	if err != nil {
		return err
	}
	c.width, c.mayBeBlank, c.firstRow = len(row), false, slices.Clone(row)
	if err := c.checkWidth(header); err != nil {
		return err
	}
	c.choose(header)
	if len(c.kept) == 0 {
		return errNoRows
	}
	c.units = make([]string, c.width)
	for _, i := range c.kept {
		_, c.units[i] = cutUnit(row[i])
	}
	c.timeUnit = 1
	if header != nil && c.dialect.clock < 0 {
		unit := c.units[c.kept[0]]
		if len(units) > c.kept[0] {
			unit = units[c.kept[0]]
		}
		c.timeUnit, _ = column.TimeUnit(header[c.kept[0]], unit)
	}
	if c.dialect.counted {
		return errors.New("line 1 has the numbers of the columns, as pandas writes them, " +
			"or the values at the first position; must name the columns, or be left out")
	}
	return c.parse(row)
}

// readHeader reads what is before the first row of numbers, and returns the names of the columns and
// their units, nil without them.
func (c *csvReader) readHeader() (header, units []string, err error) {
	for range c.dialect.preamble {
		if !c.lines.Scan() {
			return nil, nil, io.EOF
		}
		c.line++
	}
	if c.dialect.commented {
		header, _ = c.dialect.commentedHeader(c.lines.Text())
	}
	if h := c.dialect.head; h != nil && h.names != nil {
		header = h.names
	}
	for _, row := range []struct {
		has   bool
		cells *[]string
	}{{c.dialect.header, &header}, {c.dialect.units, &units}} {
		if row.has {
			cells, err := c.row()
			if err != nil {
				return nil, nil, err
			}
			*row.cells = slices.Clone(cells)
		}
	}
	if c.dialect.unnamed {
		header = append([]string{""}, header...)
	}
	if c.secondNames = repeats(header) && units != nil && !repeats(units); c.secondNames {
		header, units = units, nil
	}
	return header, units, nil
}

// checkWidth returns an error if the first row of numbers has fewer or more cells than there are
// names, or fewer than the rows after it.
func (c *csvReader) checkWidth(header []string) error {
	if header != nil && (len(header) > c.width || len(header) < c.width-c.dialect.padding) {
		advice := "ReadOptions.Decimal or ReadOptions.Separator, if a comma was taken for the wrong one"
		switch {
		case c.width >= wideRow*len(header):
			advice = "ReadOptions.Transpose without the header, if each row is a signal"
		case c.dialect.separator == ' ':
			advice = "names with spaces, in quotation marks"
		}
		return fmt.Errorf("line %d has %d cells below a header of %d; must have as many (%s)",
			c.line, c.width, len(header), advice)
	}
	if text := c.dialect.text; len(text) > 0 && text[len(text)-1] >= c.width {
		return fmt.Errorf("line %d has %s; must have %d, like those after it",
			c.line, columnsInWords(c.width), text[len(text)-1]+1)
	}
	return nil
}

// repeats reports whether the names after the first, which may be that of an index, are all the
// same.
func repeats(names []string) bool {
	return len(names) > 2 && len(slices.Compact(slices.Clone(names[1:]))) == 1
}

// choose decides which columns are kept, given the header.
func (c *csvReader) choose(header []string) {
	width := c.width - c.dialect.padding
	c.addUnreadText(header)
	c.filled = make([]filling, len(c.dialect.text))
	if !c.skipText {
		c.texts = make([][]string, len(c.dialect.text))
	}
	if c.dialect.clock >= 0 {
		c.kept = append(c.kept, c.dialect.clock)
	}
	for i := range width {
		if !slices.Contains(c.dialect.text, i) && !(c.dialect.index && i == 0) {
			c.kept = append(c.kept, i)
		}
	}
	if header != nil {
		c.nameColumns(header)
	}
}

// addUnreadText adds to the columns of text those whose numbers aren't read: left out and lacking
// some, or lacking most, unless missing values are filled.
func (c *csvReader) addUnreadText(header []string) {
	for _, i := range c.dialect.lacking {
		isNumbered := header == nil && slices.Contains(c.without, strconv.Itoa(i+1))
		if isNumbered || i < len(header) && c.isLeftOut(header[i]) {
			c.dialect.text = append(c.dialect.text, i)
		}
	}
	if !c.missing.isFilled() {
		for _, i := range c.dialect.sparse {
			if !slices.Contains(c.dialect.text, i) {
				c.dialect.text = append(c.dialect.text, i)
			}
		}
	}
	slices.Sort(c.dialect.text)
}

// nameColumns sets the names of the columns, and of those that are kept.
func (c *csvReader) nameColumns(header []string) {
	c.columns = make([]string, c.width)
	for i := range c.columns {
		name := ""
		if i < len(header) {
			name = header[i]
		}
		name = withoutApostrophes(name)
		if c.dialect.isUnitless(name) {
			name = "column " + cmp.Or(name, strconv.Itoa(i+1))
		}
		c.columns[i] = name
	}
	for _, i := range c.kept {
		c.names = append(c.names, c.columns[i])
	}
}

// notes says what of the file was taken for what, where that isn't obvious.
func (c *csvReader) notes() (notes []string) {
	d := &c.dialect
	add := func(is bool, format string, a ...any) {
		if is {
			notes = append(notes, fmt.Sprintf(format, a...))
		}
	}
	if h := d.head; h != nil {
		add(h.lines == 1, "the first line is that of %s", h.program)
		add(h.lines > 1, "the first %d lines are those of %s", h.lines, h.program)
	}
	if d.title != "" {
		add(d.preamble == 1, "the first line is no part of the table and was left out: %q",
			column.Shortened(d.title))
		add(d.preamble > 1, "the first %d lines are no part of the table and were left out; they begin "+
			"with %q", d.preamble, column.Shortened(d.title))
	}
	add(d.decimal == ',' && !d.whole, "numbers have decimal commas; what is written has decimal "+
		"points, and commas between cells")
	add(d.whole, "points in numbers are between thousands")
	add(d.separator == ' ', "columns are separated by spaces")
	add(d.separator == '|', "columns are separated by |")
	add(d.commented, "the last comment line names the columns")
	add(d.units && !c.secondNames, "the second row has units")
	add(c.secondNames, "the second row names the columns, as the names of the first repeat")
	if units := slices.DeleteFunc(slices.Clone(c.units), func(unit string) bool {
		return unit == ""
	}); len(units) > 0 {
		slices.Sort(units)
		add(true, "units in the cells, %s, were left out", strings.Join(slices.Compact(units), ", "))
	}
	add(d.index, "the first column counts the rows and was left out")
	var set column.Notes
	for _, i := range d.text {
		name := column.Name(c.columns, i)
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

// complete adds to a recording what is known once all is read: the columns of text, and whether the
// last line was cut off.
func (c *csvReader) complete(r *Recording) {
	for k, text := range c.texts {
		i, reason := c.dialect.text[k], "is text"
		if slices.Contains(c.dialect.empty, i) {
			reason = "is empty"
		} else if slices.Contains(c.dialect.lacking, i) {
			reason = "lacks values"
		}
		r.Aside = append(r.Aside, Column{
			Name: column.Name(c.columns, i), Text: text, Reason: reason, Place: i,
		})
	}
	if u := &c.unread; u.others > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d cells of text, the first in line %d (%q), were taken "+
			"for missing values", u.others, u.line, u.cell))
	}
	if c.cutOff {
		r.Notes = append(r.Notes,
			fmt.Sprintf("the last line, %d, is cut off and was left out", c.line))
	}
}

// read implements content.read: it sets values to the next numbers, row by row.
func (c *csvReader) read(values []float64) (int, error) {
	for k := 0; ; {
		n := copy(values[k:], c.pending)
		c.pending = c.pending[n:]
		if k += n; k == len(values) {
			return k, nil
		}
		row, err := c.row()
		if err == nil {
			err = c.parse(row)
			if err != nil && len(row) < c.width && c.open {
				c.cutOff, err = true, io.EOF // as where a recorder lost its power
			}
		}
		if err != nil {
			return k, err
		}
	}
}

func columnsInWords(n int) string {
	if n == 1 {
		return "1 column"
	}
	return fmt.Sprint(n, " columns")
}

// parse reads the numbers of a row.
func (c *csvReader) parse(row []string) error {
	if h := c.dialect.head; h != nil && h.block != "" && strings.HasPrefix(row[0], h.block) {
		return fmt.Errorf("another block of %s begins at line %d; must be one: save each block in a "+
			"file", h.program, c.line)
	}
	if len(row) != c.width {
		return fmt.Errorf("line %d has %s; must have %d, like those before it%s",
			c.line, columnsInWords(len(row)), c.width, c.otherKind(row))
	}
	c.numbers = c.numbers[:0]
	for _, i := range c.kept {
		v, err := c.number(row[i], i)
		if err != nil {
			return c.cellError(i, row, err)
		}
		c.numbers = append(c.numbers, v)
	}
	c.begun = true
	c.observeText(row)
	if len(c.texts) > 0 && len(c.texts)*len(c.texts[0]) >= maxAsideValues {
		c.texts = nil
	}
	for k := range c.texts {
		c.texts[k] = append(c.texts[k], strings.Clone(row[c.dialect.text[k]]))
	}
	c.pending = c.numbers
	return nil
}

// otherKind says that a row, and those before it, are of several kinds, if a column of text names
// the kind; else it returns "".
func (c *csvReader) otherKind(row []string) string {
	for _, i := range c.dialect.text {
		if i >= len(row) || row[i] == "" || row[i] == c.firstRow[i] || hasDigits(row[i]) {
			continue
		}
		return fmt.Sprintf(": column %d has %q here and %q before: keep the rows of one kind, by "+
			"grep for example", i+1, column.Shortened(row[i]), column.Shortened(c.firstRow[i]))
	}
	return ""
}

// number returns the value of a cell of column i; NaN for a missing one, if it may be.
func (c *csvReader) number(cell string, i int) (float64, error) {
	if i == c.dialect.clock {
		t, ok := dateTime(cell)
		if !ok {
			return 0, fmt.Errorf("%q is no date and time, like those before it", column.Shortened(cell))
		}
		if c.first.IsZero() {
			c.first = t
		}
		return t.Sub(c.first).Seconds(), nil
	}
	if c.dialect.isMissing(cell) {
		if !c.missing.isFilled() {
			return 0, errMissing
		}
		return math.NaN(), nil
	}
	v, ok := c.dialect.parse(cell)
	if !ok && c.missing.isFilled() {
		if c.unread.others++; c.unread.others == 1 {
			c.unread.line, c.unread.cell = c.line, column.Shortened(cell)
		}
		return math.NaN(), nil
	}
	if !ok {
		return 0, errText
	}
	if !finite(v) {
		return 0, fmt.Errorf("%s is not finite as a float64", column.Shortened(cell))
	}
	if unit := c.units[i]; unit != "" || !endsNumber(cell) {
		if _, other := cutUnit(cell); other != unit {
			return 0, fmt.Errorf("%q has the unit %q; must have %q, like those before it",
				column.Shortened(cell), other, unit)
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
func (c *csvReader) howToFill(i int) string {
	name := " " + strconv.Itoa(i+1)
	if c.columns != nil {
		name = " " + strconv.Quote(c.columns[i])
	}
	if len(name) > maxAdvisedName {
		name = ""
	}
	return "filled in (MissingInterpolate) or left out, by position (MissingDrop) or by column " +
		"(ReadOptions.Without" + name + ")"
}

// cellError returns the error err of column i in the row that was read last. If its cell is empty
// or text, the rest of the file is read to count such cells.
func (c *csvReader) cellError(i int, row []string, err error) error {
	place := fmt.Sprintf("line %d, column %d", c.line, i+1)
	if c.columns != nil {
		place += fmt.Sprintf(" (%q)", column.Shortened(c.columns[i]))
	}
	lacksNumber, kind := c.dialect.isMissing, "missing values"
	what := fmt.Sprintf("the value is missing (%s)", column.Shortened(row[i]))
	switch {
	case errors.Is(err, errText):
		lacksNumber = func(cell string) bool { return !c.dialect.isNumber(cell) }
		what, kind = fmt.Sprintf("%q is not a number", column.Shortened(row[i])), "such cells"
	case !errors.Is(err, errMissing):
		return fmt.Errorf("%s: %w", place, err)
	case row[i] == "":
		what = "the cell is empty"
	}
	if cells, columns := c.count(row, lacksNumber); cells > 1 {
		what += fmt.Sprintf(", the first of %d %s in %s", cells, kind, columnsInWords(columns))
	}
	advice := c.howToFill(i)
	if !c.begun && c.columns != nil {
		advice += ", or the line be deleted if it is no data, such as units"
	}
	return fmt.Errorf("%s: %s; must be a number, or be %s", place, what, advice)
}

// count returns how many cells of numbers in the row and those after it are of a kind, and in how
// many columns.
func (c *csvReader) count(row []string, isOfKind func(cell string) bool) (cells, columns int) {
	counts := make([]int, c.width)
	var err error
	for ; err == nil; row, err = c.row() {
		for _, i := range c.kept {
			if i < len(row) && i != c.dialect.clock && isOfKind(row[i]) {
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

// joinQuoted returns a line. If it has an open quotation mark, it is joined with the lines up to the
// one that closes it.
func (c *csvReader) joinQuoted(line string) (string, error) {
	if !oddQuotes(line) {
		return line, nil
	}
	start := c.line
	var all strings.Builder
	all.WriteString(line)
	for c.lines.Scan() {
		c.line++
		if all.Len() > maxRowBytes {
			return "", fmt.Errorf("line %d: %w", start, errLongRow)
		}
		all.WriteString("\n" + c.lines.Text())
		if oddQuotes(c.lines.Text()) {
			return all.String(), nil
		}
	}
	return "", fmt.Errorf("line %d: a quotation mark isn't closed", start)
}

// row returns the cells of the next row; the error is io.EOF after the last. Rows of empty cells at
// the end, as spreadsheets write them, are none.
func (c *csvReader) row() ([]string, error) {
	if row := c.heldRow(); row != nil {
		return row, nil
	}
	blank := 0 // the first blank line before the row
	for c.lines.Scan() {
		c.line++
		row, err := c.cells()
		if err != nil {
			return nil, err
		}
		if row == nil {
			continue
		}
		if !slices.ContainsFunc(row, func(cell string) bool { return cell != "" }) {
			if len(row) > 1 {
				c.emptyRows, c.emptyWidth = c.emptyRows+1, len(row)
			} else if blank == 0 {
				blank = c.line
			}
			continue
		}
		if blank != 0 && !c.mayBeBlank { // a position would be lost
			return nil, fmt.Errorf("line %d is empty; must be a row of numbers", blank)
		}
		if c.emptyRows > 0 {
			c.after, c.line = slices.Clone(row), c.line-c.emptyRows-1
			return c.heldRow(), nil
		}
		return row, nil
	}
	if err := c.lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("line %d: %w", c.line+1, errLongRow)
	} else if err != nil {
		return nil, err
	}
	return nil, io.EOF
}

// cells returns those of the line that was read last, with the lines that continue it; nil for a comment.
func (c *csvReader) cells() ([]string, error) {
	line, err := c.joinQuoted(c.lines.Text())
	if err != nil || c.dialect.isComment(line) {
		return nil, err
	}
	row, err := c.dialect.cells(line)
	if errors.Is(err, csv.ErrBareQuote) || errors.Is(err, csv.ErrQuote) {
		err = errQuotes
	}
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", c.line, err)
	}
	if row == nil {
		row = []string{} // of a blank line
	}
	return row, nil
}

// heldRow returns the next of some rows of empty cells and the row after them; nil if there are none.
func (c *csvReader) heldRow() (row []string) {
	if c.after == nil {
		return nil
	}
	c.line++
	if c.emptyRows > 0 {
		c.emptyRows--
		return make([]string, c.emptyWidth)
	}
	row, c.after = c.after, nil
	return row
}

// createCSV writes a header, if there is one, and returns what writes the next positions of the
// signals.
func createCSV(w io.Writer, about *Recording, d, _ int) (func(*mat.Dense) error, error) {
	out, position := csv.NewWriter(w), 0
	columns := about.csvColumns(d)
	var err error
	if !about.NoHeader || about.Names != nil || about.hasClock() {
		if err := about.checkHeader(d); err != nil {
			return nil, err
		}
		err = out.Write(about.header(d))
	}
	return func(z *mat.Dense) error {
		_, n := z.Dims()
		var row []string
		for t := range n {
			row = row[:0]
			if about.hasClock() {
				unit, _ := column.TimeUnit(about.TimeColumn, "")
				seconds := about.Start + float64(position)/about.Rate
				row = append(row, formatTime(seconds/unit, about.Rate*unit))
			}
			for _, c := range columns {
				if c.aside != nil {
					row = append(row, c.aside.cell(position))
				} else {
					row = append(row, strconv.FormatFloat(z.At(c.signal, t), 'g', -1, 64))
				}
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

// A csvColumn is a column of a CSV file that is written: a signal, or a column set aside.
type csvColumn struct {
	name   string
	signal int     // its number
	aside  *Column // nil for a signal
	place  int
}

// name returns the name of signal i: s1, s2, … without Names.
func (r *Recording) name(i int) string {
	if r.Names == nil {
		return fmt.Sprintf("s%d", i+1)
	}
	return r.Names[i]
}

// csvColumns returns the columns of a CSV file of d signals, without times: in the order of Places.
func (r *Recording) csvColumns(d int) (all []csvColumn) {
	for i := range d {
		c := csvColumn{signal: i, name: r.name(i)}
		if r.Places != nil {
			c.place = r.Places[i]
		}
		all = append(all, c)
	}
	for k := range r.Aside {
		a := &r.Aside[k]
		all = append(all, csvColumn{name: a.Name, aside: a, place: a.Place})
	}
	if r.Places != nil {
		slices.SortStableFunc(all, func(a, b csvColumn) int { return cmp.Compare(a.place, b.place) })
	}
	return all
}

// header returns the names of the columns of d signals.
func (r *Recording) header(d int) (names []string) {
	if r.hasClock() {
		names = append(names, r.TimeColumn)
	}
	for _, c := range r.csvColumns(d) {
		names = append(names, c.name)
	}
	return names
}

// checkHeader returns an error unless the header of d signals would be read as one.
func (r *Recording) checkHeader(d int) error {
	written := dialect{separator: ',', decimal: '.'}
	for _, name := range r.header(d) {
		if written.isUnitless(name) || strings.ContainsAny(name, ";\t") ||
			name != strings.TrimSpace(name) {
			return fmt.Errorf("the name %q can't head a column of CSV; must not be empty or a "+
				"number, nor have semicolons, tabs or spaces around it", name)
		}
	}
	return nil
}

// formatTime returns a time to a thousandth of a step at this rate, or to twelve digits if
// those are more, without an exponent. Times since 1970 need that many.
func formatTime(time, rate float64) string {
	steps := max(1, math.Abs(time)*rate)
	digits := max(12, int(math.Ceil(math.Log10(steps)))+4)
	if digits > 16 {
		digits = -1 // all that a float64 has
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(time, 'g', digits, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
