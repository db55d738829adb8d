package table

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-47b1e431/gosica/datasets/internal/column"
	"github.com/seed-47b1e431/gosica/internal/text"
)

// A filling counts the cells of a column that was taken for text, or for empty, by its first rows.
type filling struct {
	numbers, others int
	line            int    // of the first of the others
	cell            string // and what that holds
}

// minNumbers is the share of numbers from which a column is a channel that lacks some values, not
// text.
const minNumbers = 0.5

// isChannel reports whether some cells are no numbers, and at least half are.
func (f *filling) isChannel() bool {
	return f.others > 0 && float64(f.numbers) >= minNumbers*float64(f.numbers+f.others)
}

// observeText counts the cells of a row in the columns of text.
func (r *Reader) observeText(row []string) {
	for k, i := range r.dialect.text {
		if i == r.dialect.clock {
			continue
		}
		f := &r.filled[k]
		if r.dialect.isValue(row[i]) {
			f.numbers++
			continue
		}
		if f.others++; f.others == 1 {
			f.line, f.cell = r.line, text.Shortened(row[i])
		}
	}
}

// A ChannelError is the error that columns are channels, though their first rows have no numbers.
type ChannelError struct {
	Columns []int  // from 0 on
	message string // about the first
}

// Error implements error.
func (e *ChannelError) Error() string { return e.message }

// Check returns, once all is read, a *ChannelError if columns were taken for text that are
// channels.
func (r *Reader) Check() error {
	var found ChannelError
	for k, i := range r.dialect.text {
		f := &r.filled[k]
		name := column.Name(r.columns, i)
		isLeftOut := r.options.IsLeftOut(name) || slices.Contains(r.options.Without, strconv.Itoa(i+1))
		if !f.isChannel() || isLeftOut || column.IsMarker(name) {
			continue
		}
		if found.Columns == nil {
			found.message = fmt.Sprintf("%q has no number in %d of %d rows, first in line %d (%q); must "+
				"have one in each, or be %s", name, f.others, f.numbers+f.others, f.line, f.cell,
				r.howToFill(i))
		}
		found.Columns = append(found.Columns, i)
	}
	if found.Columns == nil {
		return nil
	}
	return &found
}
