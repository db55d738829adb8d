package datasets

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
)

// A filling counts the cells of a column that was taken for text, or for empty, by its first rows.
type filling struct {
	numbers, others int
	line            int    // of the first of the others
	cell            string // and what that holds
}

// minNumbers is the share of numbers from which a column is a channel that lacks some values, not
// text. A choice.
const minNumbers = 0.5

// isChannel reports whether some cells are no numbers, and at least half are.
func (f *filling) isChannel() bool {
	return f.others > 0 && float64(f.numbers) >= minNumbers*float64(f.numbers+f.others)
}

// observeText counts the cells of a row in the columns of text.
func (c *csvReader) observeText(row []string) {
	for k, i := range c.dialect.text {
		if i == c.dialect.clock {
			continue
		}
		f := &c.filled[k]
		if c.dialect.isValue(row[i]) {
			f.numbers++
			continue
		}
		if f.others++; f.others == 1 {
			f.line, f.cell = c.line, column.Shortened(row[i])
		}
	}
}

// A channelError is the error that columns are channels, though their first rows have no numbers.
type channelError struct {
	columns []int
	message string // about the first
}

// Error implements error.
func (e *channelError) Error() string { return e.message }

// checkFilled returns an error if a column was taken for text that is a channel.
func (c *csvReader) checkFilled() error {
	var found channelError
	for k, i := range c.dialect.text {
		f := &c.filled[k]
		name := column.Name(c.columns, i)
		if !f.isChannel() || c.isLeftOut(name) || slices.Contains(c.without, strconv.Itoa(i+1)) ||
			column.IsMarker(name) {
			continue
		}
		if found.columns == nil {
			found.message = fmt.Sprintf("%q has no number in %d of %d rows, first in line %d (%q); must "+
				"have one in each, or be %s", name, f.others, f.numbers+f.others, f.line, f.cell, c.howToFill(i))
		}
		found.columns = append(found.columns, i)
	}
	if found.columns == nil {
		return nil
	}
	return &found
}
